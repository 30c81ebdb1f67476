"""The expert's techniques on whole programs: what each writes, and what it leaves alone and why.

Each has a folder in ``tests/data/plan``: ``NAME.cu`` with ``NAME.expected*.cu`` (one for each variant) or ``NAME.declined.txt``, which
holds the code of the decline. The program's first line says what is looked at: ``// kernel=axpy line=7 finding=KO113``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.model.plan import Decline
from assistant.plan.expert.all_transformations import EXPERT_TRANSFORMATIONS

DATA = Path(__file__).resolve().parents[3] / "data" / "plan"
TECHNIQUES = {one.technique: type(one) for one in EXPERT_TRANSFORMATIONS}
NEVER_SETTLED = frozenset({"block-size-search", "fewer-blocks", "kernel-fusion", "more-blocks"})
"""A kernel that runs with other blocks, or with more or fewer of them, can be tried with others again; a fused one is gone."""


def programs(suffix: str) -> Iterator[tuple[str, str]]:
    """(technique, name of a program that has a file with this suffix)."""
    for technique in TECHNIQUES:
        for path in sorted((DATA / technique).glob(f"*{suffix}")):
            yield technique, path.name.removesuffix(suffix)


TRANSFORMED = tuple(programs(".expected.cu"))
DECLINED = tuple(programs(".declined.txt"))


@pytest.mark.parametrize(("technique", "name"), TRANSFORMED)
def test_each_variant_is_as_expected(technique, name, context_of, applied):
    """Further variants differ from one of these in numbers alone."""
    expected = sorted((DATA / technique).glob(f"{name}.expected*.cu"), key=lambda path: (len(path.name), path.name))
    text = (DATA / technique / f"{name}.cu").read_text("utf-8")
    rewrites = TECHNIQUES[technique]().rewrite(context_of(text))
    assert not isinstance(rewrites, Decline), rewrites.reason
    variants = [applied(text, rewrite) for rewrite in rewrites[: len(expected)]]
    assert variants == [path.read_text("utf-8") for path in expected]
    known = [[number for number, _ in rewrite.numbers] for rewrite in rewrites[: len(expected)]]
    assert all(rewrite.numbers and [number for number, _ in rewrite.numbers] in known for rewrite in rewrites[len(expected) :])


@pytest.mark.parametrize(("technique", "name"), DECLINED)
def test_a_look_alike_is_declined_with_its_code(technique, name, declined):
    code = (DATA / technique / f"{name}.declined.txt").read_text("utf-8").strip()
    assert declined(TECHNIQUES[technique](), DATA / technique / f"{name}.cu").code == code


def test_each_decline_says_why_in_a_sentence(declined, snapshot):
    """All of them in one place, to be read by a person; `--snapshot-update` takes new words."""
    assert {
        f"{technique}/{name}": declined(TECHNIQUES[technique](), DATA / technique / f"{name}.cu").reason for technique, name in DECLINED
    } == snapshot


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_enough_programs_are_covered(technique):
    for wanted, suffix, found in ((6, ".expected.cu", TRANSFORMED), (4, ".declined.txt", DECLINED)):
        count = sum(of == technique for of, _ in found)
        assert count >= wanted, f"{DATA / technique} has {count} of at least {wanted} *{suffix}"


@pytest.mark.parametrize(("technique", "name"), [pair for pair in TRANSFORMED if pair[0] not in NEVER_SETTLED])
def test_the_result_is_left_alone(technique, name, context_of):
    """The same finding on the new text has nothing left to change."""
    text = (DATA / technique / f"{name}.expected.cu").read_text("utf-8")
    result = TECHNIQUES[technique]().rewrite(context_of(text))
    assert isinstance(result, Decline) or result == ()


@pytest.mark.parametrize(("technique", "name"), TRANSFORMED)
def test_windows_line_ends_are_kept(technique, name, context_of, applied):
    text = (DATA / technique / f"{name}.cu").read_text("utf-8").replace("\n", "\r\n")
    for rewrite in TECHNIQUES[technique]().rewrite(context_of(text)):
        assert applied(text, rewrite).replace("\r\n", "").count("\n") == 0
