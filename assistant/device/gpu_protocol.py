"""What the GPU worker is asked and what it answers, beyond what ``protocol`` says: one JSON object per line.

Example::

    {"op": "replay", "id": 4, "image": {"cubin": "/c/ab.cubin", "kernels": [["k(float*)", "_Z1kPf"]]}, "cases": […], "out": "/s/r1"}
    → {"id": 4, "ok": true, "result": {"cases": […], "is_lost": false}}

After a reply that says ``is_lost`` the worker ends: its context is gone. The next request needs a new one.
"""

from __future__ import annotations

from pathlib import Path

from assistant.record import Record

__all__ = ["CaseReply", "CaseRequest", "Image", "MemoryReply", "ReplayReply", "ReplayRequest", "UnitCode"]


class UnitCode(Record):
    """Compiled device code of a translation unit."""

    cubin: Path
    kernels: tuple[tuple[str, str], ...]
    """(demangled instance, mangled name) of every kernel in it."""
    unit: str
    """Path of its source."""


class Image(Record):
    """Compiled device code of a program."""

    cubin: Path
    kernels: tuple[tuple[str, str], ...]
    """(demangled instance, mangled name) of every kernel in it."""
    unit: str = ""
    """Path of its source, where there are others."""
    others: tuple[UnitCode, ...] = ()
    """Code of further units of the program, which hold kernels that were asked for."""

    @property
    def units(self) -> tuple[UnitCode, ...]:
        """All of them."""
        return (UnitCode(self.cubin, self.kernels, self.unit), *self.others)

    @property
    def every_kernel(self) -> tuple[tuple[str, str], ...]:
        """Those of all units."""
        return tuple(kernel for unit in self.units for kernel in unit.kernels)


class CaseRequest(Record):
    """Some launches of a recording, run one after another on the contents before the first."""

    recording: Path
    launches: tuple[int, ...]


class ReplayRequest(Record):
    """Run cases in a program's kernels and keep what they leave."""

    image: Image
    helpers: Path
    """The cubin of ``helpers.cu``."""
    cases: tuple[CaseRequest, ...]
    out: Path
    """Receives ``blobs/<sha256>``."""
    fill: int
    """Byte that poisoned buffers are filled with."""
    shared_fill: int
    """Byte that every SM's shared memory holds before the first run; repeats alternate with its complement."""
    repeats: int
    seed: int
    """Seed of the places in memory that buffers get."""
    wall_s: float
    """Limit for one case with its repeats."""


class CaseReply(Record):
    """What one case left behind."""

    error: str | None
    """Name of the CUDA error, ``timed out``, or what kept it from being run; None when it ran."""
    after: tuple[tuple[int, str], ...]
    """(buffer id, sha256 of its contents after the last launch)."""
    guards_intact: bool
    repeat_difference: str | None
    varied: tuple[tuple[tuple[int, str], ...], ...] = ()
    """As ``after``, of each run that left something else than the first: at most eight."""


class ReplayReply(Record):
    """The cases that were run, in order; fewer than were asked for where the context was lost, or somebody else kept the GPU."""

    cases: tuple[CaseReply, ...]
    is_lost: bool


class MemoryReply(Record):
    """Memory of the device."""

    free_bytes: int
    total_bytes: int
