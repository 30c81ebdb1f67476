"""Runs a build in a private copy of its workspace with our files first on PATH, and gathers what they noted.

The copy's sources are made newer than everything else, so that whatever was built already is built once more. The build may write to the
copy and to temporary files alone; beyond that it is the user's own command, with the user's rights. Example::

    record(RecordRequest(("make", "app"), folder, folder, kept, ProgramLimits()), os.environ, scratch, launcher).calls
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from assistant.build.compiler_calls import Action, CompiledUnit, CompilerCall, NotedCall
from assistant.build.units import HEADER_SUFFIXES, UNIT_SUFFIXES
from assistant.disk.texts import MOST_SOURCE_BYTES
from assistant.record import Record
from assistant.recorder.placeholders import is_placeholder
from assistant.recorder.protocol import RecordingFailedError, RecordReply, RecordRequest
from assistant.recorder.shim import NOTES_FILE, digest_of
from assistant.recorder.shims import Toolkit, build_environment, make_toolkit
from assistant.serialize import decode
from assistant.worker.child import Bounds, Command, Outcome, run_child
from assistant.worker.launcher import Launcher
from assistant.worker.sandbox import Confinement, confine_writing
from assistant.worker.workspace import FolderTooLarge, Workspace

__all__ = ["record"]

_MOST_ENTRIES = 20_000
_MOST_BYTES = 512 << 20
"""Upper bound for the copy: it is made once, for a command that a person waits for (chosen)."""
_TAIL_BYTES = 16 << 10
"""End of the build's output that is passed on."""
_MOST_GENERATED = 2_000
_MOST_GENERATED_BYTES = 64 << 20
_SOURCE_SUFFIXES = UNIT_SUFFIXES | HEADER_SUFFIXES | {".C"}
_OBJECT_SUFFIXES = frozenset({".o", ".obj", ".lo"})
_NO_TOOLKIT = "/usr/local/cuda"
"""Where the user's own build would look for a toolkit that is not there."""


class _Place(Record):
    """Where one build runs."""

    request: RecordRequest
    copy: Path
    """Copy of the workspace."""
    root: Path
    """What the user's own paths stand below in the copy."""
    toolkit: Toolkit
    scratch: Path

    @property
    def notes(self) -> Path:
        return self.scratch / "notes"


def record(request: RecordRequest, environment: Mapping[str, str], scratch: Path, launcher: Launcher) -> RecordReply:
    """Raises RecordingFailedError where the build cannot be started, Interrupted, OSError (no space)."""
    temporary, notes = scratch / "tmp", scratch / "notes"
    for folder in (temporary, notes):
        folder.mkdir()
    toolkit = make_toolkit(scratch, notes, environment)
    workspace = Workspace(scratch / "files", _MOST_ENTRIES, _MOST_BYTES)
    with workspace.copy_of(request.workspace) as copy, confine_writing((workspace.root, temporary, notes)) as confinement:
        if isinstance(copy, FolderTooLarge):
            message = f"{request.workspace} holds more than {_MOST_ENTRIES} files and folders, so no private copy of it is made"
            raise RecordingFailedError("unsupported", message, "record from a smaller folder: an empty kernelopt.toml in it marks it")
        place = _Place(request, copy.path, workspace.root, toolkit, scratch)
        _make_sources_new(copy.path)
        variables = build_environment(toolkit, environment) | {"TMPDIR": str(temporary)}
        run = _Run(place, variables, confinement, launcher)
        outcome = _run(run)
        if outcome.exit_status == 0 and not _noted(place) and _remove_objects(copy.path):
            outcome = _run(run)
        return _reply(place, outcome, (*copy.notes, *(missing for missing in confinement.layers.missing if missing.startswith("files"))))


class _Run(Record):
    place: _Place
    variables: Mapping[str, str]
    confinement: Confinement
    launcher: Launcher


def _run(run: _Run) -> Outcome:
    place, limits = run.place, run.place.request.limits
    request = place.request
    folder = place.copy / request.folder.relative_to(request.workspace)
    command = Command(_words_in(place), folder, run.variables)
    bounds = Bounds(limits.wall_s, limits.memory_bytes, limits.output_bytes)
    try:
        return run_child(command, bounds, place.scratch / "stdout", place.scratch / "stderr", run.confinement, run.launcher)
    except (FileNotFoundError, PermissionError, NotADirectoryError) as error:
        name = request.command[0]
        reason = "no such program" if isinstance(error, FileNotFoundError) else "it cannot be started"
        remedy = f"check the command; for a script that may not be started: sh {name}"
        raise RecordingFailedError("not_built", f"{name}: {reason}", remedy) from error


def _words_in(place: _Place) -> tuple[str, ...]:
    """The command with the workspace's own absolute paths moved into the copy."""
    own = f"{place.request.workspace}/"
    return tuple(f"{place.copy}/{word.removeprefix(own)}" if word.startswith(own) else word for word in place.request.command)


def _make_sources_new(folder: Path) -> None:
    for path in _files_below(folder):
        if path.suffix in _SOURCE_SUFFIXES:
            os.utime(path)


def _remove_objects(folder: Path) -> bool:
    """Whether there were any: what only says when objects are missing is made to say it."""
    objects = [path for path in _files_below(folder) if path.suffix in _OBJECT_SUFFIXES]
    for path in objects:
        path.unlink()
    return bool(objects)


def _files_below(folder: Path) -> Iterator[Path]:
    """Regular files; what is behind links to folders is the user's own."""
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place, name)
            if not path.is_symlink() and path.is_file():
                yield path


def _noted(place: _Place) -> list[NotedCall]:
    with suppress(FileNotFoundError):
        lines = (place.notes / NOTES_FILE).read_text("utf-8").splitlines()
        return [decode(NotedCall, json.loads(line)) for line in lines]
    return []


def _reply(place: _Place, outcome: Outcome, notes: tuple[str, ...]) -> RecordReply:
    calls = _noted(place)
    return RecordReply(
        exit_status=outcome.exit_status,
        signal=outcome.signal,
        timed_out=outcome.timed_out,
        memory_exceeded=outcome.memory_exceeded,
        output=_own_text(place, _tail(place.scratch / "stdout") + _tail(place.scratch / "stderr")),
        calls=tuple(_own_call(place, call) for call in calls),
        generated=tuple(_kept(place)),
        objects=tuple(_objects(place, calls)),
        copies=tuple(_copies(place, calls)),
        notes=notes,
        has_toolkit=place.toolkit.nvcc is not None,
    )


def _own_text(place: _Place, text: str) -> str:
    """As the user would have it: without the copy's and the toolkit's folders."""
    real = _NO_TOOLKIT if place.toolkit.real is None else str(place.toolkit.real)
    return text.replace(f"{place.root}/", "/").replace(str(place.toolkit.folder), real)


def _own_call(place: _Place, noted: NotedCall) -> NotedCall:
    def own(text: str) -> str:
        return _own_text(place, text)

    call = noted.call
    moved = CompilerCall(
        action=call.action,
        units=tuple(CompiledUnit(own(unit.source), None if unit.object is None else own(unit.object)) for unit in call.units),
        inputs=tuple(map(own, call.inputs)),
        output=None if call.output is None else own(call.output),
        flags=tuple(map(own, call.flags)),
    )
    return NotedCall(noted.tool, own(noted.folder), moved, {own(file): digest for file, digest in noted.digests.items()})


def _tail(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL_BYTES))
        return file.read().decode("utf-8", "replace")


def _kept(place: _Place) -> Iterator[str]:
    """Sources that the user's folder has not, relative to the workspace; each is kept."""
    left_bytes, count = _MOST_GENERATED_BYTES, 0
    for path in sorted(_files_below(place.copy)):
        relative = path.relative_to(place.copy)
        if path.suffix not in _SOURCE_SUFFIXES or (place.request.workspace / relative).exists():
            continue
        size = path.stat().st_size
        count, left_bytes = count + 1, left_bytes - size
        if size > MOST_SOURCE_BYTES or count > _MOST_GENERATED or left_bytes < 0:
            continue
        target = place.request.kept / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        yield str(relative)


def _objects(place: _Place, calls: list[NotedCall]) -> Iterator[tuple[str, str]]:
    """Those of sources in C; each is kept."""
    made = (unit.object for noted in calls for unit in noted.call.units if unit.source.endswith(".c") and unit.object is not None)
    for number, path in enumerate(dict.fromkeys(made)):
        if Path(path).is_file() and not is_placeholder(path):
            name = f"objects/{number}-{Path(path).name}"
            (place.request.kept / "objects").mkdir(exist_ok=True)
            shutil.copyfile(path, place.request.kept / name)
            yield _own_text(place, path), name


def _copies(place: _Place, calls: list[NotedCall]) -> Iterator[tuple[str, str]]:
    """Programs that were linked and lie elsewhere too."""
    linked: dict[str, str] = {}
    for noted in calls:
        output = noted.call.output
        if noted.call.action is Action.LINK and output is not None and output in noted.digests:
            linked[noted.digests[output]] = output
    sizes = {digest.partition("-")[0] for digest in linked}
    for path in _files_below(place.copy) if linked else ():
        if str(path) not in linked.values() and str(path.stat().st_size) in sizes:
            program = linked.get(digest_of(str(path)))
            if program is not None:
                yield _own_text(place, str(path)), _own_text(place, program)
