"""How buffers and grids grow with the integers that a kernel is passed, as its recorded launches show.

A count is explained by a product of at most three of these integers, each as it is, a little more or less (``n+1``, ``w-2``,
``n-taps+1``) or halved, times or divided by a whole number; blocks of a grid by such a product divided by what one block covers. Several
explanations may fit what was recorded: all simplest ones are kept, and trying the original on other sizes shows which are usable.
Nothing is read from any text. Example::

    explain_extent([CountAtSizes({"w": 320, "h": 192}, 61440)])[0].at({"w": 37, "h": 11})       # 407
    explain_blocks([SeenBlocks({"n": 1000}, Dim3(128), 8)])[0].at({"n": 2000})          # 16
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, combinations_with_replacement

from assistant.model.launch import Dim3
from assistant.record import Record

__all__ = ["CountAtSizes", "SeenBlocks", "Sizes", "Term", "explain_blocks", "explain_count", "explain_extent"]

Sizes = Mapping[str, int]
"""Integers passed to a kernel, by name."""

_MOST_FACTORS = 3
_MOST_PLAIN_FACTORS = 4
"""Factors in a product of different integers, each as it is (batch · channels · height · width)."""
_MOST_MEMBERS = 5
"""Factors in a product of a struct's members, each as it is (batch · channels · depth · height · width)."""
_MOST_NAMES = 6
"""Integers that are looked at: combinations of more are many, and fit by chance."""
_LARGEST_MULTIPLE = 64
"""Elements per element of a size: channels, bins, taps."""
_DIVISORS = (2, 4, 8, 16)
"""Divisors of a size in bytes where elements are counted, or of a size that is halved."""
_OFFSETS = (1, -1, 2, -2)
"""Offsets that rows (n+1) and inner points (w-2) have."""
_WARP_THREADS = 32
_COARSENING = (1, 2, 4, 8, 16, 32)
"""Elements that one thread, warp or block takes."""
_TILES = tuple(1 << power for power in range(8))
_WIDE_TILES = tuple(1 << power for power in range(11))
"""Elements along an axis that a block takes, whatever the block's own shape."""


class _Factor(Record):
    """``(name - minus + add) / divide``."""

    name: str
    add: int = 0
    divide: int = 1
    is_rounded_up: bool = False
    minus: str | None = None

    def at(self, sizes: Sizes) -> int:
        value = sizes[self.name] - (0 if self.minus is None else sizes[self.minus]) + self.add
        return -(-value // self.divide) if self.is_rounded_up else value // self.divide

    @property
    def is_plain(self) -> bool:
        return self == _Factor(self.name)

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,) if self.minus is None else (self.name, self.minus)


class Term(Record):
    """``ceil(product of the factors · times / per)``."""

    factors: tuple[_Factor, ...]
    times: int = 1
    per: int = 1

    def at(self, sizes: Sizes) -> int:
        """The count at other sizes; 0 where a factor is not positive."""
        value = self.times
        for factor in self.factors:
            value *= max(0, factor.at(sizes))
        return -(-value // self.per)

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for factor in self.factors for name in factor.names)

    @property
    def rank(self) -> int:
        """Simplest first: plain products, then with a whole number, then of one changed size, of two, or of one with a whole number."""
        changed_count, is_scaled = sum(not factor.is_plain for factor in self.factors), self.times != 1 or self.per != 1
        return int(is_scaled) + (changed_count + 1 if changed_count else 0)


class CountAtSizes(Record):
    """A count at the sizes of a launch."""

    sizes: Sizes
    count: int


class SeenBlocks(Record):
    """Blocks along one axis of one launch's grid."""

    sizes: Sizes
    block: Dim3
    count: int
    axis: str = "x"


def explain_extent(seen: Sequence[CountAtSizes]) -> tuple[Term, ...]:
    """The simplest terms for how many elements a buffer holds; the first launch's count is met exactly, others may have larger buffers."""
    return _simplest(term for term in _fitting(seen[0]) if all(term.at(other.sizes) <= other.count for other in seen[1:]))


def explain_count(seen: CountAtSizes) -> tuple[Term, ...]:
    """The simplest terms for a count that is met exactly (elements that a launch writes)."""
    return _simplest(_fitting(seen))


def explain_blocks(seen: Sequence[SeenBlocks], others: Sequence[Term] = ()) -> tuple[Term, ...]:
    """The simplest terms for the blocks of a grid's axis, likeliest first; launches of other sizes must be met as well.

    ``others``: terms of buffers, which a grid may cover as a whole.
    """
    first = seen[0]
    found: dict[Term, tuple[int, ...]] = {}
    for term in dict.fromkeys((*_products(first.sizes), *others)):
        is_composed = len(term.factors) != 1 or not all(factor.is_plain for factor in term.factors)
        for order, covered in enumerate(_covered(first, is_composed)):
            blocks = Term(term.factors, term.times, term.per * covered)
            if blocks.at(first.sizes) == first.count:
                if all(other.count == blocks.at(other.sizes) for other in seen[1:] if other.block == first.block):
                    found[blocks] = (term.rank, len(term.factors), order)
                break
    simplest = min((key[:-1] for key in found.values()), default=())
    return tuple(sorted((term for term, key in found.items() if key[:-1] == simplest), key=found.__getitem__))


def _covered(seen: SeenBlocks, is_composed: bool) -> Iterator[int]:
    """What one block may cover along an axis, likeliest first; of what several integers compose less, as more would fit by chance."""
    block, own = seen.block, getattr(seen.block, seen.axis)
    if seen.axis != "x":
        counts = [own, 1] if is_composed else [size * items for items in _COARSENING for size in (own, 1)]
        return iter(dict.fromkeys((*counts, *(() if is_composed else _TILES))))
    whole = (block.x, block.y, block.z, block.count, block.x * block.y, max(1, block.count // _WARP_THREADS), 1)
    counts = [size * items for items in _COARSENING for size in whole]
    return iter(dict.fromkeys((*counts, *(() if is_composed else _WIDE_TILES))))


def _fitting(seen: CountAtSizes) -> Iterator[Term]:
    """Terms that give ``count``, with a whole multiple or part where the product alone does not."""
    for term in _products(seen.sizes):
        value = term.at(seen.sizes)
        if value <= 0 or seen.count <= 0:
            continue
        if seen.count % value == 0 and seen.count // value <= _LARGEST_MULTIPLE:
            yield Term(term.factors, times=seen.count // value)
        elif value % seen.count == 0 and value // seen.count in _DIVISORS:
            yield Term(term.factors, per=value // seen.count)


def _products(sizes: Sizes) -> Iterator[Term]:
    """Products of one to three sizes: plain, all changed alike, or one of them changed; and of the members of a struct."""
    every = [name for name, value in sizes.items() if value > 1]
    names = every[:_MOST_NAMES]
    changes = _changes(names)
    for count in range(1, _MOST_FACTORS + 1):
        for chosen in combinations_with_replacement(names, count):
            plain = tuple(_Factor(name) for name in chosen)
            yield Term(plain)
            for change in changes:
                if change.minus in chosen:
                    continue
                changed = tuple(_changed(change, name) for name in chosen)
                yield Term(changed)
                for place in range(count if count > 1 else 0):
                    yield Term((*plain[:place], changed[place], *plain[place + 1 :]))
    for chosen in combinations(names, _MOST_PLAIN_FACTORS):
        yield Term(tuple(_Factor(name) for name in chosen))
    for struct in dict.fromkeys(name.rpartition(".")[0] for name in every if "." in name):
        members = [name for name in every if name.rpartition(".")[0] == struct]
        if len(every) > _MOST_NAMES or len(members) > _MOST_PLAIN_FACTORS:
            yield from (
                Term(tuple(map(_Factor, chosen))) for count in range(2, _MOST_MEMBERS + 1) for chosen in combinations(members, count)
            )


def _changes(names: Sequence[str]) -> tuple[_Factor, ...]:
    halved = [_Factor("", divide=by, is_rounded_up=up) for by in _DIVISORS[:3] for up in (False, True)]
    inside = [_Factor("", add=add, minus=name) for name in names for add in (1, 0)]
    return (*(_Factor("", add=add) for add in _OFFSETS), *halved, *inside)


def _changed(change: _Factor, name: str) -> _Factor:
    return _Factor(name, change.add, change.divide, change.is_rounded_up, change.minus)


def _simplest(terms: Iterator[Term]) -> tuple[Term, ...]:
    found = list(dict.fromkeys(terms))
    best = min((term.rank for term in found), default=None)
    return tuple(term for term in found if term.rank == best)
