"""Speed where the launches of two programs do not correspond: by replays, in the programs themselves, and by the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.engine.evaluate.assessment import AssessedLaunch
from assistant.engine.evaluate.evaluation import Evaluation
from assistant.engine.judge.affected import find_in_programs
from assistant.engine.judge.program_spans import span_s, whole_span_s
from assistant.engine.judge.program_speed import (
    judged_region,
    operations_speed,
    other_operations,
    screened_program,
    unpaired_speed,
    why_not_asked,
)
from assistant.engine.judge.region import ProgramRegion
from assistant.measure import operations
from assistant.measure.targets import target
from assistant.model.build import Flags
from assistant.model.comparison import SpeedOutcome
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.source import Source
from assistant.model.timing import LaunchIdentity, PairTiming, TimingOptions
from assistant.model.workload import Case
from assistant.ports.lab import LabFailure, Program, RunLimits
from assistant.workload.regions import OrderedStep, Region
from tests.contracts.fake_clock import Clock
from tests.unit.engine.regions import REASON, UPLOAD, A, B, Evaluated, job_with, of_a_gpu, ran, told


async def test_without_a_clock_it_is_the_models_sum(evaluated: Evaluated) -> None:
    found = await told(evaluated(A, "first second"), evaluated(B, "both"))
    assert (found.outcome, found.ratio) == (SpeedOutcome.PREDICTED, pytest.approx(2.0))
    assert found.cases[0].shape == "first, second → both"
    assert found.caveats == (f"launches do not correspond: {REASON}", "of 2 launches of A and 1 of B as one sequence")
    repeated = await told(evaluated(A, "first second " * 9), evaluated(B, "both " * 9))
    assert repeated.caveats[-1] == "of 2 launches of A and 1 of B as one sequence, 9 times"
    assert repeated.cases[0].weight == 9.0


FILL_S = operations.predict_operation("fill", 64, target("h200")).time_s
COPY_S = operations.predict_operation("copy_on_device", 64, target("h200")).time_s


@pytest.mark.parametrize(
    ("a", "b", "name", "what", "times_s"),
    [
        (
            "first copy_on_device first",
            "first first",
            "first, copy on the GPU, first → first, first",
            "of 2 launches and 1 copy on the GPU of A and 2 launches of B as one sequence",
            (2e-5 + COPY_S, 2e-5),
        ),
        (
            "first " * 4,
            "first copy_on_device " * 4,
            "first → first, copy on the GPU",
            "of 1 launch of A and 1 launch and 1 copy on the GPU of B as one sequence, 4 times",
            (1e-5, 1e-5 + COPY_S),
        ),
        (
            "first copy_on_device copy_on_device first",
            "first copy_on_device first",
            "2 copies on the GPU, first → copy on the GPU, first",
            "of 2 copies on the GPU and 1 launch of A and 1 copy on the GPU and 1 launch of B as one sequence",
            (1e-5 + 2 * COPY_S, 1e-5 + COPY_S),
        ),
        (
            "first copy_to_host copy_on_device " * 5,
            "first copy_to_host " * 5,
            "first, copy to the host, copy on the GPU → first, copy to the host",
            "of 1 launch and 1 copy on the GPU of A and 1 launch of B as one sequence, 5 times",
            (1e-5 + COPY_S, 1e-5),
        ),
    ],
)
async def test_copies_and_fills_are_predicted_with_the_launches_around_them(
    evaluated: Evaluated, a: str, b: str, name: str, what: str, times_s: tuple[float, float]
) -> None:
    before, after = evaluated(A, a), evaluated(A, b)
    found = other_operations(before, after)
    assert found is not None and found.name == name
    comparison = (await operations_speed(job_with(), found, before, after, None)).comparison
    assert comparison is not None and comparison.outcome is SpeedOutcome.PREDICTED
    assert comparison.ratio == pytest.approx(times_s[0] / times_s[1])
    assert comparison.caveats[:2] == (f"copies or fills differ: {name}", what)
    assert (comparison.low, comparison.high) == (None, None), "the model's measured error is that of kernels"
    assert ("the same in both and left out: 1 copy to the host, 64 bytes" in comparison.caveats) == ("copy_to_host" in a)


async def test_the_ratio_of_all_that_main_does_stands_beside_that_of_a_part(evaluated: Evaluated) -> None:
    before, after = (evaluated(A, f"second second {steps} second") for steps in ("first copy_on_device first", "first first"))
    found = other_operations(before, after)
    assert found is not None
    comparison = (await operations_speed(job_with(), found, before, after, None)).comparison
    assert comparison is not None and comparison.ratio == pytest.approx(1 + COPY_S / 2e-5)
    assert f"all that main does on the GPU: predicted {1 + COPY_S / 5e-5:.2f}x" in comparison.caveats


async def test_what_a_person_asks_for_is_judged_in_its_place(evaluated: Evaluated) -> None:
    before, after = (evaluated(A, f"fill {'enter first leave second ' * 3}{more}") for more in ("", "copy_on_device"))
    for region, why, ratio in (
        ("main", "all that main does on the GPU", (6e-5 + FILL_S) / (6e-5 + FILL_S + COPY_S)),
        ("step", "a call of step", 1.0),
    ):
        job = job_with(region=region)
        found = judged_region(job, before, after)
        assert found is not None and found.name == region
        comparison = (await operations_speed(job, found, before, after, None)).comparison
        assert comparison is not None and comparison.ratio == pytest.approx(ratio)
        assert comparison.caveats[0] == why
    for calls, why in ((2, "a call of step"), (1, "all calls of step")):
        job = job_with(region="step")
        before, after = (evaluated(A, f"fill {'enter first leave second ' * calls}{more}") for more in ("", "copy_on_device"))
        found = judged_region(job, before, after)
        assert found is not None
        comparison = (await operations_speed(job, found, before, after, None)).comparison
        assert comparison is not None and comparison.caveats[0] == why


async def test_a_region_that_is_not_there_is_named_and_what_differs_is_judged(evaluated: Evaluated) -> None:
    job = job_with(region="other")
    added = evaluated(A, "first"), evaluated(A, "first copy_on_device")
    found = judged_region(job, *added)
    assert found is not None and found.asked is None
    assert why_not_asked(job, *added) == "A does nothing on the GPU in calls of other"
    of_gpu = of_a_gpu(evaluated(A, "first second")), of_a_gpu(evaluated(A, "first"))
    assert judged_region(job, *of_gpu) is None
    assert why_not_asked(job, *of_gpu) == "calls of other are not seen by the GPU's own recorder"


async def test_programs_with_the_same_copies_and_fills_are_judged_by_their_kernels(evaluated: Evaluated) -> None:
    assert other_operations(evaluated(A, "fill first second"), evaluated(A, "first fill second")) is None


@pytest.mark.parametrize(
    ("steps", "options", "doubt"),
    [
        ("both wait both", {}, "replays leave out what B adds between its launches: 1 wait of the host"),
        (
            "both copy_to_host both",
            {},
            "B brings 64 bytes more over the link between host and GPU, of which only the least time is known",
        ),
        ("both", {"uploads": (UPLOAD,)}, "B uploads contents that A does not: the host may do part of the work, which is in no ratio"),
    ],
)
async def test_no_gain_is_predicted_where_something_that_b_adds_is_in_no_ratio(
    evaluated: Evaluated, steps: str, options: dict[str, Any], doubt: str
) -> None:
    found = await told(evaluated(A, "first second", predicted=1e-4), evaluated(B, steps, **options))
    assert found.outcome is SpeedOutcome.INCONCLUSIVE
    assert found.caveats[-1] == doubt
    slower = await told(evaluated(A, "first second", predicted=1e-7), evaluated(B, steps, **options))
    assert slower.outcome is SpeedOutcome.PREDICTED and slower.ratio < 1, "what is left out makes B no faster"


@pytest.mark.parametrize(("predicted", "is_gain"), [(1e-4, True), (1e-6, False)])
async def test_a_longer_copy_that_cannot_cost_the_gain_is_named(evaluated: Evaluated, predicted: float, is_gain: bool) -> None:
    """However slowly the host stages its 4 KB, 4.1 us: of 200 us that become 100 the gain stays, of 2 us it may be lost."""
    before, after = evaluated(A, "first second copy_to_host", predicted=predicted), evaluated(B, "both copy_to_host", predicted=predicted)
    recording = after.counted.recording
    assert recording is not None and recording.steps is not None and after.counted.run is not None
    longer = tuple(replace(step, size_bytes=64 + 4096) if step.kind == "copy_to_host" else step for step in recording.steps)
    run = replace(after.counted.run, recording=replace(recording, steps=longer))
    found = await told(before, replace(after, counted=replace(after.counted, run=run)))
    what = "B brings 4,096 bytes more over the link between host and GPU"
    assert found.outcome is (SpeedOutcome.PREDICTED if is_gain else SpeedOutcome.INCONCLUSIVE)
    said = f"{what}: 4.1 µs where the host stages them slowly" if is_gain else f"{what}, of which only the least time is known"
    assert said in found.caveats


async def test_memory_that_is_taken_once_before_the_region_is_named_and_raises_no_doubt(evaluated: Evaluated) -> None:
    found = await told(evaluated(A, "allocation first second"), evaluated(B, "allocation allocation both free"))
    assert found.outcome is SpeedOutcome.PREDICTED
    assert found.caveats[-1] == "elsewhere B also makes 1 allocation, 1 free, which is not in it"


@pytest.mark.parametrize("steps", ["allocation both free ", "both wait "])
async def test_what_comes_with_each_repetition_makes_a_gain_doubtful_wherever_it_lies(evaluated: Evaluated, steps: str) -> None:
    found = await told(evaluated(A, "first second " * 9), evaluated(B, steps * 9))
    assert found.outcome is SpeedOutcome.INCONCLUSIVE
    assert found.caveats[-1].startswith("in no ratio: outside of it B also makes 9 ")
    more = await told(
        evaluated(A, "first second " * 9), evaluated(B, f"wait {steps * 9}" if "wait" in steps else f"allocation {steps * 9}")
    )
    assert more.outcome is SpeedOutcome.INCONCLUSIVE and "in no ratio: outside of it B also makes 10 " in more.caveats[-1]


async def test_a_sequence_is_timed_as_one_call_where_programs_cannot_be_run(evaluated: Evaluated) -> None:
    clock = Clock()
    found = await told(evaluated(A, "first second"), evaluated(B, "both"), clock)
    assert (found.outcome, found.ratio) == (SpeedOutcome.FASTER, pytest.approx(80 / 40))
    assert clock.timed == ["first", "second", "both"]
    assert found.caveats[-1] == "not timed in the programs themselves: this clock runs no programs"


async def test_of_a_repeated_sequence_the_last_one_is_timed(evaluated: Evaluated) -> None:
    asked = list[tuple[tuple[int, ...], float]]()

    class Watched(Clock):
        def _side(self, program: Program, case: Case) -> tuple[float, tuple[LaunchIdentity, ...]]:
            asked.append((case.launches, case.origin.weight))
            return super()._side(program, case)

    found = await told(evaluated(A, "first second " * 9), evaluated(B, "both " * 9), Watched())
    assert [launches for launches, _ in asked] == [(16, 17), (8,)]
    assert found.cases[0].weight == 9.0
    asked.clear()
    await told(evaluated(A, "first " * 9), evaluated(B, "both both " * 9), Watched())
    assert [launches for launches, _ in asked] == [(8,), (16, 17)]


async def test_launches_of_several_streams_are_predicted_side_by_side_and_in_order_within_each(evaluated: Evaluated) -> None:
    in_turn, at_once = evaluated(A, "first second first second", streams=1), evaluated(A, "first second first second", streams=2)
    both = evaluated(B, "both")
    alone, together = [await told(before, both) for before in (in_turn, at_once)]
    assert alone.ratio == pytest.approx(4.0)
    assert together.ratio == pytest.approx(2.0)


def test_the_whole_is_known_where_every_step_has_its_times() -> None:
    program = Program((Source(Path("/a.cu"), A),), Flags())
    recording = ran(first=(("copy_to_device", 5, 40), ("first", 20, 30), ("wait", 0, 90)))(program).recording
    assert recording is not None and recording.steps is not None
    assert whole_span_s(recording) == pytest.approx(35e-9)
    unknown = replace(recording, steps=(replace(recording.steps[0], end_ns=None), *recording.steps[1:]))
    assert whole_span_s(unknown) is None
    assert whole_span_s(replace(recording, steps=())) is None


async def test_where_the_order_is_not_known_all_launches_are_added_up_and_nothing_is_faster(evaluated: Evaluated) -> None:
    after = evaluated(B, "both")
    assert after.counted.run is not None and after.counted.run.recording is not None
    unordered = replace(after.counted.run, recording=replace(after.counted.run.recording, steps=None))
    after = replace(after, counted=replace(after.counted, run=unordered))
    assert find_in_programs(evaluated(A, "first second"), after) is None
    found = await told(evaluated(A, "first second"), after)
    assert found.outcome is SpeedOutcome.INCONCLUSIVE and "all of them are added up, without gaps and copies" in found.caveats


def test_the_repetitions_of_a_region_are_added_up() -> None:
    launches = tuple(OrderedStep("launch", name, LaunchConfig(Dim3(4), Dim3(64))) for name in ("first", "k.cu:second") * 2)
    recording = ran(first=(("first", 0, 5), ("second", 7, 10), ("first", 50, 55), ("second", 56, 58)))(
        Program((Source(Path("/a.cu"), A),), Flags())
    ).recording
    assert recording is not None
    assert span_s(recording, launches, (range(2),), 2, 2) == pytest.approx(18e-9)
    assert span_s(recording, launches, (range(1, 2),), 2, 2) == pytest.approx(5e-9)
    assert span_s(recording, launches[:3], (range(1),), 1, 1) is None
    copied = (launches[0], OrderedStep("copy_on_device"), *launches[1:])
    assert span_s(recording, copied, (range(3),), 3, 1) == pytest.approx(10e-9), "launches are counted where copies are not seen as before"
    assert span_s(recording, copied, (range(2),), 3, 1) is None, "a copy at its end that was not seen"


def test_of_copies_that_both_make_each_is_left_out_once() -> None:
    copy, old, new = OrderedStep("copy_to_host", size_bytes=64), OrderedStep("launch", "old(float*)"), OrderedStep("launch", "new(float*)")
    for of_a, of_b, counted in (
        ((copy, old, copy), (copy, new, copy), ((old,), (new,))),
        ((copy, old, copy), (new, copy), ((old, copy), (new,))),
        ((old, copy), (copy, new, copy), ((old,), (new, copy))),
    ):
        region = Region(tuple(range(len(of_a))), tuple(range(len(of_b))), 1, (0, 0))
        assert ProgramRegion(region, of_a, of_b).counted == counted


async def test_what_was_kept_of_launches_in_no_known_order_must_be_all_of_them(evaluated: Evaluated) -> None:
    def unordered(evaluation: Evaluation, count: int = 1, **more: Any) -> Evaluation:
        run = evaluation.counted.run
        assert run is not None and run.recording is not None
        shapes = tuple(replace(shape, count=count) for shape in run.recording.shape_counts)
        run = replace(run, recording=replace(run.recording, steps=None, shape_counts=shapes), **more)
        return replace(evaluation, counted=replace(evaluation.counted, run=run))

    before, after = evaluated(A, "first second"), evaluated(B, "both")
    for a, b, words in (
        (unordered(before, 2), unordered(after), "not timed: 2 of its 4 launches could be replayed together"),
        (unordered(before), unordered(after, 3), "not timed: 1 of its 3 launches could be replayed together"),
        (unordered(before, recording_path=None), unordered(after), "not timed: its launches were not recorded"),
    ):
        found = await told(a, b, Clock())
        assert words in found.caveats and found.outcome is not SpeedOutcome.FASTER
    assert not any(words.startswith("not timed") for words in (await told(unordered(before), unordered(after), Clock())).caveats)


async def test_all_that_main_does_is_nothing_in_a_program_without_work(evaluated: Evaluated) -> None:
    job = job_with(region="main")
    for pair in (("first", "allocation"), ("allocation", "first")):
        assert why_not_asked(job, *(evaluated(A, steps) for steps in pair)) == "one of the programs does nothing on the GPU"


async def test_each_side_is_timed_on_the_launches_that_its_own_program_recorded(evaluated: Evaluated) -> None:
    asked: list[tuple[Case, Case]] = []

    class Kept(Clock):
        async def time(
            self, a: Program, b: Program, cases: Sequence[tuple[Case, Case]], options: TimingOptions, limits: RunLimits
        ) -> PairTiming | LabFailure:
            asked.extend(cases)
            return await super().time(a, b, cases, options, limits)

    before, after = evaluated(A, "first second"), evaluated(B, "both")
    await told(before, after, Kept())
    ((mine, theirs),) = asked
    runs = [side.counted.run for side in (before, after)]
    assert [mine.recording, theirs.recording] == [run and run.recording_path for run in runs]
    assert (mine.launches, theirs.launches) == ((0, 1), (0,))
    origins = [(side.origin.kind, side.origin.seed, side.origin.scale, side.origin.weight) for side in (mine, theirs)]
    assert origins == [("recorded", 0, 1.0, 1.0)] * 2


def uncounted(evaluation: Evaluation) -> Evaluation:
    """None of its blocks ended in its time."""

    def of(launch: AssessedLaunch) -> AssessedLaunch:
        return replace(launch, profile=replace(launch.profile, blocks_counted=0))

    items = tuple(replace(item, launches=tuple(map(of, item.launches))) for item in evaluation.assessment.kernels)
    return replace(evaluation, assessment=replace(evaluation.assessment, kernels=items))


async def test_no_speed_is_reported_where_launches_were_not_counted(evaluated: Evaluated) -> None:
    before, after = evaluated(A, "first copy_on_device"), uncounted(evaluated(A, "first"))
    found = other_operations(before, after)
    assert found is not None
    speed = await operations_speed(job_with(), found, before, after, None)
    assert speed.comparison is None
    assert speed.notes == (f"no speed is reported of {found.name}: not every launch was counted",)
    unpaired = await unpaired_speed(job_with(), None, evaluated(A, "first second"), uncounted(evaluated(B, "both")), REASON, None)
    assert (unpaired.comparison, unpaired.notes) == (
        None,
        (f"no speed is reported: {REASON}, and launches of both could not be counted",),
    )


@pytest.mark.parametrize("is_counted", [True, False])
async def test_a_screen_predicts_and_times_only_what_cannot_be_predicted(evaluated: Evaluated, is_counted: bool) -> None:
    before, after = evaluated(A, "first second"), evaluated(B, "both")
    if not is_counted:  # its instructions are a GPU's alone
        after = replace(after, assessment=replace(after.assessment, kernels=()))
    speed = await screened_program(job_with(Clock()), before, after)
    assert speed is not None and speed.comparison is not None
    expected = SpeedOutcome.PREDICTED if is_counted else SpeedOutcome.FASTER
    assert (speed.comparison.outcome, speed.comparison.ratio) == (expected, pytest.approx(2.0))
    unknown = await screened_program(job_with(), before, replace(after, assessment=replace(after.assessment, kernels=())))
    assert unknown is not None and unknown.comparison is None
