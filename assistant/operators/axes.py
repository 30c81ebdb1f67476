"""Along which axes of a kernel the dimensions of a tensor run, through views: transposed, expanded, split and merged dimensions. Pure.

An axis is one loop of a kernel, or one coordinate of its threads. Example::

    home_of(Axis("r0", 4), Axis("r1", 6) for x.t())     # the axes along which the dimensions of x itself run
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from assistant.operators.graph import TensorUse
from assistant.record import Record

__all__ = [
    "FIXED",
    "Alignment",
    "Axis",
    "NoLayoutError",
    "SplitError",
    "WholeAlignment",
    "Window",
    "axes_of",
    "behind_broadcast",
    "has_window",
    "home_alignment",
    "split_for",
    "whole_of",
]


FIXED = "fixed."
"""Begins the labels of axes whose size no input may change."""


class Axis(Record):
    """Equal where the same loop is meant."""

    label: str
    size: int
    parent: str = ""
    """The label of the axis that was split into this one and others; the outer part is named first."""
    is_outer: bool = False
    """Whether it is the outer part of its parent."""

    @property
    def is_fixed(self) -> bool:
        """Whether a part is read of what runs along it: where that begins and ends is the model's own."""
        return self.label.startswith(FIXED)


class Window(Record):
    """A dimension of which a part is read: element ``first`` plus, for each axis, ``steps`` times where that is."""

    axes: tuple[Axis, ...]
    steps: tuple[int, ...]
    first: int
    size: int
    """Of the whole dimension."""
    joined: tuple[Axis, ...] = ()
    """Where it is joined to others: how far each of them reaches, one behind the other. The axes then run on before and behind what is
    read; there the nearest element is meant. Nothing runs along these, unless a kernel before leaves one of them."""
    number: int = 0
    """Of what is joined: which of them is read."""
    begin: int = 0
    """Of what is joined: the first element of the dimension that is read."""

    @property
    def is_joined(self) -> bool:
        return bool(self.joined)

    @property
    def reach(self) -> Axis:
        """How much is read, of what is joined."""
        return self.joined[self.number]

    @property
    def before(self) -> tuple[Axis, ...]:
        """What is joined in front of it."""
        return self.joined[: self.number]

    @property
    def is_last(self) -> bool:
        """Whether nothing is joined behind it."""
        return self.number + 1 == len(self.joined)

    @property
    def is_whole(self) -> bool:
        """Whether what is joined is all of its dimension."""
        return self.is_joined and not self.begin and self.reach.size == self.size

    @property
    def share_count(self) -> int | None:
        """How many parts like this one the dimension has side by side, as those of ``chunk``; None: it is none of such."""
        if self.is_joined or len(self.axes) != 1 or self.steps != (1,) or self.axes[0].is_fixed:
            return None
        length = self.axes[0].size
        return None if self.size % length or self.first % length else self.size // length


WholeAlignment = tuple[tuple[Axis, ...], ...]
"""Of a tensor that is read as a whole."""
Alignment = tuple[tuple[Axis, ...] | Window, ...]
"""For each dimension the axes that it runs along, the outermost first; none where it has one element, or the same for all."""


class NoLayoutError(Exception):
    """A view that is none of the kinds that are known."""


class SplitError(Exception):
    """An axis has to be two: the inner one of this size."""

    def __init__(self, axis: Axis, inner: int) -> None:
        super().__init__(axis.label)
        self.axis = axis
        self.inner = inner


def axes_of(alignment: Alignment) -> tuple[Axis, ...]:
    return tuple(axis for along in alignment for axis in (along.axes if isinstance(along, Window) else along))


def has_window(alignment: Alignment) -> bool:
    """Whether a part is read of a dimension."""
    return any(isinstance(along, Window) for along in alignment)


def whole_of(alignment: Alignment) -> WholeAlignment:
    """The same of a tensor that is read as a whole. Raises NoLayoutError for a part of one."""
    found: list[tuple[Axis, ...]] = []
    for along in alignment:
        if isinstance(along, Window):
            raise NoLayoutError
        found.append(along)
    return tuple(found)


def behind_broadcast(shape: Sequence[int], whole: Sequence[int], alignment: Alignment) -> Alignment:
    """Of a tensor that is broadcast to ``whole``, which is aligned so."""
    missing = len(whole) - len(shape)
    if missing < 0 or any(mine not in (1, size) for mine, size in zip(shape, whole[missing:], strict=True)):
        raise NoLayoutError
    return tuple(axes if mine == size else () for mine, size, axes in zip(shape, whole[missing:], alignment[missing:], strict=True))


def home_alignment(use: TensorUse, alignment: Alignment, home: TensorUse) -> Alignment:
    """Of the tensor that filled the memory, where ``use``, a view of it, is aligned so.

    Raises NoLayoutError for a view of another kind, and SplitError where an axis runs over two of its dimensions.
    """
    if use.shape == home.shape and use.steps == home.steps and use.offset == home.offset:
        return alignment
    if any(isinstance(along, Window) and along.is_joined for along in alignment):
        return _home_of_joined(use, alignment, home)
    pieces = sorted(_pieces(use, alignment), key=lambda piece: (-piece[1], -piece[0].size))
    firsts = [(along.first * step if isinstance(along, Window) else 0) for along, step in zip(alignment, use.steps, strict=True)]
    rest = use.offset - home.offset + sum(firsts)
    found: dict[int, tuple[Axis, ...] | Window] = {}
    for place in sorted(range(len(home.shape)), key=lambda place: (-home.steps[place], -home.shape[place])):
        size, step = home.shape[place], home.steps[place]
        first, rest = (rest // step, rest % step) if size > 1 and step > 0 else (0, rest)
        try:
            found[place], left = _along(size, step, pieces)
            if first:
                raise NoLayoutError
        except NoLayoutError:
            found[place], left = _window(size, step, first, pieces)
        pieces = left
    if rest or any(axis.size > 1 for axis, _ in pieces):
        raise NoLayoutError
    return tuple(found[place] for place in range(len(home.shape)))


def _home_of_joined(use: TensorUse, alignment: Alignment, home: TensorUse) -> Alignment:
    """Where a part of the dimension that is joined is a view of, and all of the others, or one element for all."""
    if len(use.shape) != len(home.shape):
        raise NoLayoutError
    found: list[tuple[Axis, ...] | Window] = []
    rest = use.offset - home.offset
    for along, size, whole, step, own in zip(alignment, use.shape, home.shape, use.steps, home.steps, strict=True):
        if size == whole and (step == own or size == 1):
            found.append(along)
            continue
        if step == 0 and whole == 1 and not isinstance(along, Window):
            found.append(())
            continue
        if step != own or not isinstance(along, Window) or not along.is_whole or step < 1:
            raise NoLayoutError
        begin, rest = divmod(rest, step)
        found.append(replace(along, begin=begin, size=whole))
    if rest:
        raise NoLayoutError
    return tuple(found)


def _pieces(use: TensorUse, alignment: Alignment) -> Iterable[tuple[Axis, int]]:
    """Each axis with the distance between its neighbours in memory; none for what is expanded."""
    for size, step, along in zip(use.shape, use.steps, alignment, strict=True):
        if size > 1 and step == 0:
            continue
        if isinstance(along, Window):
            yield from ((axis, own * step) for axis, own in zip(along.axes, along.steps, strict=True))
            continue
        inner = step
        for axis in reversed(along):
            yield axis, inner
            inner *= axis.size


def _window(size: int, step: int, first: int, pieces: list[tuple[Axis, int]]) -> tuple[Window, list[tuple[Axis, int]]]:
    """The part of a dimension that is read, and the pieces that are left for those further inside."""
    mine = [(axis, own // step) for axis, own in pieces if axis.size > 1 and step <= own < step * size and own % step == 0]
    if size < 2 or first + sum((axis.size - 1) * own for axis, own in mine) >= size:
        raise NoLayoutError
    axes = tuple(axis for axis, _ in mine)
    return Window(axes, tuple(own for _, own in mine), first, size), [piece for piece in pieces if piece[0] not in axes]


def _along(size: int, step: int, pieces: list[tuple[Axis, int]]) -> tuple[tuple[Axis, ...], list[tuple[Axis, int]]]:
    """The axes of one dimension, and the pieces that are left for those further inside."""
    if size == 1:
        own = next((piece for piece in pieces if piece[0].size == 1 and piece[1] == step), None)
        return ((), pieces) if own is None else ((own[0],), [piece for piece in pieces if piece is not own])
    whole = step * size
    mine: list[Axis] = []
    while whole > step:
        at = next((number for number, piece in enumerate(pieces) if piece[0].size > 1), None)
        if at is None:
            raise NoLayoutError
        axis, own = pieces[at]
        if own * axis.size > whole:  # it begins further out
            _split_at(axis, own, whole)
        if own * axis.size != whole:
            raise NoLayoutError
        if own < step:  # it ends further inside
            _split_at(axis, own, step)
        mine.append(axis)
        pieces = [*pieces[:at], *pieces[at + 1 :]]
        whole = own
    return tuple(mine), pieces


def _split_at(axis: Axis, own: int, boundary: int) -> None:
    inner, rest = divmod(boundary, own) if own else (0, 1)
    if rest or not 1 < inner < axis.size or axis.size % inner:
        raise NoLayoutError
    raise SplitError(axis, inner)


def split_for(axes: tuple[Axis, ...], size: int) -> tuple[tuple[Axis, ...], tuple[Axis, ...]]:
    """The axes of a dimension as outer and inner ones, the inner ones of ``size`` elements together. Raises SplitError."""
    inner: list[Axis] = []
    have = 1
    for place in reversed(range(len(axes))):
        if have == size:
            return axes[: place + 1], tuple(reversed(inner))
        axis = axes[place]
        if have * axis.size > size:
            raise SplitError(axis, size // have) if size % have == 0 and axis.size % (size // have) == 0 else NoLayoutError
        inner.append(axis)
        have *= axis.size
    if have != size:
        raise NoLayoutError
    return (), tuple(reversed(inner))
