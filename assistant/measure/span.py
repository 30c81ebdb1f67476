"""How long steps take together that wait for each other only in part: from the start of the first to the end of the last one.

Copies to and from the host have an engine for each direction, which takes them in order. Kernels, fills and copies on the device share the
machine: those run at the same time that fit into it together. Example::

    alone = TimedStep(10e-6, room_ratio=0.1)
    span_s((alone, alone))      # 1.17e-05: both at once, the second one launched 1.7 µs later; 2 * 11.7 µs where one waits for the other
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from assistant.record import Record

__all__ = ["TimedStep", "placed", "shared_span_s", "span_s"]

_ROUNDING = 1e-9
"""Rounding of shares that are added up."""


class TimedStep(Record):
    """One launch, copy or fill."""

    body_s: float
    """Without its launch."""
    launch_s: float = 1.7e-6
    """What the host takes to ask for it, and the device to begin."""
    needs: tuple[int, ...] = ()
    """Places of earlier steps that must have ended."""
    engine: str | None = None
    """For a copy between host and device, its direction; None: the machine."""
    room_ratio: float = 1.0
    """Share of the machine that it takes up (0..1)."""


def span_s(steps: Sequence[TimedStep]) -> float:
    """Seconds, where nothing starts on the machine that does not entirely fit next to what runs there."""
    return max((end_s for _, end_s in placed(steps)), default=0.0)


def placed(steps: Sequence[TimedStep]) -> tuple[tuple[float, float], ...]:
    """When each of them starts and ends, as of `span_s`."""
    issued_s, found, engines, machine = 0.0, list[tuple[float, float]](), dict[str, float](), _Machine()
    for step in steps:
        issued_s += step.launch_s
        ready_s = max([issued_s, *(found[place][1] + step.launch_s for place in step.needs)])
        if step.engine is not None:
            start_s = max(ready_s, engines.get(step.engine, 0.0))
            engines[step.engine] = start_s + step.body_s
        else:
            start_s = machine.take(ready_s, step.body_s, step.room_ratio)
        found.append((start_s, start_s + step.body_s))
    return tuple(found)


def shared_span_s(steps: Sequence[TimedStep]) -> float:
    """Seconds at the least: as ``span_s``, but for kernels that share the machine wherever nothing makes them wait, and keep it busy."""
    work_s = sum(step.body_s * step.room_ratio for step in steps if step.engine is None)
    free = [step if step.engine is not None else TimedStep(step.body_s, step.launch_s, step.needs, None, 0.0) for step in steps]
    return max(span_s(free), work_s)


class _Machine:
    """How much of it is taken up when: ``_shares[i]`` from ``_moments[i]`` to the next one."""

    def __init__(self) -> None:
        self._moments = [0.0]
        self._shares = [0.0]

    def take(self, ready_s: float, body_s: float, room_ratio: float) -> float:
        """When there is room for the whole of it, in the order in which steps were asked for; from then on it is there."""
        start_s = ready_s
        at = bisect_right(self._moments, ready_s) - 1
        while True:
            is_full = self._shares[at] + room_ratio > 1.0 + _ROUNDING
            at += 1
            if is_full:
                start_s = self._moments[at]  # nothing is taken up behind the last moment
            elif at == len(self._moments) or self._moments[at] >= start_s + body_s:
                break
        first, last = self._cut(start_s), self._cut(start_s + body_s)
        for place in range(first, last):
            self._shares[place] += room_ratio
        return start_s

    def _cut(self, moment_s: float) -> int:
        """The place of the moment, which is one from now on."""
        place = bisect_left(self._moments, moment_s)
        if place == len(self._moments) or self._moments[place] != moment_s:
            self._moments.insert(place, moment_s)
            self._shares.insert(place, self._shares[place - 1])
        return place
