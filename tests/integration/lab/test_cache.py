"""The cache folder: everything that takes room in it can go."""

from __future__ import annotations

import os
from pathlib import Path

from assistant.build.flags import DEFAULT_FLAGS
from assistant.lab.cache import ENTRIES
from assistant.lab.cpu import CpuLab
from assistant.model.source import Source
from assistant.ports.lab import Program, ProgramRun, RunLimits

_LARGE_BYTES = 4096
_RECORDERS = "capture"
"""Libraries of some hundred kB, which programs that run for hours are told the path of."""
_PROGRAM = Program((Source(Path("/k.cu"), "__global__ void k() {}\nint main() { k<<<1, 1>>>(); return 0; }\n"),), DEFAULT_FLAGS)


async def test_whatever_takes_room_is_an_entry(tmp_path: Path, own_cache: Path) -> None:
    lab = CpuLab(tmp_path, own_cache, "h200")
    try:
        await lab.inspect(_PROGRAM, "sm_90")
        ran = await lab.run(_PROGRAM, "plain", RunLimits(), record=False)
        assert isinstance(ran, ProgramRun) and ran.exit_status == 0
    finally:
        await lab.close()  # before looking: what is built for later ends with it, and its files come and go until then
    entries = _entries(own_cache)
    large = [path for path in _files(own_cache) if _size_bytes(path) > _LARGE_BYTES and path.parent.name != _RECORDERS]
    entries |= _entries(own_cache)  # others build meanwhile, and make room
    unknown = [path for path in large if not entries & {path, *path.parents}]
    assert large and [path for path in unknown if path.exists()] == [], "what is gone by now was of a build that has ended"


def _entries(cache: Path) -> set[Path]:
    return {entry for pattern in ENTRIES for entry in cache.glob(pattern)}


def _size_bytes(path: Path) -> int:
    """Nothing for what is gone by now: a compiler that is ended takes its own files along a little later."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _files(folder: Path) -> list[Path]:
    return [Path(place, name) for place, _, names in os.walk(folder, followlinks=True) for name in names]
