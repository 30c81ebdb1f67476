"""Which launches of a recording a kernel is judged on, and which launch of B answers which of A.

Example::

    for chosen in select_launches(recording, "k(float*, int)", kernel.parameters):
        chosen.index, chosen.weight, chosen.shape      # 3, 120.0, "n=4096"
    pair_launches(recording_of_a, recording_of_b)       # Pairing(…) or ProgramLevelOnly(reason)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from itertools import zip_longest

import numpy as np

from assistant.cuda.instance_parameters import parameter_types
from assistant.model.elements import parse_element_type
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import RecordedArgument, RecordedLaunch, Recording
from assistant.model.source import Parameter
from assistant.model.structs import LayoutOf
from assistant.record import Record
from assistant.workload.arrays import decode, doubles
from assistant.workload.recordings import NewCase, blob_name

__all__ = [
    "LaunchPair",
    "Pairing",
    "ProgramLevelOnly",
    "SelectedLaunch",
    "kernel_name",
    "pair_launches",
    "plain_bytes",
    "select_launches",
    "shape_of",
    "started_as",
]

_ROUNDING_RATIO = 1e-4
"""More than sums of a million floats in another order differ; less than anybody changes a constant by."""
_ShapeKey = tuple[LaunchConfig, tuple[str, ...], tuple[tuple[int, int], ...]]


class SelectedLaunch(Record):
    """One launch that stands for all of its shape."""

    index: int
    weight: float
    """How many launches of the program have this shape, those that were not kept included."""
    shape: str


class LaunchPair(Record):
    """A's launch and the launch of B that replaces it."""

    a_index: int
    b_index: int
    kernel: str
    """B's instance."""
    config: LaunchConfig
    """B's grid, block and shared memory."""
    is_cooperative: bool = False
    """Whether B launches it so."""
    cluster: Dim3 | None = None
    """B's, as of ``RecordedLaunch``."""


class Pairing(Record):
    """Every launch of A has exactly one of B, in order, with the same arguments as far as these were kept."""

    pairs: tuple[LaunchPair, ...]
    """Those that were kept."""
    kernels: tuple[tuple[str, str], ...]
    """(A's instance, B's instance)."""


class ProgramLevelOnly(Record):
    """Launches do not correspond; only what reaches the host can be compared."""

    reason: str


def select_launches(
    recording: Recording, kernel: str, parameters: tuple[Parameter, ...] = (), limit: int = 3
) -> tuple[SelectedLaunch, ...]:
    """The largest, the most frequent and the smallest shape, then further ones by frequency, at most ``limit`` (≥ 1)."""
    groups: dict[_ShapeKey, list[RecordedLaunch]] = {}
    for launch in recording.launches:
        if launch.kernel == kernel:
            groups.setdefault(_shape_key(recording, launch, parameters), []).append(launch)
    by_size = sorted(groups.values(), key=lambda group: _work(recording, group[0]))
    if not by_size:
        return ()
    by_count = sorted(by_size, key=len, reverse=True)
    ranked = list[list[RecordedLaunch]]()
    for group in (by_size[-1], by_count[0], by_size[0], *by_count):
        if group not in ranked:
            ranked.append(group)
    chosen = sorted(ranked[:limit], key=lambda group: group[0].index)
    return tuple(
        SelectedLaunch(_fullest(recording, group).index, len(group) * _dropped_factor(recording, group[0]), shape_of(group[0], parameters))
        for group in chosen
    )


def _fullest(recording: Recording, group: list[RecordedLaunch]) -> RecordedLaunch:
    """The first of those that begin with the fewest buffers of nothing but zeros, as long as they change anything: the first steps of a
    simulation may work on an empty field. Those of a program that was run in part come last once something was left out."""
    sizes = {buffer.id: buffer.size_bytes for buffer in recording.buffers}

    def emptiness(launch: RecordedLaunch) -> tuple[bool, bool, int]:
        first_partial = recording.first_partial
        is_partial = launch.blocks_run is not None or (first_partial is not None and launch.index > first_partial)
        is_idle = all(state.before == state.after for state in launch.buffers)
        return (
            is_partial,
            is_idle,
            sum(state.before == _name_of_zeros(sizes[state.buffer]) for state in launch.buffers if not state.is_poisoned),
        )

    return group[0] if len(group) == 1 else min(group, key=emptiness)


@lru_cache(maxsize=64)
def _name_of_zeros(size_bytes: int) -> str:
    return blob_name(bytes(size_bytes))


def _dropped_factor(recording: Recording, launch: RecordedLaunch) -> float:
    """Launches of this kernel and configuration in the program per launch that was kept."""
    kept = sum(1 for other in recording.launches if (other.kernel, other.config) == (launch.kernel, launch.config))
    counts = [c.count for c in recording.shape_counts if (c.kernel, c.config) == (launch.kernel, launch.config)]
    return sum(counts) / kept if counts else 1.0


def shape_of(launch: RecordedLaunch, parameters: tuple[Parameter, ...] = ()) -> str:
    """The launch's shape for people: its integer arguments, else its grid and block."""
    sizes = list[str]()
    for argument, parameter in zip(launch.arguments, parameters, strict=False):
        element = None if parameter.is_pointer else parse_element_type(parameter.type)
        if element is not None and not element.is_floating and element.components == 1:
            sizes.append(f"{parameter.name}={decode(bytes.fromhex(argument.data_hex), element)[0]}")
    own = sizes or [f"grid {launch.config.grid}, block {launch.config.block}"]
    return ", ".join((*own, *_in_place(launch, parameters)))


def _in_place(launch: RecordedLaunch, parameters: tuple[Parameter, ...]) -> list[str]:
    """``y is x`` for parameters that point to the same place."""
    first: dict[tuple[int, int], str] = {}
    found = list[str]()
    for argument, parameter in zip(launch.arguments, parameters, strict=False):
        if parameter.is_pointer and len(argument.pointers) == 1:
            place = (argument.pointers[0].buffer, argument.pointers[0].buffer_offset_bytes)
            if first.setdefault(place, parameter.name) != parameter.name:
                found.append(f"{parameter.name} is {first[place]}")
    return found


def pair_launches(
    a: Recording, b: Recording, layout_of: LayoutOf = lambda _: None, is_own: Callable[[str], bool] = lambda _: True
) -> Pairing | ProgramLevelOnly:
    """B's launches matched to A's, per kernel and in order, or why only the program can be compared.

    ``layout_of``: the members of a struct that is passed by value; what stands between them belongs to no member. ``is_own``: whether the
    program's sources have that kernel; a library's members are not known, and bytes between them are what its stack held before.
    What a library's kernels compute is compared where it reaches the host.
    """
    kernels = _pair_kernels(a, b)
    if isinstance(kernels, ProgramLevelOnly):
        return kernels
    pairs = list[LaunchPair]()
    for a_kernel, b_kernel in kernels:
        of_a = [launch for launch in a.launches if launch.kernel == a_kernel]
        of_b = [launch for launch in b.launches if launch.kernel == b_kernel]
        is_partial = a.first_partial is not None or b.first_partial is not None
        times = [_launch_count(side, kernel) for side, kernel in ((a, a_kernel), (b, b_kernel))]
        if times[0] != times[1] and (len(of_a) != len(of_b) or not of_a):
            return ProgramLevelOnly(f"{kernel_name(a_kernel)} is launched {times[0]} times by A and {times[1]} by B")
        if not of_a and not of_b:
            continue  # what they reach was kept of neither
        if times[0] == times[1] > min(len(of_a), len(of_b)) and not is_partial:
            of_a, of_b = _kept_of_both(of_a, of_b)
            if not of_a:
                return ProgramLevelOnly(f"no launch of {kernel_name(a_kernel)} was kept of both programs")
        for left, right in zip(of_a, of_b, strict=not is_partial):
            difference = _argument_difference(a, left, b, right, layout_of if is_own(a_kernel) else None)
            if difference is not None:
                return ProgramLevelOnly(f"launch {left.index} of {kernel_name(a_kernel)}: {difference}")
            pairs.append(LaunchPair(left.index, right.index, right.kernel, right.config, right.is_cooperative, right.cluster))
    return Pairing(tuple(sorted(pairs, key=lambda pair: pair.a_index)), kernels)


def _kept_of_both(a: list[RecordedLaunch], b: list[RecordedLaunch]) -> tuple[list[RecordedLaunch], list[RecordedLaunch]]:
    """Launches at the same places of both programs: which ones of many are kept follows from their grids and blocks, which may differ."""
    places = {launch.index for launch in a} & {launch.index for launch in b}
    return [launch for launch in a if launch.index in places], [launch for launch in b if launch.index in places]


def _launch_count(recording: Recording, kernel: str) -> int:
    """In the program, those that were not kept too."""
    kept = sum(launch.kernel == kernel for launch in recording.launches)
    return max(kept, sum(shape.count for shape in recording.shape_counts if shape.kernel == kernel))


def started_as(case: NewCase, started: LaunchPair | RecordedLaunch) -> NewCase:
    """``case`` (of one launch) with B's kernel and launch on A's arguments and buffers."""
    launches = tuple(
        replace(launch, kernel=started.kernel, config=started.config, is_cooperative=started.is_cooperative, cluster=started.cluster)
        for launch in case.recording.launches
    )
    return replace(case, recording=replace(case.recording, launches=launches))


def kernel_name(symbol: str) -> str:
    """``void ns::tr<1>(float*, int)`` → ``ns::tr``: without return type, template arguments and parameters."""
    symbol = symbol.replace("(anonymous namespace)::", "")
    depth, end = 0, len(symbol)
    for position, character in enumerate(symbol):
        if character == "(" and depth == 0:
            end = position
            break
        depth += (character == "<") - (character == ">")
    name, depth = "", 0
    for character in symbol[:end]:
        depth += (character == "<") - (character == ">")
        if depth == 0 and character != ">":
            name += character
    return name.split(" ")[-1]


def _pair_kernels(a: Recording, b: Recording) -> tuple[tuple[str, str], ...] | ProgramLevelOnly:
    """By instance; what is left by its name where that is unique on both sides, or if each side launches one kernel."""
    of_a, of_b = (list(dict.fromkeys(launched.kernel for launched in (*side.launches, *side.shape_counts))) for side in (a, b))
    if not of_a or not of_b:
        return ProgramLevelOnly(f"{'A' if not of_a else 'B'} launches no kernel")
    if len(of_a) == 1 and len(of_b) == 1:
        return ((of_a[0], of_b[0]),)
    pairs = [(kernel, kernel) for kernel in of_a if kernel in of_b]
    left = [kernel for kernel in of_a if kernel not in of_b]
    right = [kernel for kernel in of_b if kernel not in of_a]
    for kernel in left:
        same = [other for other in right if kernel_name(other) == kernel_name(kernel)]
        rivals = [other for other in left if kernel_name(other) == kernel_name(kernel)]
        if len(same) != 1 or len(rivals) != 1:
            return ProgramLevelOnly(f"B launches no kernel that corresponds to {kernel_name(kernel)}")
        pairs.append((kernel, same[0]))
        right.remove(same[0])
    if right:
        return ProgramLevelOnly(f"B launches {kernel_name(right[0])}, which A does not")
    return tuple(pairs)


def _argument_difference(a: Recording, left: RecordedLaunch, b: Recording, right: RecordedLaunch, layout_of: LayoutOf | None) -> str | None:
    """The first difference between two launches' arguments; addresses may differ, what they point to may not.

    ``layout_of``: None where the layouts of structs cannot be known.
    """
    if len(left.arguments) != len(right.arguments):
        return f"A passes {len(left.arguments)} arguments, B {len(right.arguments)}"
    a_sizes = {buffer.id: buffer.size_bytes for buffer in a.buffers}
    b_sizes = {buffer.id: buffer.size_bytes for buffer in b.buffers}
    forward: dict[int, int] = {}
    backward: dict[int, int] = {}
    types = zip_longest(parameter_types(left.kernel)[: len(left.arguments)], left.arguments, right.arguments)
    for number, (name, mine, other) in enumerate(types, 1):
        if layout_of is None and parse_element_type(name or "") is None:
            is_same = mine.size_bytes == other.size_bytes
        else:
            is_same = _without_padding(name, mine, layout_of) == _without_padding(name, other, layout_of)
        if len(mine.pointers) != len(other.pointers) or not (is_same or _are_near(name, mine, other)):
            return f"argument {number} differs"
        for p, q in zip(mine.pointers, other.pointers, strict=True):
            same_place = (p.offset_bytes, p.buffer_offset_bytes) == (q.offset_bytes, q.buffer_offset_bytes)
            same_buffer = forward.setdefault(p.buffer, q.buffer) == q.buffer
            same_buffer = same_buffer and backward.setdefault(q.buffer, p.buffer) == p.buffer
            if not same_place or not same_buffer or a_sizes[p.buffer] != b_sizes[q.buffer]:
                return f"argument {number} points to another buffer"
    return None


def _without_padding(name: str | None, argument: RecordedArgument, layout_of: LayoutOf | None) -> bytes:
    """The argument's plain bytes, of a struct those of its members."""
    data, layout = plain_bytes(argument), None if layout_of is None else layout_of(name or "")
    if layout is None or layout.size_bytes != len(data):
        return data
    return b"".join(data[member.offset_bytes : member.offset_bytes + member.size_bytes] for member in layout.members)


def _are_near(name: str | None, mine: RecordedArgument, other: RecordedArgument) -> bool:
    """Whether both are floating numbers that rounding may tell apart, as where a host computes a step from what kernels added up.

    B's kernels are then run on A's numbers; what comes of its own is compared where it reaches the host.
    """
    element = parse_element_type(name or "")
    if element is None or not element.is_floating or {mine.size_bytes, other.size_bytes} != {element.size_bytes}:
        return False
    a, b = (doubles(bytes.fromhex(argument.data_hex), element) for argument in (mine, other))
    return bool(np.allclose(a, b, rtol=_ROUNDING_RATIO, atol=0.0))


def plain_bytes(argument: RecordedArgument) -> bytes:
    """The argument's bytes with every pointer blanked."""
    data = bytearray.fromhex(argument.data_hex)
    for pointer in argument.pointers:
        data[pointer.offset_bytes : pointer.offset_bytes + 8] = bytes(8)
    return bytes(data)


def _shape_key(recording: Recording, launch: RecordedLaunch, parameters: tuple[Parameter, ...]) -> _ShapeKey:
    """What launches of one shape share, and which of their pointers lead to the same buffer.

    A floating scalar (a time step, a learning rate) is a value, not a shape; but 0 often means to leave something out (``beta`` of BLAS).
    """
    sizes = {buffer.id: buffer.size_bytes for buffer in recording.buffers}
    types = [parse_element_type(parameter.type) for parameter in parameters]
    is_value = [element is not None and element.is_floating for element in types]
    plain = tuple(
        "" if number < len(is_value) and is_value[number] and any(data) else data.hex()
        for number, data in enumerate(map(plain_bytes, launch.arguments))
    )
    buffers = [p.buffer for argument in launch.arguments for p in argument.pointers]
    reached = tuple((sizes[buffer], buffers.index(buffer)) for buffer in buffers)
    return (launch.config, plain, reached)


def _work(recording: Recording, launch: RecordedLaunch) -> tuple[int, int, int]:
    """Orders launches by threads, then by bytes in reach, then by their plain arguments (``n`` within one grid)."""
    sizes = {buffer.id: buffer.size_bytes for buffer in recording.buffers}
    plain = sum(int.from_bytes(plain_bytes(argument)[:4], "little") for argument in launch.arguments)
    return (launch.config.thread_count, sum(sizes[state.buffer] for state in launch.buffers), plain)
