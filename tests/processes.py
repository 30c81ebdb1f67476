"""Processes that tests look at."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

__all__ = ["children_of"]


def children_of(process: int | str = "self") -> set[int]:
    """Ids of the processes that it (by default this one) has started, and that have not ended."""
    found = set[int]()
    for task in Path(f"/proc/{process}/task").iterdir():
        with suppress(OSError):  # a thread may end meanwhile
            found.update(map(int, (task / "children").read_text().split()))
    return found
