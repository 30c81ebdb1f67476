"""Exceptions of the core. Expected failures are types in unions; these are for misuse and broken machines.

KernelOptError
├── UsageError          the request makes no sense (exit code 2)
├── CannotAnswerError   the machine or the workload cannot answer (exit code 3)
└── MemoryFileError     the memory file cannot be used (exit code 3)
"""

from __future__ import annotations

import traceback
from pathlib import Path

_OURS = tuple(str(Path(__file__).resolve().parents[1] / name) for name in ("assistant/", "kernelopt/", "jupyter_ext/"))


class KernelOptError(Exception):
    """Base of every error raised on purpose. ``remedy`` says what to try next; a traceback shows it below the message."""

    exit_code = 4

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        if remedy:
            self.add_note(f"try: {remedy}")

    def _render_traceback_(self) -> list[str]:
        """As IPython shows it: the caller's own lines, the message, the remedy; nothing of how we found it."""
        frames = [frame for frame in traceback.extract_tb(self.__traceback__) if not frame.filename.startswith(_OURS)]
        own = [frame for frame in frames if "/IPython/core/" not in frame.filename]
        remedy = [f"→ {self.remedy}"] if self.remedy else []
        return [*map(_place, own), f"{type(self).__name__}: {self.message}", *remedy]


def _place(frame: traceback.FrameSummary) -> str:
    """Where IPython puts a cell's text means nothing to a person."""
    where = "Cell" if "/ipykernel_" in frame.filename or frame.filename.startswith("<ipython-input") else f'File "{frame.filename}"'
    return f"  {where}, line {frame.lineno}, in {frame.name}\n    {frame.line}"


class UsageError(KernelOptError):
    """The request makes no sense: no such file, kernel, proposal or option value."""

    exit_code = 2


class CannotAnswerError(KernelOptError):
    """The machine or the workload cannot answer."""

    exit_code = 3


class MemoryFileError(CannotAnswerError):
    """The memory file is locked, damaged, read-only or newer than this program."""
