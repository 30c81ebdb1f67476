"""BlockSizeSearch on whole programs: what it writes, and what it leaves alone and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.plan.expert.block_size_search import BlockSizeSearch

DATA = Path(__file__).resolve().parents[3] / "data" / "plan" / "block-size-search"
TRANSFORMED = sorted(p.name.removesuffix(".expected.cu") for p in DATA.glob("*.expected.cu"))
DECLINED = sorted(p.name.removesuffix(".declined.txt") for p in DATA.glob("*.declined.txt"))


@pytest.mark.parametrize("name", TRANSFORMED)
def test_a_kernel_that_does_not_care_is_offered_other_blocks(name, transformed):
    variants = transformed(BlockSizeSearch(), DATA / f"{name}.cu")
    expected = sorted(DATA.glob(f"{name}.expected*.cu"), key=lambda p: (len(p.name), p.name))
    assert variants == tuple(p.read_text("utf-8") for p in expected)


@pytest.mark.parametrize("name", DECLINED)
def test_a_look_alike_is_declined_with_its_reason(name, declined):
    assert declined(BlockSizeSearch(), DATA / f"{name}.cu") == (DATA / f"{name}.declined.txt").read_text("utf-8").strip()


def test_enough_programs_are_covered():
    assert len(TRANSFORMED) >= 6
    assert len(DECLINED) >= 4
