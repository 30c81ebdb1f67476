"""Where tests keep what they write: in memory where there is room, as making and removing thousands of files takes a disk longer.

``KERNELOPT_TESTS_TMP`` names another folder.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

__all__ = ["kept_folder", "quick_folder", "write_to_quick_folder"]

_MEMORY = Path("/dev/shm")
_KEPT = "KERNELOPT_TESTS_KEPT"
_ROOM_BYTES = 6 << 30
"""Several workers' recordings at a time, with what failed tests leave for people to look at."""


def quick_folder() -> Path:
    """A folder for temporary files that programs can be started from."""
    named = os.environ.get("KERNELOPT_TESTS_TMP")
    if named:
        return Path(named)
    return _MEMORY if _is_fit(_MEMORY) else Path(tempfile.gettempdir())


def kept_folder() -> Path:
    """Where what is built once is kept between runs: the machine's own temporary folder."""
    return Path(os.environ.get(_KEPT) or tempfile.gettempdir())


def write_to_quick_folder() -> None:
    """Have this process, and all that it starts, write temporary files to the quick folder.

    On the disks of some virtual machines making a file takes 0.6 ms, in memory 0.02 ms; the unit tests make tens of thousands.
    """
    os.environ.setdefault(_KEPT, tempfile.gettempdir())
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(quick_folder()))  # pytest's own name for where ``tmp_path`` is
    os.environ["TMPDIR"] = str(quick_folder())
    tempfile.tempdir = None  # it is read once


def _is_fit(folder: Path) -> bool:
    try:
        status = os.statvfs(folder)
        is_large = shutil.disk_usage(folder).free > _ROOM_BYTES
    except OSError:
        return False
    return is_large and not status.f_flag & os.ST_NOEXEC and os.access(folder, os.W_OK)
