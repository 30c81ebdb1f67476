"""Hardware counters in the place of the emulator's: launches are matched in order, and what only the emulator sees stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.build.architectures import architecture
from assistant.build.flags import DEFAULT_FLAGS
from assistant.device.counters.report import ReportRequest, read_report
from assistant.engine.evaluate.evaluating import evaluate
from assistant.engine.evaluate.evaluation import Evaluation
from assistant.engine.evaluate.hardware import MeasuredVersion, on_hardware, steered
from assistant.engine.job import Job
from assistant.engine.report.reported import ReportWithSource, locate
from assistant.engine.request import JobRequest
from assistant.lab.report import ReportLab
from assistant.measure.targets import target
from assistant.model.profile import LaunchProfile, LineStall, Method
from assistant.model.report import ProfilerReport
from assistant.model.workload import Case, CaseOrigin
from assistant.ports.lab import HardwareCounts, LabFailure, Program, RunLimits

REPORT = Path(__file__).parents[2] / "data" / "reports" / "transpose.ncu-rep"
CASE = Case(Path("/recording"), (0,), CaseOrigin("declared", "n=1", 0, 1.0, 1.0))


class Counting:
    """Counters of a GPU that is not there."""

    def __init__(self, answer: tuple[LaunchProfile, ...] | LabFailure) -> None:
        self.answer = answer
        self.asked: tuple[str, ...] = ()

    async def count(
        self, program: Program, cases: Sequence[Case], kernels: Sequence[str], limits: RunLimits, preferred: Method = Method.NCU
    ) -> HardwareCounts | LabFailure:
        self.asked = tuple(kernels)
        assert program.kernels == self.asked and list(cases) == [CASE]
        return self.answer if isinstance(self.answer, LabFailure) else HardwareCounts(self.answer)


class CountingLab(ReportLab):
    """A report's lab together with such a GPU."""

    def __init__(self, report: ProfilerReport, target: str, counters: Counting) -> None:
        super().__init__(report, target)
        self._counting = counters

    @property
    def counters(self) -> Counting:
        return self._counting


@pytest.fixture(scope="module")
def reported() -> ReportWithSource:
    report = read_report(ReportRequest(str(REPORT))).report
    assert report is not None
    return locate(JobRequest(REPORT, REPORT.parent, report=REPORT), report)


@pytest.fixture
def job(reported: ReportWithSource, tmp_path: Path) -> Job:
    limits = architecture("sm_90")
    assert limits is not None
    lab = ReportLab(reported.report, "h200")
    return Job("J", reported.request, lab, target("h200"), limits, tmp_path, (1, 2), RunLimits())


async def emulated(job: Job, reported: ReportWithSource) -> Evaluation:
    """The report's launch as if the emulator had counted it on a declared case."""
    evaluation = await evaluate(job, reported.version(reported.request, DEFAULT_FLAGS))
    assert isinstance(evaluation, Evaluation)
    own = replace(evaluation.counted.profiles[0], method=Method.EMULATOR, unique_sectors=37800, stalls=(), measured=())
    (kernel,) = evaluation.counted.kernels
    group = replace(kernel.groups[0], profile=own)
    counted = replace(evaluation.counted, run=None, cases=(CASE,), profiles=(own,), kernels=(replace(kernel, groups=(group,)),))
    return replace(evaluation, counted=counted)


async def test_the_gpus_counters_take_the_emulators_place(job: Job, reported: ReportWithSource) -> None:
    measured = replace(reported.report.launches[0], kernel="spelled otherwise", stalls=(LineStall("/a.cu", 11, "drain", 7),))
    counters = Counting((measured,))
    found = await on_hardware(job, await emulated(job, reported), counters)
    assert isinstance(found, MeasuredVersion) and found.method is Method.NCU
    (launch,) = found.evaluation.assessment.kernels[0].launches
    assert launch.profile.method is Method.NCU and launch.profile.stalls == measured.stalls
    assert launch.profile.unique_sectors == 37800 and launch.profile.kernel == counters.asked[0] != measured.kernel
    evidence = {fact.metric: fact for fact in found.evaluation.assessment.kernels[0].evidence if fact.line is None}
    assert evidence["unique_sectors"].method is Method.EMULATOR and "emulator" in evidence["unique_sectors"].device
    assert evidence["l2_utilisation"].method is Method.NCU


async def test_edits_are_planned_by_the_gpus_counters_and_compared_by_the_emulators(job: Job, reported: ReportWithSource) -> None:
    measured = replace(reported.report.launches[0], method=Method.CUPTI, stalls=(LineStall("/a.cu", 11, "drain", 7),))
    job = replace(job, lab=CountingLab(reported.report, "h200", Counting((measured,))))
    evaluation = await emulated(job, reported)
    seen = await steered(job, evaluation)
    assert isinstance(seen, Evaluation) and seen.assessment == evaluation.assessment
    (planned,) = seen.planned(seen.assessment.kernels[0].kernel.qualified_name)
    assert planned.launches[0].profile.method is Method.CUPTI
    stalled = [fact for fact in planned.evidence if fact.metric == "stall_ratio"]
    assert [(fact.line, fact.value, fact.method) for fact in stalled] == [(11, 1.0, Method.CUPTI)]
    numbers = [
        {fact.id for item in each.kernels for fact in item.evidence} for each in (seen.assessment, seen.measured) if each is not None
    ]
    assert len(numbers) == 2 and not numbers[0] & numbers[1]
    assert f"E{seen.next_evidence}" not in numbers[0] | numbers[1]


async def test_where_no_counters_are_read_edits_are_planned_by_the_emulators(job: Job, reported: ReportWithSource) -> None:
    evaluation = await emulated(job, reported)
    assert await steered(job, evaluation) == evaluation
    assert evaluation.planned(evaluation.assessment.kernels[0].kernel.qualified_name) == evaluation.assessment.kernels


@pytest.mark.parametrize("answer", [(), LabFailure("no_counters", "forbidden", "ask")])
async def test_counters_that_do_not_come_are_no_counters(job: Job, reported: ReportWithSource, answer: tuple[()] | LabFailure) -> None:
    found = await on_hardware(job, await emulated(job, reported), Counting(answer))
    assert isinstance(found, LabFailure) and found.kind == "no_counters"


async def test_of_a_program_one_launch_of_each_shape_is_counted_again_as_far_as_it_was_kept(job: Job, reported: ReportWithSource) -> None:
    evaluation = await emulated(job, reported)
    (own,) = evaluation.counted.profiles
    shown = [replace(own, index=index) for index in (5, 2, 9)]
    (kernel,) = evaluation.counted.kernels
    groups = tuple(replace(kernel.groups[0], profile=profile) for profile in shown)
    kept = tuple(SimpleNamespace(index=index) for index in (9, 1, 5))
    recording: Any = SimpleNamespace(launches=kept, shape_counts=())
    run: Any = SimpleNamespace(recording_path=Path("/recording"), recording=recording)
    counted = replace(evaluation.counted, run=run, profiles=tuple(shown), kernels=(replace(kernel, groups=groups),))
    asked: list[tuple[int, ...]] = []

    class Keeping(Counting):
        async def count(self, program: Program, cases: Sequence[Case], *more: Any) -> HardwareCounts | LabFailure:
            asked.extend(case.launches for case in cases)
            return HardwareCounts(tuple(replace(own, method=Method.NCU, blocks_counted=count) for count in (50, 90)))

    of_program = replace(with_launches(evaluation, {5: 1.0, 2: 8.0, 9: 4.0}), counted=counted)
    found = await on_hardware(job, of_program, Keeping(()))
    assert isinstance(found, MeasuredVersion) and asked == [(5,), (9,)]
    assert [(one.index, one.blocks_counted) for one in found.evaluation.counted.profiles] == [(5, 50), (2, own.blocks_counted), (9, 90)]
    for lacking in (replace(counted, run=SimpleNamespace(**{**vars(run), what: None})) for what in ("recording_path", "recording")):
        failure = await on_hardware(job, replace(of_program, counted=lacking), Keeping(()))
        assert isinstance(failure, LabFailure) and failure.message == "no launch of the kernels in question was recorded"
    too_large = replace(counted, run=SimpleNamespace(**vars(run) | {"recording": SimpleNamespace(launches=(), shape_counts=(1,))}))
    failure = await on_hardware(job, replace(of_program, counted=too_large), Keeping(()))
    assert isinstance(failure, LabFailure) and "are known, but not what they reach" in failure.message


def with_launches(evaluation: Evaluation, times_s: dict[int, float]) -> Evaluation:
    """``evaluation`` of a kernel whose launches of these indices take so long."""
    (kernel,) = evaluation.assessment.kernels
    (launch,) = kernel.launches
    made = tuple(
        replace(launch, profile=replace(launch.profile, index=index), predicted=replace(launch.predicted, time_s=time_s), count=1.0)
        for index, time_s in times_s.items()
    )
    return replace(evaluation, assessment=replace(evaluation.assessment, kernels=(replace(kernel, launches=made),)))


@pytest.mark.parametrize(
    ("times_s", "counted"),
    [
        ({0: 1.0, 1: 98.0, 2: 1.0}, [1]),
        ({0: 50.0, 1: 46.0, 2: 4.0}, [0, 1]),
        (dict.fromkeys(range(32), 10.0), [0, 1, 2, 3]),
        ({3: 0.0, 5: 0.0}, [3]),
    ],
    ids=["one takes nearly all", "two take nearly all", "all alike", "nothing is predicted"],
)
async def test_shapes_that_take_little_time_are_not_counted_again(
    job: Job, reported: ReportWithSource, times_s: dict[int, float], counted: list[int]
) -> None:
    evaluation = with_launches(await emulated(job, reported), times_s)
    (own,), (kernel,) = evaluation.counted.profiles, evaluation.counted.kernels
    shown = [replace(own, index=index) for index in times_s]
    groups = tuple(replace(kernel.groups[0], profile=profile) for profile in shown)
    run: Any = SimpleNamespace(
        recording_path=Path("/recording"), recording=SimpleNamespace(launches=tuple(SimpleNamespace(index=index) for index in times_s))
    )
    asked: list[int] = []

    class Listening(Counting):
        async def count(self, program: Program, cases: Sequence[Case], *more: Any) -> LabFailure:
            asked.extend(index for case in cases for index in case.launches)
            return LabFailure("no_counters", "", "")

    run_of = replace(evaluation.counted, run=run, profiles=tuple(shown), kernels=(replace(kernel, groups=groups),))
    await on_hardware(job, replace(evaluation, counted=run_of), Listening(()))
    assert asked == counted


async def test_where_counters_fail_planning_says_why_and_other_kernels_are_left_out(job: Job, reported: ReportWithSource) -> None:
    failure = LabFailure("no_counters", "forbidden", "ask")
    evaluation = await emulated(job, reported)
    assert await steered(replace(job, lab=CountingLab(reported.report, "h200", Counting(failure))), evaluation) == failure
    short = await on_hardware(job, evaluation, Counting(()))
    assert isinstance(short, LabFailure) and short.message == "0 of 1 launches were profiled"
    other = replace(evaluation.counted.profiles[0], kernel="other", index=1)
    more = replace(evaluation, counted=replace(evaluation.counted, profiles=(*evaluation.counted.profiles, other)))
    measured = replace(reported.report.launches[0], method=Method.NCU)
    assert isinstance(await on_hardware(job, more, Counting((measured,))), MeasuredVersion)


async def test_the_next_fact_has_a_number_that_none_has(job: Job, reported: ReportWithSource) -> None:
    evaluation = await emulated(job, reported)
    numbers = [int(fact.id[1:]) for item in evaluation.assessment.kernels for fact in item.evidence]
    assert evaluation.next_evidence == max(numbers) + 1
    nothing = replace(evaluation, assessment=replace(evaluation.assessment, kernels=()))
    assert nothing.next_evidence == 1 and nothing.planned("a") == () == evaluation.planned("a") == evaluation.planned("zz")
    assert evaluation.kernel("a") == () == evaluation.kernel("zz")
