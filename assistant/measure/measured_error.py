"""How wrong the performance model was where a GPU re-measured its predictions.

Written by ``make bench-gpu PART=model`` or ``python -m benchmarks.model_fit error``: measure again instead of editing.
"""

from __future__ import annotations

from assistant.measure.scoring import ModelAccuracy, ModelError, ScoredPrediction

__all__ = ["MODEL_ACCURACY", "REMEASURED"]

REMEASURED = (
    ScoredPrediction("latency", 1.609062, 1.615199, "atax-1000-1200"),
    ScoredPrediction("l1", 2.068413, 1.909041, "bicg-1200-1000"),
    ScoredPrediction("latency", 0.898244, 0.945608, "convolutions-1024-100"),
    ScoredPrediction("latency", 1.157002, 1.021852, "correlation-500-400"),
    ScoredPrediction("latency", 1.086955, 1.007299, "correlation-500-400"),
    ScoredPrediction("latency", 1.140218, 1.056053, "correlation-500-400"),
    ScoredPrediction("latency", 1.215223, 1.063490, "correlation-500-400"),
    ScoredPrediction("latency", 1.107986, 1.054044, "correlation-500-400"),
    ScoredPrediction("latency", 1.099940, 1.071253, "correlation-500-400"),
    ScoredPrediction("latency", 19.328053, 32.245793, "correlation-500-400"),
    ScoredPrediction("latency", 1.257608, 1.021852, "correlation-500-400"),
    ScoredPrediction("latency", 1.140218, 1.059441, "correlation-500-400"),
    ScoredPrediction("latency", 1.215223, 1.063158, "correlation-500-400"),
    ScoredPrediction("latency", 1.107986, 1.051731, "correlation-500-400"),
    ScoredPrediction("latency", 1.099940, 1.069333, "correlation-500-400"),
    ScoredPrediction("latency", 16.924952, 29.980877, "correlation-500-400"),
    ScoredPrediction("latency", 1.064730, 1.012518, "correlation-500-400"),
    ScoredPrediction("latency", 1.101045, 1.014218, "correlation-500-400"),
    ScoredPrediction("latency", 1.064868, 1.027200, "correlation-500-400"),
    ScoredPrediction("latency", 1.096167, 1.027149, "correlation-500-400"),
    ScoredPrediction("latency", 1.248381, 1.122588, "cross_entropy-1024-1000"),
    ScoredPrediction("latency", 1.425403, 1.487217, "cross_entropy-1024-1000"),
    ScoredPrediction("latency", 12.850423, 13.778026, "cross_entropy-1024-1000"),
    ScoredPrediction("l1", 2.553224, 2.326764, "gemver-1000"),
    ScoredPrediction("l1", 1.778001, 1.260923, "matmul-512"),
    ScoredPrediction("l1", 1.146828, 1.579214, "matmul-512"),
    ScoredPrediction("l1", 1.466980, 1.156718, "matmul-512"),
    ScoredPrediction("latency", 1.088137, 0.997205, "mvt-1000"),
    ScoredPrediction("launch", 0.939221, 0.869565, "sort-65536"),
    ScoredPrediction("latency", 1.721235, 1.870075, "atax-1000-1200"),
    ScoredPrediction("l1", 1.268381, 1.178709, "atax-1000-1200"),
    ScoredPrediction("latency", 1.140161, 1.087699, "atax-1000-1200"),
    ScoredPrediction("latency", 1.914800, 2.020108, "atax-1000-1200"),
    ScoredPrediction("latency", 13.045059, 14.039455, "cross_entropy-1024-1000"),
    ScoredPrediction("latency", 0.946415, 1.033302, "matmul-512"),
    ScoredPrediction("latency", 2.267451, 2.257028, "mvt-1000"),
    ScoredPrediction("latency", 1.495197, 1.329966, "mvt-1000"),
    ScoredPrediction("latency", 1.171047, 1.124785, "mvt-1000"),
    ScoredPrediction("latency", 2.895089, 2.671112, "mvt-1000"),
    ScoredPrediction("latency", 1.183982, 1.180594, "mvt-1000"),
    ScoredPrediction("l2", 1.450838, 1.596192, "two_products-500"),
    ScoredPrediction("l2", 1.820263, 3.029311, "two_products-500"),
    ScoredPrediction("l2", 1.450534, 1.600344, "two_products-500"),
    ScoredPrediction("l2", 1.820644, 3.016310, "two_products-500"),
)
"""Edits of the expert planner, each predicted and timed against the version that it edits."""

MODEL_ACCURACY = ModelAccuracy(
    device_name="NVIDIA H100 80GB HBM3",
    target="h100",
    method="CUPTI's time stamps, median of five launches, caches warm; driver 580.159.04 (CUDA 13.0), nvcc 13.0.88",
    errors=(
        ModelError(None, 44, 10, 42, 1.049703, 1.081794, 1.410079, 1.771401),
        ModelError("l1", 6, 4, 6, 1.090384, 1.182777, 1.410079, 1.410079),
        ModelError("l2", 4, 1, 4, 0.739659, 1.380003, 1.664216, 1.664216),
        ModelError("latency", 33, 6, 31, 1.048232, 1.076228, 1.143031, 1.771401),
        ModelError("launch", 1, 1, 1, 1.080104, 1.080104, 1.080104, 1.080104),
    ),
)
"""Accuracy over `REMEASURED`: all, then by bottleneck; fields as in `ModelError`, in their order."""
