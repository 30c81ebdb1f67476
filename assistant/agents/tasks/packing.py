"""A task as files that another machine can judge with: its program, its start and its settings, without places of this machine.

Example::

    kept = unpacked(store, portable(kept), packed(kept), device="gpu")
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from assistant.agents.tasks.store import KeptTask, TaskStore
from assistant.agents.tasks.task import Budget, Task, TaskKind

__all__ = ["packed", "portable", "unpacked"]

_PLACE = "$PROGRAM"
"""Stands for the folder of the program's protected copy in compiler flags."""
_ANY = "T0"
_PROGRAM, _START = "program/", "start"


def portable(kept: KeptTask) -> Task:
    """The task as far as a verdict depends on it, so that copies of a task are the same here: without its name, budget and agent's folder,
    and without paths. Folders in flags are named, and PyTorch is the judge's own."""
    flags = _with_place(kept.task, str(kept.program), _PLACE)
    settings = replace(kept.task.settings, cflags=flags, torch_project=None)
    return replace(kept.task, id=_ANY, settings=settings, budget=Budget(), protected=(), made_ms=0)


def packed(kept: KeptTask) -> dict[str, bytes]:
    """What an edit is judged against, by names with ``/``. Raises OSError."""
    program = {path.relative_to(kept.program).as_posix(): path.read_bytes() for path in sorted(kept.program.rglob("*")) if path.is_file()}
    return {_START: kept.start().encode("utf-8", "surrogateescape")} | {_PROGRAM + name: data for name, data in program.items()}


def unpacked(store: TaskStore, task: Task, files: Mapping[str, bytes], device: str) -> KeptTask:
    """The task in another store, judged on ``device``. Raises CannotAnswerError where it cannot be written."""
    is_operator = task.kind is TaskKind.OPERATOR
    settings = replace(
        task.settings,
        cflags=_with_place(task, _PLACE, str(store.program_of(task.id))),
        device="cpu" if is_operator else device,
        torch_project=str(Path.cwd()) if is_operator else None,
    )
    program = {name.removeprefix(_PROGRAM): data for name, data in files.items() if name.startswith(_PROGRAM)}
    start = files[_START].decode("utf-8", "surrogateescape")
    return store.add(replace(task, settings=settings), program, start, {})


def _with_place(task: Task, old: str, new: str) -> tuple[str, ...] | None:
    flags = task.settings.cflags
    return None if flags is None else tuple(word.replace(old, new) for word in flags)
