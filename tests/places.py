"""Where tests keep what they write: in memory where there is room, as making and removing thousands of files takes a disk longer.

``KERNELOPT_TESTS_TMP`` names another folder.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

__all__ = ["quick_folder"]

_MEMORY = Path("/dev/shm")
_ROOM_BYTES = 6 << 30
"""Several workers' recordings at a time, with what failed tests leave for people to look at."""


def quick_folder() -> Path:
    """A folder for temporary files that programs can be started from."""
    named = os.environ.get("KERNELOPT_TESTS_TMP")
    if named:
        return Path(named)
    return _MEMORY if _is_fit(_MEMORY) else Path(tempfile.gettempdir())


def _is_fit(folder: Path) -> bool:
    try:
        status = os.statvfs(folder)
        is_large = shutil.disk_usage(folder).free > _ROOM_BYTES
    except OSError:
        return False
    return is_large and not status.f_flag & os.ST_NOEXEC and os.access(folder, os.W_OK)
