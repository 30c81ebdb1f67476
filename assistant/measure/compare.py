"""Predictions of two versions → a Comparison that says PREDICTED and never a measured word.

Example::

    compare_predictions((PredictedCase("n=4096", 1.0, a, b),)).ratio   # time(A) / time(B)
"""

from __future__ import annotations

from assistant.measure.measured_error import MODEL_ACCURACY
from assistant.measure.scoring import with_error
from assistant.model.comparison import CaseSpeed, Comparison, ModelTerm, PredictedTime, SpeedOutcome
from assistant.record import Record

__all__ = ["PredictedCase", "compare_predictions", "sum_predictions"]


class PredictedCase(Record):
    """Both versions' predicted times on one shape; several launches of a shape are added up before (``sum_predictions``)."""

    shape: str
    weight: float
    before: PredictedTime
    after: PredictedTime


def compare_predictions(cases: tuple[PredictedCase, ...]) -> Comparison:
    """time(A)/time(B) over all shapes: Σ w·t_A / Σ w·t_B; the bottlenecks are those of the heaviest shape, launch overhead aside.

    Both times hold the launch overhead, which no edit of the kernel changes: it never explains a ratio, so it is no bottleneck here.
    Shapes of weight 0 (boundary shapes) are listed and do not count. At least one case must have weight. The quality says how far such
    predictions were off where a GPU re-measured them.
    """
    total_before_s = sum(case.weight * case.before.time_s for case in cases)
    total_after_s = sum(case.weight * case.after.time_s for case in cases)
    if total_after_s <= 0:
        raise ValueError("no case has weight")
    heaviest = max(cases, key=lambda case: case.weight * case.before.time_s)
    targets = sorted({case.before.target for case in cases} | {case.after.target for case in cases})
    comparison = Comparison(
        outcome=SpeedOutcome.PREDICTED,
        ratio=total_before_s / total_after_s,
        low=None,
        high=None,
        margin=None,
        quality="",
        cases=tuple(_case_speed(case) for case in cases),
        method=f"performance model for {', '.join(targets)}, from counted accesses, launch overhead included; nothing was timed",
        bottleneck_before=heaviest.before.own_bottleneck,
        bottleneck_after=heaviest.after.own_bottleneck,
    )
    return with_error(comparison, MODEL_ACCURACY, targets)


def sum_predictions(launches: tuple[PredictedTime, ...]) -> PredictedTime:
    """Launches that follow each other as one: times and terms added, the bottleneck is the largest sum. At least one launch."""
    times: dict[str, float] = {}
    for term in (t for launch in launches for t in launch.terms):
        times[term.name] = times.get(term.name, 0.0) + term.time_s
    terms = tuple(ModelTerm(name, time_s, (("launches", float(len(launches)), "launch"),)) for name, time_s in times.items())
    return PredictedTime(
        time_s=sum(launch.time_s for launch in launches),
        bottleneck=max(terms, key=lambda t: t.time_s).name if terms else launches[0].bottleneck,
        terms=terms,
        target=launches[0].target,
        notes=tuple(dict.fromkeys(note for launch in launches for note in launch.notes)),
    )


def _case_speed(case: PredictedCase) -> CaseSpeed:
    ratio = case.before.time_s / case.after.time_s
    return CaseSpeed(case.shape, case.weight, ratio, None, None, SpeedOutcome.PREDICTED)
