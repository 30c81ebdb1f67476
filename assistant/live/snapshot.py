"""Bound arrays as a recording that a worker can replay: one shared-memory copy, made in pieces, whatever their size.

Arrays that share memory (an in-place call, views of one array) become one buffer. Example::

    folder = shared_folder(bound.size_bytes)
    write_launch(folder / "0", bound, LaunchConfig(Dim3(4), Dim3(256), 0))
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from assistant.live.arrays import BindingError, LiveArray, chunks, refill
from assistant.live.binding import Bound
from assistant.live.variables import VariableState
from assistant.model.elements import parse_element_type
from assistant.model.launch import LaunchConfig
from assistant.model.recording import BufferState, PointerField, RecordedArgument, RecordedBuffer, RecordedLaunch, Recording
from assistant.record import Record
from assistant.workload.recordings import RecordingWriter

__all__ = ["ReadRegions", "Region", "regions_of", "remove_left_folders", "restore", "shared_folder", "write_launch"]

_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - POSIX shared memory; the folder made in it is the user's alone
_SPARE_RATIO = 0.5
"""Share of free shared memory that one launch may take at most."""
_POINTER_BYTES = 8
_PREFIX = "kernelopt-live-"


class Region(Record):
    """Memory that one or several arguments point into: one buffer of the recording."""

    id: int
    address: int
    arrays: tuple[LiveArray, ...]
    """In the order of their addresses."""

    @property
    def size_bytes(self) -> int:
        return max(array.address + array.size_bytes for array in self.arrays) - self.address


ReadRegions = Callable[[tuple[Region, ...], Path], "tuple[str, ...] | None"]
"""(regions on one GPU, a folder) → the files in it that hold them now, by their names; None where that could not be done."""


def shared_folder(size_bytes: int) -> Path:
    """A private folder in shared memory, or where files are kept if that much of it is not free; the caller removes it."""
    try:
        has_room = shutil.disk_usage(_SHARED_MEMORY).free * _SPARE_RATIO > size_bytes
    except OSError:
        has_room = False
    return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=_SHARED_MEMORY if has_room else None))


def remove_left_folders() -> None:
    """Remove what kernels that were killed left in shared memory: a folder's name tells the process that made it."""
    try:
        found = [path for path in _SHARED_MEMORY.iterdir() if path.name.startswith(_PREFIX) and path.owner() == Path.home().owner()]
    except (OSError, KeyError):
        return
    for path in found:
        pid = path.name.removeprefix(_PREFIX).partition("-")[0]
        if pid.isdecimal() and not Path("/proc", pid).exists():
            shutil.rmtree(path, ignore_errors=True)


def regions_of(bound: Bound) -> tuple[Region, ...]:
    """The buffers behind the arguments; arrays that overlap share one."""
    groups: list[list[LiveArray]] = []
    end = -1
    for array in sorted(bound.arrays.values(), key=lambda array: (array.address, -array.size_bytes)):
        if groups and array.address < end:
            groups[-1].append(array)
        else:
            groups.append([array])
        end = max(end, array.address + array.size_bytes)
    return tuple(Region(index, group[0].address, tuple(group)) for index, group in enumerate(groups))


def write_launch(
    folder: Path,
    bound: Bound,
    config: LaunchConfig,
    file: str,
    read: ReadRegions | None = None,
    variables: Sequence[VariableState] = (),
) -> Recording:
    """The launch as a recording in ``folder``; ``file`` is whose launch it is, ``read`` copies arrays that are on a GPU, ``variables``
    are the text's own that have to be looked at, too."""
    writer = RecordingWriter(folder)
    regions = regions_of(bound)
    names = read(regions, folder / "blobs") if read is not None and regions and bound.device != "cpu" else None
    if names is None:
        names = tuple(_copied(folder / "blobs", region) for region in regions)
    named = tuple(enumerate(variables, len(regions)))
    states = (
        *(BufferState(region.id, name, None) for region, name in zip(regions, names, strict=True)),
        *(BufferState(identity, writer.add_blob(variable.data), None) for identity, variable in named),
    )
    launch = RecordedLaunch(
        index=0,
        kernel=bound.signature.symbol,
        config=config,
        arguments=tuple(_argument(bound, parameter.name, regions) for parameter in bound.signature.parameters),
        buffers=states,
        file=file,
        line=0,
    )
    buffers = (*(_buffer(region, bound) for region in regions), *(_variable(identity, variable) for identity, variable in named))
    recording = Recording(buffers, (launch,), (), ())
    writer.write(recording)
    return recording


def restore(regions: Sequence[Region], after: Iterable[tuple[int, Path]]) -> None:
    """Put what a run left in its buffers back into the arrays; read-only ones cannot have changed."""
    by_id = {region.id: region for region in regions}
    for identity, file in after:
        region = by_id[identity]
        with file.open("rb") as stream:
            for array in region.arrays:
                if not array.is_read_only:
                    _refill(array, stream.fileno(), array.address - region.address)


def _refill(array: LiveArray, descriptor: int, start: int) -> None:
    offset = 0
    for part in chunks(array):
        data = os.pread(descriptor, len(part), start + offset)
        if memoryview(data) != part:
            refill(array, offset, data)
        offset += len(part)


def _copied(blobs: Path, region: Region) -> str:
    """The region's bytes in a file of its own; its name, the sha256 of them."""
    digest = hashlib.sha256()
    partial = blobs / f"region-{region.id}.partial"
    with partial.open("wb", buffering=0) as file:
        for part in _bytes_of(region):
            digest.update(part)
            file.write(part)
    name = digest.hexdigest()
    partial.replace(blobs / name)
    return name


def _bytes_of(region: Region) -> Iterable[memoryview]:
    whole = next((array for array in region.arrays if array.size_bytes == region.size_bytes), None)
    if whole is not None:
        return chunks(whole)
    first = region.arrays[0]
    if not first.is_on_cpu:
        names = ", ".join(array.name for array in region.arrays)
        raise BindingError(f"{names} overlap in part", "pass arrays that are apart, or views of which one holds the others")
    return chunks(replace(first, dtype="uint8", shape=(region.size_bytes,), owner=region.arrays))


def _argument(bound: Bound, name: str, regions: Sequence[Region]) -> RecordedArgument:
    array = bound.arrays.get(name)
    if array is None:
        data = bound.scalars[name]
        return RecordedArgument(len(data), data.hex(), ())
    region = next(region for region in regions if array in region.arrays)
    data = array.address.to_bytes(_POINTER_BYTES, "little")
    return RecordedArgument(_POINTER_BYTES, data.hex(), (PointerField(0, region.id, array.address - region.address),))


def _variable(identity: int, variable: VariableState) -> RecordedBuffer:
    """Each launch finds in it what the text says."""
    return RecordedBuffer(identity, len(variable.data), 0, variable.name, "device", element_type=variable.element_type, is_fixed=True)


def _buffer(region: Region, bound: Bound) -> RecordedBuffer:
    types = {parameter.name: parse_element_type(parameter.element_type or "") for parameter in bound.signature.parameters}
    names = {None if element is None else element.name for array in region.arrays for element in (types[array.name],)}
    element_type = names.pop() if len(names) == 1 else None
    return RecordedBuffer(region.id, region.size_bytes, region.address, None, "device", element_type=element_type)
