"""What a profiler's report holds: launches with their counters, and the compiled kernels that they belong to."""

from __future__ import annotations

from assistant.model.build import KernelCode, KernelResources
from assistant.model.profile import LaunchProfile
from assistant.record import Record


class ReportSource(Record):
    """One source file that the report's kernels were compiled from."""

    path: str
    """As the compiler was given it, on the machine where it ran."""
    text: str
    """Empty where the report was made without its sources (``ncu --import-source yes`` adds them)."""


class ProfilerReport(Record):
    """A report file, read."""

    path: str
    device: str
    """The GPU's name."""
    architecture: str
    """``sm_90``"""
    launches: tuple[LaunchProfile, ...]
    """In the order they were profiled."""
    unread_count: int
    """Profiled launches beyond those that were asked for."""
    resources: tuple[KernelResources, ...]
    """One for each kernel instance, of its first launch."""
    code: tuple[KernelCode, ...]
    """Likewise; only instructions that the report has counters for, without labels."""
    sources: tuple[ReportSource, ...]
    notes: tuple[str, ...]
    """What the report lacks, in sentences."""
