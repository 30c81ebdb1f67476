"""Element types of recorded memory, from the pointers that launches were passed: parameters, and members of structs passed by value.

Example::

    passed = PassedTypes(launches)
    passed.typed_transfer(transfer).element_type    # 'float', copied from what a kernel got as float *
    typed(recording, layout_of)                     # also what came as the member x of struct Vec { float *x, *y, *z; }
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from assistant.cuda.instance_parameters import parameter_types
from assistant.model.elements import parse_element_type
from assistant.model.recording import PointerField, RecordedArgument, RecordedBuffer, RecordedLaunch, Recording, Transfer, Upload
from assistant.model.structs import LayoutOf

__all__ = ["PassedTypes", "typed"]

_POINTER_BYTES = 8


class PassedTypes:
    """As what types each buffer was passed, by the place in it that was pointed to."""

    def __init__(self, launches: tuple[RecordedLaunch, ...], layout_of: LayoutOf = lambda _: None) -> None:
        self._types: defaultdict[int, defaultdict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        for launch in launches:
            for name, argument in zip(parameter_types(launch.kernel), launch.arguments, strict=False):
                for place, element_type in _pointed_to(name, argument, layout_of):
                    self._types[place.buffer][place.buffer_offset_bytes].add(element_type)

    def typed_buffers(self, buffers: tuple[RecordedBuffer, ...]) -> tuple[RecordedBuffer, ...]:
        """Buffers without a type get the one as which they are always passed; it stays open where there are several."""
        return tuple(b if b.element_type is not None else replace(b, element_type=self._of_buffer(b.id)) for b in buffers)

    def typed_transfer(self, transfer: Transfer) -> Transfer:
        """With the type of the buffer, or of the pointers into it at or before the first byte and within the bytes."""
        if transfer.element_type is not None or transfer.buffer is None:
            return transfer
        return replace(transfer, element_type=self._of_bytes(transfer.buffer, transfer.buffer_offset_bytes, transfer.size_bytes))

    def typed_upload(self, upload: Upload) -> Upload:
        """As a transfer."""
        return replace(upload, element_type=self._of_bytes(upload.buffer, upload.buffer_offset_bytes, upload.size_bytes))

    def _of_bytes(self, buffer: int, begin: int, count: int) -> str | None:
        """A buffer may be divided among arrays of several types, each passed by a pointer of its own."""
        whole = self._of_buffer(buffer)
        if whole is not None:
            return whole
        starts = self._types[buffer]
        first = max((start for start in starts if start <= begin), default=None)
        return None if first is None else _common(name for start in starts if first <= start < begin + count for name in starts[start])

    def _of_buffer(self, buffer: int) -> str | None:
        return _common(name for names in self._types[buffer].values() for name in names)


def typed(recording: Recording, layout_of: LayoutOf) -> Recording:
    """The recording with the types that members of structs show, where parameters did not; ``layout_of``: of a type's name."""
    passed = PassedTypes(recording.launches, layout_of)
    transfers = tuple(passed.typed_transfer(transfer) for transfer in recording.transfers)
    uploads = None if recording.uploads is None else tuple(passed.typed_upload(upload) for upload in recording.uploads)
    return replace(recording, buffers=passed.typed_buffers(recording.buffers), transfers=transfers, uploads=uploads)


def _pointed_to(name: str, argument: RecordedArgument, layout_of: LayoutOf) -> Iterator[tuple[PointerField, str]]:
    """The pointers in an argument, with what they point to."""
    if name.endswith("*"):
        if argument.size_bytes == _POINTER_BYTES:
            yield from ((place, _element_of(name)) for place in argument.pointers[:1])
        return
    layout = layout_of(name) if argument.pointers else None
    if layout is None or layout.size_bytes != argument.size_bytes:
        return
    targets = {member.offset_bytes: member.points_to for member in layout.members if member.count == 1}
    for place in argument.pointers:
        target = targets.get(place.offset_bytes)
        if target is not None:
            yield place, target


def _common(names: Iterable[str]) -> str | None:
    """The one type of all; of a scalar and its vectors (``float``, ``float4``) the smallest; None for types that differ."""
    distinct = sorted(set(names))
    elements = [element for name in distinct if (element := parse_element_type(name)) is not None]
    if len(distinct) > 1 and len(elements) == len(distinct) and len({(e.kind, e.scalar_bytes) for e in elements}) == 1:
        return min(elements, key=lambda element: element.components).name
    return distinct[0] if len(distinct) == 1 else None


def _element_of(pointer: str) -> str:
    words = pointer.removesuffix("*").replace("__restrict", "").split()
    return " ".join(word for word in words if word not in ("const", "volatile"))
