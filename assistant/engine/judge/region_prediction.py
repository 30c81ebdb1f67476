"""How long a Region takes by the performance model, on both sides.

Copies between host and device that B leaves as they are count on neither side. Example::

    predicted_region(found, before, after, target)     # Comparison, PREDICTED 1.40x; None where a launch was not counted
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from assistant.engine.evaluate import OPERATIONS_METHOD, Evaluation, KnownTime, KnownTimes, known_operation, known_times
from assistant.engine.judge.region import ProgramRegion
from assistant.measure.compare import PredictedCase, compare_predictions, sum_predictions
from assistant.measure.span import TimedStep, shared_span_s, span_s
from assistant.model.comparison import Comparison, PredictedTime, SpeedOutcome, format_ratio
from assistant.model.device import Target
from assistant.record import Record
from assistant.workload.asked_regions import region_of_main
from assistant.workload.regions import OrderedStep

__all__ = ["further_predictions", "predicted_region", "predicted_times_s"]

_SPAN_METHOD = "the longest way through streams, events and waits of the host; kernels overlap where they fit into the machine together"
_PAGEABLE_RATIO = 4.0
"""How many times as long as over the link a copy from or to pageable memory may take, which is staged: several times
(docs/explanation/timing.md); nothing here measures the host. At the least it takes as long as the link does."""
_SHOWN_GAIN_RATIO = 1.005
"""A ratio that the screen shows as more than 1.00x."""


class _Assumption(Record):
    """What a prediction of steps that may overlap, or of staged copies, takes for granted."""

    span: Callable[[Sequence[TimedStep]], float]
    pageable_ratio: float


_NOMINAL = _Assumption(span_s, 1.0)


def predicted_region(found: ProgramRegion, before: Evaluation, after: Evaluation, target: Target) -> Comparison | None:
    """Predicted speed of the longest way through what each side does; None where one of the launches was not counted.

    Where the ratio depends on what is assumed (how kernels share the machine, what staging costs), ``low`` and ``high`` are its ends, and a
    gain that only some assumptions show is INCONCLUSIVE.
    """
    sides = _sides(found, before, after, target)
    if sides is None:
        return None
    old, new = (_as_one(found, steps, side, _NOMINAL) for steps, side in zip(found.counted, sides, strict=True))
    comparison = compare_predictions((PredictedCase(found.name, float(found.region.count), old, new),))
    if not found.may_overlap and all(step.is_launch for side in found.counted for step in side):
        return comparison
    quality = f"{comparison.quality}; copies and fills were not among them" if comparison.quality else ""
    methods = (comparison.method, OPERATIONS_METHOD, *((_SPAN_METHOD,) if found.may_overlap else ()))
    comparison = replace(comparison, low=None, high=None, quality=quality, method="; ".join(methods))
    return _within_assumptions(comparison, [_ratio(found, sides, assumption) for assumption in _assumptions(found)])


def predicted_times_s(found: ProgramRegion, before: Evaluation, after: Evaluation, target: Target) -> tuple[float, float] | None:
    """Seconds of one repetition on both sides; None where one of the launches was not counted."""
    sides = _sides(found, before, after, target)
    if sides is None:
        return None
    old, new = (_as_one(found, steps, side, _NOMINAL).time_s for steps, side in zip(found.counted, sides, strict=True))
    return old, new


def _sides(found: ProgramRegion, before: Evaluation, after: Evaluation, target: Target) -> list[tuple[KnownTime, ...]] | None:
    sides = [_predictions(side, evaluation, target) for side, evaluation in zip(found.counted, (before, after), strict=True)]
    return None if any(not side for side in sides) else sides


def _assumptions(found: ProgramRegion) -> tuple[_Assumption, ...]:
    """All that the answer may depend on; only the nominal one where it depends on none."""
    spans = (span_s, shared_span_s) if found.may_overlap else (span_s,)
    is_staged = any(step.is_pinned is False for side in found.counted for step in side)
    return tuple(_Assumption(span, ratio) for span in spans for ratio in ((1.0, _PAGEABLE_RATIO) if is_staged else (1.0,)))


def _within_assumptions(comparison: Comparison, ratios: Sequence[float]) -> Comparison:
    low, high = min(ratios), max(ratios)
    if high <= low * _SHOWN_GAIN_RATIO:
        return comparison
    is_open = comparison.ratio > 1.0 and low < _SHOWN_GAIN_RATIO
    reach = f"{format_ratio(low)}x to {format_ratio(high)}x"
    depends = f"{reach} by how kernels share the machine and what staging pageable memory costs, which is assumed"
    outcome = SpeedOutcome.INCONCLUSIVE if is_open else comparison.outcome
    return replace(comparison, outcome=outcome, low=low, high=high, caveats=(*comparison.caveats, depends))


def _ratio(found: ProgramRegion, sides: Sequence[tuple[KnownTime, ...]], assumption: _Assumption) -> float:
    old, new = (_as_one(found, steps, side, assumption).time_s for steps, side in zip(found.counted, sides, strict=True))
    return old / new


def _as_one(found: ProgramRegion, steps: Sequence[OrderedStep], known: Sequence[KnownTime], assumption: _Assumption) -> PredictedTime:
    """The steps as one time: the sum where one waits for the other, else the span."""
    whole = sum_predictions(tuple(one.time for one in known))
    timed = [_timed(place, step, one, assumption, found.may_overlap) for place, (step, one) in enumerate(zip(steps, known, strict=True))]
    return replace(whole, time_s=assumption.span(timed))


def _timed(place: int, step: OrderedStep, known: KnownTime, assumption: _Assumption, may_overlap: bool) -> TimedStep:
    needs = tuple(place - distance for distance in step.needs if distance <= place) if may_overlap else (place - 1,) if place else ()
    slower = assumption.pageable_ratio if step.is_pinned is False else 1.0
    engine = None if step.is_of_device else step.kind
    return TimedStep(known.body_s * slower, known.launch_s, needs, engine, known.room_ratio)


def further_predictions(
    found: ProgramRegion, predicted: Comparison | None, before: Evaluation, after: Evaluation, target: Target
) -> tuple[str, ...]:
    """The prediction for all that both programs do on the device, where it is another one."""
    main = region_of_main(found.before, found.after)
    if predicted is None or main is None:
        return ()
    whole = predicted_region(replace(found, region=main), before, after, target)
    if whole is None or f"{whole.ratio:.2f}" == f"{predicted.ratio:.2f}":
        return ()
    return (f"all that main does on the GPU: predicted {format_ratio(whole.ratio)}x",)


def _predictions(steps: Sequence[OrderedStep], evaluation: Evaluation, target: Target) -> tuple[KnownTime, ...]:
    """Predicted time of each step; empty where one is not known."""
    known = known_times(evaluation.assessment, target)
    found = [_prediction(step, known, target) for step in steps]
    return () if None in found else tuple(one for one in found if one is not None)


def _prediction(step: OrderedStep, known: KnownTimes, target: Target) -> KnownTime | None:
    return known_operation(step.kind, step.size_bytes, target) if step.config is None else known.get((step.kernel, step.config))
