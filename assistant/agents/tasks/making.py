"""Makes a task of a person's file: a protected copy of its program in kernelopt's home, and a folder for an agent to work in.

Before, the judge must find the file right in its own place, and these cases able to tell a wrong edit from a right one: a task that
cannot be judged is not made. Example::

    kept = await make_task(session, store, NewTask(Path("/p/blur.cu"), Path("/p/blur-task")), on_progress)
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from assistant.agents.clients import AgentClient
from assistant.agents.setup import setup_files, write_files
from assistant.agents.skills import Skill
from assistant.agents.tasks.folder import NOTES, AgentFolder
from assistant.agents.tasks.jobs import OnProgress
from assistant.agents.tasks.readme import readme
from assistant.agents.tasks.reward import Judgement
from assistant.agents.tasks.running import judged_start
from assistant.agents.tasks.store import REFERENCE, KeptTask, TaskStore
from assistant.agents.tasks.task import TASK_FILE, Budget, JudgeSettings, ProtectedFile, Task, TaskKind
from assistant.build.flags import DEFAULT_FLAGS
from assistant.build.includes import with_headers
from assistant.config import find_project, find_workspace, load_settings
from assistant.config.paths import CONFIG_NAME
from assistant.disk.removal import remove_tree
from assistant.disk.texts import read_bytes
from assistant.engine import JobRequest, Session, SourceVersion, flags_of, is_operator, new_id, read_source, read_version
from assistant.engine.operators import read_task
from assistant.errors import CannotAnswerError, UsageError
from assistant.model.program import ProgramOrigin
from assistant.model.verification import Outcome
from assistant.record import Record
from assistant.serialize import encode
from assistant.workload.blocks import sidecar_path

__all__ = ["NewTask", "ServerStart", "copy_task", "make_task", "restore"]

_CANDIDATE = "candidate.py"
_MODEL = re.compile(r"\bModel\b")
_READ_ONLY = 0o444
_MOST_BYTES = 64 << 20
"""A larger file is not copied."""
_OWN_BUILDS = frozenset({ProgramOrigin.RECORDED_BUILD, ProgramOrigin.EXTENSION})
_OWN_PLACES = frozenset({"cflags", "torch_project"})
"""Settings that name folders outside of the agent's."""
_NOTES_TEXT = "# Notes\n\nHypotheses, what was tried and what came of it. The end of this file is kept with every call.\n"


class ServerStart(Record):
    """What an agent's client starts."""

    command: str
    clients: tuple[AgentClient, ...]
    skills: tuple[Skill, ...]


class NewTask(Record):
    """What a person asks for."""

    file: Path
    """Absolute: a CUDA source, or a PyTorch task."""
    folder: Path
    """Absolute; made, or empty."""
    settings: JudgeSettings = JudgeSettings()
    budget: Budget = Budget()
    answer_characters: int = 16_000
    sources: tuple[Path, ...] = ()
    """The program's further sources."""
    further: tuple[Path, ...] = ()
    """Other files that the program reads when it runs."""


class _Parts(Record):
    """What is copied."""

    kind: TaskKind
    source: str
    program_file: str
    units: tuple[str, ...]
    program: Mapping[str, bytes]
    start: str
    settings: JudgeSettings


async def make_task(session: Session, store: TaskStore, asked: NewTask, server: ServerStart, on_progress: OnProgress) -> KeptTask:
    """The task, kept, with its folder written. Raises KernelOptError where the file cannot be judged, or the folder is not empty."""
    _demand_empty(asked.folder)
    task_id = new_id("T")
    is_about_operator = is_operator(asked.file, asked.settings.class_name, asked.settings.kernel)
    parts = _operator_parts(asked) if is_about_operator else _kernel_parts(asked, store.program_of(task_id))
    references = {f"{REFERENCE}/{name}": data for name, data in parts.program.items() if name != CONFIG_NAME}
    protected = references | {TASK_FILE: _task_text(task_id, parts, asked)}
    task = Task(
        id=task_id,
        kind=parts.kind,
        source=parts.source,
        program_file=parts.program_file,
        units=parts.units,
        settings=parts.settings,
        budget=asked.budget,
        answer_characters=asked.answer_characters,
        protected=_digests(protected),
        made_ms=time.time_ns() // 1_000_000,
    )
    kept = store.add(task, parts.program, parts.start, protected)
    try:
        _demand_judgeable(await judged_start(session, kept, on_progress), asked.file)
        _write_folder(asked.folder, kept, server)
    except BaseException:
        remove_tree(kept.root)
        raise
    return kept


def copy_task(store: TaskStore, kept: KeptTask, folder: Path, server: ServerStart) -> KeptTask:
    """The same task with a whole budget and no calls, its folder written; its start was judged when the first was made.

    Raises KernelOptError where the folder is not empty, or cannot be written.
    """
    _demand_empty(folder)
    task_id = new_id("T")
    program = {path.relative_to(kept.program).as_posix(): _bytes(path) for path in kept.program.rglob("*") if path.is_file()}
    texts = {file.name: kept.protected_text(file.name) for file in kept.task.protected}
    about = json.loads(texts[TASK_FILE]) | {"id": task_id}
    protected = texts | {TASK_FILE: (json.dumps(about, indent=2) + "\n").encode()}
    settings, place = kept.task.settings, str(store.program_of(task_id))
    cflags = None if settings.cflags is None else tuple(word.replace(str(kept.program), place) for word in settings.cflags)
    task = replace(
        kept.task,
        id=task_id,
        settings=replace(settings, cflags=cflags),
        protected=_digests(protected),
        made_ms=time.time_ns() // 1_000_000,
    )
    made = store.add(task, program, kept.start(), protected)
    try:
        _write_folder(folder, made, server)
    except BaseException:
        remove_tree(made.root)
        raise
    return made


def restore(kept: KeptTask, folder: AgentFolder) -> tuple[str, ...]:
    """Put the protected files back that were changed; their names. Raises CannotAnswerError where that cannot be written."""
    changed = folder.changed(kept.task)
    for name in changed:
        try:
            _write_protected(folder.path, name, kept.protected_text(name))
        except OSError as error:
            raise CannotAnswerError(f"{name} cannot be put back: {error.strerror}", "move away what stands there") from error
    return changed


def _digests(protected: Mapping[str, bytes]) -> tuple[ProtectedFile, ...]:
    return tuple(ProtectedFile(name, hashlib.sha256(data).hexdigest()) for name, data in protected.items())


def _demand_empty(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not empty", "name a folder that is not there yet")


def _demand_judgeable(judgement: Judgement, file: Path) -> None:
    """Raises CannotAnswerError where the start itself is not found right, or its cases cannot judge."""
    if judgement.outcome is Outcome.PASS or judgement.is_judged_in_part:
        return  # of kernels that cannot be judged, an edit has no reward
    if judgement.outcome is Outcome.NEEDS_DECISION and all(finding.code == "library_call" for finding in judgement.findings):
        return  # the reference of an operator is made of calls of PyTorch
    reason = next((finding.message for finding in judgement.findings), judgement.answer)
    raise CannotAnswerError(f"{file.name} makes no task, as it cannot be judged: {reason}", f"kernelopt compare {file} {file} says more")


def _kernel_parts(asked: NewTask, program_folder: Path) -> _Parts:
    file, settings = asked.file, asked.settings
    loaded = load_settings(find_workspace(file))
    given = loaded.settings.build.flags or None if settings.cflags is None else settings.cflags
    request = JobRequest(file, file.parent, extra_sources=asked.sources, kernel=settings.kernel, cflags=given)
    version = read_version(request, flags_of(request, loaded))
    found = version.found
    if found is not None and found.origin in _OWN_BUILDS:
        raise UsageError(f"{file.name} is built by its own build, of which no task is made so far", "name its sources with --source")
    root = find_project(file)
    named = asked.sources if found is None else (*found.units, *asked.sources)
    units = tuple(dict.fromkeys(_below(unit, root) for unit in named if unit.resolve() != file.resolve()))
    flags = version.program.flags
    mapped = tuple(word.replace(str(root), str(program_folder)) for word in flags.arguments)
    return _Parts(
        kind=TaskKind.KERNEL,
        source=file.name,
        program_file=_below(file, root),
        units=units,
        program=_program_files(version, root, asked.further),
        start=version.source.text,
        settings=replace(
            settings,
            cflags=None if flags == DEFAULT_FLAGS else mapped,
            device=settings.device or loaded.settings.device,
            target=settings.target or loaded.settings.target,
            arguments=settings.arguments or (() if found is None else found.arguments),
        ),
    )


def _program_files(version: SourceVersion, root: Path, further: Iterable[Path]) -> dict[str, bytes]:
    """The program's sources, the project's headers that they include, references, and what else a person names; with a configuration
    that ends the workspace there."""
    texts = with_headers(((str(source.path), source.text) for source in version.program.sources), version.program.flags.arguments)
    files = {
        _below(Path(name), root): text.encode("utf-8", "surrogateescape")
        for name, text in texts.items()
        if Path(name).is_relative_to(root) or Path(name) in {source.path for source in version.program.sources}
    }
    references = {version.source.path.parent / item.reference.rpartition(":")[0] for item in version.declared if item.reference}
    beside = [path for path in (sidecar_path(version.source.path), root / CONFIG_NAME) if path.is_file()]
    for path in (*references, *beside, *further):
        files[_below(path, root)] = _bytes(path)
    return {CONFIG_NAME: b"# of a task for coding agents\n"} | files


def _operator_parts(asked: NewTask) -> _Parts:
    task = read_task(read_source(asked.file), asked.settings.class_name)
    root = asked.file.parent
    files = {_below(path, root): _bytes(path) for path in (asked.file, *asked.further)}
    start = _MODEL.sub("ModelNew", task.text) if task.name == "Model" else re.sub(rf"\b{task.name}\b", "ModelNew", task.text)
    settings = replace(asked.settings, device="cpu", torch_project=str(find_project(asked.file)))
    return _Parts(TaskKind.OPERATOR, _CANDIDATE, asked.file.name, (), {CONFIG_NAME: b""} | files, start, settings)


def _below(path: Path, root: Path) -> str:
    """Raises UsageError for a file outside of the project."""
    try:
        return path.relative_to(root).as_posix()
    except ValueError as error:
        raise UsageError(f"{path} is not below {root}, so no copy of the program can be made", "move it into the project") from error


def _bytes(path: Path) -> bytes:
    try:
        return read_bytes(path, _MOST_BYTES)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", "name a file that can") from error


def _task_text(task_id: str, parts: _Parts, asked: NewTask) -> bytes:
    """What the agent reads of its task; it says nothing that the judge reads."""
    settings = {name: value for name, value in encode(parts.settings).items() if name not in _OWN_PLACES}
    about = {"id": task_id, "source": parts.source, "kind": parts.kind.value, "judge": settings, "budget": encode(asked.budget)}
    return (json.dumps(about, indent=2) + "\n").encode()


def _write_folder(folder: Path, kept: KeptTask, server: ServerStart) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / kept.task.source).write_bytes(kept.start().encode("utf-8", "surrogateescape"))
        (folder / NOTES).write_text(_NOTES_TEXT, "utf-8")
        (folder / "README.md").write_text(readme(kept.task, server.clients), "utf-8")
        for file in kept.task.protected:
            _write_protected(folder, file.name, kept.protected_text(file.name))
    except OSError as error:
        raise CannotAnswerError(f"{folder} cannot be written: {error.strerror}", "free space, or name another folder") from error
    write_files(folder, setup_files(folder, server.clients, server.skills, server.command, _server_arguments))


def _server_arguments(client: AgentClient) -> tuple[str, ...]:
    return ("mcp", "--task", client.project)


def _write_protected(folder: Path, name: str, data: bytes) -> None:
    """Written anew, whatever stands there, below folders of its own."""
    path = folder / name
    for parent in reversed(path.relative_to(folder).parents[:-1]):
        place = folder / parent
        if place.is_symlink():
            place.unlink()
        place.mkdir(exist_ok=True)
        place.chmod(0o755)
    path.unlink(missing_ok=True)
    path.write_bytes(data)
    path.chmod(_READ_ONLY)
