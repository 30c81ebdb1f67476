"""A drawn task: its text, and where it comes from. Values only."""

from __future__ import annotations

import hashlib
from enum import StrEnum

from assistant.record import Record

__all__ = ["Drawn", "Kind", "Split", "split_of"]

_TEST_SHARE, _VALIDATION_SHARE = 0.1, 0.1


class Kind(StrEnum):
    OPERATOR = "operator"
    KERNEL = "kernel"


class Split(StrEnum):
    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


class Drawn(Record):
    """One task."""

    name: str
    """File name without its ending."""
    kind: Kind
    text: str
    solution: str | None
    """The good version of a kernel; an operator has none."""
    structure: str
    """What it computes and how: tasks of one structure differ in sizes and values alone, and are in one split."""
    parts: tuple[str, ...]
    """Functions of an operator in order; inverse techniques of a kernel."""
    allowed: tuple[str, ...]
    """Decisions that the known solution needs (``--allow`` of ``task new``)."""
    dtype: str
    sizes: tuple[tuple[str, int], ...]
    """In the file, small enough for the emulator."""
    real_sizes: tuple[tuple[str, int], ...]
    """That its time is estimated at: an operator's constants, a kernel's arguments in this order."""
    moved_bytes: int
    """At the real sizes: what is read and written, each once."""
    operation_count: int
    """At the real sizes."""
    seed: int
    number: int

    @property
    def file_name(self) -> str:
        return f"{self.name}.py" if self.kind is Kind.OPERATOR else f"{self.name}.cu"

    @property
    def split(self) -> Split:
        return split_of(self.structure)


def split_of(structure: str) -> Split:
    """By a digest, so that it stays what it is whatever else is made."""
    share = int.from_bytes(hashlib.sha256(structure.encode()).digest()[:4], "big") / 2**32
    if share < _TEST_SHARE:
        return Split.TEST
    return Split.VALIDATION if share < _TEST_SHARE + _VALIDATION_SHARE else Split.TRAIN
