"""What the recording worker is asked and what it answers: one JSON object per line.

Example::

    {"op": "record", "command": ["make", "app"], "folder": "/p", "workspace": "/p", "kept": "/s/kept", "wall_s": 600, …}
    → {"exit_status": 0, …, "calls": […], "generated": ["gen/table.h"]} or {"failure": "unsupported", "message": …, "remedy": …}
"""

from __future__ import annotations

from pathlib import Path

from assistant.build.compiler_calls import NotedCall
from assistant.record import Record
from assistant.worker.limits import ProgramLimits

__all__ = ["RecordReply", "RecordRequest", "RecordingFailedError"]


class RecordRequest(Record):
    """Run one build in a private copy of its workspace."""

    command: tuple[str, ...]
    folder: Path
    """Absolute and real; where the command runs, in the workspace."""
    workspace: Path
    """Absolute and real; what is copied."""
    kept: Path
    """Empty folder that receives sources which the build made, and objects of sources in C."""
    limits: ProgramLimits


class RecordReply(Record):
    """How the build ended and what it called; its paths are the user's own, not those of the copy."""

    exit_status: int | None
    """None when a signal ended it."""
    signal: str | None
    timed_out: bool
    memory_exceeded: bool
    output: str
    """The end of what it said."""
    calls: tuple[NotedCall, ...]
    generated: tuple[str, ...]
    """Sources that are in the copy alone, relative to the workspace; they lie in ``kept``."""
    objects: tuple[tuple[str, str], ...]
    """(object of a source in C, its name in ``kept``): what the emulator compiles is C++."""
    copies: tuple[tuple[str, str], ...]
    """(file, what was linked): a program that the build copied or moved elsewhere."""
    notes: tuple[str, ...]
    """What the copy left out, and which limits this machine lacks."""
    has_toolkit: bool
    """Whether the machine has an nvcc; else placeholders stood in for what it makes."""


class RecordingFailedError(Exception):
    """The build was not started; ``kind`` as in ``LabFailure``."""

    def __init__(self, kind: str, message: str, remedy: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.remedy = remedy
