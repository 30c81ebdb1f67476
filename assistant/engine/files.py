"""Write a user's file on their explicit accept: whole or not at all, permissions and links kept."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path

from assistant.errors import CannotAnswerError

__all__ = ["replace_text"]


def replace_text(path: Path, text: str) -> None:
    """Replace the contents of ``path``; raises CannotAnswerError where the file or the disk does not allow it.

    The text is written next to the file and renamed over it, so that a crash leaves the old or the new text, never a part.
    """
    target = path.resolve()
    if not os.access(target, os.W_OK):
        raise CannotAnswerError(f"{path} is read-only", "make it writable, or apply the diff that `kernelopt show` prints")
    data = text.encode("utf-8", "surrogateescape")
    temporary: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(target.stat().st_mode & 0o7777)
        temporary.replace(target)
        temporary = None
    except OSError as error:
        reason = "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else str(error.strerror)
        raise CannotAnswerError(f"{path} was not changed: {reason}", "apply the diff that `kernelopt show` prints") from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()
