"""A case for the original rebuilt with device ``float`` and ``half`` as ``double`` (the r64 reference).

Floating buffers and scalars become float64, offsets into them and dynamic shared memory grow with them. Byte counts passed as
plain integers cannot be seen; a reference that is wrong for that reason is noticed by ``verify.tolerance`` and not used.
"""

from __future__ import annotations

from dataclasses import replace

from assistant.cuda.spelling import with_doubles
from assistant.model.elements import ElementType, parse_element_type
from assistant.model.recording import PointerField, RecordedArgument, RecordedBuffer, RecordedLaunch
from assistant.model.source import Parameter
from assistant.record import Record
from assistant.workload.arrays import doubles
from assistant.workload.derive import contents_of, with_contents
from assistant.workload.recordings import NewCase

__all__ = ["CannotWiden", "widened"]

_DOUBLE_BYTES = 8
_ADDRESS_STEP = 1 << 32


class CannotWiden(Record):
    """Why this case has no float64 twin."""

    reason: str


def widened(case: NewCase, parameters: tuple[tuple[Parameter, ...], ...]) -> NewCase | CannotWiden:
    """``case`` with floats as doubles; ``parameters`` holds those of each launch's kernel."""
    if any(buffer.pointers for buffer in case.recording.buffers):
        return CannotWiden("a buffer holds pointers, its addresses cannot move")
    ratios = {b.id: _ratio(b.element_type) for b in case.recording.buffers}
    contents: dict[int, bytes] = {}
    for buffer in case.recording.buffers:
        data = contents_of(case).get(buffer.id, b"")
        contents[buffer.id] = _as_doubles(data, buffer) if ratios[buffer.id] > 1 else data
    launches = list[RecordedLaunch]()
    for launch, kernel_parameters in zip(case.recording.launches, parameters, strict=True):
        changed = _launch(launch, kernel_parameters, ratios)
        if isinstance(changed, CannotWiden):
            return changed
        launches.append(changed)
    buffers = tuple(
        replace(
            buffer,
            size_bytes=len(contents[buffer.id]),
            address=buffer.address if ratios[buffer.id] == 1 else _ADDRESS_STEP * (1 << 12) + index * _ADDRESS_STEP,
            element_type="double" if ratios[buffer.id] > 1 else buffer.element_type,
        )
        for index, buffer in enumerate(case.recording.buffers)
    )
    recording = replace(case.recording, buffers=buffers, launches=tuple(launches))
    return with_contents(replace(case, recording=recording), contents, case.origin)


def _ratio(element_type: str | None) -> int:
    """How many times larger the type becomes."""
    element = None if element_type is None else parse_element_type(element_type)
    return _DOUBLE_BYTES // element.scalar_bytes if element is not None and element.is_floating else 1


def _as_doubles(data: bytes, buffer: RecordedBuffer) -> bytes:
    element = parse_element_type(buffer.element_type or "")
    assert element is not None
    if buffer.is_poisoned:
        return data[:1] * (len(data) // element.scalar_bytes * _DOUBLE_BYTES)
    return doubles(data, element).tobytes()


def _launch(launch: RecordedLaunch, parameters: tuple[Parameter, ...], ratios: dict[int, int]) -> RecordedLaunch | CannotWiden:
    arguments = list[RecordedArgument]()
    for argument, parameter in zip(launch.arguments, parameters, strict=True):
        element = parse_element_type(parameter.type)
        if parameter.is_pointer or element is not None:
            arguments.append(_argument(argument, None if parameter.is_pointer else element, ratios))
        else:
            return CannotWiden(f"{parameter.name} is a {parameter.type}, whose layout would change")
    shared = launch.config.shared_bytes * max(ratios.values(), default=1)
    kernel = with_doubles(launch.kernel)
    return replace(launch, kernel=kernel, arguments=tuple(arguments), config=replace(launch.config, shared_bytes=shared))


def _argument(argument: RecordedArgument, element: ElementType | None, ratios: dict[int, int]) -> RecordedArgument:
    if element is not None and element.is_floating and element.scalar_bytes < _DOUBLE_BYTES:
        data = doubles(bytes.fromhex(argument.data_hex), element).tobytes()
        return RecordedArgument(len(data), data.hex(), ())
    pointers = tuple(PointerField(p.offset_bytes, p.buffer, p.buffer_offset_bytes * ratios[p.buffer]) for p in argument.pointers)
    return replace(argument, pointers=pointers)
