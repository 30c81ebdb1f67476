"""What the recorded launches of a kernel have in common: which pointers never share an allocation, alignments, values, shapes.

Pure: reads recordings that are in memory. Example::

    facts = recorded_facts("saxpy", launches, FactsOrigin.RECORDED, 12, lambda spelled: None)
    facts.separation("y", "x")      # Separation.APART
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from assistant.model.elements import parse_element_type
from assistant.model.launch import LaunchConfig
from assistant.model.recorded_facts import (
    LARGEST_ALIGNMENT_BYTES,
    FactsOrigin,
    LaunchShape,
    PointerPair,
    PointerReach,
    RecordedFacts,
    RecordedPointer,
    RecordedScalar,
    Separation,
)
from assistant.model.recording import RecordedArgument, RecordedBuffer, RecordedLaunch, Recording
from assistant.model.source import Parameter
from assistant.model.structs import LayoutOf
from assistant.record import Record
from assistant.workload.arrays import doubles
from assistant.workload.scalars import scalars_of

__all__ = ["SeenLaunch", "launches_of", "pointer_reaches", "recorded_facts"]

_WORST_FIRST = (Separation.SAME_ADDRESS, Separation.UNKNOWN, Separation.ONE_ALLOCATION, Separation.APART)


class SeenLaunch(Record):
    """One launch, with what its arguments are to be read by."""

    recording: Recording
    launch: RecordedLaunch
    parameters: tuple[Parameter, ...]
    """Parameters of the launched instance."""
    count: int = 1
    """Launches that were passed the same."""


class _Address(Record):
    """Where a pointer pointed in one launch; ``buffer`` None: null."""

    buffer: RecordedBuffer | None
    offset_bytes: int = 0

    @property
    def alignment_bytes(self) -> int:
        """The largest power of two, up to 256, that divides it."""
        address = 0 if self.buffer is None else self.buffer.address + self.offset_bytes
        return math.gcd(address, LARGEST_ALIGNMENT_BYTES)

    @property
    def reach_bytes(self) -> int:
        """Up to the end of the allocation."""
        return 0 if self.buffer is None else self.buffer.size_bytes - self.offset_bytes


def launches_of(recording: Recording, kernels: Sequence[tuple[str, tuple[Parameter, ...]]]) -> Iterator[SeenLaunch]:
    """The launches of the ``kernels`` whose arguments are known: (instance, its parameters)."""
    parameters = dict(kernels)
    for launch in recording.launches:
        if launch.kernel in parameters:
            yield SeenLaunch(recording, launch, parameters[launch.kernel])
    for passed in recording.passed:
        if passed.kernel in parameters:
            launch = RecordedLaunch(0, passed.kernel, passed.config, passed.arguments, (), "", 0)
            yield SeenLaunch(recording, launch, parameters[passed.kernel], passed.count)


def recorded_facts(
    kernel: str, launches: Sequence[SeenLaunch], origin: FactsOrigin, program_count: int, layout_of: LayoutOf
) -> RecordedFacts | None:
    """What is true of all ``launches`` of the kernel (a qualified name); None of none. ``program_count``: those that were not kept too."""
    if not launches:
        return None
    names = [parameter.name for parameter in launches[0].parameters]
    alike = [seen for seen in launches if [parameter.name for parameter in seen.parameters] == names]
    addresses = [(_addresses(seen), seen.count) for seen in alike]
    pointers = [parameter.name for parameter in launches[0].parameters if parameter.is_pointer and parameter.name]
    shapes = Counter[LaunchConfig]()
    for seen in alike:
        shapes[seen.launch.config] += seen.count
    launch_count = sum(seen.count for seen in alike)
    return RecordedFacts(
        kernel=kernel,
        origin=origin,
        launch_count=launch_count,
        program_count=max(program_count, launch_count),
        shapes=tuple(LaunchShape(config, count) for config, count in shapes.most_common()),
        pointers=tuple(_pointer(name, addresses) for name in pointers),
        pairs=tuple(_pair(first, second, addresses) for first, second in combinations(pointers, 2)),
        scalars=(*_integers(alike, layout_of), *_floats(alike)),
    )


def pointer_reaches(launches: Sequence[SeenLaunch]) -> tuple[PointerReach, ...]:
    """How far each pointer parameter reaches, in their order; those are left out of which some launch passed what is in no allocation
    that was seen."""
    addresses = [_addresses(seen) for seen in launches]
    found: list[PointerReach] = []
    for name in addresses[0] if addresses else ():
        reaches = [None if (address := each.get(name)) is None else address.reach_bytes for each in addresses]
        known = [reach for reach in reaches if reach is not None]
        if len(known) == len(reaches):
            found.append(PointerReach(name, min(known), max(known)))
    return tuple(found)


def _addresses(seen: SeenLaunch) -> dict[str, _Address | None]:
    """Where each pointer parameter points; None where that is no allocation that was seen."""
    buffers = {buffer.id: buffer for buffer in seen.recording.buffers}
    pairs = zip(seen.launch.arguments, seen.parameters, strict=False)
    return {parameter.name: _address(argument, buffers) for argument, parameter in pairs if parameter.is_pointer}


def _address(argument: RecordedArgument, buffers: dict[int, RecordedBuffer]) -> _Address | None:
    pointer = next((pointer for pointer in argument.pointers if pointer.offset_bytes == 0), None)
    if pointer is not None:
        buffer = buffers.get(pointer.buffer)
        return None if buffer is None else _Address(buffer, pointer.buffer_offset_bytes)
    return None if any(bytes.fromhex(argument.data_hex)) else _Address(None)


_Passed = Sequence[tuple[dict[str, _Address | None], int]]
"""Where the pointers of launches pointed, and how many launches those were."""


def _pointer(name: str, launches: _Passed) -> RecordedPointer:
    seen = [(addresses.get(name), count) for addresses, count in launches]
    null_count = sum(count for address, count in seen if address is not None and address.buffer is None)
    sizes = [1 if address is None else address.alignment_bytes for address, _ in seen if address is None or address.buffer is not None]
    return RecordedPointer(name, min(sizes, default=1), null_count)


def _pair(first: str, second: str, launches: _Passed) -> PointerPair:
    found = Counter[Separation]()
    for addresses, count in launches:
        found[_separation(addresses.get(first), addresses.get(second))] += count
    worst = next(separation for separation in _WORST_FIRST if found[separation])
    return PointerPair(first, second, worst, found[worst])


def _separation(first: _Address | None, second: _Address | None) -> Separation:
    if first is None or second is None:
        return Separation.UNKNOWN
    if first.buffer is None or second.buffer is None or first.buffer.id != second.buffer.id:
        return Separation.APART
    return Separation.SAME_ADDRESS if first.offset_bytes == second.offset_bytes else Separation.ONE_ALLOCATION


def _integers(launches: Sequence[SeenLaunch], layout_of: LayoutOf) -> Iterator[RecordedScalar]:
    values: dict[str, list[int]] = {}
    for seen in launches:
        for scalar in scalars_of(seen.launch, seen.parameters, layout_of):
            values.setdefault(scalar.name, []).append(scalar.value)
    for name, found in values.items():
        if len(found) == len(launches):
            yield RecordedScalar(name, min(found), max(found), math.gcd(*found))


def _floats(launches: Sequence[SeenLaunch]) -> Iterator[RecordedScalar]:
    values: dict[str, list[float]] = {}
    for seen in launches:
        for argument, parameter in zip(seen.launch.arguments, seen.parameters, strict=False):
            value = None if parameter.is_pointer or argument.pointers else _float(argument, parameter)
            if value is not None:
                values.setdefault(parameter.name, []).append(value)
    for name, found in values.items():
        if len(found) == len(launches) and all(map(math.isfinite, found)):
            yield RecordedScalar(name, min(found), max(found), 1)


def _float(argument: RecordedArgument, parameter: Parameter) -> float | None:
    element = parse_element_type(parameter.type)
    if element is None or element.components != 1 or not element.is_floating or element.scalar_bytes != argument.size_bytes:
        return None
    return float(doubles(bytes.fromhex(argument.data_hex), element)[0])
