"""A file that every reader finds whole, or as it was before, however its writing ends.

Example::

    write_whole(folder / "trust.json", text, mode=0o600)
    with replacing(blob) as partial:               # for what writes the file itself
        shutil.copyfile(source, partial)
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Generator
from pathlib import Path

__all__ = ["replacing", "write_whole"]


@contextlib.contextmanager
def replacing(path: Path) -> Generator[Path]:
    """A new path beside ``path``, for a file that takes its place when the block ends well and is removed otherwise. Of several writers
    at the same time the last one wins. Raises OSError."""
    partial = path.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        yield partial
        partial.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise


def write_whole(path: Path, data: bytes | str, mode: int = 0o666, is_lasting: bool = False) -> None:
    """``mode``: the permissions, before the process's umask. ``is_lasting``: also if power fails right afterwards, which takes
    milliseconds. Raises OSError."""
    with replacing(path) as partial:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode("utf-8"))
            if is_lasting:
                file.flush()
                os.fsync(file.fileno())
