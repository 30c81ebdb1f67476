"""One job: what it works on and with. Every stage of the pipeline takes it; events are made here, in one place.

Example::

    job = Job(new_id("J"), request, lab, target("h200"), architecture("sm_90"), scratch)
    yield job.stage("build", "sm_90")
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from assistant.engine.further_runs import FurtherRuns
from assistant.engine.request import JobRequest
from assistant.model import events
from assistant.model.build import DiagnosticSeverity
from assistant.model.device import Architecture, Target
from assistant.model.profile import Severity
from assistant.ports import Lab, LabFailure, RunLimits

__all__ = ["CANNOT_ANSWER", "DONE", "INTERNAL", "NO", "Ending", "Job", "Stopwatch"]

DONE, NO, CANNOT_ANSWER, INTERNAL = 0, 1, 3, 4
"""Exit codes that a job itself, or the loss of its process, can end with."""


@dataclass(frozen=True)
class Job:
    """Identity, question and tools of one job."""

    id: str
    request: JobRequest
    lab: Lab
    target: Target
    architecture: Architecture
    scratch: Path
    """Private folder, removed when the job ends."""
    seeds: tuple[int, ...]
    """Fresh for this job, at least three for screening and three for confirming; never shown to a planner."""
    limits: RunLimits
    """Of one run of the user's program or of one replayed case."""
    further_runs: FurtherRuns = field(default_factory=FurtherRuns)

    @property
    def device(self) -> events.Device:
        description = self.lab.describe()
        kind = "cpu" if description.name == "cpu" else "gpu"
        return events.Device(description.device, kind, self.target.name)

    def started(self, command: str) -> events.JobStarted:
        description = self.lab.describe()
        other = None if self.request.other is None else str(self.request.other)
        return events.JobStarted(self.id, command, str(self.request.file), description.device, description.rung, other)

    def message(self, severity: Severity, text: str, remedy: str | None = None, line: int | None = None) -> events.Message:
        file = None if line is None else str(self.request.file)
        return events.Message(self.id, severity, text, remedy or None, file, line)

    def failure(self, failure: LabFailure) -> Iterator[events.Event]:
        """What a lab's failure tells people: its diagnostics, then the sentence and the way out."""
        yield from self.diagnosed(failure)
        yield self.message(Severity.ERROR, failure.message, failure.remedy)

    def diagnosed(self, failure: LabFailure) -> Iterator[events.Event]:
        """The compilers' errors behind a failure."""
        errors = tuple(d for d in failure.diagnostics if d.severity is not DiagnosticSeverity.WARNING)
        if errors:
            yield events.Diagnostics(self.id, errors)

    def ended(self, ending: Ending) -> events.JobEnded:
        return events.JobEnded(self.id, ending.exit_code, ending.reason)


@dataclass(frozen=True)
class Ending:
    """How a job ends."""

    exit_code: int
    reason: str


class Stopwatch:
    """Wall time of a stage, for the events that begin and end it."""

    def __init__(self, job: Job, stage: str) -> None:
        self._job = job
        self._stage = stage
        self._start_s = time.monotonic()

    def started(self, detail: str) -> events.StageStarted:
        return events.StageStarted(self._job.id, self._stage, detail)

    def ended(self, detail: str = "") -> events.StageEnded:
        return events.StageEnded(self._job.id, self._stage, detail, (time.monotonic() - self._start_s) * 1e3)
