"""time(A)/time(B) by the performance model, over the launches of kernels of both versions. Pure.

Example::

    predict_speed((KernelPair(before.kernel("blur"), after.kernel("blur")),))     # Comparison, PREDICTED 1.80x
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.engine.evaluate import KernelAssessment
from assistant.measure.compare import PredictedCase, compare_predictions
from assistant.measure.model import without_launch
from assistant.model.comparison import Comparison, PredictedTime
from assistant.record import Record

__all__ = ["KernelPair", "predict_speed", "without_launch_overhead"]


class KernelPair(Record):
    """What was assessed of a kernel's instances in both versions; or of all kernels, where they do not correspond."""

    before: tuple[KernelAssessment, ...]
    after: tuple[KernelAssessment, ...]

    @property
    def has_launches(self) -> bool:
        """Whether both sides were launched, and counted."""
        sides = [[launch for kernel in side for launch in kernel.launches] for side in (self.before, self.after)]
        return all(side and all(launch.profile.blocks_counted for launch in side) for side in sides)


def predict_speed(pairs: Sequence[KernelPair]) -> Comparison | None:
    """Over the launches of all pairs; None where a side launches nothing, or something was not counted."""
    if not pairs or not all(pair.has_launches for pair in pairs):
        return None
    is_named = len(pairs) > 1
    return compare_predictions(tuple(case for pair in pairs for case in _cases(pair, is_named)))


def without_launch_overhead(pairs: Sequence[KernelPair]) -> tuple[KernelPair, ...]:
    """With what the model says of the kernels alone: timings do not hold what starting one costs either."""
    return tuple(KernelPair(_bare(pair.before), _bare(pair.after)) for pair in pairs)


def _cases(pair: KernelPair, is_named: bool) -> tuple[PredictedCase, ...]:
    """Launch shapes paired in order where both sides have as many, else all launches of a side added up as one case."""
    old = [launch for kernel in pair.before for launch in kernel.launches]
    instances = [kernel.instance.partition("(")[0] for kernel in pair.before for _ in kernel.launches]
    new = [launch for kernel in pair.after for launch in kernel.launches]
    name = f"{pair.before[0].kernel.name}, " if is_named else ""
    if len(old) != len(new) or [a.count for a in old] != [b.count for b in new]:
        return (_added_up(pair, f"{name}all launches"),)
    names = [f"{instance}, " for instance in instances] if len(set(instances)) > 1 else [name] * len(old)
    return tuple(
        PredictedCase(f"{own}grid {a.profile.config.grid}, block {a.profile.config.block}", a.count, a.predicted, b.predicted)
        for own, a, b in zip(names, old, new, strict=True)
    )


def _added_up(pair: KernelPair, shape: str) -> PredictedCase:
    totals = (sum(kernel.predicted_time_s for kernel in side) for side in (pair.before, pair.after))
    slowest = (_slowest(side) for side in (pair.before, pair.after))
    old, new = (replace(time, time_s=total_s) for time, total_s in zip(slowest, totals, strict=True))
    return PredictedCase(shape, 1.0, old, new)


def _slowest(kernels: tuple[KernelAssessment, ...]) -> PredictedTime:
    launches = [launch for kernel in kernels for launch in kernel.launches]
    return max(launches, key=lambda launch: launch.total_time_s).predicted


def _bare(kernels: tuple[KernelAssessment, ...]) -> tuple[KernelAssessment, ...]:
    return tuple(
        replace(item, launches=tuple(replace(launch, predicted=without_launch(launch.predicted)) for launch in item.launches))
        for item in kernels
    )
