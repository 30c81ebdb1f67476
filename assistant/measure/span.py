"""How long steps take together that wait for each other only in part: from the start of the first to the end of the last one.

Copies to and from the host have an engine for each direction, which takes them in order. Kernels, fills and copies on the device share the
machine: those run at the same time that fit into it together. Example::

    alone = TimedStep(10e-6, room_ratio=0.1)
    span_s((alone, alone))      # 1.17e-05: both at once, the second one launched 1.7 µs later; 2 * 11.7 µs where one waits for the other
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.record import Record

__all__ = ["TimedStep", "shared_span_s", "span_s"]


class TimedStep(Record):
    """One launch, copy or fill."""

    body_s: float
    """Without its launch."""
    launch_s: float = 1.7e-6
    """What the host takes to ask for it, and the device to begin."""
    needs: tuple[int, ...] = ()
    """Places of earlier steps that must have ended."""
    engine: str | None = None
    """Of a copy between host and device, which direction; None: the machine."""
    room_ratio: float = 1.0
    """Of the machine: the share that it takes up (0..1)."""


def span_s(steps: Sequence[TimedStep]) -> float:
    """Seconds, where nothing starts on the machine that does not wholly fit beside what runs there."""
    issued_s, ends, engines = 0.0, list[float](), dict[str, float]()
    on_machine = list[tuple[float, float, float]]()
    for step in steps:
        issued_s += step.launch_s
        ready_s = max([issued_s, *(ends[place] + step.launch_s for place in step.needs)])
        if step.engine is not None:
            start_s = max(ready_s, engines.get(step.engine, 0.0))
            engines[step.engine] = start_s + step.body_s
        else:
            start_s = _first_fit(ready_s, step, on_machine)
            on_machine.append((start_s, start_s + step.body_s, step.room_ratio))
        ends.append(start_s + step.body_s)
    return max(ends, default=0.0)


def shared_span_s(steps: Sequence[TimedStep]) -> float:
    """Seconds at the least: as ``span_s``, but for kernels that share the machine wherever nothing makes them wait, and keep it busy."""
    work_s = sum(step.body_s * step.room_ratio for step in steps if step.engine is None)
    free = [step if step.engine is not None else TimedStep(step.body_s, step.launch_s, step.needs, None, 0.0) for step in steps]
    return max(span_s(free), work_s)


def _first_fit(ready_s: float, step: TimedStep, running: Sequence[tuple[float, float, float]]) -> float:
    """When the machine has room for the whole of it, in the order in which steps were asked for."""
    moments = sorted({ready_s, *(end for _, end, _ in running if end > ready_s)})
    return next(at for at in moments if _most_taken(running, at, at + step.body_s) + step.room_ratio <= 1.0 + 1e-9)


def _most_taken(running: Sequence[tuple[float, float, float]], begin_s: float, end_s: float) -> float:
    """The largest share that is taken up at any moment in between."""
    within = [one for one in running if one[0] < end_s and one[1] > begin_s]
    moments = [begin_s, *(one[0] for one in within if one[0] > begin_s)]
    return max(sum(share for start, end, share in within if start <= at < end) for at in moments)
