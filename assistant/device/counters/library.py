"""The library that drives CUPTI's profilers, built once from ``helper/`` and kept; and its functions, called through ctypes.

Example::

    helper = Helper(counters_library(toolchain, cache, runner))
    helper.call("stalls_start")
"""

from __future__ import annotations

import ctypes
import hashlib
from pathlib import Path

from assistant.device.cupti import CuptiLibrary, built_library
from assistant.device.process import ToolRunner
from assistant.device.toolchain import Toolchain

__all__ = ["CuptiError", "Helper", "counters_library"]

_FOLDER = Path(__file__).parent / "helper"


class CuptiError(Exception):
    """A call of CUPTI's that failed: ``cuptiPCSamplingStart: CUPTI_ERROR_…``."""


class Helper:
    """The loaded library. All calls come from the thread whose CUDA context is current."""

    def __init__(self, path: Path) -> None:
        self._library = ctypes.CDLL(str(path))
        self._library.counters_said.restype = ctypes.c_char_p
        self._library.counters_answer.restype = ctypes.c_char_p

    def call(self, name: str, *arguments: object) -> None:
        """Raises CuptiError."""
        if getattr(self._library, name)(*arguments) != 0:
            raise CuptiError(self._library.counters_said().decode("utf-8", "replace"))

    def answer(self) -> str:
        """The lines of the last call that answers some."""
        return self._library.counters_answer().decode("utf-8", "replace")


def counters_library(toolchain: Toolchain, cache: Path, runner: ToolRunner) -> Path:
    """The built library. Raises LibraryNotBuiltError."""
    sources = tuple(sorted(_FOLDER.glob("*.cpp")))
    digest = hashlib.sha256()
    for path in (*sources, *sorted(_FOLDER.glob("*.h"))):
        digest.update(path.read_bytes())
    library = CuptiLibrary("reads the GPU's counters through CUPTI", "counters", sources, (_FOLDER,), digest.hexdigest())
    return built_library(library, toolchain, cache, runner)
