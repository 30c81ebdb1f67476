"""How a kernel's threads cover its sizes: which axis of the grid runs over what, as its guards and indices say.

Example::

    cover(read_kernel(names), arrays, CoverOptions(sizes=("h", "w"), block=(16, 16)))[0].extent    # 'w', what x runs over
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from itertools import pairwise

from assistant.cuda.casts import without_integer_casts
from assistant.cuda.code_patterns import Words
from assistant.cuda.reaches import Reach
from assistant.cuda.syntax import Node, binary_parts, node_text
from assistant.record import Record
from assistant.workload.kernel_text import KernelText
from assistant.workload.polynomial import ONE, ZERO, Polynomial
from assistant.workload.ranges import KnownNames, Ranges, probe

__all__ = ["OWN_SIZE", "Axis", "CoverOptions", "cover", "known_of"]

_NAMES = ("x", "y", "z")
OWN_SIZE = "n"
"""Name of the size of a kernel that takes none."""
_ACROSS = Words(r"(?i)w(?:idth)?|nx|cols?|columns?|ncols?|n_?cols?|x_?size|.*width|.*_?cols?|dim_?x")
"""Names of sizes that x usually runs over."""


class Axis(Record):
    """One axis of the grid."""

    name: str
    counter: str
    """The word that counts along it: ``global_x`` (threads) or ``blockIdx_x`` (blocks)."""
    extent: Polynomial
    """How many values the counter takes."""
    per_block: int
    """Values that one block covers."""
    is_guarded: bool
    """The kernel compares the counter with the extent, so that an extent which no block divides is safe."""

    @property
    def blocks(self) -> str:
        """The grid's expression."""
        text = str(self.extent)
        if self.extent.constant is not None:
            return str(-(-int(self.extent.constant) // self.per_block))
        if self.per_block == 1:
            return text if self.extent.is_whole else f"ceil({text})"
        return f"ceil({self.extent.over(self.per_block)})" if len(self.extent.terms) == 1 else f"ceil(({text})/{self.per_block})"


class CoverOptions(Record):
    """What is known besides the body."""

    sizes: tuple[str, ...]
    """Integer parameters in order."""
    block: tuple[int, ...]
    values: Mapping[str, int] = field(default_factory=dict[str, int])
    """Constants of the source."""
    grid: tuple[int, ...] = ()
    """Blocks per axis where the launch says them with numbers."""
    tiles: Mapping[str, int] = field(default_factory=dict[str, int])
    """By axis: values that a block covers where the kernel says so with a constant."""
    element_limits: Mapping[str, Polynomial] = field(default_factory=dict[str, Polynomial])


def cover(kernel: KernelText, accesses: tuple[Reach, ...], options: CoverOptions) -> tuple[Axis, ...]:
    """One axis per dimension of the grid that the kernel uses, x first; x is always there."""
    counters = _counters(kernel)
    limits = _guards(kernel, options, counters)
    extents = dict(limits)
    for name, extent in _strides(kernel, accesses, options, counters).items():
        extents.setdefault(name, extent)
    _fill(extents, counters, options)
    blocks = (*options.block, 1, 1)
    return tuple(
        Axis(axis, counter, extents[counter], _per_block(axis, counter, blocks[index], options), counter in limits or "block" in counter)
        for index, (axis, counter) in enumerate(counters.items())
    )


def known_of(axes: tuple[Axis, ...], options: CoverOptions) -> KnownNames:
    """What is known to index expressions: the extents of the thread counters."""
    extents: dict[str, Polynomial] = {}
    values = dict(options.values)
    for name, size in zip(_NAMES, (*options.block, 1, 1), strict=False):
        values[f"blockDim_{name}"] = size
        extents[f"threadIdx_{name}"] = Polynomial.of(size)
    for axis in axes:
        extents[axis.counter] = _reach(axis, values[f"blockDim_{axis.name}"])
        blocks = axis.extent if axis.per_block == 1 else axis.extent.over(axis.per_block)
        extents[f"blockIdx_{axis.name}"] = blocks
        extents[f"gridDim_{axis.name}"] = blocks + ONE
        extents.setdefault(f"global_{axis.name}", axis.extent)
    return KnownNames(frozenset(options.sizes), values, extents, options.element_limits)


def _reach(axis: Axis, threads: int) -> Polynomial:
    """The counter's own range; where a block covers more than its threads, loops add what is left out here."""
    is_walked = axis.per_block > threads and not axis.is_guarded
    return axis.extent - Polynomial.of(axis.per_block - 1) if is_walked else axis.extent


def _counters(kernel: KernelText) -> dict[str, str]:
    """The counting word of each axis in use; x even where it is not."""
    found: dict[str, str] = {}
    for index, axis in enumerate(_NAMES):
        is_later_used = any(f"blockIdx_{later}" in kernel.names.words for later in _NAMES[index:])
        if f"global_{axis}" in kernel.names.words:
            found[axis] = f"global_{axis}"
        elif is_later_used or axis == "x":
            found[axis] = f"blockIdx_{axis}"
    return found


def _guards(kernel: KernelText, options: CoverOptions, counters: Mapping[str, str]) -> dict[str, Polynomial]:
    """Extents that comparisons give, of the counter itself, of a variable that holds it or of a multiple of it."""
    ranges = Ranges(replace(kernel, below={}), KnownNames(frozenset(options.sizes), options.values))
    found: dict[str, list[Polynomial]] = {}
    for counter in counters.values():
        for name, factor in _holders(kernel, counter, options.values):
            for bound in kernel.below.get(name, ()):
                high = ranges.highest_limit(bound)
                if high is not None and high.names:
                    found.setdefault(counter, []).append(high.over(factor))
    return {counter: max(highs, key=probe) for counter, highs in found.items()}


def _holders(kernel: KernelText, counter: str, values: Mapping[str, int]) -> list[tuple[str, int]]:
    """(name, factor): variables that start as the counter or as so many times it."""
    found = [(counter, 1)]
    for name, settings in kernel.names.settings.items():
        factor = _factor_of(kernel, settings[0], counter, values)
        if factor:
            found.append((name, factor))
    return found


def _factor_of(kernel: KernelText, node: Node, counter: str, values: Mapping[str, int]) -> int | None:
    """2 of ``counter * 2``; None for what is not the counter times a constant."""
    if kernel.names.word(node) == counter:
        return 1
    product = binary_parts(without_integer_casts(node))
    if product is None or product[0] != "*":
        return None
    for one, other in ((product[1], product[2]), (product[2], product[1])):
        if kernel.names.word(one) == counter:
            factor = node_text(without_integer_casts(other))
            return int(factor) if factor.isdigit() else values.get(factor)
    return None


def _strides(kernel: KernelText, accesses: tuple[Reach, ...], options: CoverOptions, counters: Mapping[str, str]) -> dict[str, Polynomial]:
    """Extents that indices give: what the next counter is multiplied by. ``in[y*w + x]`` says that x runs over w."""
    aliases = {name: counter for counter in counters.values() for name, factor in _holders(kernel, counter, options.values) if factor == 1}
    own = frozenset(counters.values())
    sizes = frozenset(options.sizes)
    extents = {f"threadIdx_{axis}": ONE for axis in _NAMES}
    ranges = Ranges(replace(kernel, below={}), KnownNames(sizes | own, options.values, extents, aliases=aliases))
    found: dict[str, Polynomial] = {}
    for parts in accesses:
        total = ZERO
        for part in parts:
            high = ranges.highest_sum(part.terms)
            total += high if high is not None else ZERO
        strides = sorted(_coefficients(total, own), key=lambda item: probe(item[1]))
        for (name, stride), (_, wider) in pairwise(strides):
            extent = wider.divided(stride)
            if extent is not None and extent.names:
                found.setdefault(name, extent)
        if strides and strides[0][1].names and len(strides) == 1:
            found.setdefault("", strides[0][1])
    inner = found.pop("", None)
    return found if inner is None else {**found, "inner": inner}


def _coefficients(total: Polynomial, counters: frozenset[str]) -> list[tuple[str, Polynomial]]:
    """(counter, what it is multiplied by) for each counter that stands in the index in the first power."""
    found: list[tuple[str, Polynomial]] = []
    for counter in counters:
        stride = total.replaced(counter, ONE) - total.replaced(counter, ZERO)
        if stride.terms and not stride.names & counters:
            found.append((counter, stride))
    return found


def _fill(extents: dict[str, Polynomial], counters: Mapping[str, str], options: CoverOptions) -> None:
    """The counters that nothing speaks of get the sizes that are left, by name or from the innermost."""
    inner = extents.pop("inner", ZERO)
    taken = frozenset(name for extent in (*extents.values(), inner) for name in extent.names)
    left = [size for size in options.sizes if size not in taken] or list(options.sizes)
    missing = [counter for counter in counters.values() if counter not in extents]
    for index, counter in enumerate(missing):
        if not left:
            extents[counter] = _without_sizes(index, counter, options)
            continue
        across = [size for size in left if size in _ACROSS]
        is_across = counter.endswith("x") and len(counters) > 1
        chosen = (across or left[::-1])[0] if is_across else next((size for size in left if size not in across), left[0])
        extents[counter] = Polynomial.of(chosen)
        if len(left) > 1 and index + 1 < len(missing):
            left.remove(chosen)


def _without_sizes(index: int, counter: str, options: CoverOptions) -> Polynomial:
    """The covered threads of a kernel without integer parameters: what the launch's numbers span, else a size of the block's own."""
    if index >= len(options.grid):
        return Polynomial.of(OWN_SIZE)
    threads = (*options.block, 1, 1)[index] if counter.startswith("global") else 1
    return Polynomial.of(options.grid[index] * threads)


def _per_block(axis: str, counter: str, block: int, options: CoverOptions) -> int:
    return options.tiles.get(axis, block) if counter.startswith("global") else 1
