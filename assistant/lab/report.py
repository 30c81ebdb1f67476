"""A profiler's report as a lab: what it was made of is its program's run, so that ``profile`` says of it what it says of any run.

Nothing is compiled or run, and no GPU is needed. Example::

    lab = ReportLab(await load_report(Path("/tmp/x.ncu-rep")))
    (await lab.run(program, "count", limits, record=False)).profiles[0].method   # Method.NCU
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.errors import CannotAnswerError
from assistant.lab.process import WorkerDied, WorkerProcess, WorkerTimedOut
from assistant.model.build import Build, BuildResult, Flags
from assistant.model.device import LabDescription
from assistant.model.preprocessed import NotPreprocessed, Preprocessings
from assistant.model.profile import Correction, LaunchProfile
from assistant.model.report import ProfilerReport
from assistant.model.workload import Case
from assistant.ports.lab import Counters, Lab, LabFailure, Program, ProgramRun, ReferenceCall, ReplayOptions, ReplayRun, RunLimits
from assistant.serialize import decode

__all__ = ["ReportLab", "load_report", "with_file"]

_DEADLINE_S = 120.0
"""Reading takes some 0.01 s a launch (H200 reports of ``--set full``); a report of thousands stays far below."""
_RUNS_NOTHING = LabFailure("unsupported", "a report holds counters only: nothing can be run from it", "leave --report out")


async def load_report(path: Path) -> ProfilerReport:
    """The report, read in a worker process. Raises CannotAnswerError with the way out where it cannot be."""
    worker = WorkerProcess("assistant.device")
    try:
        reply = await worker.request({"op": "read_report", "path": str(path)}, _DEADLINE_S)
    except (WorkerDied, WorkerTimedOut) as error:
        raise CannotAnswerError(f"{path} cannot be read: {error}", "make the report again with this machine's ncu") from error
    finally:
        await worker.close()
    if not reply["ok"]:
        raise CannotAnswerError(f"{path} cannot be read: {reply['error']['message']}", "reinstall kernelopt")
    answer: dict[str, Any] = reply["result"]
    if answer["report"] is None:
        raise CannotAnswerError(answer["refusal"]["message"], answer["refusal"]["remedy"])
    report: ProfilerReport = decode(ProfilerReport, answer["report"])
    return report


def with_file(report: ProfilerReport, old: str, new: str) -> ProfilerReport:
    """The report with the source file ``old``, as the compiler was given it, found at ``new`` here."""

    def moved(items: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(replace(item, file=new) if item.file == old else item for item in items)

    return replace(
        report,
        launches=tuple(
            replace(
                launch,
                accesses=moved(launch.accesses),
                executions=moved(launch.executions),
                instructions=moved(launch.instructions),
                stalls=moved(launch.stalls),
            )
            for launch in report.launches
        ),
        code=tuple(replace(code, instructions=moved(code.instructions)) for code in report.code),
        sources=tuple(replace(source, path=new) if source.path == old else source for source in report.sources),
    )


_NOT_ASKED = NotPreprocessed("a report compiles nothing", is_missing=True)


class ReportLab:
    """``ports.lab.Lab`` over one report."""

    def __init__(self, report: ProfilerReport, target: str) -> None:
        """``target``: whose peaks the launches are held against."""
        self._report = report
        self._target = target

    def describe(self) -> LabDescription:
        report = self._report
        return LabDescription(
            name="report",
            device=report.device,
            target=self._target,
            rung=f"{Path(report.path).name}: counters of {report.device} by Nsight Compute; nothing is run",
            missing=(),
        )

    @property
    def large_launches(self) -> None:
        return None

    @property
    def timing(self) -> None:
        """A report times nothing."""
        return None

    @property
    def counters(self) -> Counters | None:
        """They come with the run that was profiled."""
        return None

    @property
    def emulated(self) -> Lab:
        """Itself: it has no GPU."""
        return self

    @property
    def at_once(self) -> int:
        """Nothing is replayed."""
        return 1

    @property
    def waited_s(self) -> float:
        """It needs no GPU."""
        return 0.0

    @property
    def parallel_labs(self) -> tuple[Lab, ...]:
        """A report is one."""
        return ()

    async def build(self, program: Program, architecture: str) -> BuildResult:
        """The compiled kernels as the report lists them."""
        report = self._report
        return Build("Nsight Compute's report", report.architecture, Flags(), report.resources, report.code, ())

    async def build_ahead(self, program: Program, architecture: str) -> None:
        """Nothing is run."""

    async def accepts(self, program: Program, architecture: str) -> bool:
        return False

    async def inspect(self, program: Program, architecture: str) -> BuildResult:
        return await self.build(program, architecture)

    async def preprocessed(self, program: Program, architecture: str) -> Preprocessings:
        """A report keeps no compiler's view."""
        return Preprocessings(_NOT_ASKED, _NOT_ASKED, _NOT_ASKED)

    async def run(
        self,
        program: Program,
        mode: str,
        limits: RunLimits,
        record: bool,
        sample_blocks: int = 0,
        corrections: tuple[Correction, ...] = (),
        order_seed: int = 0,
        uploads: Path | None = None,
    ) -> ProgramRun | LabFailure:
        """The run that was profiled."""
        return _run_of(self._report.launches)

    async def run_streams(self, program: Program, is_late: bool, limits: RunLimits) -> ProgramRun | LabFailure:
        return _RUNS_NOTHING

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        return _RUNS_NOTHING

    async def replay_promoted(
        self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits
    ) -> ReplayRun | LabFailure:
        return _RUNS_NOTHING

    async def reference(self, call: ReferenceCall, limits: RunLimits) -> tuple[tuple[str, bytes], ...] | LabFailure:
        return _RUNS_NOTHING

    async def close(self) -> None:
        """Nothing is open."""


def _run_of(launches: tuple[LaunchProfile, ...]) -> ProgramRun:
    """A report shows nothing of how the program ended; it launched what was profiled."""
    return ProgramRun(
        exit_status=0,
        signal=None,
        memory_exceeded=False,
        timed_out=False,
        output_truncated=False,
        stdout=b"",
        stderr=b"",
        recording_path=None,
        recording=None,
        launch_count=len(launches),
        profiles=launches,
        problems=(),
        unsupported=(),
    )
