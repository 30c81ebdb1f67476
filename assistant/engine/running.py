"""One job from its row in memory to its last event: lab, scratch folder, heartbeat, cancellation, deliberate errors.

What a job does is handed in as a stream of events; this module knows no command. Example::

    runner = JobRunner(lambda: store, open_lab, who="cli 1234")
    async for event in runner.run("check", request, stages.check): ...
"""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from assistant.build.architectures import architecture
from assistant.build.flags import choose_flags
from assistant.config import LoadedSettings, Settings, find_workspace, load_settings
from assistant.engine.build_database import database_flags
from assistant.engine.event_json import event_json
from assistant.engine.ids import new_id
from assistant.engine.job import CANNOT_ANSWER, Ending, Job
from assistant.engine.request import JobRequest
from assistant.engine.scratch import scratch_folder, unusable
from assistant.engine.subject import Subject, read_subject
from assistant.errors import CannotAnswerError, KernelOptError
from assistant.measure.targets import target
from assistant.model import events
from assistant.model.attempt import JobRow
from assistant.model.build import Flags
from assistant.model.profile import Severity
from assistant.model.source import Source
from assistant.ports import Lab, RunLimits, Store, StoredAnalysis

__all__ = ["JobBody", "JobRunner", "OpenLab", "flags_of", "run_limits"]

JobBody = Callable[[Job, Subject], AsyncIterator[events.Event]]
"""What a job does; its last event is ``job_ended``."""
ReadSubject = Callable[[JobRequest, Flags], Subject]
"""How the file in question is read; raises as ``read_subject`` does."""
OpenLab = Callable[[JobRequest, Path, str], Lab]
"""(request, scratch folder, target name) → a lab, whose own target may be the device that it has. Raises CannotAnswerError for a device
that is not there."""

_ANALYSES = ("inspect", "check", "profile")
"""Commands whose last answer on a file is kept."""

_SEED_BITS = 31
_HEARTBEAT_S = 1.0


@dataclass(frozen=True)
class JobRunner:
    """Runs jobs of one front end."""

    open_store: Callable[[], Store]
    """Called when something is to be kept: a job that is refused leaves no memory file behind."""
    open_lab: OpenLab
    who: str
    """Front end and process."""

    @property
    def store(self) -> Store:
        """The memory file."""
        return self.open_store()

    async def run(self, command: str, request: JobRequest, body: JobBody, read: ReadSubject = read_subject) -> AsyncIterator[events.Event]:
        """The job's events; its scratch folder and its workers end with it."""
        loaded = load_settings(find_workspace(request.file))
        subject = read(request, flags_of(request, loaded))
        asked = target(request.target or loaded.settings.target)
        where = request if request.device is not None else replace(request, device=loaded.settings.device)
        with scratch_folder() as scratch:
            lab = self.open_lab(where, scratch, asked.name)
            chosen = target(lab.describe().target)
            limits = architecture(chosen.architecture)
            assert limits is not None, f"{chosen.architecture} is in no table of limits"
            job_id = request.job_id or new_id("J")
            job = Job(job_id, request, lab, chosen, limits, scratch, _seeds(request, loaded.settings), run_limits(request, loaded.settings))
            try:
                self._start_row(job, command)
                async for event in self._told(job, command, subject.source, loaded.warnings, body(job, subject)):
                    yield event
            finally:
                await lab.close()

    async def _told(
        self, job: Job, command: str, source: Source, warnings: Iterable[str], stream: AsyncIterator[events.Event]
    ) -> AsyncIterator[events.Event]:
        """The job's events between its first and its last; a deliberate error becomes its last."""
        exit_code = CANNOT_ANSWER
        started = job.started(command)
        seen: list[events.Event] = [started]
        try:
            yield self._kept(command, job, started)
            for warning in warnings:
                yield self._kept(command, job, job.message(Severity.WARNING, warning))
            async for event in self._with_heartbeat(job, stream):
                seen.append(event)
                if isinstance(event, events.JobEnded):
                    exit_code = event.exit_code
                    self._keep_analysis(command, job, source, seen)
                yield self._kept(command, job, event)
        except (KernelOptError, OSError) as raised:
            error = raised if isinstance(raised, KernelOptError) else unusable(raised)
            exit_code = error.exit_code
            last = (job.message(Severity.ERROR, error.message, error.remedy), job.ended(Ending(error.exit_code, error.message)))
            for event in last:
                with suppress(KernelOptError):
                    self._kept(command, job, event)
                yield event
        finally:
            with suppress(KernelOptError):
                self.store.end_job(job.id, _now_ms(), exit_code)

    def _kept(self, command: str, job: Job, event: events.Event) -> events.Event:
        """The event; a search's are in memory before anybody sees them, for whoever resumes it."""
        if command == "optimize":
            self.store.add_event(job.id, event_json(event))
        return event

    def _keep_analysis(self, command: str, job: Job, source: Source, seen: Sequence[events.Event]) -> None:
        """The whole answer on a whole file, for front ends that start later."""
        request = job.request
        if command not in _ANALYSES or request.kernel is not None:
            return
        analysis = StoredAnalysis(command, source.sha256, tuple(event_json(event) for event in seen))
        with suppress(KernelOptError):
            self.store.keep_analysis(find_workspace(request.file), request.file, analysis, _now_ms())

    async def _with_heartbeat(self, job: Job, stream: AsyncIterator[events.Event]) -> AsyncIterator[events.Event]:
        """The job's events; another process that asks for cancellation is heard within a second."""
        asking = asyncio.current_task()

        async def beat() -> None:
            is_wanted = True
            while is_wanted:
                await asyncio.sleep(_HEARTBEAT_S)
                is_wanted = not await asyncio.to_thread(self.store.beat, job.id, _now_ms())
            if asking is not None:
                asking.cancel()

        heart = asyncio.create_task(beat())
        try:
            async for event in stream:
                yield event
        finally:
            heart.cancel()

    def _start_row(self, job: Job, command: str) -> None:
        path = job.request.file
        owner = f"{os.uname().nodename} {self.who}"
        now = _now_ms()
        self.store.start_job(JobRow(job.id, command, path, find_workspace(path), owner, now, now, None, None, False))


def flags_of(request: JobRequest, loaded: LoadedSettings) -> Flags:
    """What a request's file is compiled with. Raises CannotAnswerError where ``compile_commands.json`` cannot be read."""
    try:
        known = database_flags(request.file)
    except (OSError, ValueError) as error:
        told = f"compile_commands.json cannot be read: {error}"
        raise CannotAnswerError(told, "mend it, or write it again with the build system") from error
    project = loaded.settings.build.flags or None
    given = None if request.cflags == project else request.cflags  # an editor hands the file's own back
    return choose_flags(command_line=given, project=project, database=known)


def _seeds(request: JobRequest, settings: Settings) -> tuple[int, ...]:
    """Half of them screen, half confirm; fresh ones, unless an earlier verification is to be repeated."""
    if request.seeds:
        return (*request.seeds, *request.seeds)
    return tuple(secrets.randbits(_SEED_BITS) for _ in range(2 * settings.verification.seeds))


def run_limits(request: JobRequest, settings: Settings) -> RunLimits:
    """Bounds of one run or replayed case."""
    limits = settings.limits
    return RunLimits(
        wall_s=settings.run.timeout_s if request.timeout_s is None else request.timeout_s,
        memory_bytes=limits.memory_bytes,
        output_bytes=limits.output_bytes,
        launch_bytes=limits.launch_bytes,
        recording_bytes=limits.recording_bytes,
    )


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
