"""Speed where the launches of two programs do not correspond: by replays, in the programs themselves, and by the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.cuda.parse import parse
from assistant.engine.evaluate.assessment import AssessedLaunch, Assessment, CountedRun, KernelAssessment
from assistant.engine.evaluate.evaluation import Evaluation
from assistant.engine.judge.affected import find_in_programs
from assistant.engine.judge.program_spans import span_s, whole_span_s
from assistant.engine.judge.program_speed import judged_region, operations_speed, other_operations, unpaired_speed, why_not_asked
from assistant.engine.judge.region import ProgramRegion
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.measure import operations
from assistant.measure.targets import target
from assistant.model.build import CompilerMissing, Flags
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import HOST_COPIES, WORK_KINDS, DeviceStep, RecordedLaunch, Recording, ShapeCount, Upload
from assistant.model.source import Source
from assistant.model.timing import LaunchIdentity, PairTiming
from assistant.model.workload import Case
from assistant.ports.lab import LabFailure, Program, ProgramRun, RunLimits
from assistant.workload.recordings import RecordingWriter
from assistant.workload.regions import OrderedStep, Region
from tests.contracts.fake_clock import Clock

REASON = "B launches both, which A does not"
A = """__global__ void first(float *x) { x[0] = 1; /* takes 30 us */ }
__global__ void second(float *x) { x[0] += 2; /* takes 50 us */ }
"""
B = "__global__ void both(float *x) { x[0] = 3; /* takes 40 us */ }\n"
UPLOAD = Upload("k", "b", 64, 0, 0, False, 0)
Evaluated = Callable[..., Evaluation]


@pytest.fixture
def evaluated(tmp_path: Path, assessed: Callable[..., tuple[KernelAssessment, ...]]) -> Evaluated:
    """A version whose program asked for these steps, in order: a kernel's name, or another kind; kernels take ``predicted`` seconds."""

    def make(text: str, steps: str, predicted: float = 1e-5, streams: int = 1, uploads: tuple[Upload, ...] = ()) -> Evaluation:
        file = tmp_path / f"{abs(hash((text, steps)))}.cu"
        file.write_text(text)
        version = read_version(JobRequest(file, tmp_path), Flags())
        (template,) = assessed()
        (launch,) = template.launches
        config = launch.profile.config
        names = [kernel.name for kernel in version.kernels]
        words = steps.split()
        started = [word for word in words if word in names]
        kept = tuple(RecordedLaunch(index, f"{name}(float*)", config, (), (), "", 0) for index, name in enumerate(started))
        shapes = tuple(ShapeCount(f"{name}(float*)", config, max(1, started.count(name))) for name in names)
        asked = tuple(
            DeviceStep("launch", names.index(word), number % streams) if word in names else DeviceStep(word, -1, 0, _bytes_of(word))
            for number, word in enumerate(words)
        )
        recording = Recording((), kept, (), (), shape_counts=shapes, operations=(), uploads=uploads, steps=asked)
        folder = file.with_suffix(".recording")
        RecordingWriter(folder).write(recording)
        items = tuple(
            replace(template, kernel=kernel, instance=f"{kernel.name}(float*)", launches=(_taking(launch, predicted),))
            for kernel in version.kernels
        )
        run = ProgramRun(0, None, False, False, False, b"", b"", folder, recording, len(kept), (), (), ())
        counted = CountedRun((), (), (), run)
        return Evaluation(version, counted, Assessment(CompilerMissing("", ""), counted, items))

    return make


def _bytes_of(kind: str) -> int:
    return 64 if kind in WORK_KINDS else 0


def _taking(launch: AssessedLaunch, time_s: float) -> AssessedLaunch:
    return replace(launch, predicted=replace(launch.predicted, time_s=time_s))


async def told(before: Evaluation, after: Evaluation, clock: Clock | None = None) -> Comparison:
    found = await unpaired_speed(job_with(clock), None, before, after, REASON, clock)
    assert found.comparison is not None
    return found.comparison


def job_with(clock: Clock | None = None, region: str | None = None) -> Any:
    return SimpleNamespace(
        lab=SimpleNamespace(timing=clock), seeds=(3, 5), request=SimpleNamespace(region=region), limits=RunLimits(), target=target("h200")
    )


def ran(**spans: tuple[tuple[str, int, int], ...]) -> Callable[[Program], ProgramRun]:
    """Runs of programs whose first kernel has this name: (kernel or kind, start, end) in ns."""

    def run(program: Program) -> ProgramRun:
        names = [kernel.name for kernel in parse(program.sources[0]).kernels]
        shapes = tuple(ShapeCount(f"{name}(float*)", LaunchConfig(Dim3(4), Dim3(64)), 1) for name in names)
        steps = tuple(
            DeviceStep("launch", names.index(name), 0, 0, start, end) if name in names else DeviceStep(name, -1, 0, 64, start, end)
            for name, start, end in spans[names[0]]
        )
        recording = Recording((), (), (), (), shape_counts=shapes, steps=steps)
        return ProgramRun(0, None, False, False, False, b"", b"", None, recording, len(steps), (), (), ())

    return run


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
        sides = [evaluated(A, f"fill {'enter first leave second ' * calls}{more}") for more in ("", "copy_on_device")]
        found = judged_region(job, *sides)
        assert found is not None
        comparison = (await operations_speed(job, found, *sides, None)).comparison
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


async def test_launches_of_several_streams_are_predicted_side_by_side_and_in_order_within_each(evaluated: Evaluated) -> None:
    in_turn, at_once = evaluated(A, "first second first second", streams=1), evaluated(A, "first second first second", streams=2)
    both = evaluated(B, "both")
    alone, together = [await told(before, both) for before in (in_turn, at_once)]
    assert alone.ratio == pytest.approx(4.0)
    assert together.ratio == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("a_end", "b_end", "outcome", "ratio"),
    [
        (90_000, 30_000, SpeedOutcome.FASTER, 2.0),  # 3x in the programs, 2x replayed
        (60_000, 40_000, SpeedOutcome.FASTER, 1.5),
        (40_000, 40_000, SpeedOutcome.FASTER, 2.0),
        (40_000, 80_000, SpeedOutcome.INCONCLUSIVE, 2.0),
    ],
)
async def test_the_programs_themselves_are_timed_too_and_of_two_clear_ratios_the_one_nearer_to_one_stands(
    evaluated: Evaluated, a_end: int, b_end: int, outcome: SpeedOutcome, ratio: float
) -> None:
    clock = Clock()
    clock.ran = ran(
        first=(("copy_to_device", 0, 9), ("first", 1000, 9000), ("second", 10_000, 1000 + a_end)),
        both=(("copy_to_device", 0, 3), ("both", 5, 5 + b_end)),
    )
    found = await told(evaluated(A, "copy_to_device first second"), evaluated(B, "copy_to_device both"), clock)
    assert (found.outcome, found.ratio) == (outcome, pytest.approx(ratio))
    assert f"it took {a_end // 1000} µs → {b_end // 1000} µs in the programs themselves" in found.caveats
    a_ns, b_ns = 1000 + a_end, 5 + b_end
    whole = f"{a_ns // 1000} µs → {b_ns // 1000} µs, {a_ns / b_ns:.2f}x"
    assert [
        caveat for caveat in found.caveats if caveat.startswith(f"all that main does on the GPU, from the first step to the last: {whole}")
    ]


async def test_what_replays_leave_out_is_judged_in_the_programs_alone(evaluated: Evaluated) -> None:
    clock = Clock()
    clock.ran = ran(
        first=(("first", 0, 50_000), ("second", 50_000, 90_000)),
        both=(("both", 0, 10_000), ("both", 11_000, 30_000)),
    )
    found = await told(evaluated(A, "first second"), evaluated(B, "both wait both"), clock)
    assert (found.outcome, found.ratio) == (SpeedOutcome.FASTER, pytest.approx(3.0))
    assert found.caveats[-1] == "replays leave out what B adds between its launches: 1 wait of the host"


async def test_copies_and_fills_count_in_the_programs_themselves(evaluated: Evaluated) -> None:
    clock = Clock()
    clock.ran = ran(
        first=(("fill", 0, 10_000), ("first", 20_000, 50_000), ("copy_on_device", 50_000, 90_000)),
        both=(("both", 0, 30_000), ("fill", 40_000, 45_000)),
    )
    found = await told(evaluated(A, "fill first copy_on_device"), evaluated(B, "both fill"), clock)
    assert (found.outcome, found.ratio) == (SpeedOutcome.FASTER, pytest.approx(2.0))
    assert found.cases[0].shape == "fill, first, copy on the GPU → both, fill"
    assert not any("all that main does" in caveat for caveat in found.caveats), "it is what was timed"


def test_the_whole_is_known_where_every_step_has_its_times() -> None:
    program = Program((Source(Path("/a.cu"), A),), Flags())
    recording = ran(first=(("copy_to_device", 5, 40), ("first", 20, 30), ("wait", 0, 90)))(program).recording
    assert recording is not None and recording.steps is not None
    assert whole_span_s(recording) == pytest.approx(35e-9)
    unknown = replace(recording, steps=(replace(recording.steps[0], end_ns=None), *recording.steps[1:]))
    assert whole_span_s(unknown) is None
    assert whole_span_s(replace(recording, steps=())) is None


def of_a_gpu(evaluation: Evaluation, uploaded: tuple[str, ...] | None = ()) -> Evaluation:
    """As the GPU's own recorder sees it."""
    assert evaluation.counted.run is not None and evaluation.counted.run.recording is not None
    recording = replace(evaluation.counted.run.recording, uploads=None, uploaded_names=uploaded, are_waits_seen=False)
    return replace(evaluation, counted=replace(evaluation.counted, run=replace(evaluation.counted.run, recording=recording)))


async def test_what_a_gpu_recorded_is_judged_in_the_programs_with_all_that_lies_between(evaluated: Evaluated) -> None:
    clock = Clock()
    clock.ran = ran(
        first=(("first", 0, 20_000), ("second", 20_000, 40_000), ("first", 50_000, 70_000), ("second", 70_000, 90_000)),
        both=(("both", 0, 10_000), ("both", 35_000, 45_000)),
    )
    before, after = evaluated(A, "first second " * 2), evaluated(B, "both " * 2)
    found = await told(of_a_gpu(before), of_a_gpu(after), clock)
    assert (found.outcome, found.ratio) == (SpeedOutcome.FASTER, pytest.approx(2.0)), "from the first launch to the last one"
    assert found.caveats[-1] == "waits of the host and allocations were not seen"
    for a, b in (((), ("5e1f",)), (None, ())):
        unsure = await told(of_a_gpu(before, a), of_a_gpu(after, b), clock)
        assert unsure.outcome is SpeedOutcome.INCONCLUSIVE and "the host may do part of the work" in unsure.caveats[-1]
    assert (await told(of_a_gpu(before), of_a_gpu(after))).outcome is SpeedOutcome.INCONCLUSIVE, "nothing was timed"


async def test_a_program_that_launches_other_kernels_when_it_is_timed_is_not_timed(evaluated: Evaluated) -> None:
    clock = Clock()
    clock.ran = ran(first=(("first", 0, 50_000),), both=(("both", 0, 10_000),))
    found = await told(evaluated(A, "first second"), evaluated(B, "both"), clock)
    assert found.caveats[-1] == "not timed in the programs themselves: A's program did other things on the GPU than when it was recorded"


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
    assert span_s(recording, launches, (0, 1), 2, 2) == pytest.approx(18e-9)
    assert span_s(recording, launches, (1,), 2, 2) == pytest.approx(5e-9)
    assert span_s(recording, launches[:3], (0,), 1, 1) is None
    copied = (launches[0], OrderedStep("copy_on_device"), *launches[1:])
    assert span_s(recording, copied, (0, 1, 2), 3, 1) == pytest.approx(10e-9), "launches are counted where copies are not seen as before"
    assert span_s(recording, copied, (0, 1), 3, 1) is None, "a copy at its end that was not seen"


def test_of_copies_that_both_make_each_is_left_out_once() -> None:
    copy, old, new = OrderedStep("copy_to_host", size_bytes=64), OrderedStep("launch", "old(float*)"), OrderedStep("launch", "new(float*)")
    for of_a, of_b, counted in (
        ((copy, old, copy), (copy, new, copy), ((old,), (new,))),
        ((copy, old, copy), (new, copy), ((old, copy), (new,))),
        ((old, copy), (copy, new, copy), ((old,), (new, copy))),
    ):
        region = Region(tuple(range(len(of_a))), tuple(range(len(of_b))), 1, (0, 0))
        assert ProgramRegion(region, of_a, of_b).counted == counted


def pageable(evaluation: Evaluation, size_bytes: int) -> Evaluation:
    """Every copy is of so many bytes of pageable memory."""
    run = evaluation.counted.run
    assert run is not None and run.recording is not None and run.recording.steps is not None
    steps = tuple(
        replace(step, size_bytes=size_bytes, is_pinned=False) if step.kind in HOST_COPIES else step for step in run.recording.steps
    )
    counted = replace(evaluation.counted, run=replace(run, recording=replace(run.recording, steps=steps)))
    return replace(evaluation, counted=counted, assessment=replace(evaluation.assessment, counted=counted))


@pytest.mark.parametrize(
    ("a", "b", "kernel_s", "outcome", "is_open"),
    [
        ("first copy_to_host", "first second", 1e-6, SpeedOutcome.PREDICTED, True),
        ("first second", "first copy_to_host", 1e-3, SpeedOutcome.INCONCLUSIVE, True),
        ("first second", "first copy_to_host", 1e-6, SpeedOutcome.PREDICTED, True),
        ("first second", "first copy_to_host", 1.0, SpeedOutcome.INCONCLUSIVE, False),
    ],
)
async def test_where_pageable_copies_decide_the_ratio_has_both_its_ends(
    evaluated: Evaluated, a: str, b: str, kernel_s: float, outcome: SpeedOutcome, is_open: bool
) -> None:
    before, after = (pageable(evaluated(A, steps, kernel_s), 1 << 25) for steps in (a, b))
    found = other_operations(before, after)
    assert found is not None
    speed = (await operations_speed(job_with(), found, before, after, None)).comparison
    assert speed is not None
    assert speed.outcome is outcome and (speed.low is not None) is is_open
    assert any("staging pageable memory" in words for words in speed.caveats) is is_open


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
        async def time(self, a: Program, b: Program, cases: Sequence[tuple[Case, Case]], *more: Any) -> PairTiming | LabFailure:
            asked.extend(cases)
            return await super().time(a, b, cases, *more)

    before, after = evaluated(A, "first second"), evaluated(B, "both")
    await told(before, after, Kept())
    ((mine, theirs),) = asked
    runs = [side.counted.run for side in (before, after)]
    assert [mine.recording, theirs.recording] == [run and run.recording_path for run in runs]
    assert (mine.launches, theirs.launches) == ((0, 1), (0,))
    origins = [(side.origin.kind, side.origin.seed, side.origin.scale, side.origin.weight) for side in (mine, theirs)]
    assert origins == [("recorded", 0, 1.0, 1.0)] * 2
