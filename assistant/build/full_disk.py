"""Whether something failed because a file could not be written to its end, and where: then the source is not at fault.

Example::

    says_disk_is_full(4, "gcc: internal compiler error: File size limit exceeded signal terminated program cc1plus")    # True
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
from pathlib import Path

__all__ = ["FULL_ERRORS", "REMEDY", "check_space", "full_in_words", "says_disk_is_full"]

FULL_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""No space left, the user's quota reached, or the limit on the size of a file."""
_LEAST_FREE_BYTES = 16 << 10
"""A file system with less room has cut somebody's file short, or is about to."""
REMEDY = "free space there and in the temporary folder, or raise the limit on file sizes (ulimit -f)"
_SAID = re.compile(
    rf": '?(?:{'|'.join(sorted(map(os.strerror, FULL_ERRORS)))})'?$"
    rf"|terminated with signal {signal.SIGXFSZ.value}\b"
    r"|File size limit exceeded signal terminated program",
    re.MULTILINE,
)
"""In the words of gcc, as and ld (GCC 11 to 14, binutils 2.40, messages in English)."""


def says_disk_is_full(status: int, output: str) -> bool:
    """``status``: as `subprocess` gives it; ``output``: standard output and error."""
    return status == -signal.SIGXFSZ or (status != 0 and _SAID.search(output) is not None)


def full_in_words(error_number: int, *folders: Path) -> str:
    """``no space left in /cache``: of the folders that were written to, the one with the least room."""
    place = min(folders, key=_free_bytes)
    if error_number == errno.ENOSPC:
        return f"no space left in {place}"
    return f"no space left in {place}: {os.strerror(error_number).lower()}"


def check_space(*folders: Path) -> None:
    """Raises OSError (ENOSPC) where one of the folders, all of them just written to, has no room left."""
    for folder in folders:
        if _free_bytes(folder) < _LEAST_FREE_BYTES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))


def _free_bytes(folder: Path) -> int:
    """Free space of the file system that holds the folder, or would hold it."""
    there = next((place for place in (folder, *folder.parents) if place.is_dir()), Path("/"))
    return shutil.disk_usage(there).free
