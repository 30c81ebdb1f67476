"""Bounds of a run of a user's program."""

from __future__ import annotations

from assistant.record import Record

__all__ = ["ProgramLimits"]


class ProgramLimits(Record):
    """Bounds of a run."""

    wall_s: float = 60.0
    memory_bytes: int = 8 << 30
    """Resident memory of the program and everything it started."""
    output_bytes: int = 16 << 20
    """Standard output and standard error, each."""
    launch_bytes: int = 256 << 20
    """A launch that reaches more memory is not recorded."""
    recording_bytes: int = 2 << 30
    whole_s: float = 0.0
    """Seconds that launches which are counted or checked may take together; what takes longer runs in part. 0: all of it runs."""
    device_bytes: int = 0
    """Memory of the emulated device, of which only what is touched is taken; 0: as much as ``memory_bytes``."""
    task_count: int = 1024
    """Threads of a confined program and of all that it started."""
