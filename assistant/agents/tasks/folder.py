"""What an agent's folder holds: which task it is, the file to edit, notes, and files that must stay as they are.

Everything in it may have been put there by the agent: links are not followed, and what is too large is not read. Example::

    folder = AgentFolder(Path("task"))
    folder.task_id()
    folder.changed(task)        # ("reference/blur.cu",)
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from assistant.agents.tasks.task import TASK_FILE, Task
from assistant.disk.texts import read_own_bytes
from assistant.errors import UsageError

__all__ = ["NOTES", "AgentFolder"]

NOTES = "NOTES.md"
_MOST_SOURCE_BYTES = 1 << 20
_MOST_NOTES_BYTES = 4 << 20
_NOTES_CHARACTERS = 4000
_MOST_PROTECTED_BYTES = 64 << 20


class AgentFolder:
    """An agent's folder, by a path that may lead there through links."""

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path))

    def task_id(self) -> str:
        """Raises UsageError where the folder is none of a task."""
        none = f"{self.path} is no folder of a task: its {TASK_FILE}"
        try:
            found = json.loads(read_own_bytes(self.path / TASK_FILE, _MOST_SOURCE_BYTES))["id"]
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise UsageError(f"{none} {_why(error)}", "kernelopt task new FILE makes one") from error
        if not isinstance(found, str):
            raise UsageError(f"{none} names none", "kernelopt task new FILE makes one")
        return found

    def source(self, task: Task) -> str:
        """The file to edit. Raises UsageError where it is no plain file of sensible size."""
        try:
            data = read_own_bytes(self.path / task.source, _MOST_SOURCE_BYTES)
        except OSError as error:
            raise UsageError(f"{task.source} is not judged: {_why(error)}", "put the whole text of the edited file there") from error
        if b"\0" in data:
            raise UsageError(f"{task.source} is not judged: it is no text", "put the whole text of the edited file there")
        return data.decode("utf-8", "surrogateescape")

    def notes(self) -> str:
        """The end of the agent's notes; empty where there are none that can be read."""
        try:
            return read_own_bytes(self.path / NOTES, _MOST_NOTES_BYTES).decode("utf-8", "replace")[-_NOTES_CHARACTERS:]
        except OSError:
            return ""

    def changed(self, task: Task) -> tuple[str, ...]:
        """Names of protected files that are not what they were."""
        return tuple(file.name for file in task.protected if self._sha256(file.name) != file.sha256)

    def _sha256(self, name: str) -> str | None:
        """None for what is no plain file, or lies behind a link."""
        path = self.path / name
        if os.path.realpath(path.parent) != str(path.parent):
            return None
        try:
            return hashlib.sha256(read_own_bytes(path, _MOST_PROTECTED_BYTES)).hexdigest()
        except OSError:
            return None


def _why(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "is not there"
    return (error.strerror or str(error)) if isinstance(error, OSError) else "cannot be read"
