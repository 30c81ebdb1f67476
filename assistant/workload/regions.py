"""What two programs do differently on the device, from the first step that differs to the last one: a Region.

Steps are launches, copies and fills. Those that are the same in both, at the beginning and at the end, belong to neither. A Region that
both programs repeat equally often (a loop of a simulation) is one repetition. Example::

    region = find_region(of_a, of_b)      # both in program order
    region.before, region.after, region.count     # (2, 3), (2,), 100: steps 2 and 3 of A became step 2 of B, a hundred times
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from math import gcd

from assistant.model.launch import LaunchConfig
from assistant.model.recording import HOST_COPIES, WORK_KINDS, DeviceStep, Recording
from assistant.record import Record
from assistant.workload.stream_order import needs_in_order
from assistant.workload.stream_regions import joined, may_overlap

__all__ = [
    "OrderedStep",
    "Region",
    "find_region",
    "have_other_operations",
    "have_other_order",
    "host_copies_of_both",
    "launches_of",
    "seen_alike",
    "steps_in_order",
    "steps_within",
    "work_key",
]

_MOST_NEIGHBOURS = 64
"""Steps next to the differing ones that may belong to a repetition."""


class OrderedStep(Record):
    """One launch, copy or fill of a program; two that are equal do the same."""

    kind: str
    """As of ``DeviceStep``."""
    kernel: str = ""
    """For a launch: its kernel."""
    config: LaunchConfig | None = None
    """For a launch: its configuration."""
    is_edited: bool = False
    """Its code is not the same in both versions: equal launches are none."""
    arguments: str | None = None
    """For a launch: its plain arguments, pointers blanked; None where they were not kept: they say nothing then."""
    size_bytes: int = 0
    """For a copy or fill: its size."""
    is_pinned: bool | None = None
    """For a copy between host and device: the host's memory is page-locked; None where that is not known."""
    needs: tuple[int, ...] = (1,)
    """How many steps before it those stand that it waits for, without what follows from others; so too where that is not known."""

    @property
    def is_launch(self) -> bool:
        return self.kind == "launch"

    @property
    def is_of_device(self) -> bool:
        """Work of the device's own; copies to or from the host depend on the link between both."""
        return self.kind not in HOST_COPIES


class Region(Record):
    """Steps of both programs, by their place in program order, of one repetition."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    count: int
    """Repetitions in the program."""
    step: tuple[int, int]
    """Steps from one repetition to the next one, of A and of B."""


def steps_in_order(recording: Recording, edited: frozenset[str]) -> tuple[OrderedStep, ...] | None:
    """Every launch, copy and fill of the program; None where their order is not known. ``edited``: instances whose code differs."""
    if recording.steps is None:
        return None
    kept = {launch.index: launch for launch in recording.launches}
    found, index = list[OrderedStep](), -1
    needs = _distances(recording)
    for step in recording.steps:
        if step.kind not in WORK_KINDS:
            continue
        if step.kind != "launch":
            is_pinned = step.is_pinned if step.kind in HOST_COPIES else None
            found.append(OrderedStep(step.kind, size_bytes=step.size_bytes, is_pinned=is_pinned, needs=needs[len(found)]))
            continue
        index += 1
        shape = recording.shape_counts[step.shape]
        arguments = (
            " ".join(_plain(argument.data_hex, [p.offset_bytes for p in argument.pointers]) for argument in kept[index].arguments)
            if index in kept
            else None
        )
        found.append(OrderedStep("launch", shape.kernel, shape.config, shape.kernel in edited, arguments, needs=needs[len(found)]))
    return tuple(found)


def seen_alike(a: Recording, b: Recording) -> tuple[Recording, Recording]:
    """Both recordings with what the recorders of both see.

    A GPU's own recorder sees neither waits nor whether the host's memory is page-locked; the emulator's run of one version adds both where
    it can run that version.
    """
    if a.are_waits_seen == b.are_waits_seen:
        return a, b
    return _without_waits(a), _without_waits(b)


def _without_waits(recording: Recording) -> Recording:
    if recording.steps is None or not recording.are_waits_seen:
        return recording
    return replace(recording, steps=tuple(replace(step, is_pinned=None) for step in recording.steps), are_waits_seen=False)


def have_other_operations(a: Recording, b: Recording) -> bool:
    """Whether the copies and fills of both differ in number, size or kind of memory; False where their order is not known."""
    if a.steps is None or b.steps is None:
        return False
    counts = [Counter(_operation(step) for step in side.steps or () if step.kind in WORK_KINDS - {"launch"}) for side in (a, b)]
    return counts[0] != counts[1]


def _operation(step: DeviceStep) -> tuple[str, int, bool | None]:
    return step.kind, step.size_bytes, step.is_pinned if step.kind in HOST_COPIES else None


def have_other_order(a: Sequence[OrderedStep], b: Sequence[OrderedStep]) -> bool:
    """Whether one of both lets work overlap that waits for other things in the other: in other streams, or with other waits."""
    if not may_overlap((*a, *b)):
        return False
    orders = [[(step.kind, step.kernel, step.size_bytes, step.needs) for step in side] for side in (a, b)]
    return orders[0] != orders[1]


def _distances(recording: Recording) -> tuple[tuple[int, ...], ...]:
    """As ``OrderedStep.needs``, of each launch, copy and fill."""
    order = needs_in_order(recording)
    if order is None:
        return ((1,),) * sum(step.kind in WORK_KINDS for step in recording.steps or ())
    return tuple(tuple(place - other for other in needed) if place else (1,) for place, needed in enumerate(order))


def find_region(a: Sequence[OrderedStep], b: Sequence[OrderedStep], *, may_repeat: bool = True) -> Region | None:
    """None where the steps of both are the same, or one of the two does nothing on the device at all. Without ``may_repeat`` what lies
    between repetitions belongs to it."""
    if not any(step.is_of_device for step in a) or not any(step.is_of_device for step in b):
        return None
    first = _same_at_start(a, b)
    if first == len(a) == len(b):
        return None
    last = _same_at_end(a[first:], b[first:])
    repeated = _repeated(a, b, first, last) if may_repeat else None
    if repeated is not None:
        return repeated
    before, after = _with_neighbours(a, b, range(first, len(a) - last), range(first, len(b) - last))
    if may_overlap((*a, *b)):
        before, after = joined(a, b, before, after)
    return Region(tuple(before), tuple(after), 1, (len(before), len(after)))


def launches_of(steps: Sequence[OrderedStep], chosen: Sequence[int]) -> tuple[int, ...]:
    """Those of the chosen steps that are launches, by their place among all launches (``RecordedLaunch.index``)."""
    wanted, found, index = frozenset(chosen), list[int](), -1
    for place, step in enumerate(steps):
        index += step.is_launch
        if step.is_launch and place in wanted:
            found.append(index)
    return tuple(found)


def host_copies_of_both(a: Sequence[OrderedStep], b: Sequence[OrderedStep]) -> Counter[OrderedStep]:
    """Copies between host and device that both make, of the same size."""
    counts = [Counter(step for step in side if not step.is_of_device) for side in (a, b)]
    return counts[0] & counts[1]


def steps_within(recording: Recording, steps: Sequence[int]) -> tuple[DeviceStep, ...]:
    """Everything that the program asked for from the first of these launches, copies and fills to the last one."""
    found = list[DeviceStep]()
    index = -1
    for step in recording.steps or ():
        index += (is_work := step.kind in WORK_KINDS)
        if index > steps[-1] or (index == steps[-1] and not is_work):
            break
        if index >= steps[0]:
            found.append(step)
    return tuple(found)


def _with_neighbours(a: Sequence[OrderedStep], b: Sequence[OrderedStep], before: range, after: range) -> tuple[range, range]:
    """Where one side has no work of the device's own, both get what is the same in both, up to the next such work on either side: what is
    left out stands between what remains."""
    if _has_work(a, before) and _has_work(b, after):
        return before, after
    left = next((number for number in range(1, before.start + 1) if a[before.start - number].is_of_device), 0)
    behind = min(len(a) - before.stop, len(b) - after.stop)
    right = next((number for number in range(1, behind + 1) if a[before.stop + number - 1].is_of_device), 0)
    wider = [range(side.start - left, side.stop + right) for side in (before, after)]
    return wider[0], wider[1]


def _has_work(steps: Sequence[OrderedStep], chosen: range) -> bool:
    return any(steps[index].is_of_device for index in chosen)


def _same_at_start(a: Sequence[OrderedStep], b: Sequence[OrderedStep]) -> int:
    count = 0
    for left, right in zip(a, b, strict=False):
        if not _is_same(left, right):
            break
        count += 1
    return count


def _same_at_end(a: Sequence[OrderedStep], b: Sequence[OrderedStep]) -> int:
    return _same_at_start(a[::-1], b[::-1])


def _is_same(left: OrderedStep, right: OrderedStep) -> bool:
    if left.is_edited or right.is_edited or work_key(left) != work_key(right) or left.needs != right.needs:
        return False
    return left.arguments is None or right.arguments is None or left.arguments == right.arguments


def _repeated(a: Sequence[OrderedStep], b: Sequence[OrderedStep], first: int, last: int) -> Region | None:
    """One repetition of what differs, where both repeat it equally often; steps that are the same in both may stand in it."""
    best: Region | None = None
    for left, right in _extensions(a[first : len(a) - last], b[first : len(b) - last], first, last):
        region = _repeats_of(a[first - left : len(a) - last + right], b[first - left : len(b) - last + right], first - left)
        if region is not None and (best is None or region.count > best.count):
            best = region
    return best


def _extensions(a: Sequence[OrderedStep], b: Sequence[OrderedStep], first: int, last: int) -> Iterator[tuple[int, int]]:
    """How many of the steps that are the same before and behind may belong to the repetition: those of one side, or of both where they fill
    up whole periods of what differs."""
    lefts, rights = range(min(first, _MOST_NEIGHBOURS) + 1), range(min(last, _MOST_NEIGHBOURS) + 1)
    yield from ((left, 0) for left in lefts)
    yield from ((0, right) for right in rights[1:])
    if not a or not b:
        return
    periods = _least_period(a), _least_period(b)
    filling = (
        (left, right)
        for left in lefts[1:]
        for right in rights[1:]
        if not any((len(side) + left + right) % period for side, period in zip((a, b), periods, strict=True))
    )
    yield from islice(filling, _MOST_NEIGHBOURS)


def _repeats_of(a: Sequence[OrderedStep], b: Sequence[OrderedStep], start: int) -> Region | None:
    """The first repetition, without what is the same in both at its ends; the whole of it where one side would have no work of the device's
    own then."""
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
    if not _has_work(one[0], sides[0]) or not _has_work(one[1], sides[1]):
        sides = (range(step[0]), range(step[1]))
        if not _has_work(one[0], sides[0]) or not _has_work(one[1], sides[1]):
            return None
    left, right = (tuple(start + index for index in side) for side in sides)
    return Region(left, right, count, step)


def work_key(step: OrderedStep) -> tuple[str, str, LaunchConfig | None, int, bool | None]:
    """What both repeat, whatever its arguments and what it waits for."""
    return step.kind, step.kernel, step.config, step.size_bytes, step.is_pinned


def _period(steps: Sequence[OrderedStep]) -> int:
    """The least length of which the whole is a repetition."""
    period = _least_period(steps)
    return period if len(steps) % period == 0 else len(steps)


def _least_period(steps: Sequence[OrderedStep]) -> int:
    """By kinds, kernels, configurations and sizes: after how many steps each comes again, the last repetition whole or not (Knuth, Morris
    and Pratt's failure function)."""
    keys = [work_key(step) for step in steps]
    borders = [0] * len(keys)
    for index in range(1, len(keys)):
        border = borders[index - 1]
        while border and keys[index] != keys[border]:
            border = borders[border - 1]
        borders[index] = border + (keys[index] == keys[border])
    return len(keys) - borders[-1]


def _plain(data_hex: str, pointers: Sequence[int]) -> str:
    data = bytearray.fromhex(data_hex)
    for offset in pointers:
        data[offset : offset + 8] = bytes(8)
    return data.hex()
