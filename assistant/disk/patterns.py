"""Files that a pattern such as ``kernels/**/*.cu`` stands for, without looking through more than a project holds.

Example::

    matching(Path("/p"), "src/*.cu")     # (Path("/p/src/a.cu"), Path("/p/src/b.cu"))
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

__all__ = ["is_pattern", "matching"]

_MOST_ENTRIES = 100_000
"""Files and folders looked at for one pattern."""


def is_pattern(written: str) -> bool:
    """Whether it may stand for several files."""
    return any(character in written for character in "*?[")


def matching(folder: Path, pattern: str) -> tuple[Path, ...]:
    """Files below ``folder`` in order of their paths; hidden ones, and links to folders behind ``**``, only where they are named."""
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    start = Path("/") if pattern.startswith("/") else folder
    seen = _Budget()
    return tuple(sorted(path for path in dict.fromkeys(_below(start, parts, seen)) if path.is_file()))


class _Budget:
    """How much more of the disk may be looked at."""

    def __init__(self) -> None:
        self.left = _MOST_ENTRIES

    def entries(self, folder: Path) -> list[os.DirEntry[str]]:
        """What is in a folder; nothing where it cannot be read, or enough was looked at."""
        with suppress(OSError, ValueError), os.scandir(folder) as listing:
            found = list(islice(listing, self.left))
            self.left -= len(found)
            return found
        return []


def _below(folder: Path, parts: list[str], budget: _Budget) -> Iterator[Path]:
    if not parts:
        yield folder
        return
    part, rest = parts[0], parts[1:]
    if part == "**":
        yield from _below(folder, rest or ["*"], budget)
        for entry in budget.entries(folder):
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                yield from _below(Path(entry.path), parts, budget)
    elif not is_pattern(part):
        yield from _below(folder / part, rest, budget)
    else:
        for entry in budget.entries(folder):
            is_hidden = entry.name.startswith(".") and not part.startswith(".")
            if not is_hidden and fnmatchcase(entry.name, part) and (not rest or entry.is_dir()):
                yield from _below(Path(entry.path), rest, budget)
