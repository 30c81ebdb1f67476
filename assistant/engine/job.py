"""One job: what it works on and with. Every stage of the pipeline takes it, sends events through it, and
returns what it found.

Example::

    job = Job(new_id("J"), request, lab, target("h200"), architecture("sm_90"), scratch, seeds, limits, listener)
    job.emit(events.StageStarted(job.id, "build", "sm_90"))
"""

from __future__ import annotations

import time
from dataclasses import field
from pathlib import Path

from assistant.engine.channel import UNHEARD, Listener
from assistant.engine.further_runs import FurtherRuns
from assistant.engine.request import JobRequest
from assistant.model import event_parts, events
from assistant.model.build import DiagnosticSeverity
from assistant.model.device import Architecture, Target
from assistant.model.profile import Severity
from assistant.ports.lab import Lab, LabFailure, RunLimits
from assistant.record import Record

__all__ = ["CANNOT_ANSWER", "DONE", "INTERNAL", "NO", "Ending", "Job", "Stopwatch"]

DONE, NO, CANNOT_ANSWER, INTERNAL = 0, 1, 3, 4
"""Exit codes that a job itself, or the loss of its process, can end with."""


class Job(Record):
    """Identity, question and tools of a job."""

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
    """Limits of a run of the user's program or of a replayed case."""
    listener: Listener = UNHEARD
    """Receives the job's events."""
    further_runs: FurtherRuns = field(default_factory=FurtherRuns)

    @property
    def device(self) -> event_parts.Device:
        description = self.lab.describe()
        kind = "cpu" if description.name == "cpu" else "gpu"
        return event_parts.Device(description.device, kind, self.target.name)

    def emit(self, *sent: events.Event) -> None:
        """Send events to the listener, in order; returns at once."""
        for event in sent:
            self.listener.emit(event)

    async def delivered(self) -> None:
        """Return when the listener has read every event so far."""
        await self.listener.delivered()

    def say(self, severity: Severity, text: str, remedy: str | None = None, line: int | None = None) -> None:
        """Send a message, and what to do about it; ``line`` is of the request's file."""
        file = None if line is None else str(self.request.file)
        self.emit(events.Message(self.id, severity, text, remedy or None, file, line))

    def say_failure(self, failure: LabFailure) -> None:
        """Send a lab's failure: its diagnostics, then the sentence and the way out."""
        self.say_errors(failure)
        self.say(Severity.ERROR, failure.message, failure.remedy)

    def say_errors(self, failure: LabFailure) -> None:
        """Send the compilers' errors behind a failure."""
        errors = tuple(d for d in failure.diagnostics if d.severity is not DiagnosticSeverity.WARNING)
        if errors:
            self.emit(events.Diagnostics(self.id, errors))

    def failed(self, failure: LabFailure) -> Ending:
        """Send a lab's failure that leaves nothing to answer about: the job ends with it, and exit code 3."""
        self.say_failure(failure)
        return Ending(CANNOT_ANSWER, failure.message)


class Ending(Record):
    """How a job ends."""

    exit_code: int
    reason: str


class Stopwatch:
    """Wall time of a stage; sends the events of its begin and end."""

    def __init__(self, job: Job, stage: str) -> None:
        self._job = job
        self._stage = stage
        self._start_s = time.monotonic()

    def begin(self, detail: str) -> None:
        self._job.emit(events.StageStarted(self._job.id, self._stage, detail))

    def end(self, detail: str = "") -> None:
        self._job.emit(events.StageEnded(self._job.id, self._stage, detail, (time.monotonic() - self._start_s) * 1e3))
