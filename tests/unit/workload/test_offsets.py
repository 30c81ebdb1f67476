"""Offsets drawn again: the same ends, and rows that are empty, short and long."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.workload.derive import contents_of, fresh_values
from assistant.workload.draws import Draw
from assistant.workload.offsets import longest_row, with_offsets, with_sorted_rows_kept
from tests.unit.workload.launches import launched

CONFIG = LaunchConfig(Dim3(1), Dim3(32))
LENGTHS = np.tile([3, 9, 4, 8], 50)
FIRST = np.concatenate([[0], np.cumsum(LENGTHS)]).astype(np.int32)
DATA = np.ones(int(FIRST[-1]), np.float32)


def redrawn(*buffers: np.ndarray) -> list[np.ndarray]:
    case, _ = launched(CONFIG, {"n": 200}, *buffers)
    return [np.frombuffer(contents_of(made)[0], np.int32) for made in with_offsets(case, {0: "first"}, 7)]


def test_rows_are_empty_short_and_long_between_the_same_ends() -> None:
    spread, long = redrawn(FIRST, DATA)
    for offsets in (spread, long):
        assert offsets[0] == 0 and offsets[-1] == FIRST[-1] and offsets.size == FIRST.size and (np.diff(offsets) >= 0).all()
    assert (np.diff(spread)[:8] == 0).all() and 40 < (np.diff(spread) == 0).sum() < 140 and (np.diff(spread) == 1).any()
    assert np.diff(long).max() > 1000 and (np.diff(long) == 0).any()


def test_equal_buffers_stay_equal() -> None:
    case, _ = launched(CONFIG, {"n": 200}, FIRST, FIRST, DATA)
    for made in with_offsets(case, {}, 7):
        assert contents_of(made)[0] == contents_of(made)[1] != FIRST.tobytes()


def test_rows_that_are_sorted_stay_with_their_offsets() -> None:
    random = np.random.default_rng(3)
    sorted_rows = np.concatenate([np.sort(random.choice(500, count, replace=False)) for count in LENGTHS]).astype(np.int32)
    for columns, is_kept in (
        (sorted_rows, True),
        (random.permutation(sorted_rows), False),
        (np.arange(sorted_rows.size, dtype=np.int32), False),
    ):
        case, _ = launched(CONFIG, {"n": 200}, FIRST, columns, DATA)
        kept = with_sorted_rows_kept(case)
        assert [buffer.is_fixed for buffer in kept.recording.buffers] == [is_kept, is_kept, False]
        drawn = contents_of(fresh_values(kept, Draw(5, integers="redrawn")))
        assert (drawn[1] == columns.tobytes()) == (is_kept or columns[1] == 1)


def test_lengths_stay_with_the_places_that_follow_from_them() -> None:
    lengths = np.diff(FIRST).astype(np.int32)
    for values, is_kept in ((lengths, True), (np.roll(lengths, 1), False)):
        kept = with_sorted_rows_kept(launched(CONFIG, {"n": 200}, FIRST[:-1], values, DATA)[0])
        assert [buffer.is_fixed for buffer in kept.recording.buffers] == [is_kept, is_kept, False]


def test_the_longest_row_is_what_offsets_say() -> None:
    with_rows, _ = launched(CONFIG, {"n": 200}, FIRST, DATA)
    without, _ = launched(CONFIG, {"n": 200}, np.arange(300, dtype=np.int32), DATA)
    assert longest_row(with_rows) == 9 and longest_row(without) == 0


@pytest.mark.parametrize("few", [np.array([0, 1, 1, 2]), np.array([0, 5, 5, 5, 9]), np.repeat([0, 1], 300)])
def test_few_elements_stay_between_the_ends(few: np.ndarray) -> None:
    for offsets in redrawn(few.astype(np.int32), DATA):
        assert offsets[0] == 0 and offsets[-1] == few[-1] and (np.diff(offsets) >= 0).all()


@pytest.mark.parametrize(
    "values",
    [np.arange(300), np.array([1, 4, 9, 12]), np.array([0, 9, 4, 12]), np.array([0, 4, 9, 10**6]), np.zeros(9), np.array([0, 4, 9])],
)
def test_places_keys_and_counts_are_no_offsets(values: np.ndarray) -> None:
    assert redrawn(values.astype(np.int32), DATA) == []
