"""What the workers keep in the cache folder; all of it can be made again, so that any of it may go."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

from assistant.disk.cached import make_room

__all__ = ["ENTRIES", "FIRST_BUILD", "is_emulator_being_built", "is_emulator_built", "keep_small"]

ENTRIES = (
    "emulator/builds/*",
    "emulator/objects/*",
    "emulator/*-*[!k]",  # what bears a hash in its name, but for the .lock next to it, which others may be waiting for
    "emulator/runtime/*.o",
    "emulator/runtime/*.partial",
    "compiler/compile/*/*",
    "compiler/cubin/*",
    "programs/*",
    "facts/*",
    "executions/*",
)
"""Each is looked up before it is used, in the same request: one that is gone is made again."""

FIRST_BUILD = "building the emulator (once, about 60 s)"
"""What a front end says meanwhile."""


def is_emulator_built(cache: Path) -> bool:
    """Whether the emulator was built here before, so that the next program waits for its own build alone."""
    return any(path.is_dir() for path in cache.glob("emulator/prelude-*"))


def is_emulator_being_built(cache: Path) -> bool:
    """Whether its first build has begun and has not ended."""
    return (cache / "emulator").is_dir() and not is_emulator_built(cache)


async def keep_small(cache: Path) -> None:
    """Removes what was used longest ago, above the limit; a second at most."""
    with contextlib.suppress(RuntimeError):  # an interpreter that is ending starts no threads: the next job looks
        await asyncio.to_thread(make_room, cache, ENTRIES)
