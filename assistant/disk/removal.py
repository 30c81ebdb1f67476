"""Removing a folder with all that is in it, whatever a program left there: folders nested deeper than `shutil.rmtree` goes, locked ones.

Example::

    remove_tree(Path("/tmp/kernelopt-1p2x7f/run-3"))
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

__all__ = ["remove_tree"]


def remove_tree(folder: Path) -> None:
    """Nothing happens where there is none. Raises OSError.

    Inner folders are moved up next to ``folder`` before they are emptied, so that no path grows long and no call is nested.
    """
    try:
        parent = os.open(folder.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    waiting, moved_count = [folder.name], 0
    try:
        while waiting:
            name = waiting.pop()
            for inner in _emptied(parent, name):
                moved_count += 1
                moved = f".{folder.name[:64]}.{os.getpid()}.{moved_count}"
                os.rename(f"{name}/{inner}", moved, src_dir_fd=parent, dst_dir_fd=parent)
                waiting.append(moved)
            with suppress(FileNotFoundError):
                os.rmdir(name, dir_fd=parent)
    finally:
        os.close(parent)


def _emptied(parent: int, name: str) -> list[str]:
    """What is left in a folder after all but its folders were removed; they are made ready to be moved."""
    with suppress(FileNotFoundError):
        os.chmod(name, 0o700, dir_fd=parent)
    try:
        folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    except FileNotFoundError:
        return []
    left: list[str] = []
    try:
        for inner in os.listdir(folder):  # noqa: PTH208 - of a descriptor
            if stat.S_ISDIR(os.stat(inner, dir_fd=folder, follow_symlinks=False).st_mode):
                os.chmod(inner, 0o700, dir_fd=folder)
                left.append(inner)
            else:
                os.unlink(inner, dir_fd=folder)
    finally:
        os.close(folder)
    return left
