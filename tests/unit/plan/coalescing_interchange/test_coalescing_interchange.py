"""CoalescingInterchange on whole programs: what it writes, and what it leaves alone and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.model.plan import Decline
from assistant.model.verification import Label
from assistant.plan.expert.coalescing_interchange import CoalescingInterchange

DATA = Path(__file__).resolve().parents[3] / "data" / "plan" / "coalescing-interchange"
TRANSFORMED = sorted(p.name.removesuffix(".expected.cu") for p in DATA.glob("*.expected.cu"))
DECLINED = sorted(p.name.removesuffix(".declined.txt") for p in DATA.glob("*.declined.txt"))


@pytest.mark.parametrize("name", TRANSFORMED)
def test_threads_are_laid_along_memory(name, transformed):
    variants = transformed(CoalescingInterchange(), DATA / f"{name}.cu")
    expected = sorted(DATA.glob(f"{name}.expected*.cu"), key=lambda p: (len(p.name), p.name))
    assert variants == tuple(p.read_text("utf-8") for p in expected)


@pytest.mark.parametrize("name", DECLINED)
def test_a_look_alike_is_declined_with_its_reason(name, declined):
    assert declined(CoalescingInterchange(), DATA / f"{name}.cu") == (DATA / f"{name}.declined.txt").read_text("utf-8").strip()


def test_enough_programs_are_covered():
    assert len(TRANSFORMED) >= 6
    assert len(DECLINED) >= 4


@pytest.mark.parametrize("name", TRANSFORMED)
def test_the_result_is_left_alone(name, declined, tmp_path):
    """The same finding on the mended text has nothing left to mend."""
    again = tmp_path / "again.cu"
    again.write_text((DATA / f"{name}.expected.cu").read_text("utf-8"), "utf-8")
    declined(CoalescingInterchange(), again)


def test_a_launch_that_is_only_declared_must_be_changed_by_a_person(context_of):
    text = (DATA / "declared_workload.cu").read_text("utf-8").partition("int main()")[0]
    text = text.replace("[16, 16]", "[32, 8]").replace("rows/16", "rows/32").replace("cols/16", "cols/8")
    text = text.replace("blockIdx.x * 16", "blockIdx.x * blockDim.x").replace("blockIdx.y * 16", "blockIdx.y * blockDim.y")
    (only,) = CoalescingInterchange().rewrite(context_of(text))
    assert only.labels == (Label.ASSUMPTION,)
    assert only.summary.endswith("; change your launch accordingly.")
    assert only.assumptions[0].startswith("your own code launches halve with x and y of grid and block exchanged")
    guessed = CoalescingInterchange().rewrite(context_of(text.replace("8]\n", "8]   # guessed: one thread per element\n")))
    assert isinstance(guessed, Decline) and "only guesses grid and block" in guessed.reason
