"""How far apart two files lie, in steps between folders.

Example::

    folder_distance("/p/tests", "/p/src/a.cu")     # 2: up to /p, down to src
"""

from __future__ import annotations

__all__ = ["folder_distance"]


def folder_distance(folder: str, file: str) -> int:
    """Steps up and down from a folder to that of a file."""
    start, goal = folder.split("/"), file.split("/")[:-1]
    shared = 0
    while shared < min(len(start), len(goal)) and start[shared] == goal[shared]:
        shared += 1
    return len(start) + len(goal) - 2 * shared
