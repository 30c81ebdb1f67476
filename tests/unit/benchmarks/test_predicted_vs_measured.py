"""What is said of predictions that were measured later."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.predicted_vs_measured import Candidate, candidates_of, figures, pairs_of

RESULTS = Path(__file__).resolve().parents[3] / "benchmarks" / "results"


def tried(*ratios: float, technique: str = "tile", kernel: str = "k") -> tuple[Candidate, ...]:
    return tuple(Candidate((kernel, technique, (("rows", 4),), ()), ratio, place) for place, ratio in enumerate(ratios))


def test_the_same_candidate_is_found_by_its_kernel_technique_numbers_and_what_came_before() -> None:
    predicted = (*tried(2.0, 3.0), *tried(1.5, technique="split"), *tried(9.0, kernel="other"))
    measured = (*tried(4.0, 2.0), *tried(1.0, 1.0, technique="split"))
    pairs = pairs_of(predicted, measured)
    assert [(pair.predicted, pair.measured, pair.factor) for pair in pairs] == [(2.0, 4.0, 2.0), (3.0, 2.0, 1.5)]


def test_order_sides_and_the_best_are_counted_within_a_kernel() -> None:
    """Measured 4.0, 2.0 and 0.5: the first two are predicted the other way round, and the last one as a gain."""
    pairs = pairs_of(tried(2.0, 3.0, 1.1), tried(4.0, 2.0, 0.5))
    lines = figures(pairs)
    assert lines[0].startswith("3 candidates of 1 kernels: factor of error 2.00 in the median, 2.20 in nine of ten, 2.20 at most")
    assert lines[1].endswith("was measured: 1")
    assert lines[2].endswith("in the same order: 2 of 3 (Kendall's tau 0.33)") and lines[3].endswith("predicted best: 0 of 1 kernels")


def test_rows_that_are_kept_say_what_the_page_of_measurements_says(tmp_path: Path) -> None:
    pairs = pairs_of(candidates_of(RESULTS / "predicted-h200.jsonl"), candidates_of(RESULTS / "measured-h200.jsonl"))
    page = (RESULTS.parents[1] / "docs" / "measurements.md").read_text("utf-8")
    assert len(pairs) == 57 and all(line in page for line in figures(pairs))


def test_candidates_whose_speed_was_not_compared_are_left_out(tmp_path: Path) -> None:
    row = {
        "kernel": "k(int)",
        "technique": "tile",
        "log_ratio": 0.0,
        "created_ms": 1,
        "detail": json.dumps({"parameters": [], "after": []}),
    }
    (tmp_path / "rows.jsonl").write_text("\n".join(json.dumps(one) for one in (row, row | {"log_ratio": None})))
    (found,) = candidates_of(tmp_path / "rows.jsonl")
    assert (found.key, found.ratio) == (("k", "tile", (), ()), 1.0)
