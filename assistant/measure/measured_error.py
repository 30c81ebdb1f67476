"""How wrong the performance model was where a GPU re-measured its predictions.

Written by ``make bench-gpu PART=model`` or ``python -m benchmarks.model_fit error``: measure again instead of editing.
"""

from __future__ import annotations

from assistant.measure.score import ModelAccuracy, ModelError, ScoredPrediction

__all__ = ["MODEL_ACCURACY", "REMEASURED"]

REMEASURED = (
    ScoredPrediction("l1", 2.040908, 1.909041, "bicg-1200-1000"),
    ScoredPrediction("latency", 0.898244, 0.945608, "convolutions-1024-100"),
    ScoredPrediction("latency", 1.157002, 1.021852, "correlation-500-400"),
    ScoredPrediction("latency", 1.086955, 1.007299, "correlation-500-400"),
    ScoredPrediction("latency", 1.140218, 1.056053, "correlation-500-400"),
    ScoredPrediction("latency", 1.215223, 1.063490, "correlation-500-400"),
    ScoredPrediction("latency", 1.107989, 1.054044, "correlation-500-400"),
    ScoredPrediction("latency", 1.099950, 1.071253, "correlation-500-400"),
    ScoredPrediction("latency", 19.334356, 32.245793, "correlation-500-400"),
    ScoredPrediction("latency", 1.257608, 1.021852, "correlation-500-400"),
    ScoredPrediction("latency", 1.140218, 1.059441, "correlation-500-400"),
    ScoredPrediction("latency", 1.215223, 1.063158, "correlation-500-400"),
    ScoredPrediction("latency", 1.107989, 1.051731, "correlation-500-400"),
    ScoredPrediction("latency", 1.099950, 1.069333, "correlation-500-400"),
    ScoredPrediction("latency", 16.929703, 29.980877, "correlation-500-400"),
    ScoredPrediction("latency", 1.064730, 1.012518, "correlation-500-400"),
    ScoredPrediction("latency", 1.101045, 1.014218, "correlation-500-400"),
    ScoredPrediction("latency", 1.064868, 1.027200, "correlation-500-400"),
    ScoredPrediction("latency", 1.096167, 1.027149, "correlation-500-400"),
    ScoredPrediction("latency", 1.248381, 1.122588, "cross_entropy-1024-1000"),
    ScoredPrediction("latency", 1.425403, 1.487217, "cross_entropy-1024-1000"),
    ScoredPrediction("latency", 13.241495, 13.778026, "cross_entropy-1024-1000"),
    ScoredPrediction("l1", 2.570514, 2.326764, "gemver-1000"),
    ScoredPrediction("l1", 1.274653, 1.260923, "matmul-512"),
    ScoredPrediction("l1", 0.749454, 1.579214, "matmul-512"),
    ScoredPrediction("l1", 1.341284, 1.156718, "matmul-512"),
    ScoredPrediction("latency", 1.088137, 0.997205, "mvt-1000"),
    ScoredPrediction("launch", 0.939221, 0.869565, "sort-65536"),
)
"""Edits of the expert planner, each predicted and timed against the version that it edits."""

MODEL_ACCURACY = ModelAccuracy(
    device_name="NVIDIA H100 80GB HBM3",
    target="h100",
    method="CUPTI's time stamps, median of five launches, caches warm; driver 580.159.04 (CUDA 13.0), nvcc 13.0.88",
    errors=(
        ModelError(None, 28, 8, 26, 1.068134, 1.079388, 1.667798, 2.107153),
        ModelError("l1", 5, 3, 4, 1.069075, 1.104759, 2.107153, 2.107153),
        ModelError("latency", 22, 4, 21, 1.060320, 1.077662, 1.230714, 1.770904),
        ModelError("launch", 1, 1, 1, 1.080104, 1.080104, 1.080104, 1.080104),
    ),
)
"""Accuracy over `REMEASURED`: all, then by bottleneck; fields as in `ModelError`, in their order."""
