"""StagedStore on whole programs: what it writes, and what it leaves alone and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.model.plan import Decline
from assistant.model.verification import Label
from assistant.plan.expert.staged_store import StagedStore

DATA = Path(__file__).resolve().parents[3] / "data" / "plan" / "staged-store"
TRANSFORMED = sorted(p.name.removesuffix(".expected.cu") for p in DATA.glob("*.expected.cu"))
DECLINED = sorted(p.name.removesuffix(".declined.txt") for p in DATA.glob("*.declined.txt"))


@pytest.mark.parametrize("name", TRANSFORMED)
def test_a_column_wise_store_goes_through_a_tile(name, transformed):
    variants = transformed(StagedStore(), DATA / f"{name}.cu")
    expected = sorted(DATA.glob(f"{name}.expected*.cu"), key=lambda p: (len(p.name), p.name))
    assert variants == tuple(p.read_text("utf-8") for p in expected)


@pytest.mark.parametrize("name", DECLINED)
def test_a_look_alike_is_declined_with_its_reason(name, declined):
    assert declined(StagedStore(), DATA / f"{name}.cu") == (DATA / f"{name}.declined.txt").read_text("utf-8").strip()


def test_enough_programs_are_covered():
    assert len(TRANSFORMED) >= 6
    assert len(DECLINED) >= 4


@pytest.mark.parametrize("name", TRANSFORMED)
def test_the_result_is_left_alone(name, declined, tmp_path):
    """The same finding on the mended text has nothing left to mend."""
    again = tmp_path / "again.cu"
    again.write_text((DATA / f"{name}.expected.cu").read_text("utf-8"), "utf-8")
    declined(StagedStore(), again)


def test_a_tile_that_must_match_a_launch_elsewhere_needs_a_person(context_of):
    text = (DATA / "declared_workload_and_local_stride.cu").read_text("utf-8").partition("int main()")[0]
    (only,) = StagedStore().rewrite(context_of(text))
    assert only.labels == (Label.ASSUMPTION,)
    assert only.assumptions[0].startswith("your own code launches gather_columns with blocks of 32 x 32 threads")
    guessed = StagedStore().rewrite(context_of(text.replace("[32, 32]", "[32, 32]   # guessed: one thread per element")))
    assert isinstance(guessed, Decline) and "only guesses grid and block" in guessed.reason
