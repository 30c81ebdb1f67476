"""What one run of a version showed, counted and assessed: its launches, counters and findings. Values only."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from assistant.model.build import BuildResult, KernelCode, KernelResources, Occupancy
from assistant.model.comparison import PredictedTime
from assistant.model.profile import Correction, Evidence, Finding, LaunchProfile, Problem, Signature
from assistant.model.recording import Recording
from assistant.model.source import Kernel
from assistant.model.workload import Case
from assistant.ports.lab import LabFailure, ProgramRun
from assistant.record import Record

__all__ = [
    "OTHER_ORDER",
    "REPEATS",
    "AssessedLaunch",
    "Assessment",
    "CountedKernel",
    "CountedLaunchGroup",
    "CountedRun",
    "KernelAssessment",
    "Repeatability",
    "costliest",
]

OTHER_ORDER = 1
"""Seed of the order of threads in a program's second run."""


REPEATS = 2
"""Runs of each declared or live case: whether a kernel is repeatable shows at once."""


class CountedLaunchGroup(Record):
    """Launches of an instance with the same grid, block and shared memory."""

    profile: LaunchProfile
    """The profile of the first of them."""
    count: float
    """How many there are (captured), or the shape's weight (declared)."""
    shape: str = ""
    """Shape of the declared workload (``n=1024``); empty for a program's own launches."""


class CountedKernel(Record):
    """One kernel instance and its launches, most threads first."""

    kernel: Kernel
    instance: str
    groups: tuple[CountedLaunchGroup, ...]


class CountedRun(Record):
    """Everything one counted run showed."""

    kernels: tuple[CountedKernel, ...]
    profiles: tuple[LaunchProfile, ...]
    """Every launch in program order, those that were refused too."""
    problems: tuple[Problem, ...]
    run: ProgramRun | None
    """None for declared workloads."""
    repeatability: tuple[tuple[str, Repeatability], ...] = ()
    """For declared workloads: what two runs of a case show of each kernel in it, by instance."""

    corrections: tuple[Correction, ...] = ()
    """With which the counters were counted."""
    is_order_checked: bool = False
    """Whether races were looked for in the run that the counters come from."""
    cases: tuple[Case, ...] = ()
    """That declared workloads were replayed on; their launches, case by case, are ``profiles``."""
    left_out: tuple[str, ...] = ()
    """Values that problems do not count on, in words: they are taken for no input of the kernel."""
    failure: LabFailure | None = None
    """Why the program did not end by itself with status 0: its problems hold, but no other version can be held against it."""

    @property
    def is_partial(self) -> bool:
        """Whether time was up before every block of every launch had run."""
        return self.run is not None and self.run.is_partial

    @property
    def is_counted_in_part(self) -> bool:
        """Whether that is so of the run that counters and problems come from: a GPU may have run all of it."""
        return self.run is not None and self.run.is_counted_in_part

    @property
    def recording(self) -> Recording | None:
        return None if self.run is None else self.run.recording


class AssessedLaunch(Record):
    """One launch shape with its graded counters and its predicted time."""

    profile: LaunchProfile
    occupancy: Occupancy | None
    predicted: PredictedTime
    count: float
    shape: str = ""
    """Shape of the declared workload (``n=1024``); empty for a program's own launches."""

    @property
    def total_time_s(self) -> float:
        """Predicted, of all its launches."""
        return self.count * self.predicted.time_s

    @property
    def is_counted(self) -> bool:
        """Whether any block of it was; a prediction of what was not counted rests on nothing, and is not shown."""
        return self.profile.blocks_counted > 0


class KernelAssessment(Record):
    """All that is known of a kernel instance."""

    kernel: Kernel
    instance: str
    launches: tuple[AssessedLaunch, ...]
    resources: KernelResources | None
    code: KernelCode | None
    findings: tuple[Finding, ...]
    evidence: tuple[Evidence, ...]
    signature: Signature
    file: Path
    """That holds the kernel."""

    @property
    def predicted_time_s(self) -> float:
        """Of all launches."""
        return sum(launch.total_time_s for launch in self.launches)


class Assessment(Record):
    """The version's kernels that its workload launches."""

    build: BuildResult
    counted: CountedRun
    kernels: tuple[KernelAssessment, ...]

    def of(self, kernel: Kernel) -> tuple[KernelAssessment, ...]:
        return tuple(item for item in self.kernels if item.kernel.key == kernel.key)


def costliest(kernels: Iterable[KernelAssessment]) -> KernelAssessment:
    """The instance that takes most predicted time."""
    return max(kernels, key=lambda item: item.predicted_time_s)


class Repeatability(Record):
    """What two runs show of a kernel."""

    is_deterministic: bool | None
    """None where nothing is claimed."""
    reason: str | None = None
    """Why nothing is claimed; None where something is."""
