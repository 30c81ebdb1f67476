"""Speed: the performance model that predicts it and the statistics that judge measured pairs. Pure."""

from assistant.measure.bounds import Quarantine, bound_ratio, least_time_s, quarantine
from assistant.measure.compare import PredictedCase, compare_predictions, sum_predictions
from assistant.measure.measured_error import MODEL_ACCURACY
from assistant.measure.model import predict, without_launch
from assistant.measure.score import ModelAccuracy, ModelError, ScoredPrediction, score, with_error
from assistant.measure.statistics import Pairs, WeightedPairs, aa_half_width, compare_pairs, judge_pairs
from assistant.measure.targets import DEFAULT_TARGET, TARGETS, target, target_for_device, target_names

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
