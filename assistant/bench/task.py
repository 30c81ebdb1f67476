"""One task of a suite: a program with its arguments, and what its algorithm must at least move and compute."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from assistant.record import Record

__all__ = ["Arithmetic", "Requirements", "Task"]

Arithmetic = Literal["float", "double", "int"]
"""Type whose peak rate bounds an algorithm."""


class Requirements(Record):
    """What an algorithm requires at one size."""

    size_bytes: float
    """Each input read once, each output written once."""
    step_bytes: float | None
    """The same for every step of an algorithm that repeats one, added up; None: it repeats none."""
    operation_count: float
    arithmetic: Arithmetic
    derivation: str
    """How the numbers come about, for people."""


class Task(Record):
    """A program and the arguments it is run with."""

    name: str
    files: tuple[Path, ...]
    """Relative to the suite's folder; the first is the one that is asked about."""
    arguments: tuple[str, ...] = ()
    requirements: Requirements | None = None
    """None: not known, so that no bound is."""

    @property
    def title(self) -> str:
        """Name and arguments, which tell it from all others."""
        return " ".join((self.name, *self.arguments))
