"""The Region in which the programs of two versions differ, with everything that both do on the device.

Example::

    ProgramRegion(region, of_a, of_b).name      # 'scale, copy on the GPU, add → scale_add'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from assistant.engine.request import WHOLE_PROGRAM
from assistant.model.recording import STEP_WORDS
from assistant.profile.quantity import counted_noun, first_of
from assistant.record import Record
from assistant.workload.regions import OrderedStep, Region, host_copies_of_both
from assistant.workload.select import kernel_name
from assistant.workload.stream_regions import may_overlap

__all__ = ["ProgramRegion"]

_MOST_NAMES = 4


class ProgramRegion(Record):
    """Where two programs differ, with all of their launches, copies and fills."""

    region: Region
    before: tuple[OrderedStep, ...]
    after: tuple[OrderedStep, ...]
    asked: str | None = None
    """What a person asked for: ``main``, or a function of the host; None: what differs."""

    @property
    def sides(self) -> tuple[tuple[OrderedStep, ...], tuple[OrderedStep, ...]]:
        """The Region's own steps, of A and of B."""
        old = tuple(self.before[index] for index in self.region.before)
        return old, tuple(self.after[index] for index in self.region.after)

    @property
    def may_overlap(self) -> bool:
        """Whether some of it may run at the same time, so that what B leaves as it is counts too."""
        return any(may_overlap(side[1:]) for side in self.sides)

    @property
    def counted(self) -> tuple[tuple[OrderedStep, ...], tuple[OrderedStep, ...]]:
        """Those that are in the ratio: without the host copies that B leaves as they are, unless these may hide behind other work."""
        old, new = self.counted_places
        return tuple(self.before[place] for place in old), tuple(self.after[place] for place in new)

    @property
    def counted_places(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Where those are in ``before`` and ``after``."""
        if self.may_overlap:
            return self.region.before, self.region.after
        same = host_copies_of_both(*self.sides)
        return _without(self.before, self.region.before, same), _without(self.after, self.region.after, same)

    @property
    def has_fills_alone(self) -> bool:
        """Whether fills, one or more, are all that is in the ratio next to launches, and everything comes one after another."""
        kinds = {step.kind for side in self.counted for step in side}
        return kinds == {"launch", "fill"} and not self.may_overlap

    @property
    def fills_of_both(self) -> tuple[frozenset[int], frozenset[int]]:
        """Where in ``before`` and ``after`` the fills are that both make, of the same size, each once."""
        counts = [Counter(step for step in side if step.kind == "fill") for side in self.sides]
        same = counts[0] & counts[1]
        old, new = (
            frozenset(places) - frozenset(_without(steps, places, same))
            for steps, places in ((self.before, self.region.before), (self.after, self.region.after))
        )
        return old, new

    @property
    def name(self) -> str:
        """``scale, add → scale_add``."""
        if self.asked is not None:
            return self.asked
        old, new = map(_names, self.sides)
        return f"{old} → {new}"

    @property
    def what(self) -> str:
        """``of 2 launches of A and 1 of B as one sequence, 12 times``."""
        old, new = self.counted
        times = f", {self.region.count:,} times" if self.region.count > 1 else ""
        if all(step.is_launch for step in (*old, *new)):
            return f"of {counted_noun(len(old), 'launch', 'launches')} of A and {len(new)} of B as one sequence{times}"
        return f"of {_listed(old)} of A and {_listed(new)} of B as one sequence{times}"

    @property
    def left_out(self) -> tuple[str, ...]:
        """What B leaves as it is and is in no ratio, in words."""
        sides = (self.before, self.after) if self.asked == WHOLE_PROGRAM else self.sides
        same = tuple(host_copies_of_both(*sides).elements())
        if not same or self.may_overlap:
            return ()
        return (f"the same in both and left out: {_listed(same)}, {sum(step.size_bytes for step in same):,} bytes",)


def _without(steps: Sequence[OrderedStep], chosen: Sequence[int], left_out: Counter[OrderedStep]) -> tuple[int, ...]:
    left, found = left_out.copy(), list[int]()
    for place in chosen:
        if left[steps[place]] > 0:
            left[steps[place]] -= 1
        else:
            found.append(place)
    return tuple(found)


def _names(steps: Sequence[OrderedStep]) -> str:
    """Consecutive copies or fills of the same kind are named once."""
    names = list[str]()
    for (kind, is_launch), group in groupby(steps, key=lambda step: (step.kind, step.is_launch)):
        members = list(group)
        names += [kernel_name(step.kernel) for step in members] if is_launch else [_counted(kind, len(members))]
    return first_of(names, _MOST_NAMES)


def _counted(kind: str, count: int) -> str:
    one, many = STEP_WORDS[kind]
    return one if count == 1 else f"{count:,} {many}"


def _listed(steps: Sequence[OrderedStep]) -> str:
    kinds = Counter(step.kind for step in steps)
    words = {"launch": ("launch", "launches"), **STEP_WORDS}
    *others, last = (counted_noun(count, *words[kind]) for kind, count in kinds.items())
    return f"{', '.join(others)} and {last}" if others else last
