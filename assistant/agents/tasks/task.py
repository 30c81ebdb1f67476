"""A task for a coding agent: one file to edit, a reference that it is judged against, and how it is judged. Values only."""

from __future__ import annotations

from enum import StrEnum

from assistant.record import Record

__all__ = ["TASK_FILE", "Budget", "JudgeSettings", "ProtectedFile", "Task", "TaskKind"]

TASK_FILE = "task.json"
"""In an agent's folder: which task it is, and how it is judged."""


class TaskKind(StrEnum):
    KERNEL = "kernel"
    """A CUDA source is made faster."""
    OPERATOR = "operator"
    """CUDA is written in the place of a PyTorch task's reference."""


class Budget(Record):
    """What an agent may use."""

    judge_count: int = 20
    """Calls of ``judge``."""
    wall_s: float = 3600.0
    """Seconds that all calls may take together."""


class JudgeSettings(Record):
    """How the edited file is judged; the agent may read it, not change it."""

    kernel: str | None = None
    device: str | None = None
    target: str | None = None
    region: str | None = None
    cflags: tuple[str, ...] | None = None
    """Folders in them are those of the protected copy. None: the default."""
    arguments: tuple[str, ...] = ()
    """The program's own."""
    timeout_s: float | None = None
    allowed: tuple[str, ...] = ()
    """Decisions that need no person (``precision``, ``alignment``), as ``optimize --allow`` names them."""
    may_edit_host_code: bool = False
    class_name: str | None = None
    """Of a PyTorch reference that is not called ``Model``."""
    only_custom: bool = False
    is_backward: bool = False
    torch_project: str | None = None
    """Folder of the project whose virtual environment has the PyTorch of a task; None: a kernel's task."""


class ProtectedFile(Record):
    """A file of the agent's folder that must stay as it is."""

    name: str
    """Below the folder, with ``/``."""
    sha256: str


class Task(Record):
    """What kernelopt's home keeps of a task; nothing of it is read from the agent's folder."""

    id: str
    kind: TaskKind
    source: str
    """Name of the file that the agent edits, directly in its folder."""
    program_file: str
    """The reference, below the protected copy of its program."""
    units: tuple[str, ...]
    """The program's further sources, likewise."""
    settings: JudgeSettings
    budget: Budget
    answer_characters: int
    """Most of one answer, as JSON text."""
    protected: tuple[ProtectedFile, ...]
    made_ms: int
