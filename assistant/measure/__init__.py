"""Speed: the performance model that predicts it and the statistics that judge measured pairs. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.lazy import names_of

if TYPE_CHECKING:
    from assistant.measure.bounds import Quarantine as Quarantine
    from assistant.measure.bounds import bound_ratio as bound_ratio
    from assistant.measure.bounds import least_time_s as least_time_s
    from assistant.measure.bounds import quarantine as quarantine
    from assistant.measure.compare import PredictedCase as PredictedCase
    from assistant.measure.compare import compare_predictions as compare_predictions
    from assistant.measure.compare import sum_predictions as sum_predictions
    from assistant.measure.measured_error import MODEL_ACCURACY as MODEL_ACCURACY
    from assistant.measure.model import predict as predict
    from assistant.measure.model import without_launch as without_launch
    from assistant.measure.scoring import ModelAccuracy as ModelAccuracy
    from assistant.measure.scoring import ModelError as ModelError
    from assistant.measure.scoring import ScoredPrediction as ScoredPrediction
    from assistant.measure.scoring import score as score
    from assistant.measure.scoring import with_error as with_error
    from assistant.measure.statistics import Pairs as Pairs
    from assistant.measure.statistics import WeightedPairs as WeightedPairs
    from assistant.measure.statistics import aa_half_width as aa_half_width
    from assistant.measure.statistics import compare_pairs as compare_pairs
    from assistant.measure.statistics import judge_pairs as judge_pairs
    from assistant.measure.targets import DEFAULT_TARGET as DEFAULT_TARGET
    from assistant.measure.targets import TARGETS as TARGETS
    from assistant.measure.targets import target as target
    from assistant.measure.targets import target_for_device as target_for_device
    from assistant.measure.targets import target_names as target_names

__getattr__ = names_of(__name__, __file__)

__all__ = [
    "DEFAULT_TARGET",
    "MODEL_ACCURACY",
    "TARGETS",
    "ModelAccuracy",
    "ModelError",
    "Pairs",
    "PredictedCase",
    "Quarantine",
    "ScoredPrediction",
    "WeightedPairs",
    "aa_half_width",
    "bound_ratio",
    "compare_pairs",
    "compare_predictions",
    "judge_pairs",
    "least_time_s",
    "predict",
    "quarantine",
    "score",
    "sum_predictions",
    "target",
    "target_for_device",
    "target_names",
    "with_error",
    "without_launch",
]
