"""What a first block for a kernel must hold: its sizes and their values, its threads, how long its arrays are.

Example::

    plan_block(source.text, kernel, site).arrays["in"].count    # 'height*width'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from math import prod

from assistant.model.elements import ElementKind, parse_element_type
from assistant.model.source import Kernel, LaunchSite, Parameter
from assistant.record import Record
from assistant.workload.array_use import Part, highest_index, indices, is_used_as_index
from assistant.workload.kernel_text import KernelText, read_kernel
from assistant.workload.launch_text import carried_block, carried_grid, constants
from assistant.workload.polynomial import ONE, Polynomial
from assistant.workload.ranges import Ranges, probe
from assistant.workload.shape_values import choose_shapes
from assistant.workload.threads import OWN_SIZE, Axis, CoverOptions, cover, known_of

__all__ = ["ArrayPlan", "BlockPlan", "plan_block"]

_DEFAULT_BLOCKS = {1: (256,), 2: (16, 16), 3: (8, 8, 4)}
"""256 threads, a multiple of the warp on every architecture."""
_MOST_THREADS = 1024
_WARP = 32
_INTEGERS_BELOW = 256
_TILED = re.compile(
    r"blockIdx\s*\.\s*([xyz])\s*\*\s*(\w+)\s*\+\s*threadIdx\s*\.\s*\1|(\w+)\s*\*\s*blockIdx\s*\.\s*([xyz])\s*\+\s*threadIdx\s*\.\s*\4"
)
_ROWS = re.compile(r"\bfor\s*\([^;]*;[^;]*;\s*\w+\s*\+=\s*(\w+)\s*\)")


class ArrayPlan(Record):
    """One pointer parameter."""

    count: str
    """Elements, in the block's grammar."""
    is_read: bool
    """The count follows from how the kernel indexes it; else it is a guess."""
    limit: str
    """What integer elements stay below."""
    is_offsets: bool
    """Loops run from one element to the next: the elements must not fall."""


class BlockPlan(Record):
    """Everything that the block says."""

    sizes: tuple[str, ...]
    axes: tuple[Axis, ...]
    block: tuple[int, ...]
    is_block_guessed: bool
    shapes: tuple[dict[str, int], ...]
    multiples: dict[str, int]
    """Steps of the sizes of which the kernel takes only multiples."""
    arrays: Mapping[str, ArrayPlan]
    body: KernelText


def plan_block(text: str, kernel: Kernel, site: LaunchSite | None) -> BlockPlan:
    """The plan for ``kernel``, whose source is ``text``."""
    raw = text[kernel.body.start : kernel.body.end]
    body = read_kernel(raw)
    values = _values(text, kernel, body)
    tiles = _tiles(raw, values)
    carried = None if site is None else carried_block(text, site)
    block = carried or _default_block(body, tiles, raw, values)
    integers = tuple(p.name for p in kernel.parameters if _is_integer(p))
    pointers = tuple(p for p in kernel.parameters if p.is_pointer)
    found = {p.name: indices(p.name, body, _element_bytes(p)) for p in pointers}
    every = tuple(parts for accesses in found.values() for parts in accesses or ())
    grid = () if site is None else tuple(int(item) for item in carried_grid(text, kernel, site, ()) or ())
    options = CoverOptions(integers, block, values, grid, tiles)
    axes = cover(body, every, options)
    limits = {p.name: _element_limit(p, body, integers, axes, every) for p in pointers if _holds_integers(p)}
    ranges = Ranges(body, known_of(axes, replace(options, element_limits=limits)))
    counts = {p.name: _count(found[p.name], ranges) for p in pointers}
    sizes = _sizes(integers, axes, counts, limits, body, ranges) or _own_size(axes, counts)
    whole = _fallback(axes, sizes)
    arrays = {
        p.name: ArrayPlan(
            _count_text(counts[p.name] or _product_count(p, pointers, sizes, axes) or whole),
            counts[p.name] is not None,
            str(limits.get(p.name, Polynomial.of(_INTEGERS_BELOW))),
            _is_offsets(p.name, body),
        )
        for p in pointers
    }
    lengths = tuple(counts[p.name] or whole for p in pointers)
    loops = _loop_lengths(body, ranges, sizes)
    multiples = _multiples(
        axes, sizes, max(*block, *tiles.values(), _WARP), max((part.scale for parts in every for part in parts), default=1)
    )
    shapes = choose_shapes(sizes, axes, loops, lengths, multiples)
    return BlockPlan(sizes, axes, block, carried is None, shapes, multiples, arrays, body)


def _values(text: str, kernel: Kernel, body: KernelText) -> dict[str, int]:
    """Constants of the source and template arguments; a name that the kernel uses for something else is not one."""
    own = {p.name for p in kernel.parameters} | set(body.set_to) - set(constants(body.code))
    arguments = {p.name: int(p.default or "1") for p in kernel.template_parameters if (p.default or "1").isdigit()}
    return {name: value for name, value in constants(text).items() if name not in own} | arguments


def _is_integer(parameter: Parameter) -> bool:
    element = None if parameter.is_pointer else parse_element_type(parameter.type)
    return element is not None and not element.is_floating and element.components == 1 and element.kind is not ElementKind.BOOL


def _holds_integers(parameter: Parameter) -> bool:
    element = parse_element_type(parameter.element_type or "")
    return element is not None and not element.is_floating and element.kind is not ElementKind.BOOL


def _element_bytes(parameter: Parameter) -> int:
    element = parse_element_type(parameter.element_type or "")
    return 4 if element is None else element.size_bytes


def _tiles(raw: str, values: Mapping[str, int]) -> dict[str, int]:
    """Per axis what ``blockIdx`` is multiplied by, where that is a constant."""
    found: dict[str, int] = {}
    for match in _TILED.finditer(raw):
        axis, factor = match[1] or match[4], match[2] or match[3]
        number = int(factor) if factor.isdigit() else values.get(factor)
        if number:
            found[axis] = number
    return found


def _default_block(body: KernelText, tiles: Mapping[str, int], raw: str, values: Mapping[str, int]) -> tuple[int, ...]:
    """As many threads an axis as the kernel's own constants say; rows of a tile that a loop walks are fewer."""
    count = 3 if re.search(r"(?:threadIdx|global)_z", body.code) else 2 if re.search(r"(?:threadIdx|global)_y", body.code) else 1
    block = [tiles.get(axis, size) for axis, size in zip("xyz", _DEFAULT_BLOCKS[count], strict=False)]
    if count == 2 and "y" in tiles:
        steps = [values.get(name, int(name) if name.isdigit() else 0) for name in _ROWS.findall(raw)]
        smaller = [step for step in steps if 1 < step < tiles["y"] and tiles["y"] % step == 0]
        block[1] = min(smaller, default=block[1])
    return tuple(block) if prod(block) <= _MOST_THREADS else _DEFAULT_BLOCKS[count]


def _count(accesses: tuple[tuple[Part, ...], ...] | None, ranges: Ranges) -> Polynomial | None:
    high = None if accesses is None else highest_index(accesses, ranges)
    if high is None or probe(high) < 0:
        return None
    return (high + ONE).rounded_up


def _count_text(count: Polynomial) -> str:
    return str(count) if count.is_whole else f"ceil({count})"


def _element_limit(
    parameter: Parameter, body: KernelText, integers: tuple[str, ...], axes: tuple[Axis, ...], accesses: tuple[tuple[Part, ...], ...]
) -> Polynomial:
    """Indices into other arrays stay below a size that nothing else uses, else below what the threads run over."""
    if not is_used_as_index(parameter.name, body) and not _is_offsets(parameter.name, body):
        return Polynomial.of(_INTEGERS_BELOW)
    used = {name for axis in axes for name in axis.extent.names}
    mentioned = " ".join(part.expression for parts in accesses for part in parts)
    if _is_offsets(parameter.name, body):
        return axes[0].extent + ONE
    free = [name for name in integers if name not in used and not re.search(rf"\b{name}\b", mentioned)]
    return Polynomial.of(free[0]) if free else axes[0].extent


def _is_offsets(name: str, body: KernelText) -> bool:
    """Elements ``i`` and ``i + 1`` bound a loop, as row offsets of a sparse matrix do."""
    return (
        re.search(rf"\b{re.escape(name)}\s*\[[^\]]*\+\s*1\s*\]", body.code) is not None
        and re.search(r"\bfor\b|\bwhile\b", body.code) is not None
    )


def _sizes(
    integers: tuple[str, ...],
    axes: tuple[Axis, ...],
    counts: Mapping[str, Polynomial | None],
    limits: Mapping[str, Polynomial],
    body: KernelText,
    ranges: Ranges,
) -> tuple[str, ...]:
    """Integer parameters that say how much there is: of threads, elements or iterations."""
    named = {name for axis in axes for name in axis.extent.names}
    named |= {name for count in (*counts.values(), *limits.values()) if count is not None for name in count.names}
    named |= {name for _, limit in body.loops for name in re.findall(r"[A-Za-z_]\w*", limit)}
    named |= {name for limits_of in body.below.values() for limit in limits_of if (high := ranges.highest(limit)) for name in high.names}
    return tuple(name for name in integers if name in named)


def _own_size(axes: tuple[Axis, ...], counts: Mapping[str, Polynomial | None]) -> tuple[str, ...]:
    """A size of the block itself for a kernel that takes none, unless its launch and indices are all numbers."""
    is_fixed = None not in counts.values() and not any(axis.extent.names for axis in axes)
    return () if is_fixed else (OWN_SIZE,)


def _fallback(axes: tuple[Axis, ...], sizes: tuple[str, ...]) -> Polynomial:
    """One element per thread counter: what an array is guessed to hold that could not be read."""
    extents = [axis.extent for axis in axes if axis.extent.names]
    if not extents:
        return Polynomial.of(sizes[0]) if sizes else ONE
    product = ONE
    for extent in extents:
        product *= extent
    return product


def _product_count(
    parameter: Parameter, pointers: tuple[Parameter, ...], sizes: tuple[str, ...], axes: tuple[Axis, ...]
) -> Polynomial | None:
    """Two of the sizes m, n and k for the matrices of a product whose indices could not be read."""
    lower = {name.lower(): Polynomial.of(name) for name in sizes}
    if not {"m", "n", "k"} <= set(lower) or len(pointers) != 3 or len(axes) != 2:
        return None
    inputs = [p for p in pointers if p.is_const]
    if parameter in inputs[:2]:
        return lower["m"] * lower["k"] if parameter == inputs[0] else lower["k"] * lower["n"]
    return lower["m"] * lower["n"]


def _loop_lengths(body: KernelText, ranges: Ranges, sizes: tuple[str, ...]) -> tuple[Polynomial, ...]:
    """How often the loops run at most; those over thread counters are left out."""
    lengths: list[Polynomial] = []
    for variable, limit in body.loops:
        starts = " ".join(body.set_to.get(variable, ()))
        high = ranges.highest(limit)
        if high is not None and high.names <= set(sizes) and not re.search(r"(?:global|threadIdx|blockIdx)_", starts):
            lengths.append(high)
    return tuple(lengths)


def _multiples(axes: tuple[Axis, ...], sizes: tuple[str, ...], step: int, vector: int) -> dict[str, int]:
    """Steps of the sizes: whole blocks where an extent is not guarded, whole vectors where elements are moved together."""
    unguarded = {name for axis in axes if not axis.is_guarded for name in axis.extent.names}
    spanned = {name for axis in axes for name in axis.extent.names} if vector > 1 else set[str]()
    return {name: step if name in unguarded else vector for name in sizes if name in unguarded | spanned}
