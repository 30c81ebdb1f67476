"""The numbers that a launch is passed: whole arguments, and members of structs that are passed by value.

Example::

    [scalar.name for scalar in scalars_of(launch, kernel.parameters, lambda spelled: None)]      # ["n", "stride"]
    with_scalars(launch, {scalar: 2 * scalar.value})
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from assistant.model.elements import ElementType, parse_element_type
from assistant.model.recording import RecordedArgument, RecordedLaunch
from assistant.model.source import Parameter
from assistant.model.structs import LayoutOf
from assistant.record import Record
from assistant.workload.arrays import decode, doubles, encode, storage_dtype

__all__ = ["Scalar", "fits", "numbers_of", "scalars_of", "with_floats_elsewhere", "with_floats_near", "with_scalars"]

_NEARBY = (0.75, 1.25)
_ELSEWHERE = ((0.5, 0.8), (1.25, 2.0))


class Scalar(Record):
    """One integer of a launch."""

    name: str
    """The parameter's, or ``box.width`` of a member."""
    value: int
    argument: int
    """Position of the argument that holds it."""
    offset_bytes: int
    """Where in the argument it stands."""
    element: ElementType


def scalars_of(launch: RecordedLaunch, parameters: tuple[Parameter, ...], layout_of: LayoutOf) -> tuple[Scalar, ...]:
    """In the order of the parameters."""
    pairs = enumerate(zip(launch.arguments, parameters, strict=False))
    return tuple(scalar for place, (argument, parameter) in pairs for scalar in _of_argument(place, argument, parameter, layout_of))


def numbers_of(launch: RecordedLaunch, parameters: tuple[Parameter, ...], layout_of: LayoutOf) -> dict[str, float]:
    """All numbers that the launch is passed, by name: integers as ``int``, others as ``float``."""
    found: dict[str, float] = {}
    for argument, parameter in zip(launch.arguments, parameters, strict=False):
        data = bytes.fromhex(argument.data_hex)
        for name, offset, element in _numbers(argument, parameter, layout_of):
            part = data[offset : offset + element.scalar_bytes]
            found[name] = int(decode(part, element)[0]) if element.is_integer else float(doubles(part, element)[0])
    return found


def fits(scalar: Scalar, value: int) -> bool:
    """Whether its type can hold ``value``."""
    limits = np.iinfo(storage_dtype(scalar.element))
    return int(limits.min) <= value <= int(limits.max)


def with_scalars(launch: RecordedLaunch, values: Mapping[Scalar, int]) -> RecordedLaunch:
    """The launch with other integers."""
    arguments = list(launch.arguments)
    for scalar, value in values.items():
        data = bytearray.fromhex(arguments[scalar.argument].data_hex)
        data[scalar.offset_bytes : scalar.offset_bytes + scalar.element.scalar_bytes] = _stored(value, scalar.element)
        arguments[scalar.argument] = replace(arguments[scalar.argument], data_hex=data.hex())
    return replace(launch, arguments=tuple(arguments))


def with_floats_near(
    launch: RecordedLaunch, parameters: tuple[Parameter, ...], layout_of: LayoutOf, random: np.random.Generator
) -> RecordedLaunch:
    """The launch with every floating number that it is passed changed by up to a quarter of itself."""
    return _with_floats(launch, parameters, layout_of, lambda: random.uniform(*_NEARBY))


def with_floats_elsewhere(
    launch: RecordedLaunch, parameters: tuple[Parameter, ...], layout_of: LayoutOf, random: np.random.Generator
) -> RecordedLaunch:
    """The launch with every floating number that it is passed a fifth to a half smaller, or a quarter to twice as large: 0 stays 0."""
    return _with_floats(launch, parameters, layout_of, lambda: random.uniform(*_ELSEWHERE[random.integers(len(_ELSEWHERE))]))


def _with_floats(
    launch: RecordedLaunch, parameters: tuple[Parameter, ...], layout_of: LayoutOf, ratio: Callable[[], float]
) -> RecordedLaunch:
    """The launch with every floating number multiplied by a ratio of its own."""
    arguments = list(launch.arguments)
    for place, (argument, parameter) in enumerate(zip(launch.arguments, parameters, strict=False)):
        data = bytearray.fromhex(argument.data_hex)
        for _, offset, element in _numbers(argument, parameter, layout_of):
            if element.is_floating:
                part = slice(offset, offset + element.scalar_bytes)
                data[part] = encode(doubles(bytes(data[part]), element) * ratio(), element)
        arguments[place] = replace(argument, data_hex=data.hex())
    return replace(launch, arguments=tuple(arguments))


def _stored(value: int, element: ElementType) -> bytes:
    """Two's complement, without the bits that there is no room for."""
    return (value & ((1 << 8 * element.scalar_bytes) - 1)).to_bytes(element.scalar_bytes, "little")


def _of_argument(place: int, argument: RecordedArgument, parameter: Parameter, layout_of: LayoutOf) -> Iterator[Scalar]:
    data = bytes.fromhex(argument.data_hex)
    for name, offset, element in _numbers(argument, parameter, layout_of):
        if element.is_integer:
            yield Scalar(name, int(decode(data[offset : offset + element.scalar_bytes], element)[0]), place, offset, element)


def _numbers(argument: RecordedArgument, parameter: Parameter, layout_of: LayoutOf) -> Iterator[tuple[str, int, ElementType]]:
    """(name, place in the argument, type) of each single number."""
    if parameter.is_pointer:
        return
    element = parse_element_type(parameter.type)
    if element is not None:
        if element.components == 1 and not argument.pointers and element.scalar_bytes == argument.size_bytes:
            yield parameter.name, 0, element
        return
    layout = layout_of(parameter.type)
    if layout is None or layout.size_bytes != argument.size_bytes:
        return
    pointers = {pointer.offset_bytes for pointer in argument.pointers}
    for member in layout.members:
        if member.count == 1 and member.element.components == 1 and member.offset_bytes not in pointers:
            yield f"{parameter.name}.{member.path}", member.offset_bytes, member.element
