"""BlockSizeSearch on whole programs: what it writes, and what it leaves alone and why."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assistant.model.plan import Decline
from assistant.model.verification import Label
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


def test_a_launch_that_is_only_declared_is_advice_that_a_person_must_follow(context_of):
    (first, *_) = BlockSizeSearch().rewrite(context_of(_without_main("declared_workload")))
    assert first.labels == (Label.ASSUMPTION,)
    assert first.summary.endswith("; change your launch accordingly.")
    assert first.assumptions[0].startswith("your own code launches triple with blocks of 128 threads and a grid to match")


def test_a_launch_in_the_text_is_host_code_and_assumes_nothing(context_of):
    (first, *_) = BlockSizeSearch().rewrite(context_of((DATA / "declared_workload.cu").read_text("utf-8")))
    assert (first.labels, first.assumptions) == ((Label.HOST_CODE,), ())


@pytest.mark.parametrize("key", ["grid", "block"])
def test_a_declared_launch_that_was_guessed_is_not_built_upon(key, context_of):
    text = re.sub(rf"^({key} .*)$", r"\1   # guessed: one thread per element", _without_main("declared_workload"), flags=re.MULTILINE)
    result = BlockSizeSearch().rewrite(context_of(text))
    assert isinstance(result, Decline) and "the workload triple only guesses grid and block" in result.reason


def test_a_guess_does_not_matter_where_the_text_launches(context_of):
    text = (DATA / "declared_workload.cu").read_text("utf-8").replace("[1024]", "[1024]   # guessed: one thread per element")
    assert not isinstance(BlockSizeSearch().rewrite(context_of(text)), Decline)


def _without_main(name: str) -> str:
    return (DATA / f"{name}.cu").read_text("utf-8").partition("int main()")[0]
