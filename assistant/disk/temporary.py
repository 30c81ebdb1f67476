"""Temporary folders that go with their owner, however it ends: what a killed process left is removed by the next one that needs a folder.

Each folder holds a file that its owner keeps locked; the system lets go of a lock when its process ends. Example::

    with OwnFolder("emulator") as folder:
        (folder / "report").write_text("…")     # /tmp/kernelopt-emulator-1p2x7f/report
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from assistant.disk.removal import remove_tree

__all__ = ["OwnFolder"]

_PREFIX = "kernelopt-"
_UNFINISHED = ".kernelopt-"
"""Prefix of a folder that is not locked yet."""
_OWNER_FILE = ".owner"
_TRIES = 20


class OwnFolder:
    """A new folder in the temporary folder, this process's until it is removed. Raises OSError where none can be made."""

    def __init__(self, kind: str = "") -> None:
        """``kind``: whose it is, for people who look."""
        _remove_ownerless(Path(tempfile.gettempdir()))
        for tries_left in reversed(range(_TRIES)):
            made = Path(tempfile.mkdtemp(prefix=f"{_UNFINISHED}{kind}-" if kind else _UNFINISHED))
            try:
                self._lock, self.path = _owned(made)
                return
            except OSError as error:
                _remove(made)
                is_taken = isinstance(error, (FileNotFoundError, BlockingIOError))  # another process took it for a killed one's
                if not (is_taken and tries_left):
                    raise

    def remove(self) -> None:
        """Whatever is in it; once is enough."""
        _remove(self.path)
        with contextlib.suppress(OSError):
            os.close(self._lock)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.remove()


def _owned(made: Path) -> tuple[int, Path]:
    """Its locked file, and its name from now on. Raises FileNotFoundError or BlockingIOError where another process is removing it."""
    lock = os.open(made / _OWNER_FILE, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:
            pass  # a file system without locks: no other process can lock it either, so it stays
        return lock, made.rename(made.with_name(made.name.removeprefix(".")))
    except OSError:
        os.close(lock)
        raise


def _remove_ownerless(parent: Path) -> None:
    for folder in list(_own_folders(parent)):
        with contextlib.suppress(OSError):
            try:
                lock = os.open(folder / _OWNER_FILE, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            except FileNotFoundError:
                if folder.name.startswith(_UNFINISHED):
                    folder.rmdir()  # fails where its owner, still alive, put something into it meanwhile
                continue
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(folder)
            finally:
                os.close(lock)


def _remove(folder: Path) -> None:
    """The owner's file last: a removal that is broken off can be gone on with."""
    with contextlib.suppress(OSError), os.scandir(folder) as listing:
        for entry in list(listing):
            if entry.is_dir(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    remove_tree(Path(entry.path))
            elif entry.name != _OWNER_FILE:
                Path(entry.path).unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        remove_tree(folder)


def _own_folders(parent: Path) -> Iterator[Path]:
    """Folders of this user's that are named as ours are: others may name theirs so in a temporary folder that all share."""
    user = os.getuid()
    with contextlib.suppress(OSError), os.scandir(parent) as listing:
        for entry in listing:
            with contextlib.suppress(OSError):
                is_ours = entry.name.startswith((_PREFIX, _UNFINISHED)) and entry.is_dir(follow_symlinks=False)
                if is_ours and entry.stat(follow_symlinks=False).st_uid == user:
                    yield Path(entry.path)
