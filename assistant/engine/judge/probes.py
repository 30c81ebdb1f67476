"""Cases that a program does not have but may: smaller sizes, values that occur more than once, memory that is not zero.

An edit that is right only for the recorded sizes, where all values differ, or on cleared memory passes on everything recorded. A probe
keeps the launch and its buffers and changes one thing; it counts only where the original itself runs clean on it.

Example::

    [case.origin.shape for case in resized(recorded, kernel.parameters)]    # ["n=1002", "n=502"]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

import numpy as np

from assistant.model.elements import ElementType, parse_element_type
from assistant.model.launch import LaunchConfig
from assistant.model.recording import RecordedArgument
from assistant.model.source import Parameter
from assistant.model.structs import LayoutOf
from assistant.workload.arrays import decode, encode
from assistant.workload.derive import changed, contents_of, with_contents
from assistant.workload.recordings import NewCase
from assistant.workload.resample import is_distinct, is_sorted, tied, with_tail
from assistant.workload.scalars import Scalar, scalars_of, with_scalars
from assistant.workload.select import shape_of
from assistant.workload.unseen import changed_buffers

__all__ = ["integers_of", "refilled", "resized", "with_repeats", "with_ties"]

_PROBE_COUNT, _LARGER_COUNT, _FULL_COUNT = 4, 2, 1
"""Smaller and larger sizes tried per launch, and those that fill an array."""
_SMALL_SIZE = 32
"""Up to here an integer may be a radius or a number of terms, which may be one more in the same buffers."""
_SMALLEST_SIZE = 2
"""A scalar below this has no smaller size worth trying: it is a flag, or a size already at its end."""
_SMALL_VALUES = 8
"""Memory that was zero is filled with whole numbers below this: whatever they stand for, they are not far from zero."""
_REPEATED_COUNT = 3
"""How often each value of a sorted buffer stands in a row."""


def resized(case: NewCase, parameters: tuple[Parameter, ...], layout_of: LayoutOf) -> tuple[NewCase, ...]:
    """``case`` (of one launch) with one integer one smaller, a little over half, or, where it is small, one larger; all else stays.

    Integers are arguments, and members of structs that are passed by value; next to an array in a struct also as many as that holds.
    """
    launch = case.recording.launches[0]
    sizes = [scalar for scalar in scalars_of(launch, parameters, layout_of) if scalar.value >= _SMALLEST_SIZE]
    smaller = dict.fromkeys([(scalar, scalar.value - 1) for scalar in sizes] + [(scalar, scalar.value // 2 + 1) for scalar in sizes])
    larger = [
        (scalar, scalar.value + 1) for scalar in sizes if scalar.value <= _SMALL_SIZE and not _may_be_covered(scalar.value, launch.config)
    ]
    made = list[NewCase]()
    full = [(scalar, most) for scalar in sizes if (most := _room_left(scalar, parameters, layout_of)) > scalar.value]
    for scalar, value in (*islice(smaller, _PROBE_COUNT), *larger[:_LARGER_COUNT], *full[:_FULL_COUNT]):
        other = with_scalars(launch, {scalar: value})
        is_member = scalar.name != parameters[scalar.argument].name
        shape = f"{case.origin.shape}, {scalar.name}={value}" if is_member else shape_of(other, parameters)
        origin = replace(case.origin, kind="resized", shape=shape, scale=1.0, weight=0.0, is_own_size=False)
        made.append(replace(case, recording=replace(case.recording, launches=(other,)), origin=origin))
    return tuple(made)


def _room_left(scalar: Scalar, parameters: tuple[Parameter, ...], layout_of: LayoutOf) -> int:
    """Elements of the smallest array next to a member that may count them; 0 where there is none."""
    layout = layout_of(parameters[scalar.argument].type)
    return min((member.count for member in layout.members if member.count > 1), default=0) if layout is not None else 0


def _may_be_covered(value: int, config: LaunchConfig) -> bool:
    """Whether the launch may have its blocks or threads for so many: one more would lie beyond them in some versions only."""
    grid, block = config.grid.axes, config.block.axes
    return value in block or any(count > 1 and count % value == 0 for count in grid)


def with_ties(case: NewCase, seed: int) -> NewCase:
    """``case`` with every typed buffer drawn from few of its own values, sorted ones left alone: who ranks or compares must settle ties."""
    return changed(case, tied, replace(case.origin, kind="tied", seed=seed, scale=1.0, weight=0.0))


def with_repeats(case: NewCase, seed: int) -> NewCase | None:
    """``case`` with values of sorted buffers, all different, standing several times in a row; None where no buffer is so."""
    made = changed(case, _repeated, replace(case.origin, kind="repeated", seed=seed, scale=1.0, weight=0.0))
    return made if changed_buffers(case, made) else None


def refilled(case: NewCase, names: Mapping[int, str], seed: int) -> NewCase | None:
    """``case`` with small values in every buffer that holds nothing but zeros; None where there is none."""
    contents: dict[int, bytes] = {}
    before = contents_of(case)
    for buffer in case.recording.buffers:
        element = parse_element_type(buffer.element_type or "")
        data = before.get(buffer.id, b"")
        if element is None or buffer.is_poisoned or buffer.pointers or not data or data.count(0) != len(data):
            continue
        values = np.random.default_rng([seed, buffer.id]).integers(1, _SMALL_VALUES, len(data) // element.scalar_bytes)
        contents[buffer.id] = encode(values, element).ljust(len(data), b"\0")
    if not contents:
        return None
    words = f"{' and '.join(names[buffer] for buffer in contents)} not zero"
    return with_contents(case, contents, replace(case.origin, kind="refilled", seed=seed, scale=1.0, weight=0.0, values=words))


def integers_of(case: NewCase, parameters: tuple[Parameter, ...]) -> dict[str, int]:
    """The integer arguments of the first launch, by parameter."""
    return {parameters[place].name: value for place, value in _integers(case.recording.launches[0].arguments, parameters)}


def _integers(arguments: tuple[RecordedArgument, ...], parameters: tuple[Parameter, ...]) -> Iterator[tuple[int, int]]:
    for place, (argument, parameter) in enumerate(zip(arguments, parameters, strict=False)):
        element = None if parameter.is_pointer or argument.pointers else parse_element_type(parameter.type)
        if element is None or element.is_floating or element.components != 1 or element.scalar_bytes != argument.size_bytes:
            continue
        yield place, int(decode(bytes.fromhex(argument.data_hex), element)[0])


def _repeated(data: bytes, element: ElementType, random: np.random.Generator) -> bytes:
    values = decode(data, element)
    if element.components != 1 or not is_sorted(values) or not is_distinct(values):
        return data
    places = np.arange(values.size)
    return with_tail(encode(values[places - places % _REPEATED_COUNT], element), data)
