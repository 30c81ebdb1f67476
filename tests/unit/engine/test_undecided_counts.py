"""Launches whose number follows from the order of threads: no gain is predicted of a program whose rounds a race decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from assistant.build.architectures import architecture
from assistant.engine.evaluate import OTHER_ORDER
from assistant.engine.evaluate.evaluation import Evaluation
from assistant.engine.job import Job
from assistant.engine.judge.pairing import unpaired_launches
from assistant.engine.judge.program_speed import speed_of_program
from assistant.engine.judge.timing_verdict import Speed
from assistant.engine.request import JobRequest
from assistant.measure.targets import target
from assistant.model.comparison import SpeedOutcome
from assistant.ports.lab import LabFailure, Program, ProgramRun, RunLimits
from tests.contracts.fake_lab import FakeLab
from tests.unit.engine.regions import Evaluated
from tests.unit.engine.regions import evaluated as evaluated

A = "__global__ void relax(float *x) { x[0] += 1; }\n"
B = "__global__ void relax(float *x) { x[0] += 1; /* another block size */ }\n"
REASON = "relax is launched 6 times by A and 2 by B"
ROUND = "copy_to_gpu relax copy_to_host "


@dataclass
class Reordered(FakeLab):
    """Runs programs with their threads in another order: as often as ``counts`` says by the program's text they launch `relax` then."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    orders: list[int] = field(default_factory=list[int])
    known: dict[str, Evaluation] = field(default_factory=dict[str, Evaluation])

    async def run(self, program: Program, mode: str, *more: object, **given: object) -> ProgramRun | LabFailure:
        self.orders.append(int(more[4]))  # type: ignore[call-overload]
        text = program.sources[0].text
        run = self.known[text].counted.run
        if text not in self.counts:
            return LabFailure("crashed", "it crashed", "")
        assert run is not None and run.recording is not None
        shapes = tuple(replace(shape, count=self.counts[text]) for shape in run.recording.shape_counts)
        return replace(run, recording=replace(run.recording, shape_counts=shapes))


@dataclass
class Sides:
    job: Job
    lab: Reordered
    before: Evaluation
    after: Evaluation

    async def speed(self, reason: str | None = REASON) -> Speed:
        """``reason``: why launches do not correspond; None: those that were kept do."""
        return await speed_of_program(self.job, self.before, self.after, reason) or Speed(None)


Set = Callable[..., Sides]


@pytest.fixture
def sides(tmp_path: Path, evaluated: Evaluated) -> Set:
    """A with six rounds of 10 us each, B with two of 8 us; ``a``, ``b``: rounds with their threads in another order."""

    def make(a: int | None, b: int | None, rounds_of_b: int = 2) -> Sides:
        before = _with_counts(evaluated(A, ROUND * 6, 10e-6), 6)
        after = _with_counts(evaluated(B, ROUND * rounds_of_b, 8e-6), rounds_of_b)
        counts = {text: count for text, count in ((A, a), (B, b)) if count is not None}
        lab, limits = Reordered(tmp_path, {}, counts=counts, known={A: before, B: after}), architecture("sm_90")
        assert limits is not None
        request = JobRequest(before.version.source.path, tmp_path)
        return Sides(Job("J", request, lab, target("h200"), limits, tmp_path, (1, 2), RunLimits()), lab, before, after)

    return make


def _with_counts(evaluation: Evaluation, count: int) -> Evaluation:
    items = tuple(
        replace(item, launches=tuple(replace(launch, count=float(count)) for launch in item.launches))
        for item in evaluation.assessment.kernels
    )
    return replace(evaluation, assessment=replace(evaluation.assessment, kernels=items))


async def test_rounds_that_the_order_of_threads_decides_are_no_gain(sides: Set) -> None:
    found = (await sides(9, 2).speed()).comparison
    assert found is not None
    assert (found.outcome, found.ratio) == (SpeedOutcome.INCONCLUSIVE, pytest.approx(10 / 8))
    assert found.caveats == (
        f"launches do not correspond: {REASON}",
        "the ratio is of one launch on average, as many on both sides, not of the program",
        "with its threads in another order A launches relax 9 times, not 6: how often follows from the order in which threads run, "
        "which no prediction knows of a GPU",
    )


async def test_so_too_where_the_launches_that_were_kept_correspond(sides: Set) -> None:
    asked = sides(9, 2)
    before, after = (
        replace(
            side, counted=replace(side.counted, run=replace(run, recording=replace(run.recording, launches=run.recording.launches[:2])))
        )
        for side in (asked.before, asked.after)
        if (run := side.counted.run) is not None and run.recording is not None
    )
    asked = replace(asked, before=before, after=after)
    found = (await asked.speed(None)).comparison
    assert unpaired_launches(before.version, before.counted, after.counted) is None
    assert found is not None and found.outcome is SpeedOutcome.INCONCLUSIVE


async def test_either_version_may_show_it(sides: Set) -> None:
    found = (await sides(6, 1).speed()).comparison
    assert found is not None and found.outcome is SpeedOutcome.INCONCLUSIVE
    assert "B launches relax 1 time, not 2" in found.caveats[-1]


async def test_rounds_that_every_order_gives_are_in_the_ratio(sides: Set) -> None:
    asked = sides(6, 2)
    found = (await asked.speed()).comparison
    assert found is not None and (found.outcome, asked.lab.orders) == (SpeedOutcome.PREDICTED, [OTHER_ORDER] * 2)
    assert found.ratio > 3.0


async def test_a_run_in_another_order_that_fails_shows_nothing(sides: Set) -> None:
    found = (await sides(None, None).speed()).comparison
    assert found is not None and found.outcome is SpeedOutcome.PREDICTED


async def test_nothing_is_run_again_where_both_launch_equally_often(sides: Set) -> None:
    asked = sides(9, 9, rounds_of_b=6)
    await asked.speed()
    assert asked.lab.orders == []
