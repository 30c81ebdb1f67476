"""How wrong the performance model was where a GPU re-measured its predictions.

Written by ``make bench-gpu PART=model``, ``python -m benchmarks.model_fit error`` or ``python -m benchmarks.predicted_vs_measured``
with ``--write``: measure again instead of editing.
"""

from __future__ import annotations

from assistant.measure.scoring import ModelAccuracy, ModelError, ScoredPrediction

__all__ = ["MODEL_ACCURACY", "REMEASURED"]

REMEASURED = (
    ScoredPrediction("", 0.656089, 0.568217, "covariance"),
    ScoredPrediction("", 0.678889, 1.013929, "covariance"),
    ScoredPrediction("", 1.064280, 1.587672, "apply_norm"),
    ScoredPrediction("", 1.962410, 3.582164, "first_product"),
    ScoredPrediction("", 47.430430, 37.947735, "center"),
    ScoredPrediction("", 12.223833, 13.034101, "center"),
    ScoredPrediction("", 1.306531, 0.852640, "row_statistics"),
    ScoredPrediction("", 1.030929, 1.084289, "row_statistics"),
    ScoredPrediction("", 6.434082, 3.948500, "mtv"),
    ScoredPrediction("", 63.027463, 88.885506, "mtv"),
    ScoredPrediction("", 45.303815, 78.251260, "mtv"),
    ScoredPrediction("", 32.307650, 44.386217, "mtv"),
    ScoredPrediction("", 1.000353, 0.998570, "mtv"),
    ScoredPrediction("", 23.841834, 25.984670, "mv"),
    ScoredPrediction("", 1.120124, 1.013059, "mv"),
    ScoredPrediction("", 1.762520, 1.473927, "mv"),
    ScoredPrediction("", 2.109729, 1.414554, "writeBack"),
    ScoredPrediction("", 0.892719, 0.824739, "mv"),
    ScoredPrediction("", 7.872997, 16.465216, "compute_q"),
    ScoredPrediction("", 0.769684, 0.722125, "conv_forward"),
    ScoredPrediction("", 5.407653, 12.617788, "compute_s"),
    ScoredPrediction("", 4.198609, 7.940660, "compute_s"),
    ScoredPrediction("", 55.854167, 76.950657, "aty"),
    ScoredPrediction("", 53.751758, 60.144331, "aty"),
    ScoredPrediction("", 6.281912, 6.019027, "aty"),
    ScoredPrediction("", 37.653178, 37.440501, "ax"),
    ScoredPrediction("", 1.343736, 1.030073, "ax"),
    ScoredPrediction("", 18.526260, 19.525578, "k_product"),
    ScoredPrediction("", 1.790030, 1.758248, "dot_pieces"),
    ScoredPrediction("", 55.903690, 99.861464, "correlate"),
    ScoredPrediction("", 108.614797, 216.438068, "correlate"),
    ScoredPrediction("", 20.694419, 30.414229, "correlate"),
    ScoredPrediction("", 6.220925, 17.267404, "k_transposed"),
    ScoredPrediction("", 4.829507, 10.203922, "k_transposed"),
    ScoredPrediction("", 1.033096, 1.000991, "dot_pieces"),
    ScoredPrediction("", 4.271645, 1.230246, "topk"),
    ScoredPrediction("", 0.841708, 1.320670, "topk"),
    ScoredPrediction("", 3.110593, 5.896533, "matrixMultiply"),
    ScoredPrediction("", 0.920614, 1.065822, "matrixMultiply"),
    ScoredPrediction("", 9.251018, 10.415217, "crossEntropyLoss"),
    ScoredPrediction("", 1.191518, 1.019421, "crossEntropyLoss"),
    ScoredPrediction("", 49.030631, 40.655124, "project"),
    ScoredPrediction("", 16.422559, 16.813763, "project"),
    ScoredPrediction("", 3.882689, 9.285614, "syrk_lower"),
    ScoredPrediction("", 5.486212, 8.128524, "accumulate"),
    ScoredPrediction("", 1.001076, 1.000690, "accumulate"),
    ScoredPrediction("", 1.079093, 1.032341, "accumulate"),
    ScoredPrediction("", 1.754275, 2.655334, "scan_blocks"),
    ScoredPrediction("", 1.110762, 1.254504, "scan_blocks"),
    ScoredPrediction("", 5.887499, 6.768376, "transpose"),
    ScoredPrediction("", 3.179510, 3.254311, "transpose"),
    ScoredPrediction("", 0.990224, 1.655448, "add_offsets"),
    ScoredPrediction("", 1.023737, 1.256055, "jacobi_step"),
    ScoredPrediction("", 32.445545, 33.002607, "gesummv"),
    ScoredPrediction("", 0.878545, 1.041510, "gesummv"),
    ScoredPrediction("", 468.134616, 533.494162, "histogram_kernel"),
    ScoredPrediction("", 122.281086, 156.713411, "histogram_kernel"),
)
"""Edits of the expert planner, each predicted and timed against the version that it edits."""

MODEL_ACCURACY = ModelAccuracy(
    device_name="NVIDIA H200",
    target="h200",
    method="searches of forty programs, launches replayed in turn (ABBA), predicted without a GPU; driver 580.159.04 (CUDA 13.0)",
    errors=(ModelError(None, 57, 29, 50, 0.888221, 1.226931, 2.091353, 3.472188),),
)
"""Accuracy over `REMEASURED`: all, then by bottleneck where that was kept; fields as in `ModelError`, in their order."""
