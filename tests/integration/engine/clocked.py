"""The emulator's lab with a clock of the tests' own (``tests.contracts.fake_clock``)."""

from __future__ import annotations

from pathlib import Path

from assistant.engine.request import JobRequest
from assistant.lab.cpu import CpuLab
from assistant.ports.lab import Lab
from tests.caches import shared_cache
from tests.contracts.fake_clock import Clock

__all__ = ["Clock", "ClockedLab", "open_clocked"]


class ClockedLab(CpuLab):
    """The emulator's lab with that clock."""

    clock: Clock

    @property
    def timing(self) -> Clock:  # type: ignore[override]  # the emulator's has none
        return self.clock


def open_clocked(clock: Clock, request: JobRequest, scratch: Path, target: str) -> Lab:
    lab = ClockedLab(scratch, shared_cache(), target)
    lab.clock = clock
    return lab
