"""Exceptions of the core. Expected failures are types in unions; these are for misuse and broken machines.

KernelOptError
├── UsageError          the request makes no sense (exit code 2)
├── CannotAnswerError   the machine or the workload cannot answer (exit code 3)
└── MemoryFileError     the memory file cannot be used (exit code 3)
"""

from __future__ import annotations


class KernelOptError(Exception):
    """Base of every error raised on purpose. ``remedy`` says what to try next; a traceback shows it below the message."""

    exit_code = 4

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        if remedy:
            self.add_note(f"try: {remedy}")


class UsageError(KernelOptError):
    """The request makes no sense: no such file, kernel, proposal or option value."""

    exit_code = 2


class CannotAnswerError(KernelOptError):
    """The machine or the workload cannot answer."""

    exit_code = 3


class MemoryFileError(CannotAnswerError):
    """The memory file is locked, damaged, read-only or newer than this program."""
