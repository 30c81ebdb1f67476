"""Recording a user's build: a worker runs it once in a private copy of its workspace; what it linked is kept in the workspace.

Example::

    record = await recorded_build(Build(("make", "app"), folder=Path("/p"), workspace=Path("/p")))
    record.programs[0].name     # 'app'
"""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from assistant.build.compiler_calls import Action, NotedCall
from assistant.disk.temporary import OwnFolder
from assistant.errors import CannotAnswerError
from assistant.lab.process import WorkerDied, WorkerProcess, WorkerTimedOut
from assistant.ports.lab import LabFailure, RunLimits
from assistant.program.build_files import made_from, sources_taken
from assistant.program.build_record import BuildRecord, RecordedProgram, file_digest, keep_record
from assistant.program.recorded_calls import linked_programs
from assistant.record import Record
from assistant.serialize import decode, encode

__all__ = ["BUILD_TIMEOUT_S", "Build", "recorded_build"]

BUILD_TIMEOUT_S = 600.0
"""Limit of a build that is recorded, where a person names no other limit."""
_GRACE_S = 120.0
"""Beyond the build's own limit: the copy is made and read."""
_LEAST_MEMORY_BYTES = 8 << 30
_MEMORY_RATIO = 0.75
"""Share of the machine's memory: several compilers may run at once."""
_LINES_SHOWN = 8
"""Last lines that are shown of a failing build's messages."""
_COMPILERS = r"(?:nvcc|g\+\+|gcc|c\+\+|cc|clang\+\+|clang)(?:-[\d.]+)?"
_ABSOLUTE = re.compile(rf"(?<![\w./])(/[\w./+-]*/{_COMPILERS})(?=[\s:'\"]|$)")
_ABSOLUTE_MISSING = re.compile(rf"(/[\w./+-]*/{_COMPILERS})'?: (?:No such file|not found|cannot execute)")
_NO_LIBRARY = re.compile(r"cannot find (-l[\w.+-]+)")
_STARTED = "kernelopt: (.+?) was not compiled, as there is no CUDA toolkit here"
"""As ``recorder.placeholders`` says it."""


class Build(Record):
    """A command that a person typed to have it recorded."""

    command: tuple[str, ...]
    folder: Path
    """Absolute and without links; where it runs."""
    workspace: Path
    """Absolute and without links; holds the folder."""
    timeout_s: float = BUILD_TIMEOUT_S

    @property
    def text(self) -> str:
        """As a person types it."""
        return shlex.join(self.command)


async def recorded_build(build: Build) -> BuildRecord:
    """Run the build once; what it linked is kept in its workspace. Raises CannotAnswerError where it does not build, or cannot be kept."""
    with OwnFolder() as scratch:
        recorder = _Recorder(scratch)
        try:
            record = await recorder.record(build)
        finally:
            await recorder.close()
    if isinstance(record, LabFailure):
        raise CannotAnswerError(record.message, record.remedy)
    return record


class _Recorder:
    """Asks one recording worker."""

    def __init__(self, scratch: Path) -> None:
        """``scratch`` receives the private copy and what the build makes in it."""
        self._scratch = scratch
        self._worker = WorkerProcess("assistant.recorder", {**os.environ, "TMPDIR": str(scratch)})

    async def record(self, build: Build) -> BuildRecord | LabFailure:
        """Run the build once; what it linked is kept in its workspace. Raises CannotAnswerError where it cannot be kept."""
        kept = Path(tempfile.mkdtemp(prefix="kept-", dir=self._scratch))
        message = {
            "op": "record",
            "command": list(build.command),
            "folder": str(build.folder),
            "workspace": str(build.workspace),
            "kept": str(kept),
            "limits": encode(RunLimits(wall_s=build.timeout_s, memory_bytes=_memory_bytes())),
        }
        try:
            reply = await self._worker.request(message, 2 * build.timeout_s + _GRACE_S)
        except WorkerTimedOut as error:
            return LabFailure("timed_out", str(error), "raise --timeout")
        except WorkerDied as error:
            return LabFailure("internal", str(error), "kernelopt doctor")
        if "failure" in reply:
            return LabFailure(reply["failure"], reply["message"], reply["remedy"])
        return _failure(build, reply) or await asyncio.to_thread(_recorded, build, reply, kept)

    async def close(self) -> None:
        """End the worker, and a build that it runs."""
        await self._worker.close()


def _recorded(build: Build, reply: dict[str, Any], kept: Path) -> BuildRecord | LabFailure:
    workspace, folder = build.workspace, build.folder
    calls = decode(tuple[NotedCall, ...], reply["calls"])
    copies, objects = (decode(tuple[tuple[str, str], ...], reply[name]) for name in ("copies", "objects"))
    programs, notes = linked_programs(calls, copies, workspace, frozenset(reply["generated"]), dict(objects))
    if not programs:
        return _nothing_linked(build, calls, reply["output"])
    unseen = _unseen_compiler(calls, reply["output"])
    files = made_from(workspace, build.command, folder) | _sources_in_c(programs, workspace)
    record = BuildRecord(
        command=build.command,
        folder=os.path.relpath(folder, workspace),
        programs=programs,
        made_from=files,
        sources=sources_taken(workspace, build.command, files),
        generated=tuple(reply["generated"]),
        objects=tuple(name for _, name in objects),
        notes=tuple(f"{note}: {_by_name(build, unseen)}" if unseen else note for note in notes) + tuple(reply["notes"]),
    )
    keep_record(workspace, record, kept)
    return record


def _sources_in_c(programs: Iterable[RecordedProgram], workspace: Path) -> dict[str, str]:
    """Digests by path: their objects are as old as the record."""
    sources = (unit.source for program in programs for unit in program.units if unit.object)
    return {source: file_digest(workspace / source) for source in sources if (workspace / source).is_file()}


def _failure(build: Build, reply: dict[str, Any]) -> LabFailure | None:
    """Why the build did not come to its end; None where it did."""
    if reply["exit_status"] == 0:
        return None
    if reply["timed_out"]:
        return LabFailure(
            "timed_out", f"{build.text} did not end within {build.timeout_s:g} s", "raise --timeout, or record a smaller target"
        )
    if reply["memory_exceeded"]:
        return LabFailure(
            "out_of_memory", f"{build.text} took more than {_memory_bytes() >> 30} GiB of memory", "compile fewer files at once"
        )
    ended = f"ended by {reply['signal']}" if reply["signal"] else f"ended with status {reply['exit_status']}"
    tail = "\n".join(reply["output"].rstrip().splitlines()[-_LINES_SHOWN:])
    return LabFailure("not_built", f"{build.text} {ended}\n{tail}", _remedy(build, reply["output"]))


def _remedy(build: Build, output: str) -> str:
    """What may help, from the last lines of the build's output."""
    started, missing, library = re.search(_STARTED, output), _ABSOLUTE_MISSING.search(output), _NO_LIBRARY.search(output)
    if started is not None:
        return f"the build starts {started[1]}, which needs nvcc to be made: record a target that does not start it, or install nvcc"
    if missing is not None:
        return _by_name(build, missing[1])
    if library is not None:
        return f"the library of {library[1]} is not installed here, or is where the build does not look"
    if "Permission denied" in output or "Read-only file system" in output:
        return f"a recorded build runs in a private copy of {build.workspace} and may write there and to $TMPDIR alone"
    return "fix what the build reports, or record another target"


def _nothing_linked(build: Build, calls: tuple[NotedCall, ...], output: str) -> LabFailure:
    sources = [unit.source for noted in calls for unit in noted.call.units]
    unseen = _unseen_compiler(calls, output)
    if unseen is not None:
        return LabFailure(
            "unsupported", f"{build.text} starts {unseen} by its full path, so its calls were not seen", _by_name(build, unseen)
        )
    if sources:
        message = f"{build.text} compiled {len(sources)} sources and linked no program"
        return LabFailure("unsupported", message, "record the target that links the program")
    message = f"{build.text} compiled nothing that was seen"
    return LabFailure("unsupported", message, "name a target that compiles; compilers are seen that it starts by their names (nvcc, g++)")


def _unseen_compiler(calls: tuple[NotedCall, ...], output: str) -> str | None:
    """A compiler that the build starts by an absolute path, where calls of that name are missing."""
    seen = {noted.tool for noted in calls if noted.call.action in (Action.COMPILE, Action.LINK)}
    paths = (match[1] for match in _ABSOLUTE.finditer(output))
    return next((path for path in paths if Path(path).name not in seen), None)


def _by_name(build: Build, compiler: str) -> str:
    name = Path(compiler).name
    variable = {"nvcc": "NVCC", "gcc": "CC", "cc": "CC", "clang": "CC"}.get(name, "CXX")
    if Path(build.command[0]).name in ("make", "gmake"):
        return f"have it start {name} by its name: {build.text} {variable}={name}"
    return f"have the build start {name} by its name, not as {compiler}"


def _memory_bytes() -> int:
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(_LEAST_MEMORY_BYTES, int(machine * _MEMORY_RATIO))
