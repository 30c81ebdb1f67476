"""What a round keeps is confirmed: judged on fresh values, measured once more."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from assistant.model import events
from assistant.model.plan import SetbackKind, UnwrittenStep, UnwrittenStepCode
from assistant.model.timing import PairTiming, TimingOptions
from assistant.model.workload import Case
from assistant.ports.lab import LabFailure, Program, ReplayOptions, ReplayRun, RunLimits
from tests.contracts.fake_clock import Clock
from tests.contracts.fake_lab import Behaviour, FakeLab
from tests.unit.engine.scripted import Scripted, Search, plan_of
from tests.unit.engine.searches import NAIVE, ONLY_FOR_MULTIPLES_OF_32, RIGHT
from tests.unit.engine.test_rounds import timed
from tests.unit.engine.test_search import KERNELS, QUICK, turned

pytestmark = pytest.mark.usefixtures("home")


async def test_where_no_edit_holds_on_fresh_values_nothing_is_offered(tmp_path: Path) -> None:
    whole = Search(tmp_path, Scripted([]))
    text = whole.text.replace("boundary = false", "sizes  = { n = { min = 1 } }")
    planner = Scripted([plan_of(NAIVE, tile=[ONLY_FOR_MULTIPLES_OF_32], other=[ONLY_FOR_MULTIPLES_OF_32.replace("tile[32]", "tile [32]")])])
    on = Search(tmp_path, planner, text)
    assert await on.run() == [("tile", "kept"), ("other", "duplicate")]
    assert on.offered == [] and sum("failed its confirmation" in words for words in on.said) == 1
    assert on.ending.startswith("no edit found")


async def test_what_fails_its_confirmation_goes_back_to_the_model_that_wrote_it(tmp_path: Path) -> None:
    text = Search(tmp_path, Scripted([])).text.replace("boundary = false", "sizes  = { n = { min = 1 } }")
    planner = Scripted([plan_of(NAIVE, tile=[ONLY_FOR_MULTIPLES_OF_32])], [RIGHT], is_model=True)
    on = Search(tmp_path, planner, text)
    assert await on.run(max_rounds=1) == [("tile", "kept"), ("tile", "kept")]
    (setback,) = planner.setbacks
    assert setback.kind is SetbackKind.WRONG_ANSWER and setback.reason.startswith("it failed when it was judged on fresh values: ")
    assert setback.findings and ONLY_FOR_MULTIPLES_OF_32 in setback.text
    assert sum("failed its confirmation" in words for words in on.said) == 1
    (made,) = on.all(events.ProposalMade)
    assert RIGHT in on.store.find_proposal(made.id).files[0].after_text


async def test_a_model_that_gives_up_on_it_leaves_it_at_that(tmp_path: Path) -> None:
    text = Search(tmp_path, Scripted([])).text.replace("boundary = false", "sizes  = { n = { min = 1 } }")
    given_up = UnwrittenStep(UnwrittenStepCode.GIVEN_UP, "it needs whole tiles")
    on = Search(tmp_path, Scripted([plan_of(NAIVE, tile=[ONLY_FOR_MULTIPLES_OF_32])], [given_up], is_model=True), text)
    assert await on.run(max_rounds=1) == [("tile", "kept"), ("tile", "unwritten")]
    assert on.offered == []


class LostLab(FakeLab):
    """Does not come back from the fastest edit in a process of its own: its confirmation comes to no verdict."""

    lost = "[34]"

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        if self.lost in program.sources[0].text and options.is_fresh:
            return LabFailure("timeout", "the GPU did not answer", "try again")
        return await super().replay(program, cases, options, limits)


async def test_where_the_best_edit_cannot_be_confirmed_the_next_best_is_offered(tmp_path: Path) -> None:
    wider = RIGHT.replace("[33]", "[34]")
    kernels = {"[34]": Behaviour(turned, sectors=4), "[33]": Behaviour(turned, sectors=6), **KERNELS}
    on = Search(tmp_path, Scripted([plan_of(NAIVE, tile=[RIGHT], wider=[wider])]), kernels=kernels)
    on.lab_type = LostLab
    assert await on.run(max_rounds=1) == [("tile", "kept"), ("wider", "kept")]
    assert any("the best edit was not confirmed: the GPU did not answer" in words for words in on.said), on.said
    assert on.offered == [("tile",)]


class Changing(Clock):
    """Another clock from its second question on: when the best edit is confirmed."""

    def __init__(self, later: Clock) -> None:
        super().__init__()
        self.later = later
        self.count = 0

    async def time(
        self, a: Program, b: Program, cases: Sequence[tuple[Case, Case]], options: TimingOptions, limits: RunLimits
    ) -> PairTiming | LabFailure:
        self.count += 1
        return await (super() if self.count == 1 else self.later).time(a, b, cases, options, limits)


class Tied(Clock):
    """B takes as long as A."""

    async def time(
        self, a: Program, b: Program, cases: Sequence[tuple[Case, Case]], options: TimingOptions, limits: RunLimits
    ) -> PairTiming | LabFailure:
        return await super().time(a, a, [(old, old) for old, _ in cases], options, limits)


class Stray(Clock):
    def __init__(self) -> None:
        super().__init__()
        self.stray = "turn(float*, float const*, int) "


@pytest.mark.parametrize(
    ("later", "words"),
    [
        (Clock(), None),
        (Tied(), "turn: the best edit's gain was not confirmed and it is not offered: SAME 1.00x in a fresh process"),
        (Stray(), "turn: internal error, please report it"),
    ],
)
async def test_a_gain_that_is_not_measured_again_is_not_offered(tmp_path: Path, later: Clock, words: str | None) -> None:
    start, right = timed(NAIVE, 40), timed(RIGHT, 30)
    on = Search(tmp_path, Scripted([plan_of(start, tile=[right])]), f"{QUICK}\n{start}\n", timing=Changing(later))
    assert await on.run(max_rounds=1) == [("tile", "kept")]
    assert (on.offered == [("tile",)]) is (words is None)
    assert words is None or any(said.startswith(words) for said in on.said), on.said
    if words is not None and "not confirmed" in words:
        assert on.ending == f"no edit found: 1 edit tried, kept at first, not offered; {words.removeprefix('turn: ')}"


async def test_a_clock_that_times_another_kernel_makes_no_edit_better(tmp_path: Path) -> None:
    start, right = timed(NAIVE, 40), timed(RIGHT, 30)
    on = Search(tmp_path, Scripted([plan_of(start, tile=[right])]), f"{QUICK}\n{start}\n", timing=Stray())
    assert await on.run(max_rounds=1) == [("tile", "internal_error")]


async def test_a_second_step_is_timed_against_the_first_and_both_together_against_the_start(tmp_path: Path) -> None:
    start, first, second = timed(NAIVE, 40), timed(RIGHT, 30), timed(RIGHT.replace("[33]", "[34]"), 20)
    planner = Scripted([plan_of(start, tile=[first]), plan_of(first, pad=[second])])
    clock = Asked()
    on = Search(tmp_path, planner, f"{QUICK}\n{start}\n", timing=clock)
    assert await on.run(max_rounds=2) == [("tile", "kept"), ("pad", "kept")]
    tried = on.all(events.CandidateTried)
    assert [event.ratio for event in tried] == [pytest.approx(40 / 30), pytest.approx(30 / 20)]
    assert [event.ratio_to_original for event in tried] == [pytest.approx(40 / 30), pytest.approx(40 / 20)]
    (made,) = on.all(events.ProposalMade)
    assert made.techniques == ("tile", "pad") and made.speed.ratio == pytest.approx(40 / 20)
    assert clock.pairs == [(40, 30), (30, 20), (40, 20)], "candidates against what they were made from; then the best against the start"


class Asked(Clock):
    """Keeps which versions it was asked about, by what their kernels take."""

    def __init__(self) -> None:
        super().__init__()
        self.pairs: list[tuple[int, int]] = []

    async def time(
        self, a: Program, b: Program, cases: Sequence[tuple[Case, Case]], options: TimingOptions, limits: RunLimits
    ) -> PairTiming | LabFailure:
        texts = (program.sources[0].text for program in (a, b))
        before, after = (next(us for us in (40, 30, 20) if f"takes {us} us" in text) for text in texts)
        self.pairs.append((before, after))
        return await super().time(a, b, cases, options, limits)
