"""How wrong the performance model was where a GPU re-measured its predictions.

Written by ``make bench-gpu PART=model``: measure again instead of editing.
"""

from __future__ import annotations

from assistant.measure.score import ModelAccuracy, ModelError, ScoredPrediction

__all__ = ["MODEL_ACCURACY", "REMEASURED"]

REMEASURED = (
    ScoredPrediction("issue", 1.471551, 1.505352, "pipeline.cu"),
    ScoredPrediction("l2", 3.652385, 2.036685, "pipeline.cu"),
    ScoredPrediction("l2", 3.652385, 1.357236, "pipeline.cu"),
    ScoredPrediction("l1", 2.122927, 1.325933, "pipeline.cu"),
    ScoredPrediction("l1", 1.987269, 1.151032, "pipeline.cu"),
    ScoredPrediction("latency", 1.729568, 1.654783, "pipeline.cu"),
    ScoredPrediction("latency", 2.232246, 1.104196, "pipeline.cu"),
    ScoredPrediction("latency", 1.521758, 1.073619, "pipeline.cu"),
    ScoredPrediction("latency", 1.280385, 1.175452, "accumulator.cu"),
    ScoredPrediction("latency", 3.526263, 5.476123, "accumulator.cu"),
    ScoredPrediction("shared", 1.771409, 1.874985, "bank_conflicts.cu"),
    ScoredPrediction("blocks", 13.007181, 4.391243, "block_size.cu"),
    ScoredPrediction("blocks", 3.864682, 3.806734, "block_size.cu"),
    ScoredPrediction("blocks", 7.395772, 4.642269, "block_size.cu"),
    ScoredPrediction("conversion", 3.378173, 3.303873, "double_literals.cu"),
    ScoredPrediction("l2", 1.998206, 1.189377, "row_walk.cu"),
    ScoredPrediction("l2", 3.843972, 3.079016, "transpose.cu"),
    ScoredPrediction("latency", 0.768543, 0.524437, "grade_loops.cu"),
    ScoredPrediction("latency", 0.254373, 0.265159, "grade_loops.cu"),
    ScoredPrediction("latency", 0.505797, 0.515726, "grade_loops.cu"),
    ScoredPrediction("l2", 0.580219, 0.632829, "histogram.cu"),
    ScoredPrediction("l2", 1.000000, 0.783292, "histogram.cu"),
    ScoredPrediction("l2", 1.000000, 0.945760, "histogram.cu"),
    ScoredPrediction("latency", 0.994240, 1.167155, "matmul.cu"),
    ScoredPrediction("latency", 6.714612, 1.878196, "more.cu"),
)
"""Candidates of ``optimize`` that were right, each predicted and timed against the version that it edits, launch overhead left out."""

MODEL_ACCURACY = ModelAccuracy(
    device_name="NVIDIA H200",
    target="h200",
    method="paired ABBA blocks; driver 580.159.04 (CUDA 13.0), nvcc 13.0.88, SM 1980 MHz, 40 °C",
    errors=(
        ModelError(None, 25, 11, 22, 1.248442, 1.276663, 2.691046, 3.575033),
        ModelError("blocks", 3, 1, 3, 1.593137, 1.593137, 2.962073, 2.962073),
        ModelError("conversion", 1, 1, 1, 1.022489, 1.022489, 1.022489, 1.022489),
        ModelError("issue", 1, 1, 1, 0.977546, 1.022970, 1.022970, 1.022970),
        ModelError("l1", 2, 1, 2, 1.662614, 1.663796, 1.726511, 1.726511),
        ModelError("l2", 7, 4, 5, 1.276663, 1.276663, 2.691046, 2.691046),
        ModelError("latency", 10, 5, 9, 1.067004, 1.295663, 2.021603, 3.575033),
        ModelError("shared", 1, 1, 1, 0.944759, 1.058471, 1.058471, 1.058471),
    ),
)
"""Accuracy over `REMEASURED`: all, then by bottleneck; fields as in `ModelError`, in their order."""
