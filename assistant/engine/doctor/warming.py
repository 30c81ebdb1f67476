"""Builds ahead what the first run of any program on the emulator would wait for: its runtime and precompiled headers, kept in the cache.

Example::

    await warm_emulator(user_paths().cache)     # True: they are there now
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from assistant.build.flags import DEFAULT_FLAGS
from assistant.lab.cache import is_emulator_built
from assistant.lab.cpu import CpuLab
from assistant.measure.targets import DEFAULT_TARGET
from assistant.model.source import Source
from assistant.ports.lab import Program

__all__ = ["warm_emulator"]

_SMALLEST = "__global__ void warm(int *p) { *p = 1; }\nint main() { warm<<<1, 1>>>(nullptr); }\n"
"""Built, never run."""
_MODES = ("count", "check", "plain")
"""In the order in which a first session needs them: a profile, a verification, a search."""


async def warm_emulator(cache: Path) -> bool:
    """Whether it is built now; where it cannot be, the first run of a program says why."""
    with tempfile.TemporaryDirectory() as scratch:
        program = Program((Source(Path(scratch) / "warm.cu", _SMALLEST),), DEFAULT_FLAGS)
        lab = CpuLab(Path(scratch), cache, DEFAULT_TARGET)
        try:
            for mode in _MODES:
                await lab.prepare(program, mode)
        finally:
            await lab.close()
    return is_emulator_built(cache)
