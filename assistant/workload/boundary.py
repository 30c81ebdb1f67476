"""Shapes at which kernels break: 0, 1, around the tile, primes, numbers that no block divides, larger ones. Weight 0: never timed.

A shape at which the block itself gives no launch (an empty grid, half an element) is left out.

Example::

    boundary_shapes(workload)    # (Shape((("n", 1),), 0.0, True), …)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from math import prod

from assistant.model.workload import DeclaredWorkload, Shape, SizeRule
from assistant.workload.expressions import evaluate_count
from assistant.workload.other_sizes import larger
from assistant.workload.relations import Sizes

__all__ = ["boundary_shapes"]

MAX_SHAPE_COUNT = 16
"""Boundary shapes of a workload; more only repeat what these find."""
_PRIMES = (7, 97, 251, 1021)
"""Sizes that no tile or block divides, spread over the decades that run in milliseconds."""
_MOST_GROWN_THREADS = 1 << 17
_INTEGER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_LARGEST_TILE = 1024
"""Threads of a block, at most (CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability")."""


def boundary_shapes(workload: DeclaredWorkload) -> tuple[Shape, ...]:
    """Shapes beyond the declared ones that the size rules allow; empty when the block says ``boundary = false``.

    All sizes take the same critical value together, then each takes it alone while the others stay at their smallest
    declared value. Last come larger ones than the smallest declared shape: doubled, and primes that differ from each other.
    """
    names = tuple(name for name, _ in workload.shapes[0].sizes)
    if not workload.has_boundary or not names:
        return ()
    rules = {rule.name: rule for rule in workload.size_rules}
    smallest = {name: min(dict(shape.sizes)[name] for shape in workload.shapes) for name in names}
    largest = {name: max(dict(shape.sizes)[name] for shape in workload.shapes) for name in names}
    wanted = list[dict[str, int]]()
    values = _critical_values(_tiles(workload))
    for value in values:
        wanted.append({name: _allowed(value, rules.get(name)) for name in names})
    if len(names) > 1:
        for name in names:
            for value in values:
                wanted.append({**smallest, name: _allowed(value, rules.get(name))})
    declared = {shape.sizes for shape in workload.shapes}
    kept: dict[tuple[tuple[str, int], ...], None] = {}
    for sizes in wanted:
        key = tuple(sizes.items())
        is_small = all(size <= max(largest[name], _PRIMES[0]) for name, size in key)
        if key not in declared and is_small and _is_launchable(workload, sizes):
            kept.setdefault(key)
    grown = [sizes for sizes in _grown(workload, smallest, rules) if tuple(sizes.items()) not in {*declared, *kept}]
    keys = [*_spread(list(kept), MAX_SHAPE_COUNT - len(grown)), *(tuple(sizes.items()) for sizes in grown)]
    return tuple(Shape(key, 0.0, is_boundary=True) for key in keys)


def _grown(workload: DeclaredWorkload, smallest: Sizes, rules: Mapping[str, SizeRule]) -> Iterator[dict[str, int]]:
    """Grown sizes, one for each kind, as far as they are launches of few threads."""
    for first, *_ in larger(smallest, frozenset(), frozenset()).values():
        sizes = {name: _allowed(value, rules.get(name)) for name, value in first.items()}
        is_larger = any(sizes[name] > value for name, value in smallest.items())
        if is_larger and _is_launchable(workload, sizes) and _thread_count(workload, sizes) <= _MOST_GROWN_THREADS:
            yield sizes


def _thread_count(workload: DeclaredWorkload, sizes: Sizes) -> int:
    """Threads of all launches together."""
    counts = [[evaluate_count(text, dict(sizes), "") for text in (*step.grid, *step.block)] for step in workload.steps]
    return sum(prod(value for value in step if isinstance(value, int)) for step in counts)


def _is_launchable(workload: DeclaredWorkload, sizes: dict[str, int]) -> bool:
    """Whether grids and blocks are whole numbers from 1 up, and counts and shared memory whole numbers, at these sizes."""
    dimensions = [text for step in workload.steps for text in (*step.grid, *step.block)]
    arguments = [a for step in workload.steps for a in step.arguments] + list(workload.globals)
    counts = [argument.count for argument in arguments] + [step.shared for step in workload.steps]
    values = [evaluate_count(text, sizes, "") for text in (*dimensions, *counts)]
    whole = [value for value in values if isinstance(value, int)]
    return len(whole) == len(values) and 0 not in whole[: len(dimensions)]


def _tiles(workload: DeclaredWorkload) -> tuple[int, ...]:
    """Whole numbers that stand in grids and blocks: the sizes that work is cut into."""
    texts = [text for step in workload.steps for text in (*step.grid, *step.block)]
    numbers = {int(number) for text in texts for number in _INTEGER.findall(text)}
    return tuple(sorted(number for number in numbers if 1 < number <= _LARGEST_TILE))


def _critical_values(tiles: Iterable[int]) -> tuple[int, ...]:
    around = [value for tile in tiles for value in (tile - 1, tile, tile + 1, 2 * tile + 3)]
    return tuple(dict.fromkeys([1, 0, *around, *_PRIMES]))


def _allowed(value: int, rule: SizeRule | None) -> int:
    """The nearest value at or above ``value`` that the rule permits, else its largest."""
    if rule is None:
        return value
    raised = -(-max(value, rule.minimum) // rule.multiple_of) * rule.multiple_of
    if rule.maximum is None or raised <= rule.maximum:
        return raised
    return rule.maximum // rule.multiple_of * rule.multiple_of


def _spread(keys: list[tuple[tuple[str, int], ...]], count: int) -> list[tuple[tuple[str, int], ...]]:
    """At most ``count``, evenly taken from the whole list."""
    if len(keys) <= count:
        return keys
    return [keys[index * len(keys) // count] for index in range(count)]
