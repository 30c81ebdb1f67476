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
from assistant.worker.recording_sources import RECORDING_HEADERS, RECORDING_SOURCE_DIR, RECORDING_SOURCES

__all__ = ["injection_library", "sources_digest"]

_INJECT_DIR = Path(__file__).parent / "inject"


def injection_library(toolchain: Toolchain, cache: Path, runner: ToolRunner) -> Path:
    """The built library. Raises CaptureFailed where it cannot be built here."""
    library = CuptiLibrary("records launches on a GPU", "capture", _sources(), (RECORDING_SOURCE_DIR,), sources_digest())
    try:
        return built_library(library, toolchain, cache, runner)
    except LibraryNotBuiltError as error:
        raise CaptureFailed("no_compiler", error.message, error.remedy) from error


def sources_digest() -> str:
    """Changes with every change of the library's text."""
    digest = hashlib.sha256()
    for path in (*_sources(), *sorted(_INJECT_DIR.glob("*.h")), *RECORDING_HEADERS):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _sources() -> tuple[Path, ...]:
    return (*sorted(_INJECT_DIR.glob("*.cpp")), *RECORDING_SOURCES)
