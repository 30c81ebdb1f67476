"""Where the C++ that writes recordings lies: the emulator's runtime and the library that records on a GPU are both built with it."""

from __future__ import annotations

from pathlib import Path

__all__ = ["RECORDING_HEADERS", "RECORDING_SOURCES", "RECORDING_SOURCE_DIR"]

RECORDING_SOURCE_DIR = Path(__file__).parent.parent / "emulator" / "runtime"
RECORDING_SOURCES = (RECORDING_SOURCE_DIR / "blobs.cpp",)
RECORDING_HEADERS = (RECORDING_SOURCE_DIR / "blobs.h", RECORDING_SOURCE_DIR / "record_log.h")
