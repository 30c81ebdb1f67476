"""What a first block for a kernel must hold: its sizes and their values, its threads, how long its arrays are.

Example::

    plan_block(kernel, tree, body, launch).arrays["in"].count    # 'height*width'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod

from assistant.cuda.accesses import array_accesses
from assistant.cuda.body_names import BodyNames
from assistant.cuda.constants import constants_of
from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.launch_shape import Launch
from assistant.cuda.loops import LOOPS
from assistant.cuda.names import names_in
from assistant.cuda.reaches import Reach, reaches
from assistant.cuda.sums import terms_of
from assistant.cuda.syntax import Node, SyntaxTree, node_text
from assistant.model.elements import ElementKind, parse_element_type
from assistant.model.source import Kernel, Parameter
from assistant.record import Record
from assistant.workload.array_use import highest_index, is_used_as_index
from assistant.workload.kernel_text import KernelText, read_kernel
from assistant.workload.launch_text import carried_block, carried_grid
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


def plan_block(kernel: Kernel, tree: SyntaxTree, node: Node, launch: Launch | None) -> BlockPlan:
    """The plan for ``kernel``, whose body is ``node`` of ``tree``."""
    names = BodyNames(tree, node)
    body = read_kernel(names)
    values = _values(kernel, names)
    tiles = _tiles(names, values)
    carried = None if launch is None else carried_block(launch)
    block = carried or _default_block(body, tiles, values)
    integers = tuple(p.name for p in kernel.parameters if _is_integer(p))
    pointers = tuple(p for p in kernel.parameters if p.is_pointer)
    found = {p.name: reaches(names, p.name, _element_bytes(p)) for p in pointers}
    every = tuple(parts for accesses in found.values() for parts in accesses or ())
    grid = () if launch is None else tuple(int(item) for item in carried_grid(launch, kernel, ()) or ())
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
            _is_offsets(p.name, names),
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


def _values(kernel: Kernel, names: BodyNames) -> dict[str, int]:
    """Constants of the source and template arguments; a name that the kernel uses for something else is not one."""
    constants = constants_of(names.tree)
    arguments = {p.name: int(p.default or "1") for p in kernel.template_parameters if (p.default or "1").isdigit()}
    return {name: value for name, value in constants.items() if name not in {p.name for p in kernel.parameters}} | arguments


def _is_integer(parameter: Parameter) -> bool:
    element = None if parameter.is_pointer else parse_element_type(parameter.type)
    return element is not None and not element.is_floating and element.components == 1 and element.kind is not ElementKind.BOOL


def _holds_integers(parameter: Parameter) -> bool:
    element = parse_element_type(parameter.element_type or "")
    return element is not None and not element.is_floating and element.kind is not ElementKind.BOOL


def _element_bytes(parameter: Parameter) -> int:
    element = parse_element_type(parameter.element_type or "")
    return 4 if element is None else element.size_bytes


def _tiles(names: BodyNames, values: Mapping[str, int]) -> dict[str, int]:
    """Per axis what ``blockIdx`` is multiplied by, where that is a constant."""
    scope = Scope(values, {}, {})
    found = {axis: [evaluate(factor, scope, {}) for factor in factors] for axis, factors in names.block_strides.items()}
    return {axis: known[-1] for axis, numbers in found.items() if (known := [number for number in numbers if number])}


def _default_block(body: KernelText, tiles: Mapping[str, int], values: Mapping[str, int]) -> tuple[int, ...]:
    """As many threads an axis as the kernel's own constants say; rows of a tile that a loop walks are fewer."""
    count = next((count for axis, count in (("z", 3), ("y", 2)) if f"threadIdx_{axis}" in body.names.words), 1)
    block = [tiles.get(axis, size) for axis, size in zip("xyz", _DEFAULT_BLOCKS[count], strict=False)]
    if count == 2 and "y" in tiles:
        steps = [int(step) if step.isdigit() else values.get(step, 0) for step in body.loop_steps]
        smaller = [step for step in steps if 1 < step < tiles["y"] and tiles["y"] % step == 0]
        block[1] = min(smaller, default=block[1])
    return tuple(block) if prod(block) <= _MOST_THREADS else _DEFAULT_BLOCKS[count]


def _count(accesses: tuple[Reach, ...] | None, ranges: Ranges) -> Polynomial | None:
    high = None if accesses is None else highest_index(accesses, ranges)
    if high is None or probe(high) < 0:
        return None
    return (high + ONE).rounded_up


def _count_text(count: Polynomial) -> str:
    return str(count) if count.is_whole else f"ceil({count})"


def _element_limit(
    parameter: Parameter, body: KernelText, integers: tuple[str, ...], axes: tuple[Axis, ...], accesses: tuple[Reach, ...]
) -> Polynomial:
    """Indices into other arrays stay below a size that nothing else uses, else below what the threads run over."""
    names = body.names
    if not is_used_as_index(parameter.name, names) and not _is_offsets(parameter.name, names):
        return Polynomial.of(_INTEGERS_BELOW)
    if _is_offsets(parameter.name, names):
        return axes[0].extent + ONE
    used = {name for axis in axes for name in axis.extent.names}
    used |= {name for parts in accesses for part in parts for term in part.terms for name in names_in(names.tree, term.node)}
    free = [name for name in integers if name not in used]
    return Polynomial.of(free[0]) if free else axes[0].extent


def _is_offsets(name: str, names: BodyNames) -> bool:
    """Elements ``i`` and ``i + 1`` bound a loop, as row offsets of a sparse matrix do."""
    indices = [index for access in array_accesses(names.tree, names.body) if access.base == name for index in access.indices]
    is_next = any(node_text(term.node) == "1" and not term.is_subtracted for index in indices for term in terms_of(index)[1:])
    return is_next and next(names.tree.find(*LOOPS, inside=names.body), None) is not None


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
    named |= {name for bound in body.loops for name in names_in(body.names.tree, bound.limit)}
    bounds = (bound for of_variable in body.below.values() for bound in of_variable)
    named |= {name for bound in bounds if (high := ranges.highest_limit(bound)) for name in high.names}
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
    for bound in body.loops:
        high = ranges.highest_limit(bound)
        if high is not None and high.names <= set(sizes) and not _starts_at_thread(body.names, bound.variable):
            lengths.append(high)
    return tuple(lengths)


def _starts_at_thread(names: BodyNames, variable: str) -> bool:
    """Whether it is set from a thread index."""
    tree, values = names.tree, names.settings.get(variable, ())
    nodes = (inner for value in values for inner in tree.find("identifier", "field_expression", inside=value))
    return any((names.word(node) or "").startswith(("threadIdx_", "blockIdx_")) for node in nodes)


def _multiples(axes: tuple[Axis, ...], sizes: tuple[str, ...], step: int, vector: int) -> dict[str, int]:
    """Steps of the sizes: whole blocks where an extent is not guarded, whole vectors where elements are moved together."""
    unguarded = {name for axis in axes if not axis.is_guarded for name in axis.extent.names}
    spanned = {name for axis in axes for name in axis.extent.names} if vector > 1 else set[str]()
    return {name: step if name in unguarded else vector for name in sizes if name in unguarded | spanned}
