"""How long a Region takes by the performance model, on both sides.

Copies between host and device that B leaves as they are count on neither side. Example::

    predicted_region(found, before, after, target)     # Comparison, PREDICTED 1.40x; None where a launch was not counted
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assistant.engine.evaluate import Evaluation
from assistant.engine.judge.region import ProgramRegion
from assistant.measure.compare import PredictedCase, compare_predictions, sum_predictions
from assistant.measure.model import predict
from assistant.measure.operations import predict_operation
from assistant.model.comparison import Comparison, PredictedTime
from assistant.model.device import Target
from assistant.model.launch import LaunchConfig
from assistant.workload.asked_regions import region_of_main
from assistant.workload.regions import OrderedStep

__all__ = ["predicted_beside", "predicted_region"]

_OPERATIONS_METHOD = "copies and fills by their bytes over DRAM's bandwidth, those to and from the host over that of a PCIe 5.0 x16 link"
_Times = Mapping[tuple[str, LaunchConfig], PredictedTime]


def predicted_region(found: ProgramRegion, before: Evaluation, after: Evaluation, target: Target) -> Comparison | None:
    """The sum of the model's times; None where one of the launches was not counted."""
    times = [_predictions(side, evaluation, target) for side, evaluation in zip(found.counted, (before, after), strict=True)]
    if any(not side for side in times):
        return None
    old, new = (sum_predictions(side) for side in times)
    comparison = compare_predictions((PredictedCase(found.name, float(found.region.count), old, new),))
    if all(step.is_launch for side in found.counted for step in side):
        return comparison
    quality = f"{comparison.quality}; copies and fills were not among them" if comparison.quality else ""
    return replace(comparison, low=None, high=None, quality=quality, method=f"{comparison.method}; {_OPERATIONS_METHOD}")


def predicted_beside(
    found: ProgramRegion, predicted: Comparison | None, before: Evaluation, after: Evaluation, target: Target
) -> tuple[str, ...]:
    """The prediction for all that both programs do on the device, where it is another one."""
    main = region_of_main(found.before, found.after)
    if predicted is None or main is None:
        return ()
    whole = predicted_region(replace(found, region=main), before, after, target)
    if whole is None or f"{whole.ratio:.2f}" == f"{predicted.ratio:.2f}":
        return ()
    return (f"all that main does on the GPU: predicted {whole.ratio:.2f}x",)


def _predictions(steps: Sequence[OrderedStep], evaluation: Evaluation, target: Target) -> tuple[PredictedTime, ...]:
    """Of each step; empty where one is not known."""
    known = _known_times(evaluation, target)
    found = [_prediction(step, known, target) for step in steps]
    return () if None in found else tuple(time for time in found if time is not None)


def _prediction(step: OrderedStep, known: _Times, target: Target) -> PredictedTime | None:
    if step.config is None:
        return predict_operation(step.kind, step.size_bytes, target)
    return known.get((step.kernel, step.config))


def _known_times(evaluation: Evaluation, target: Target) -> _Times:
    """By instance and configuration; launches of kernels that nobody asked about without their machine code."""
    beside = {
        (profile.kernel, profile.config): predict(profile, None, None, target)
        for profile in evaluation.counted.profiles
        if profile.blocks_counted
    }
    return beside | {
        (item.instance, launch.profile.config): launch.predicted
        for item in evaluation.assessment.kernels
        for launch in item.launches
        if launch.profile.blocks_counted
    }
