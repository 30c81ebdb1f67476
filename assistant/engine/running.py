"""One job from its row in memory to its last event: lab, scratch folder, heartbeat, cancellation, deliberate errors.

What a job does is handed in as a function; this module knows no command. Example::

    runner = JobRunner(lambda: store, open_lab, who="cli 1234")
    ending = await runner.run("check", request, stages.check, listener)
"""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from assistant import serialize
from assistant.build.architectures import architecture
from assistant.build.flags import anchored, choose_flags
from assistant.config import DEFAULT_LAUNCH_BYTES, LoadedSettings, Settings, find_project, find_workspace, load_settings, user_paths
from assistant.engine.asked_function import SettledRegion, settle_region
from assistant.engine.build_database import database_flags
from assistant.engine.channel import Listener
from assistant.engine.events_as_json import event_json
from assistant.engine.files import put_back_half_written
from assistant.engine.ids import new_id
from assistant.engine.job import CANNOT_ANSWER, Ending, Job
from assistant.engine.programs import answer_key, others_sha256
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.engine.run_options import run_options
from assistant.engine.scratch import scratch_folder, unusable
from assistant.engine.source_version import SourceVersion
from assistant.errors import CannotAnswerError, KernelOptError
from assistant.measure.targets import target
from assistant.model import events
from assistant.model.attempt import JobRow
from assistant.model.build import Flags
from assistant.model.profile import Severity
from assistant.model.program import ProgramOrigin
from assistant.ports.lab import Lab, RunLimits
from assistant.ports.store import AnalysisStore, JobStore, StoredAnalysis
from assistant.program.build_flags import BY_HAND, way_to_use
from assistant.program.python_texts import in_words
from assistant.record import Record

__all__ = ["JobBody", "JobRunner", "OpenLab", "flags_of", "refused", "run_limits"]

JobBody = Callable[[Job, SourceVersion], Awaitable[Ending]]
"""What a job does: it sends events through the job, and returns how it ends."""
ReadVersion = Callable[[JobRequest, Flags], SourceVersion]
"""How the file in question is read; raises as ``read_version`` does."""
OpenLab = Callable[[JobRequest, Path, str], Lab]
"""(request, scratch folder, target name) → a lab, whose own target may be the device that it has. Raises CannotAnswerError for a device
that is not there."""

_SEARCH = "optimize"
"""The command whose jobs can be gone on with: what it was asked with is kept, and every event."""
_ANALYSES = ("inspect", "check", "profile")
"""Commands whose last answer on a file is kept."""

_JUDGING = frozenset({"compare", "optimize", "pair", "study"})
"""Commands that say how fast an edit is."""
_EMULATED = "cpu"
"""Name of the lab whose launches know the files of their kernels."""
_RENAME = "give each a name of its own to distinguish them"
_SEED_BITS = 31
_HEARTBEAT_S = 1.0


class RunningStore(JobStore, AnalysisStore, Protocol):
    """What is kept of every job, and of its last answer on a file."""


class JobRunner(Record):
    """Runs jobs of a front end."""

    open_store: Callable[[], RunningStore]
    """Called when something is to be kept: a job that is refused leaves no memory file behind."""
    open_lab: OpenLab
    who: str
    """Front end and process."""

    @property
    def store(self) -> RunningStore:
        """The memory file."""
        return self.open_store()

    async def run(self, command: str, request: JobRequest, body: JobBody, listener: Listener, read: ReadVersion = read_version) -> Ending:
        """Run one job, from ``job_started`` to ``job_ended``; its scratch folder and its workers end with it.

        Raises KernelOptError for a job that cannot begin; one that has begun reports the error and ends with its exit code.
        """
        asked_for, put_back = run_options(request), put_back_half_written(user_paths().writing)
        loaded = load_settings(find_workspace(request.file))
        version = read(request, flags_of(request, loaded))
        settled = settle_region(request, version, loaded.settings.region) if command in _JUDGING else SettledRegion(request, version)
        request, version = settled.request, settled.version
        asked = target(request.target or loaded.settings.target)
        where = request if request.device is not None else replace(request, device=loaded.settings.device)
        with scratch_folder() as scratch:
            lab = self.open_lab(where, scratch, asked.name)
            chosen = target(lab.describe().target)
            limits = architecture(chosen.architecture)
            assert limits is not None, f"{chosen.architecture} is in no table of limits"
            job_id = request.job_id or new_id("J")
            log = _Log(self, command, job_id, listener)
            seeds, runs = _seeds(request, loaded.settings), run_limits(request, loaded.settings, is_gpu=lab.timing is not None)
            job = Job(job_id, request, lab, chosen, limits, scratch, seeds, runs, log)
            try:
                self._start_row(job, command, serialize.dumps(asked_for) if command == _SEARCH else None)
                warnings = (*loaded.warnings, *(() if put_back is None else put_back.in_words))
                return await self._carried_out(job, command, version, warnings, body, log, settled.note)
            finally:
                await lab.close()

    async def _carried_out(
        self, job: Job, command: str, version: SourceVersion, warnings: Iterable[str], body: JobBody, log: _Log, note: str
    ) -> Ending:
        """The job between its first event and its last; a deliberate error becomes a message before the last."""
        exit_code = CANNOT_ANSWER
        try:
            job.emit(_started(job, command))
            for warning in warnings:
                job.say(Severity.WARNING, warning)
            if note:
                job.say(Severity.INFORMATION, note)
            _report_program(job, version)
            async with self._beating(job):
                ending = await body(job, version)
            exit_code = ending.exit_code
            ended = _ended(job, ending)
            self._keep_analysis(command, job, version, (*log.emitted, ended))
            job.emit(ended)
        except (KernelOptError, OSError) as raised:
            log.is_memory_needed = False
            ending = refused(job, raised)
            exit_code = ending.exit_code
            job.emit(_ended(job, ending))
        finally:
            with suppress(KernelOptError):
                self.store.end_job(job.id, _now_ms(), exit_code)
        return ending

    def _keep_analysis(self, command: str, job: Job, version: SourceVersion, log: Sequence[events.Event]) -> None:
        """The whole answer on a whole file, for front ends that start later."""
        request = job.request
        if command not in _ANALYSES or request.kernel is not None:
            return
        key = answer_key(version.source.sha256, others_sha256(request, version.found))
        analysis = StoredAnalysis(command, key, tuple(event_json(event) for event in log))
        with suppress(KernelOptError):
            self.store.keep_analysis(find_workspace(request.file), request.file, analysis, _now_ms())

    @asynccontextmanager
    async def _beating(self, job: Job) -> AsyncGenerator[None]:
        """Tell other processes that the job lives; one that asks for cancellation is heard within a second."""
        working = asyncio.current_task()

        async def beat() -> None:
            is_wanted = True
            while is_wanted:
                await asyncio.sleep(_HEARTBEAT_S)
                is_wanted = not await asyncio.to_thread(self.store.beat, job.id, _now_ms())
            if working is not None:
                working.cancel()

        heart = asyncio.create_task(beat())
        try:
            yield
        finally:
            heart.cancel()

    def _start_row(self, job: Job, command: str, asked: str | None) -> None:
        path = job.request.file
        owner = f"{os.uname().nodename} {self.who}"
        now = _now_ms()
        self.store.start_job(JobRow(job.id, command, path, find_workspace(path), owner, now, now, None, None, False, asked))


class _Log:
    """Hands a job's events on; those of a search are written to memory first, so that it can be resumed."""

    def __init__(self, runner: JobRunner, command: str, job_id: str, listener: Listener) -> None:
        self._runner = runner
        self._is_search = command == _SEARCH
        self._job_id = job_id
        self._listener = listener
        self.emitted: list[events.Event] = []
        """Every event so far."""
        self.is_memory_needed = True
        """Whether an event that memory cannot keep is an error; not for the event that reports just that error."""

    def emit(self, event: events.Event) -> None:
        """Raises what the store raises."""
        if self._is_search:
            with suppress(*() if self.is_memory_needed else (KernelOptError,)):
                self._runner.store.add_event(self._job_id, event_json(event))
        self.emitted.append(event)
        self._listener.emit(event)

    async def delivered(self) -> None:
        await self._listener.delivered()


def refused(job: Job, raised: KernelOptError | OSError) -> Ending:
    """Send an error that was raised deliberately, or by the system's files; how the job ends with it."""
    error = raised if isinstance(raised, KernelOptError) else unusable(raised)
    job.say(Severity.ERROR, error.message, error.remedy)
    return Ending(error.exit_code, error.message)


def _started(job: Job, command: str) -> events.JobStarted:
    lab = job.lab.describe()
    other = None if job.request.other is None else str(job.request.other)
    return events.JobStarted(job.id, command, str(job.request.file), lab.device, lab.rung, other)


def _report_program(job: Job, version: SourceVersion) -> None:
    """Which program was found, where none was named and it is more than the file itself, and what is not distinguished in it."""
    for name in version.untold_kernels if job.lab.describe().name != _EMULATED else ():
        job.say(
            Severity.WARNING, f"{name} is defined in several files of the program, and a GPU's launches may not show which it was", _RENAME
        )
    found, place = version.found, in_words(job.request.file)
    if place is not None:
        job.say(Severity.INFORMATION, place)
    if found is None:
        return
    if found.origin is not ProgramOrigin.COMMAND_LINE and found.units != (job.request.file,):
        job.say(Severity.INFORMATION, f"part of the program {found.name}: {found.why}")
    if found.unclear:
        job.say(Severity.WARNING, found.unclear)
    if found.unused:
        is_named = found.origin is ProgramOrigin.COMMAND_LINE
        way = BY_HAND if is_named else way_to_use(find_project(job.request.file), job.request.file)
        job.say(Severity.WARNING, f"{found.unused}: {way}")


def _ended(job: Job, ending: Ending) -> events.JobEnded:
    return events.JobEnded(job.id, ending.exit_code, ending.reason)


def flags_of(request: JobRequest, loaded: LoadedSettings) -> Flags:
    """What a request's file is compiled with. Raises CannotAnswerError where ``compile_commands.json`` cannot be read."""
    try:
        known = database_flags(request.file)
    except (OSError, ValueError) as error:
        message = f"compile_commands.json cannot be read: {error}"
        raise CannotAnswerError(message, "fix it, or write it again with the build system") from error
    project = loaded.settings.build.flags or None
    given = None if request.cflags == project else request.cflags  # an editor hands the file's own back
    chosen = choose_flags(command_line=given, project=project, database=known)
    return anchored(chosen, request.working_directory if given is not None else find_workspace(request.file))


def _seeds(request: JobRequest, settings: Settings) -> tuple[int, ...]:
    """Half of them screen, half confirm; fresh ones, unless an earlier verification is to be repeated."""
    if request.seeds:
        return (*request.seeds, *request.seeds)
    return tuple(secrets.randbits(_SEED_BITS) for _ in range(2 * settings.verification.seeds))


def run_limits(request: JobRequest, settings: Settings, *, is_gpu: bool) -> RunLimits:
    """Bounds of a run or replayed case; a GPU records more in the same time than the emulator."""
    limits = settings.limits
    launch_bytes, recording_bytes = _GPU_RECORDED_BYTES if is_gpu else _EMULATED_BYTES
    wall_s = settings.run.timeout_s if request.timeout_s is None else request.timeout_s
    return RunLimits(
        wall_s=wall_s,
        memory_bytes=limits.memory_bytes,
        output_bytes=limits.output_bytes,
        launch_bytes=limits.launch_bytes or launch_bytes,
        recording_bytes=limits.recording_bytes or recording_bytes,
        whole_s=min(settings.run.whole_s, wall_s * _WHOLE_SHARE),
    )


_EMULATED_BYTES, _GPU_RECORDED_BYTES = (DEFAULT_LAUNCH_BYTES, 2 << 30), (2 << 30, 8 << 30)
"""What is kept of a launch and of a run, where the settings say nothing."""
_WHOLE_SHARE = 1 / 3
"""Share of a run's time for the program's launches: the host's part, and a second run with every check on, need their time as well."""


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
