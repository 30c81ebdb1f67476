"""In which order a program's kernels are searched: those first that take most of its time.

Where a GPU ran the program, by its own time stamps of all launches; else by what is predicted of them. Pure. Example::

    order = searched_order(evaluation)
    order.names, order.shares      # ("project", "column_norm"), (0.97, 0.02)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import inf

from assistant.engine.evaluate import AssessedLaunch, Evaluation, KernelAssessment
from assistant.engine.report import share_in_words
from assistant.record import Record

__all__ = ["SearchedOrder", "searched_order"]


class SearchedOrder(Record):
    """The kernels whose text can be edited, the costliest first."""

    names: tuple[str, ...]
    """Qualified names."""
    shares: tuple[float, ...] = ()
    """Of all launches' measured time, in the same order; none where nothing was measured."""
    costs_s: tuple[float, ...] = ()
    """What all launches of each take together, in the same order, measured or predicted; infinite where nothing was counted."""

    def share_of(self, name: str) -> float:
        """What the kernel takes of all kernels' time (0 to 1); 1 where nothing was counted of some."""
        all_s = sum(self.costs_s)
        return self.costs_s[self.names.index(name)] / all_s if 0.0 < all_s < inf else 1.0

    def part_of_time(self, left: Sequence[str]) -> float:
        """Of the time that is left the part (0 to 1) for the first of the kernels that are left: what it takes of all that they take."""
        costs = dict(zip(self.names, self.costs_s, strict=True))
        first_s, all_s = costs[left[0]], sum(costs[name] for name in left)
        return first_s / all_s if 0.0 < all_s < inf else 1.0 / len(left)

    @property
    def words(self) -> str | None:
        """What the order rests on, where that was measured and there is a choice."""
        if len(self.names) < 2 or not self.shares:
            return None
        parts = ", ".join(f"{name} {share_in_words(share)}" for name, share in zip(self.names, self.shares, strict=True))
        return f"kernels are searched in the order of what they take of the GPU's time: {parts}"


def searched_order(evaluation: Evaluation) -> SearchedOrder:
    """By what all launches of a kernel take together, of all its instances."""
    kernels = [item for item in evaluation.assessment.kernels if not item.kernel.macro]
    measured = _measured_s(evaluation)
    is_measured = bool(measured) and all(item.instance in measured for item in kernels)
    cost: defaultdict[str, float] = defaultdict(float)
    for item in kernels:
        cost[item.kernel.qualified_name] += measured[item.instance] if is_measured else _predicted_s(item)
    names = tuple(sorted(cost, key=lambda name: -cost[name]))
    total_s = sum(measured.values())
    shares = tuple(cost[name] / total_s for name in names) if is_measured and total_s else ()
    return SearchedOrder(names, shares, tuple(cost[name] for name in names))


def _measured_s(evaluation: Evaluation) -> Mapping[str, float]:
    """Seconds of each instance by the GPU's time stamps; of none where one of its shapes has no time."""
    recording = evaluation.counted.recording
    found: defaultdict[str, float] = defaultdict(float)
    for shape in () if recording is None else recording.shape_counts:
        if shape.time_ns is None:
            return {}
        found[shape.kernel] += shape.time_ns * 1e-9
    return found


def _predicted_s(item: KernelAssessment) -> float:
    """What was not counted is taken to last as long as the kernel's longest launch that was; a kernel of which nothing was counted, since
    none of its blocks ended in its time, comes first."""
    counted = [launch for launch in item.launches if launch.is_counted]
    if not counted:
        return inf
    return _total_s(item.launches, max(launch.predicted.time_s for launch in counted))


def _total_s(launches: Sequence[AssessedLaunch], otherwise_s: float) -> float:
    return sum(launch.total_time_s if launch.is_counted else launch.count * otherwise_s for launch in launches)
