"""Snapshots of what large launches left in a GPU's memory, which stay there."""

from __future__ import annotations

from assistant.record import Record

__all__ = ["NO_MEMORY", "Piece", "Snapshot", "SnapshotDifference", "SnapshotPair", "Snapshots"]

NO_MEMORY = "-" * 128
"""What a program's recorder is answered where there is no memory: as long as a ``CUipcMemHandle`` in hexadecimal."""


class Snapshot(Record):
    """A buffer as a launch left it."""

    id: int
    kernel: str
    """Demangled, as of ``RecordedLaunch``."""
    launch: int
    """Launches of this kernel that came before."""
    argument: int
    """The kernel's argument that points into the buffer, 0-based."""
    offset_bytes: int
    """Where the pointer stands in the argument."""
    pointer_offset_bytes: int
    """Where in the buffer it points to."""
    size_bytes: int
    """Of the whole buffer."""


class Snapshots(Record):
    """What a run of a program left."""

    taken: tuple[Snapshot, ...]
    left_out: tuple[str, ...] = ()
    """Kernels of whose launches there was no room for everything."""


class SnapshotPair(Record):
    """The same buffer as two programs left it."""

    a: Snapshot
    b: Snapshot
    kind: str
    """Of its elements: ``float``, ``double``, ``half`` or ``bfloat``; empty: bytes."""


class SnapshotDifference(Record):
    """How a pair differs."""

    count: int
    """Elements that differ."""
    pieces: tuple[tuple[int, int], ...]
    """(offset, size) in bytes of those parts in which they differ most; empty where none do."""


class Piece(Record):
    """A part of a snapshot."""

    snapshot: int
    """``Snapshot.id``."""
    offset_bytes: int
    size_bytes: int
