"""The library that CUDA's driver loads into a program to record its launches: built once from ``inject/`` and kept.

It needs g++ and CUPTI's headers and library, from the toolkit or from pip's wheel ``nvidia-cuda-cupti``. Example::

    injection_library(toolchain, cache, runner)     # Path('…/capture/4f….so')
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from assistant.device.capture.protocol import CaptureFailed
from assistant.device.cupti import CuptiLibrary, LibraryNotBuiltError, built_library
from assistant.device.process import ToolRunner
from assistant.device.toolchain import Toolchain
from assistant.emulator.toolchain import RUNTIME_DIR

__all__ = ["injection_library", "sources_digest"]

_INJECT_DIR = Path(__file__).parent / "inject"
_SHARED_SOURCES = ("blobs.cpp",)
"""Of the emulator's core: recordings are written alike."""
_SHARED_HEADERS = ("blobs.h", "record_log.h")


def injection_library(toolchain: Toolchain, cache: Path, runner: ToolRunner) -> Path:
    """The built library. Raises CaptureFailed where it cannot be built here."""
    library = CuptiLibrary("records launches on a GPU", "capture", _sources(), (RUNTIME_DIR,), sources_digest())
    try:
        return built_library(library, toolchain, cache, runner)
    except LibraryNotBuiltError as error:
        raise CaptureFailed("no_compiler", error.message, error.remedy) from error


def sources_digest() -> str:
    """Changes with every change of the library's text."""
    digest = hashlib.sha256()
    for path in (*_sources(), *sorted(_INJECT_DIR.glob("*.h")), *(RUNTIME_DIR / name for name in _SHARED_HEADERS)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _sources() -> tuple[Path, ...]:
    return (*sorted(_INJECT_DIR.glob("*.cpp")), *(RUNTIME_DIR / name for name in _SHARED_SOURCES))
