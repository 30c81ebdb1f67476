"""Another process's arrays, copied from the GPU into files: their memory is opened by its CUDA IPC handle, so that process copies nothing.

Example::

    {"op": "read_shared", "regions": [{"handle": "…", "offset_bytes": 512, "size_bytes": 4000}], "out": "/dev/shm/s/blobs"}
    → {"blobs": ["<sha256>"]}, the files that now lie in ``out``
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from assistant.device.driver import Address, Driver
from assistant.device.gpu_state import GpuState
from assistant.record import Record

__all__ = ["ReadSharedReply", "ReadSharedRequest", "SharedRegion", "read_shared"]

_CHUNK_BYTES = 16 << 20
"""Copied at a time: what a region costs of the host's memory in addition to its file."""


class SharedRegion(Record):
    """A part of an allocation."""

    handle: str
    """``CUipcMemHandle`` of the allocation, in hexadecimal."""
    offset_bytes: int
    size_bytes: int


class ReadSharedRequest(Record):
    """Copy regions, behind all work that their process waited for."""

    regions: tuple[SharedRegion, ...]
    out: Path
    """Receives one file for each, named by its sha256."""


class ReadSharedReply(Record):
    blobs: tuple[str, ...]


def read_shared(state: GpuState, request: ReadSharedRequest) -> ReadSharedReply:
    """Raises DeviceError where a handle cannot be opened, OSError where a file cannot be written."""
    with ExitStack() as opened:
        bases: dict[str, Address] = {}
        for handle in dict.fromkeys(region.handle for region in request.regions):
            bases[handle] = state.driver.open_shared(bytes.fromhex(handle))
            opened.callback(state.driver.close_shared, bases[handle])
        return ReadSharedReply(tuple(_file(state.driver, bases[region.handle], region, request.out) for region in request.regions))


def _file(driver: Driver, base: Address, region: SharedRegion, out: Path) -> str:
    digest = hashlib.sha256()
    partial = out / f"{region.handle[:16]}-{region.offset_bytes}.partial"
    with partial.open("wb", buffering=0) as file:
        for data in _chunks(driver, base + region.offset_bytes, region.size_bytes):
            digest.update(data)
            file.write(data)
    partial.replace(out / digest.hexdigest())
    return digest.hexdigest()


def _chunks(driver: Driver, address: int, size_bytes: int) -> Iterator[bytes]:
    for start in range(0, size_bytes, _CHUNK_BYTES):
        yield driver.read(Address(address + start), min(_CHUNK_BYTES, size_bytes - start))
