"""A private copy of the folder a program runs in, so that what a candidate writes or deletes there is not the user's.

The copy stands below copies of its parent folders that link to their other entries: ``../data/input.bin`` is found where the program
expects it. Links lead to the user's files, which a confined program may read and not write.

Example::

    copy = copy_folder(Path("/home/u/project"), scratch / "files")
    copy.path  # scratch/files/home/u/project
"""

from __future__ import annotations

import os
import shutil
from collections import deque
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FolderTooLarge", "PrivateCopy", "copy_folder"]

_COPIED_BYTES = 64 << 20
_COPIED_ENTRIES = 2_000
_LINKED_NEIGHBOURS = 2_000
"""Entries of parent folders, all together: beyond them ``..`` shows an incomplete folder."""
_ONLY_LINKED = frozenset({".git", ".hg", ".svn", ".kernelopt", ".venv", "venv", "node_modules", "__pycache__"})
"""Folders of tools: large, and nothing a CUDA program writes to."""


@dataclass(frozen=True)
class PrivateCopy:
    path: Path
    """Where the program is to run."""
    notes: tuple[str, ...]
    """What is not as in the original folder."""


@dataclass(frozen=True)
class FolderTooLarge:
    """Nothing was copied: the program runs in the original folder, which it can read only."""

    note: str


def copy_folder(folder: Path, root: Path) -> PrivateCopy | FolderTooLarge:
    """A copy of ``folder`` below ``root`` at the same depth. Raises OSError (no space, or files vanish meanwhile)."""
    entries = _entries(folder, root)
    if entries is None:
        return FolderTooLarge(
            f"a private copy of {folder}: it holds more than {_COPIED_ENTRIES} entries, so candidates ran in it and could only read it"
        )
    place = root / folder.relative_to(folder.anchor)
    place.mkdir(parents=True)
    links = _copy_entries(entries, folder, place)
    _link_neighbours(folder, root)
    if not links:
        return PrivateCopy(place, ())
    note = f"a private copy of all of {folder}: beyond {_COPIED_BYTES >> 20} MiB, candidates could only read {_named(links)}"
    return PrivateCopy(place, (note,))


def _entries(folder: Path, root: Path) -> list[os.DirEntry[str]] | None:
    """Everything to copy, folders before what they hold. None: too many."""
    found: list[os.DirEntry[str]] = []
    waiting = deque([str(folder)])
    while waiting:
        with os.scandir(waiting.popleft()) as listing:
            for entry in listing:
                found.append(entry)
                if len(found) > _COPIED_ENTRIES:
                    return None
                if _is_copied_folder(entry, root):
                    waiting.append(entry.path)
    return found


def _copy_entries(entries: list[os.DirEntry[str]], folder: Path, place: Path) -> list[str]:
    """Names of the files that were linked because they did not fit."""
    left_bytes = _COPIED_BYTES
    linked: list[str] = []
    for entry in entries:
        name = os.path.relpath(entry.path, folder)
        copied = place / name
        if _is_copied_folder(entry, place):
            copied.mkdir()
        elif not entry.is_file(follow_symlinks=False) or not os.access(entry.path, os.R_OK):
            copied.symlink_to(os.path.realpath(entry.path))
        elif (size_bytes := entry.stat().st_size) > left_bytes:
            copied.symlink_to(entry.path)
            linked.append(name)
        else:
            left_bytes -= size_bytes
            shutil.copy2(entry.path, copied)
    return linked


def _is_copied_folder(entry: os.DirEntry[str], root: Path) -> bool:
    """Not a folder that holds the copy itself, nor one that cannot be listed."""
    if not entry.is_dir(follow_symlinks=False) or entry.name in _ONLY_LINKED or root.is_relative_to(entry.path):
        return False
    return os.access(entry.path, os.R_OK | os.X_OK)


def _link_neighbours(folder: Path, root: Path) -> None:
    left = _LINKED_NEIGHBOURS
    for parent in folder.parents:
        place = root / parent.relative_to(folder.anchor)
        if not os.access(parent, os.R_OK):
            continue
        for entry in os.scandir(parent):
            link = place / entry.name
            if left == 0:
                return
            if not link.exists():
                link.symlink_to(entry.path)
                left -= 1


def _named(files: list[str]) -> str:
    return files[0] if len(files) == 1 else f"{files[0]} and {len(files) - 1} more files"
