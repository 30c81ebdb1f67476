"""Kernels whose launches reach too much to be kept: timed in both programs as they are, all of a kernel's launches added up."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.engine.evaluate.evaluation import Evaluation
from assistant.engine.judge.pairing import unpaired_launches
from assistant.engine.judge.predicting import KernelPair
from assistant.engine.judge.program_speed import screened_program
from assistant.engine.judge.speed import SpeedQuestion, speed_of
from assistant.engine.judge.timing_verdict import Speed
from assistant.model.comparison import SpeedOutcome
from tests.contracts.fake_clock import Clock
from tests.unit.engine.regions import A, B, Evaluated, job_with, of_a_gpu, ran

EDITED = A.replace("x[0] = 1", "x[0] = 1.0f")
STEPS = "first second first second"


def too_large(evaluation: Evaluation) -> Evaluation:
    """Its launches are known, and nothing that they reach."""
    seen = of_a_gpu(evaluation)
    assert seen.counted.run is not None and seen.counted.run.recording is not None
    run = replace(seen.counted.run, recording=replace(seen.counted.run.recording, launches=()))
    return replace(seen, counted=replace(seen.counted, run=run))


def counted(evaluation: Evaluation, count: float) -> Evaluation:
    """Each kernel is launched so often."""
    kernels = (replace(item, launches=tuple(replace(one, count=count) for one in item.launches)) for item in evaluation.assessment.kernels)
    return replace(evaluation, assessment=replace(evaluation.assessment, kernels=tuple(kernels)))


async def asked(before: Evaluation, after: Evaluation, clock: Clock | None, *names: str, is_confirming: bool = True) -> Speed:
    baseline: Any = SimpleNamespace(version=before.version, cases=(), recorded=before.counted)
    pairs = tuple(KernelPair(before.kernel(name), after.kernel(name)) for name in names)
    return await speed_of(job_with(clock), SpeedQuestion(baseline, before, after, pairs), is_confirming)


def runs(first_us: int, second_us: int) -> tuple[tuple[str, int, int], ...]:
    """Two launches of each, one after the other, with long gaps between them."""
    return tuple(
        (name, start, start + us * 1000)
        for start, name, us in (
            (0, "first", first_us),
            (10**6, "second", second_us),
            (10**7, "first", first_us),
            (10**8, "second", second_us),
        )
    )


def clock_of(a: tuple[int, int], b: tuple[int, int], after: Evaluation) -> Clock:
    """Microseconds of the first and of the second kernel in A and in B."""
    clock, of_a, of_b = Clock(), ran(first=runs(*a)), ran(first=runs(*b))
    clock.ran = lambda program: (of_b if program == after.version.program else of_a)(program)
    return clock


@pytest.fixture
def sides(evaluated: Evaluated) -> tuple[Evaluation, Evaluation]:
    before, after = (counted(too_large(evaluated(text, STEPS)), 2) for text in (A, EDITED))
    return before, after


async def test_the_kernel_in_question_is_timed_in_both_programs_without_what_lies_between(sides: tuple[Evaluation, Evaluation]) -> None:
    assert unpaired_launches(sides[0].version, sides[0].counted, sides[1].counted) is None, "as many launches of the same kernels"
    speed = await asked(*sides, clock_of((60, 500), (20, 500), sides[1]), "first")
    found = speed.comparison
    assert found is not None
    assert (found.outcome, found.ratio) == (SpeedOutcome.FASTER, pytest.approx(3.0))
    (case,) = found.cases
    assert (case.shape, case.weight) == ("first", 2)
    assert (case.before_s, case.after_s) == (pytest.approx(60e-6), pytest.approx(20e-6)), "seconds a launch"
    assert "programs run in turn" in found.method and found.predicted_ratio == pytest.approx(1.0)


async def test_all_kernels_that_the_edit_concerns_are_in_the_ratio(sides: tuple[Evaluation, Evaluation]) -> None:
    found = (await asked(*sides, clock_of((60, 20), (20, 60), sides[1]), "first", "second")).comparison
    assert found is not None and found.ratio == pytest.approx(1.0)
    assert found.outcome is SpeedOutcome.SAME and [case.outcome for case in found.cases] == [SpeedOutcome.FASTER, SpeedOutcome.SLOWER]


async def test_while_candidates_are_ranked_it_is_predicted_and_says_that_it_will_be_timed(sides: tuple[Evaluation, Evaluation]) -> None:
    speed = await asked(*sides, clock_of((60, 500), (20, 500), sides[1]), "first", is_confirming=False)
    assert speed.comparison is not None and speed.comparison.outcome is SpeedOutcome.PREDICTED
    assert speed.comparison.caveats[0].startswith("not timed yet")


async def test_what_cannot_be_predicted_is_timed_at_once(sides: tuple[Evaluation, Evaluation]) -> None:
    uncounted = tuple(
        replace(item, launches=tuple(replace(one, profile=replace(one.profile, blocks_counted=0)) for one in item.launches))
        for item in sides[1].assessment.kernels
    )
    after = replace(sides[1], assessment=replace(sides[1].assessment, kernels=uncounted))
    speed = await asked(sides[0], after, clock_of((60, 500), (20, 500), after), "first", is_confirming=False)
    assert speed.comparison is not None and speed.comparison.outcome is SpeedOutcome.FASTER


async def test_programs_that_cannot_be_run_in_turn_are_predicted_and_say_why(sides: tuple[Evaluation, Evaluation]) -> None:
    speed = await asked(*sides, Clock(), "first")
    assert speed.comparison is not None and speed.comparison.outcome is SpeedOutcome.PREDICTED
    assert speed.comparison.caveats[0] == "not timed: this clock runs no programs"


async def test_a_time_that_no_gpu_can_reach_is_not_believed(sides: tuple[Evaluation, Evaluation]) -> None:
    touched = tuple(
        replace(item, launches=tuple(replace(one, profile=replace(one.profile, unique_sectors=10**9)) for one in item.launches))
        for item in sides[1].assessment.kernels
    )
    after = replace(sides[1], assessment=replace(sides[1].assessment, kernels=touched))
    speed = await asked(sides[0], after, clock_of((60_000, 1), (1, 1), after), "first")
    assert [finding.code for finding in speed.findings] == ["impossible_speed"]
    assert speed.comparison is not None and speed.comparison.outcome is SpeedOutcome.INCONCLUSIVE


async def test_kernels_that_take_the_place_of_others_are_ranked_by_their_prediction_where_a_clock_decides_later(
    evaluated: Evaluated,
) -> None:
    before, after = of_a_gpu(evaluated(A, "first second")), of_a_gpu(evaluated(B, "both"))
    ranked = await screened_program(job_with(Clock()), before, after)
    assert ranked is not None and ranked.comparison is not None
    assert ranked.comparison.outcome is SpeedOutcome.PREDICTED
    assert "waits of the host and allocations were not seen" in ranked.comparison.caveats
    unsure = await screened_program(job_with(), before, after)
    assert unsure is not None and unsure.comparison is not None and unsure.comparison.outcome is SpeedOutcome.INCONCLUSIVE
