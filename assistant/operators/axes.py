"""Along which axes of a kernel the dimensions of a tensor run, through views: transposed, expanded, split and merged dimensions. Pure.

An axis is one loop of a kernel, or one coordinate of its threads. Example::

    home_of(Axis("r0", 4), Axis("r1", 6) for x.t())     # the axes along which the dimensions of x itself run
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assistant.operators.graph import TensorUse
from assistant.record import Record

__all__ = ["Alignment", "Axis", "NoLayoutError", "SplitError", "axes_of", "behind_broadcast", "home_alignment", "split_for"]


class Axis(Record):
    """Equal where the same loop is meant."""

    label: str
    size: int
    parent: str = ""
    """The label of the axis that was split into this one and others; the outer part is named first."""
    is_outer: bool = False
    """Whether it is the outer part of its parent."""


Alignment = tuple[tuple[Axis, ...], ...]
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
    return tuple(axis for axes in alignment for axis in axes)


def behind_broadcast(shape: Sequence[int], whole: Sequence[int], alignment: Alignment) -> Alignment:
    """Of a tensor that is broadcast to ``whole``, which is aligned so."""
    missing = len(whole) - len(shape)
    if missing < 0 or any(mine not in (1, size) for mine, size in zip(shape, whole[missing:], strict=True)):
        raise NoLayoutError
    return tuple(axes if mine == size else () for mine, size, axes in zip(shape, whole[missing:], alignment[missing:], strict=True))


def home_alignment(use: TensorUse, alignment: Alignment, home: TensorUse) -> Alignment:
    """Of the tensor that filled the memory, where ``use``, a view of it, is aligned so.

    Raises NoLayoutError for a part of it, and SplitError where an axis runs over two of its dimensions.
    """
    if use.shape == home.shape and use.steps == home.steps and use.offset == home.offset:
        return alignment
    if use.offset != home.offset:
        raise NoLayoutError
    pieces = sorted(_pieces(use, alignment), key=lambda piece: (-piece[1], -piece[0].size))
    found: dict[int, tuple[Axis, ...]] = {}
    for place in sorted(range(len(home.shape)), key=lambda place: (-home.steps[place], -home.shape[place])):
        found[place], pieces = _along(home.shape[place], home.steps[place], pieces)
    if any(axis.size > 1 for axis, _ in pieces):
        raise NoLayoutError
    return tuple(found[place] for place in range(len(home.shape)))


def _pieces(use: TensorUse, alignment: Alignment) -> Iterable[tuple[Axis, int]]:
    """Each axis with the distance between its neighbours in memory; none for what is expanded."""
    for size, step, axes in zip(use.shape, use.steps, alignment, strict=True):
        if size > 1 and step == 0:
            continue
        inner = step
        for axis in reversed(axes):
            yield axis, inner
            inner *= axis.size


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
