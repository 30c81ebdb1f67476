"""Recording of launches in this very process: the library of `assistant.device.capture`, loaded here when a cell first asks for it.

The library watches the driver's calls through CUPTI between ``begin`` and ``end``, whichever Python library makes them, and writes what
each launch could reach before and after it. Nothing is watched at other times. Example::

    launches = InProcess(library)
    launches.begin(folder, 256 << 20)   # raises CannotRecord, e.g. while a profiler runs
    …                              # the user's Python
    launches.end()
"""

from __future__ import annotations

import ctypes
from pathlib import Path

from assistant.errors import CannotAnswerError

__all__ = ["CannotRecord", "InProcess"]

_TOTAL_BYTES = 1 << 30
"""Upper bound for one cell, in the folder for temporary files."""
_BUSY = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"


class CannotRecord(CannotAnswerError):  # noqa: N818 - a fact, named as the code reads
    """Launches of this process cannot be recorded now."""


class InProcess:
    """The library, loaded. It stays loaded as long as the process, as every library of CUDA's does."""

    def __init__(self, library: Path) -> None:
        """Raises CannotRecord where it cannot be loaded."""
        try:
            loaded = ctypes.CDLL(str(library))
        except OSError as error:
            raise CannotRecord(f"what records launches cannot be loaded: {error}", "kernelopt doctor") from error
        self._begin = loaded.kernelopt_capture_begin
        self._begin.restype = ctypes.c_char_p
        self._begin.argtypes = [ctypes.c_char_p, ctypes.c_uint64, ctypes.c_uint64]
        self._end = loaded.kernelopt_capture_end

    def begin(self, folder: Path, launch_bytes: int) -> None:
        """Record into ``folder``, which is there; a launch that reaches more than ``launch_bytes`` is counted, not kept.

        Raises CannotRecord with CUPTI's own word.
        """
        reason = self._begin(str(folder).encode(), launch_bytes, _TOTAL_BYTES)
        if reason is None:
            return
        message = reason.decode("utf-8", "replace")
        if message == _BUSY:
            message = "another profiler watches this process, and CUPTI lets one do so"
            raise CannotRecord(message, "restart the kernel, and capture before torch.profiler is used: it watches until the process ends")
        raise CannotRecord(f"launches of this process cannot be watched: {message}", "kernelopt doctor shows what this machine can do")

    def end(self) -> None:
        """Once launches that are under way are written."""
        self._end()
