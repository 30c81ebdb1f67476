"""Keeps a cache folder small: what was used longest ago goes first, and what was not used for a month.

An entry is a file or a folder that is made once and never changed; its time of change says when it was last used. Example::

    note_use(cache / "emulator" / "builds" / key)          # where an entry is taken
    make_room(cache, ENTRIES)                              # at the end of a job
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from assistant.disk.whole import write_whole
from assistant.record import Record

__all__ = ["LIMIT_BYTES", "keep", "make_room", "note_use"]

LIMIT_BYTES = 4 << 30
"""Some 3000 builds; ccache, which keeps the same for C++, takes 5 GB by default (its manual, max_size)."""
_UNUSED_S = 30 * 86400.0
_IN_USE_S = 3600.0
"""What was used within this time stays, as somebody may be about to start it; what is unfinished belongs to somebody."""
_NOTED_EACH_S = 600.0
"""Uses that follow each other sooner are not noted: writing times costs more than it is worth."""
_LOOKED_EACH_S = 600.0
_LONGEST_S = 1.0
"""No job waits longer for room; the next one goes on."""
_LOOKED_FILE = ".looked-at"
_REMOVED = ".removed-"


class _Entry(Record):
    used_s: float
    """Seconds since the epoch, as `time.time`."""
    path: Path
    size_bytes: int

    @property
    def is_unfinished(self) -> bool:
        """Left behind by a process that was killed while it made or removed an entry."""
        return self.path.name.startswith(".") or self.path.suffix == ".partial"


def note_use(entry: Path) -> None:
    """It was used now; nothing where it cannot be written."""
    with contextlib.suppress(OSError):
        if time.time() - entry.stat().st_mtime > _NOTED_EACH_S:
            os.utime(entry)


def keep(entry: Path, content: str) -> None:
    """Whole or not at all; nothing where it cannot be written."""
    with contextlib.suppress(OSError):
        entry.parent.mkdir(parents=True, exist_ok=True)
        write_whole(entry, content)


def make_room(cache: Path, patterns: Sequence[str], limit_bytes: int = LIMIT_BYTES) -> None:
    """Removes entries (``patterns`` below ``cache``, as for `Path.glob`) above the limit, at most every ten minutes.

    Never raises OSError: a cache that cannot be changed stays as it is. Other processes may do the same at the same time.
    """
    now_s = time.time()
    looked = cache / _LOOKED_FILE
    with contextlib.suppress(OSError):
        if now_s - looked.stat().st_mtime < _LOOKED_EACH_S:
            return
    entries = [entry for pattern in patterns for path in cache.glob(pattern) for entry in _entry(path)]
    for entry in _superfluous(entries, now_s, limit_bytes):
        if time.time() - now_s > _LONGEST_S:
            return
        _remove(entry.path)
    with contextlib.suppress(OSError):
        looked.touch()


def _superfluous(entries: list[_Entry], now_s: float, limit_bytes: int) -> Iterator[_Entry]:
    left_bytes = sum(entry.size_bytes for entry in entries)
    for entry in sorted(entries, key=lambda entry: entry.used_s):
        unused_s = now_s - entry.used_s
        if unused_s > _IN_USE_S and (left_bytes > limit_bytes or unused_s > _UNUSED_S or entry.is_unfinished):
            left_bytes -= entry.size_bytes
            yield entry


def _entry(path: Path) -> Iterator[_Entry]:
    """The entry, or none where it is gone meanwhile."""
    with contextlib.suppress(OSError):
        status = path.lstat()
        size_bytes = _folder_bytes(path) if path.is_dir() else status.st_size
        yield _Entry(status.st_mtime, path, size_bytes)


def _folder_bytes(folder: Path) -> int:
    files = [Path(place, name) for place, _, names in os.walk(folder) for name in names]
    return sum(file.lstat().st_size for file in files)


def _remove(path: Path) -> None:
    """In one step for other processes: an entry is there whole or not at all."""
    doomed = path.with_name(f"{_REMOVED}{path.name}")
    with contextlib.suppress(OSError):
        path.rename(doomed)
        if doomed.is_dir():
            shutil.rmtree(doomed, ignore_errors=True)
        else:
            doomed.unlink()
