"""Where an array of which a part is read has its elements, in C. Pure.

Example::

    part_index(((n,), Window((m,), (1,), 24, 48)), lines, names)     # "row * 48 + i + 24": the second half of each row
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assistant.operators.axes import Alignment, Axis, Window, axes_of
from assistant.operators.kernel_plan import Line, added, bracketed, index, multiplied

__all__ = ["part_index", "part_step", "size_word", "where_not_empty"]

_VECTOR = 4
"""Neighbours that are read at once."""


def part_index(part: Alignment, lines: Sequence[Line], names: Mapping[str, str], vector: Axis | None = None) -> str:
    """Of the element that the lines stand at; ``part``: the array's dimensions in the order of memory; ``vector``: the axis along which a
    thread has WIDTH neighbours."""
    summands: list[str] = []
    for along, behind in _runs(part):
        step = _size(behind, names)
        places = list(_places(along, lines, names))
        place = " + ".join(places) or "0"
        if isinstance(along, Window) and along.is_joined:
            place, places = _joined_place(along, place, names, vector), []
        summands.append(place if step == "1" else f"{bracketed(place, ' + ')} * {step}")
    return " + ".join(summand for summand in summands if summand != "0" and not summand.startswith("0 * ")) or "0"


def part_step(part: Alignment, names: Mapping[str, str]) -> tuple[str, bool]:
    """How far apart neighbours along the last axis lie, in C, and whether four of them can be read at once."""
    place = max((at for at, along in enumerate(part) if axes_of((along,))), default=None)
    if place is None:
        return "1", True
    along, behind = part[place], _size(part[place + 1 :], names)
    if not isinstance(along, Window):
        return behind, behind == "1"
    own = along.steps[-1]
    numbers = () if along.share_count else (along.size, along.first, along.begin, *along.steps[:-1])
    if along.is_joined:
        numbers = (*numbers, sum(axis.size for axis in along.before), along.reach.size)
        if not all(names[axis.label].isdigit() for axis in along.joined):
            return behind, False
    step = str(own) if behind == "1" else behind if own == 1 else f"{own} * {behind}"
    return step, step == "1" and all(number % _VECTOR == 0 for number in numbers)


def where_not_empty(part: Alignment, names: Mapping[str, str]) -> str:
    """The condition, in C, under which there is a nearest element; empty where there always is."""
    sizes = [names[along.reach.label] for along in part if isinstance(along, Window) and along.is_joined]
    return " && ".join(f"{size} > 0" for size in sizes if not size.isdigit())


def _runs(part: Alignment) -> Iterator[tuple[tuple[Axis, ...] | Window, Alignment]]:
    """Dimensions with those behind them; whole ones side by side as one."""
    whole: tuple[Axis, ...] = ()
    for at, along in enumerate(part):
        if isinstance(along, Window):
            yield along, part[at + 1 :]
        else:
            whole += along
            if at + 1 == len(part) or isinstance(part[at + 1], Window):
                yield whole, part[at + 1 :]
                whole = ()


def _places(along: tuple[Axis, ...] | Window, lines: Sequence[Line], names: Mapping[str, str]) -> Iterator[str]:
    """Summands of where the lines stand along dimensions."""
    if not isinstance(along, Window):
        used = {axis for line in lines for axis in line.axes}
        yield index([axis for axis in along if axis.size > 1 or axis in used], (), lines, names)
        return
    for axis, step in zip(along.axes, along.steps, strict=True):
        place = index((axis,), (), lines, names)
        yield place if step == 1 else f"{place} * {step}"
    if along.first and not along.is_joined:
        yield _first(along, names)


def _joined_place(window: Window, place: str, names: Mapping[str, str], vector: Axis | None) -> str:
    """Of the nearest element. In front of a multiple of four elements there are none of two arrays among four neighbours."""
    if names[window.reach.label] == "1":
        return str(window.begin)
    before = added(names[axis.label] for axis in window.before)
    begins = place if before == "0" else f"{place} - {bracketed(before)}"
    place = f"clamped({begins}, {names[window.reach.label]} - {'WIDTH' if vector in window.axes else '1'})"
    return f"({window.begin} + {place})" if window.begin else place


def _first(window: Window, names: Mapping[str, str]) -> str:
    name = names[window.axes[0].label] if window.share_count else ""
    if not name or name.isdigit():
        return str(window.first)
    number = window.first // window.axes[0].size
    return name if number == 1 else multiplied((str(number), name))


def size_word(window: Window, names: Mapping[str, str]) -> str:
    """How long the dimension is of which a part is read, in C."""
    if window.is_whole:
        return names[window.reach.label]
    name = names[window.axes[0].label] if window.share_count else ""
    if not name or name.isdigit():
        return str(window.size)
    whole, _, count = name.partition(" / ")
    return whole if count == str(window.share_count) else multiplied((str(window.share_count), name))


def _size(part: Alignment, names: Mapping[str, str]) -> str:
    """How many elements dimensions have together, in C."""
    words = [
        word
        for along in part
        for word in ([size_word(along, names)] if isinstance(along, Window) else [names[axis.label] for axis in along])
    ]
    return multiplied(word for word in words if word != "1")
