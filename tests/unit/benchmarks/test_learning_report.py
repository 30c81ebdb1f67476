"""What searches with and without memory say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.learning_report import Search, report_in_words, reported


def search(kernel: str, order: int, position: int, *gains: float, failure: str = "") -> Search:
    return Search("p", kernel, order, position, tuple(("t", gain) for gain in gains), failure, 1.0)


def test_candidates_are_counted_until_95_percent_of_the_best_of_any_search() -> None:
    pairs = [search("k", -1, 0, 1.0, 1.0, 1.0, 2.0), search("k", 0, 0, 1.96, 2.0)]
    (curve, *_) = reported(pairs)
    assert (curve.with_memory, curve.without) == (1, 4)
    assert curve.saved == 0.75


def test_what_never_comes_there_counts_one_more_than_was_tried_and_is_named() -> None:
    pairs = [search("k", -1, 0, 3.0), search("k", 0, 0, 1.2, 1.2)]
    (curve, *_) = reported(pairs)
    assert (curve.with_memory, curve.without) == (3, 1)
    assert "ended slower than without memory: 1 of 1\n  p/k: 1.20x with memory, 3.00x without" in report_in_words(pairs)


def test_kernels_with_nothing_to_find_and_failed_searches_are_left_out() -> None:
    pairs = [search("k", -1, 0, 1.0), search("k", 0, 0, 1.01), search("m", -1, 0, 2.0), search("m", 0, 1, 2.0, failure="no end")]
    assert reported(pairs) == ()
    assert "failed: p: no end" in report_in_words(pairs)


def test_early_and_late_kernels_of_an_order_are_told_apart() -> None:
    names = [f"k{number}" for number in range(20)]
    without = [search(name, -1, 0, 1.0, 2.0) for name in names]
    learning = [search(name, 0, place, *((1.0, 2.0) if place < 10 else (2.0,))) for place, name in enumerate(names)]
    every, _, first, last = reported([*without, *learning])
    assert (first.saved, last.saved) == (0.0, 0.5)
    assert first.saved < every.saved < last.saved and every.low < every.saved < every.high


def test_what_no_order_could_save_is_told_from_what_memory_did_not_save() -> None:
    chained = Search("p", "k", -1, 0, (("a", 1.0), ("b", 2.0), ("c", 2.0), ("d", 4.0)), "", 1.0, (0, 1, 1, 2))
    done = Search("p", "m", -1, 0, (("a", 2.0),), "", 1.0, (1,))
    again = [replace(chained, order=0), replace(done, order=0, position=1)]
    every, where_order_matters, *_ = reported([chained, done, *again])
    assert (every.without, every.least, every.saved) == (2.5, 1.5, 0.0)
    assert every.most_saved == pytest.approx(1 - 0.5**0.5)
    assert (where_order_matters.kernel_count, where_order_matters.most_saved) == (1, pytest.approx(0.5))
