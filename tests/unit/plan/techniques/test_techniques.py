"""The expert's techniques on whole programs: what each writes, and what it leaves alone and why.

Each has a folder in ``tests/data/plan``: ``NAME.cu`` with ``NAME.expected*.cu`` (one for each variant) or ``NAME.declined.txt``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assistant.plan.expert.block_size_search import BlockSizeSearch
from assistant.plan.expert.coalescing_interchange import CoalescingInterchange
from assistant.plan.expert.const_restrict import ConstRestrict
from assistant.plan.expert.float_literals import FloatLiterals
from assistant.plan.expert.loop_unrolling import LoopUnrolling
from assistant.plan.expert.scalar_replacement import ScalarReplacement
from assistant.plan.expert.shared_memory_padding import SharedMemoryPadding
from assistant.plan.expert.shared_tile import SharedTile
from assistant.plan.expert.staged_store import StagedStore
from assistant.plan.expert.transformation import Transformation

DATA = Path(__file__).resolve().parents[3] / "data" / "plan"
TECHNIQUES: dict[str, Callable[[], Transformation]] = {
    "block-size-search": BlockSizeSearch,
    "coalescing-interchange": CoalescingInterchange,
    "const-restrict": ConstRestrict,
    "float-literals": FloatLiterals,
    "loop-unrolling": LoopUnrolling,
    "scalar-replacement": ScalarReplacement,
    "shared-memory-padding": SharedMemoryPadding,
    "shared-tile": SharedTile,
    "staged-store": StagedStore,
}
NEVER_SETTLED = "block-size-search"
"""A kernel that runs with other blocks can be tried with others again."""


def programs(suffix: str) -> Iterator[tuple[str, str]]:
    """(technique, name of a program that has a file with this suffix)."""
    for technique in TECHNIQUES:
        for path in sorted((DATA / technique).glob(f"*{suffix}")):
            yield technique, path.name.removesuffix(suffix)


TRANSFORMED = tuple(programs(".expected.cu"))
DECLINED = tuple(programs(".declined.txt"))


@pytest.mark.parametrize(("technique", "name"), TRANSFORMED)
def test_each_variant_is_as_expected(technique, name, transformed):
    expected = sorted((DATA / technique).glob(f"{name}.expected*.cu"), key=lambda path: (len(path.name), path.name))
    variants = transformed(TECHNIQUES[technique](), DATA / technique / f"{name}.cu")
    assert variants == tuple(path.read_text("utf-8") for path in expected)


@pytest.mark.parametrize(("technique", "name"), DECLINED)
def test_a_look_alike_is_declined_with_its_reason(technique, name, declined):
    reason = (DATA / technique / f"{name}.declined.txt").read_text("utf-8").strip()
    assert declined(TECHNIQUES[technique](), DATA / technique / f"{name}.cu") == reason


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_enough_programs_are_covered(technique):
    assert sum(of == technique for of, _ in TRANSFORMED) >= 6
    assert sum(of == technique for of, _ in DECLINED) >= 4


@pytest.mark.parametrize(("technique", "name"), [pair for pair in TRANSFORMED if pair[0] != NEVER_SETTLED])
def test_the_result_is_left_alone(technique, name, declined, tmp_path):
    """The same finding on the new text has nothing left to change."""
    again = tmp_path / "again.cu"
    again.write_text((DATA / technique / f"{name}.expected.cu").read_text("utf-8"), "utf-8")
    declined(TECHNIQUES[technique](), again)


@pytest.mark.parametrize(("technique", "name"), TRANSFORMED)
def test_windows_line_ends_are_kept(technique, name, context_of, applied):
    text = (DATA / technique / f"{name}.cu").read_text("utf-8").replace("\n", "\r\n")
    for rewrite in TECHNIQUES[technique]().rewrite(context_of(text)):
        assert applied(text, rewrite).replace("\r\n", "").count("\n") == 0
