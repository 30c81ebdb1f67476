"""LoopUnrolling on whole programs: what it writes, and what it leaves alone and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.model.verification import Label
from assistant.plan.expert.loop_unrolling import LoopUnrolling

DATA = Path(__file__).resolve().parents[3] / "data" / "plan" / "loop-unrolling"
TRANSFORMED = sorted(p.name.removesuffix(".expected.cu") for p in DATA.glob("*.expected.cu"))
DECLINED = sorted(p.name.removesuffix(".declined.txt") for p in DATA.glob("*.declined.txt"))


@pytest.mark.parametrize("name", TRANSFORMED)
def test_a_short_constant_loop_is_unrolled(name, transformed):
    expected = sorted(DATA.glob(f"{name}.expected*.cu"), key=lambda p: (len(p.name), p.name))
    assert transformed(LoopUnrolling(), DATA / f"{name}.cu") == tuple(p.read_text("utf-8") for p in expected)


@pytest.mark.parametrize("name", DECLINED)
def test_a_look_alike_is_declined_with_its_reason(name, declined):
    reason = (DATA / f"{name}.declined.txt").read_text("utf-8").strip()
    assert declined(LoopUnrolling(), DATA / f"{name}.cu") == reason


def test_enough_programs_are_covered():
    assert len(TRANSFORMED) >= 6
    assert len(DECLINED) >= 4


@pytest.mark.parametrize("name", TRANSFORMED)
def test_the_result_is_left_alone(name, declined, tmp_path):
    """The same finding on the mended text has nothing left to mend."""
    again = tmp_path / "again.cu"
    again.write_text((DATA / f"{name}.expected.cu").read_text("utf-8"), "utf-8")
    declined(LoopUnrolling(), again)


@pytest.mark.parametrize("name", TRANSFORMED)
def test_windows_line_ends_are_kept(name, context_of, applied):
    text = (DATA / f"{name}.cu").read_text("utf-8").replace("\n", "\r\n")
    for rewrite in LoopUnrolling().rewrite(context_of(text)):
        assert applied(text, rewrite).replace("\r\n", "").count("\n") == 0


def test_another_order_of_float_additions_is_labelled(context_of):
    pragma, split = LoopUnrolling().rewrite(context_of((DATA / "macro_tile.cu").read_text("utf-8")))
    assert (pragma.labels, split.labels) == ((), (Label.REASSOCIATION,))


def test_integer_sums_need_no_label(context_of):
    _, split = LoopUnrolling().rewrite(context_of((DATA / "integer_sum_and_one_line.cu").read_text("utf-8")))
    assert split.labels == ()
