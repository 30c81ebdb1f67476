"""What two programs do differently on the device, from the first launch that differs to the last one: a Region.

Launches that are the same in both, at the beginning and at the end, belong to neither. A Region that both programs repeat equally
often (the steps of a simulation) is one repetition. Example::

    region = find_region(of_a, of_b)      # both in program order
    region.before, region.after, region.count     # (2, 3), (2,), 100: launches 2 and 3 of A became launch 2 of B, a hundred times
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from assistant.model.launch import LaunchConfig
from assistant.model.recording import DeviceStep, Recording
from assistant.record import Record

__all__ = ["OrderedLaunch", "Region", "find_region", "launches_in_order", "steps_within"]

_MOST_NEIGHBOURS = 64
"""Launches beside the differing ones that may belong to a repetition."""


class OrderedLaunch(Record):
    """One launch of a program; two that are equal do the same."""

    kernel: str
    config: LaunchConfig
    is_edited: bool
    """Its code is not the same in both versions: equal launches are none."""
    arguments: str | None
    """Its plain arguments, pointers blanked; None where they were not kept: they say nothing then."""


class Region(Record):
    """Launches of both programs, by their place in program order, of one repetition."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    count: int
    """Repetitions in the program."""
    step: tuple[int, int]
    """Launches from one repetition to the next one, of A and of B."""


def launches_in_order(recording: Recording, edited: frozenset[str]) -> tuple[OrderedLaunch, ...] | None:
    """Every launch of the program; None where its order is not known. ``edited``: instances whose code differs."""
    if recording.steps is None:
        return None
    kept = {launch.index: launch for launch in recording.launches}
    shapes = [recording.shape_counts[step.shape] for step in recording.steps if step.kind == "launch"]
    return tuple(
        OrderedLaunch(
            shape.kernel,
            shape.config,
            shape.kernel in edited,
            " ".join(_plain(argument.data_hex, [p.offset_bytes for p in argument.pointers]) for argument in kept[index].arguments)
            if index in kept
            else None,
        )
        for index, shape in enumerate(shapes)
    )


def find_region(a: Sequence[OrderedLaunch], b: Sequence[OrderedLaunch]) -> Region | None:
    """None where the launches of both are the same, or one of the two has none at all."""
    if not a or not b:
        return None
    first = _same_at_start(a, b)
    if first == len(a) == len(b):
        return None
    last = _same_at_end(a[first:], b[first:])
    repeated = _repeated(a, b, first, last)
    if repeated is not None:
        return repeated
    sides = (range(first, len(a) - last), range(first, len(b) - last))
    return _region(*(_with_neighbour(side, sides, len(whole)) for side, whole in zip(sides, (a, b), strict=True)))


def steps_within(recording: Recording, launches: Sequence[int]) -> tuple[DeviceStep, ...]:
    """Everything that the program asked for from the first of these launches to the last one."""
    found = list[DeviceStep]()
    index = -1
    for step in recording.steps or ():
        index += step.kind == "launch"
        if index > launches[-1] or (index == launches[-1] and step.kind != "launch"):
            break
        if index >= launches[0]:
            found.append(step)
    return tuple(found)


def _region(before: range, after: range) -> Region:
    return Region(tuple(before), tuple(after), 1, (len(before), len(after)))


def _with_neighbour(side: range, sides: tuple[range, range], length: int) -> range:
    """Where one side has no launch of its own, both get the one before, or the one behind."""
    if all(sides):
        return side
    return range(side.start - 1, side.stop) if side.start > 0 else range(side.start, min(side.stop + 1, length))


def _same_at_start(a: Sequence[OrderedLaunch], b: Sequence[OrderedLaunch]) -> int:
    count = 0
    for left, right in zip(a, b, strict=False):
        if not _is_same(left, right):
            break
        count += 1
    return count


def _same_at_end(a: Sequence[OrderedLaunch], b: Sequence[OrderedLaunch]) -> int:
    return _same_at_start(a[::-1], b[::-1])


def _is_same(left: OrderedLaunch, right: OrderedLaunch) -> bool:
    if left.is_edited or right.is_edited or (left.kernel, left.config) != (right.kernel, right.config):
        return False
    return left.arguments is None or right.arguments is None or left.arguments == right.arguments


def _repeated(a: Sequence[OrderedLaunch], b: Sequence[OrderedLaunch], first: int, last: int) -> Region | None:
    """One repetition of what differs, where both repeat it equally often; launches that are the same in both may stand in it."""
    best: Region | None = None
    for left in range(min(first, _MOST_NEIGHBOURS) + 1):
        for right in range(min(last, _MOST_NEIGHBOURS) + 1) if left == 0 else (0,):
            region = _repeats_of(a[first - left : len(a) - last + right], b[first - left : len(b) - last + right], first - left)
            if region is not None and (best is None or region.count > best.count):
                best = region
    return best


def _repeats_of(a: Sequence[OrderedLaunch], b: Sequence[OrderedLaunch], start: int) -> Region | None:
    """The first repetition, without what is the same in both at its ends."""
    if not a or not b:
        return None
    periods = _period(a), _period(b)
    count = gcd(len(a) // periods[0], len(b) // periods[1])
    if count == 1:
        return None
    step = len(a) // count, len(b) // count
    one = a[: step[0]], b[: step[1]]
    before = _same_at_start(*one)
    if before == step[0] == step[1]:
        return None  # it differs elsewhere
    behind = _same_at_end(one[0][before:], one[1][before:])
    sides = (range(before, step[0] - behind), range(before, step[1] - behind))
    left, right = (tuple(start + index for index in _with_neighbour(side, sides, length)) for side, length in zip(sides, step, strict=True))
    return Region(left, right, count, step)


def _period(launches: Sequence[OrderedLaunch]) -> int:
    """Of kernels and configurations: the least length of which the whole is a repetition (Knuth, Morris and Pratt's failure function)."""
    keys = [(launch.kernel, launch.config) for launch in launches]
    borders = [0] * len(keys)
    for index in range(1, len(keys)):
        border = borders[index - 1]
        while border and keys[index] != keys[border]:
            border = borders[border - 1]
        borders[index] = border + (keys[index] == keys[border])
    period = len(keys) - borders[-1]
    return period if len(keys) % period == 0 else len(keys)


def _plain(data_hex: str, pointers: Sequence[int]) -> str:
    data = bytearray.fromhex(data_hex)
    for offset in pointers:
        data[offset : offset + 8] = bytes(8)
    return data.hex()
