"""Which source files lie below a folder, found without going where none are: builds, environments, hidden folders.

Links to folders are not followed, so that no loop is entered and nothing outside is listed; a link to a file inside counts once, as that
file. Example::

    source_files(Path("/p"), frozenset({".cu", ".h"}), 16 << 20)     # (Path("/p/main.cu"), Path("/p/src/a.h"))
"""

from __future__ import annotations

import os
import posixpath
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

__all__ = ["source_files"]

_MOST_ENTRIES = 100_000
"""Files and folders looked at (chosen: about a second of a cold disk); those nearest to the top are."""
_NOT_ENTERED = frozenset({"node_modules", "site-packages", "__pycache__", "CMakeFiles", "venv", "virtualenv"})
_OF_A_BUILD = "CMakeCache.txt"
_OF_AN_ENVIRONMENT = "pyvenv.cfg"


def source_files(root: Path, suffixes: frozenset[str], most_bytes: int) -> tuple[Path, ...]:
    """Regular files with one of these suffixes (in lower case) and no more bytes than that, nearest to ``root`` first."""
    found: list[Path] = []
    waiting = deque([str(root)])
    entry_count = 0
    while waiting and entry_count < _MOST_ENTRIES:
        folder = waiting.popleft()
        entries = _entries(folder)
        entry_count += len(entries)
        if folder != str(root) and any(entry.name in (_OF_A_BUILD, _OF_AN_ENVIRONMENT) for entry in entries):
            continue
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _NOT_ENTERED:
                    waiting.append(entry.path)
            elif posixpath.splitext(entry.name)[1].lower() in suffixes and _is_listed(entry, root, most_bytes):
                found.append(Path(entry.path))
    return tuple(found)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """In order of their names; none of a folder that cannot be read."""
    with suppress(OSError), os.scandir(folder) as listing:
        return sorted(_each(listing), key=lambda entry: entry.name)
    return []


def _each(listing: Iterator[os.DirEntry[str]]) -> Iterator[os.DirEntry[str]]:
    for _ in range(_MOST_ENTRIES):
        entry = next(listing, None)
        if entry is None:
            return
        yield entry


def _is_listed(entry: os.DirEntry[str], root: Path, most_bytes: int) -> bool:
    """A regular file of that size; a link only where it leads out of the folder, as else it is listed itself."""
    try:
        if entry.is_symlink() and Path(entry.path).resolve().is_relative_to(root.resolve()):
            return False
        return entry.is_file() and entry.stat().st_size <= most_bytes
    except (OSError, RuntimeError):
        return False
