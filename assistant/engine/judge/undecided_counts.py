"""Launches whose number follows from the order in which threads run, as in a host loop that ends when a racing kernel changed nothing.

The emulator runs threads in one order, a GPU in another one each time: a time of all such launches together would be that of an order
which no GPU keeps. What one launch takes on average can be said, how many there will be cannot. Example::

    await undecided_counts(job, before, after)     # 'with its threads in another order A launches relax 10 times, not 5: how often …'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from assistant.engine.evaluate import OTHER_ORDER, Evaluation, KernelAssessment, run_program
from assistant.engine.job import Job
from assistant.engine.judge.changes import same_kernel
from assistant.engine.judge.predicting import KernelPair, predict_speed
from assistant.engine.judge.timing_verdict import Speed
from assistant.model.comparison import SpeedOutcome
from assistant.model.recording import Recording
from assistant.ports.lab import LabFailure
from assistant.profile.quantity import counted_noun
from assistant.workload.select import kernel_name

__all__ = ["speed_of_undecided_counts", "undecided_counts"]


async def undecided_counts(job: Job, before: Evaluation, after: Evaluation) -> str | None:
    """Why how often both launch a kernel is not known of a GPU; None where nothing speaks against the counted numbers.

    Both programs are run once more with their threads in another order, only where both launch a kernel and not equally often, and
    where their first runs were whole.
    """
    if before.counted.is_partial or after.counted.is_partial:
        return None
    sides = [_launch_counts(evaluation.counted.recording) for evaluation in (before, after)]
    if all(sides[0][name] == sides[1][name] for name in sides[0].keys() & sides[1].keys()):
        return None
    for letter, evaluation, counts in zip("AB", (before, after), sides, strict=True):
        again = await run_program(job, evaluation.version, order_seed=OTHER_ORDER)
        if isinstance(again, LabFailure) or again.failure is not None or again.recording is None:
            continue
        other = _launch_counts(again.recording)
        for name in counts:
            if other[name] != counts[name]:
                return (
                    f"with its threads in another order {letter} launches {name} {_times(other[name])}, not {counts[name]:,}: "
                    f"how often follows from the order in which threads run, which no prediction knows of a GPU"
                )
    return None


def speed_of_undecided_counts(before: Evaluation, after: Evaluation, reason: str) -> Speed:
    """What one launch takes on average, with no gain of the program reported. ``reason``: as of ``undecided_counts``."""
    predicted = predict_speed(_one_launch_each(before, after))
    if predicted is None:
        return Speed(None, notes=(f"no speed of the program is predicted: {reason}",))
    caveats = ("the ratio is of one launch on average, as many on both sides, not of the program", *predicted.caveats, reason)
    return Speed(replace(predicted, outcome=SpeedOutcome.INCONCLUSIVE, low=None, high=None, caveats=caveats))


def _one_launch_each(before: Evaluation, after: Evaluation) -> tuple[KernelPair, ...]:
    """Kernels that both launch another number of times, with the mean of B's launches as often as A makes them."""
    pairs = list[KernelPair]()
    for kernel in before.launched_kernels:
        other = same_kernel(kernel, before.version, after.version)
        old = before.kernel(kernel.qualified_name)
        new = () if other is None else after.kernel(other.qualified_name)
        old_count, new_count = _count(old), _count(new)
        if new_count and old_count != new_count:
            pairs.append(KernelPair(old, _scaled(new, old_count / new_count)))
    return tuple(pairs)


def _count(items: Sequence[KernelAssessment]) -> float:
    return sum(launch.count for item in items for launch in item.launches)


def _scaled(items: tuple[KernelAssessment, ...], factor: float) -> tuple[KernelAssessment, ...]:
    return tuple(replace(item, launches=tuple(replace(launch, count=launch.count * factor) for launch in item.launches)) for item in items)


def _launch_counts(recording: Recording | None) -> Counter[str]:
    """By the kernel's name; zero for others."""
    counts = Counter[str]()
    for shape in () if recording is None else recording.shape_counts:
        counts[kernel_name(shape.kernel)] += shape.count
    return counts


def _times(count: int) -> str:
    return counted_noun(count, "time", "times")
