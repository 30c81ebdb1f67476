"""Tasks in kernelopt's home, outside of the folders that agents work in: reference, settings, budget and calls of each.

``HOME/tasks/ID`` holds ``task.json`` (`Task`), ``program/`` (what is judged against), ``start`` (the file to edit, as it was given),
``folder/`` (the protected files of the agent's folder), ``calls.jsonl`` and ``lock``. Example::

    kept = TaskStore(user_paths().tasks).find("T01M8DJ")
    kept.task.budget.judge_count
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from assistant.agents.tasks.task import Task, TaskKind
from assistant.errors import CannotAnswerError, UsageError
from assistant.serialize import DecodeError, dumps, loads

__all__ = ["REFERENCE", "KeptTask", "TaskStore"]

REFERENCE = "reference"
"""Folder of read-only copies in an agent's folder."""

_TASK, _PROGRAM, _START, _FOLDER = "task.json", "program", "start", "folder"
_ID = re.compile(r"T[0-9A-Z]{1,26}")


class KeptTask:
    """One task and where its parts are kept."""

    def __init__(self, root: Path, task: Task) -> None:
        self.root = root
        self.task = task

    @property
    def program(self) -> Path:
        """The protected copy of the program's files."""
        return self.root / _PROGRAM

    @property
    def program_file(self) -> Path:
        """The reference."""
        return self.program / self.task.program_file

    @property
    def calls(self) -> Path:
        return self.root / "calls.jsonl"

    @property
    def lock(self) -> Path:
        return self.root / "lock"

    @property
    def beat(self) -> Path:
        """Touched every second while a call runs: how long a killed one ran."""
        return self.root / "running"

    def folder_names(self) -> tuple[tuple[str, str], ...]:
        """(absolute path, name in an agent's folder) of what is judged against: answers name nothing outside of that folder."""
        edited = ((str(self.program_file), self.task.source),) if self.task.kind is TaskKind.KERNEL else ()
        return (*edited, (str(self.program), REFERENCE))

    def start(self) -> str:
        """The file to edit, as the agent was given it."""
        return (self.root / _START).read_bytes().decode("utf-8", "surrogateescape")

    def protected_text(self, name: str) -> bytes:
        """A protected file of the agent's folder, as it was written there."""
        return (self.root / _FOLDER / name).read_bytes()


class TaskStore:
    """All tasks of one home."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def program_of(self, task_id: str) -> Path:
        """Where the program of a task is kept that is being made."""
        return self.root / task_id / _PROGRAM

    def add(self, task: Task, program: Mapping[str, bytes], start: str, folder: Mapping[str, bytes]) -> KeptTask:
        """Keep a new one; ``program`` and ``folder`` by names with ``/``. Raises CannotAnswerError where it cannot be written."""
        root = self.root / task.id
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            root.mkdir(mode=0o700)
            for below, files in ((_PROGRAM, program), (_FOLDER, folder)):
                for name, data in files.items():
                    path = root / below / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(data)
            (root / _START).write_bytes(start.encode("utf-8", "surrogateescape"))
            (root / _TASK).write_text(dumps(task) + "\n", "utf-8")
        except OSError as error:
            raise CannotAnswerError(f"{root} cannot be written: {error.strerror}", "free space, or check its permissions") from error
        return KeptTask(root, task)

    def find(self, task_id: str) -> KeptTask:
        """The task of that id, or of the only id that begins so.

        Raises UsageError for none or several, CannotAnswerError where it is damaged.
        """
        if not _ID.fullmatch(task_id):
            raise UsageError(f"{task_id!r} is no id of a task", "kernelopt task new FILE makes one")
        found = [self.root / task_id] if (self.root / task_id).is_dir() else sorted(self.root.glob(f"{task_id}*"))
        if len(found) != 1:
            many = f"{len(found)} tasks have ids that begin with {task_id}" if found else f"there is no task {task_id} in {self.root}"
            remedy = "give more of the id" if found else "KERNELOPT_HOME must be what it was when the task was made"
            raise UsageError(many, remedy)
        path = found[0] / _TASK
        try:
            return KeptTask(found[0], loads(Task, path.read_bytes()))
        except (OSError, DecodeError) as error:
            raise CannotAnswerError(f"{path} cannot be read: {error}", "make the task anew: kernelopt task new") from error
