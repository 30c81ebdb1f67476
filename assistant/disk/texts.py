"""Reading a text file that anybody may have put where it is looked for: a folder, a pipe or a device in its place, or one without an end.

Example::

    read_bytes(Path("/p/a.cu"), 16 << 20)     # OSError where that is a named pipe; nothing waits for it
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

__all__ = ["MOST_SOURCE_BYTES", "UnfitFileError", "read_bytes", "read_own_bytes", "source_text"]

MOST_SOURCE_BYTES = 16 << 20
"""A CUDA source beyond this is generated or not a source."""

_OPEN = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}


class UnfitFileError(OSError):
    """There is something of that name, and it is no file of sensible size; ``strerror`` says what it is."""


def read_bytes(path: Path, most_bytes: int) -> bytes:
    """The file's contents. Raises UnfitFileError, OSError."""
    return _read(path, most_bytes, _OPEN)


def read_own_bytes(path: Path, most_bytes: int) -> bytes:
    """As ``read_bytes``, where no symbolic link is followed: a link in the place of the file is an UnfitFileError."""
    try:
        return _read(path, most_bytes, _OPEN | os.O_NOFOLLOW)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise UnfitFileError(errno.ELOOP, "it is a symbolic link, not a file", str(path)) from error


def _read(path: Path, most_bytes: int, how: int) -> bytes:
    descriptor = os.open(path, how)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            kind = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
            raise UnfitFileError(errno.EINVAL, f"it is {kind}, not a file", str(path))
        if status.st_size > most_bytes:
            raise UnfitFileError(errno.EFBIG, f"it has {status.st_size} bytes; up to {most_bytes} are read", str(path))
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(most_bytes + 1)
        if len(data) > most_bytes:  # a file of /proc says that it has none
            raise UnfitFileError(errno.EFBIG, f"it has more than {most_bytes} bytes", str(path))
        return data
    finally:
        os.close(descriptor)


def source_text(path: Path) -> str | None:
    """The text of a source as compilers see it; a byte that is no UTF-8 stands in it as a surrogate. None where it is none."""
    try:
        data = read_bytes(path, MOST_SOURCE_BYTES)
    except OSError:
        return None
    return None if b"\0" in data else data.decode("utf-8", "surrogateescape")
