"""Large values that cancel among small ones: what a plain sum loses and a compensated one keeps."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from assistant.model.launch import Dim3, LaunchConfig
from assistant.workload.cancelling import with_cancelling
from assistant.workload.derive import contents_of
from assistant.workload.recordings import NewCase
from tests.unit.workload.launches import launched

CONFIG = LaunchConfig(Dim3(1), Dim3(32))
VALUES = np.random.default_rng(1).uniform(-2, 2, 960).astype(np.float32)


def made(*buffers: np.ndarray, row_lengths: tuple[int, ...] = ()) -> NewCase | None:
    return with_cancelling(launched(CONFIG, {"n": 96}, *buffers)[0], {0: "x"}, row_lengths, 7)


def values_of(case: NewCase | None, buffer: int = 0) -> np.ndarray:
    assert case is not None
    return np.frombuffer(contents_of(case)[buffer], np.float32)


def test_a_plain_sum_loses_digits_that_an_exact_one_keeps() -> None:
    values = values_of(made(VALUES))
    exact, plain = math.fsum(values), np.float32(0)
    for value in values:
        plain += value
    assert abs(float(plain) - exact) > 0.01 * exact > 0
    assert (np.sort(values)[:12] == -np.sort(values)[::-1][:12]).all()


def test_no_pair_lies_across_the_end_of_a_row() -> None:
    sums = values_of(made(VALUES, row_lengths=(16, 7))).astype(np.float64).reshape(-1, 16).sum(axis=1)
    assert (np.abs(sums) < 100).all()


def test_rows_are_known_by_their_offsets() -> None:
    first = np.concatenate([[0], np.cumsum(np.tile([9, 23], 30))]).astype(np.int32)
    values = values_of(made(VALUES, first)).astype(np.float64)
    assert all(abs(values[begin:end].sum()) < 100 for begin, end in pairwise(first))


def test_other_buffers_hold_one_value_so_that_products_cancel() -> None:
    other = np.random.default_rng(2).uniform(1, 2, 500).astype(np.float32)
    assert len(set(values_of(made(VALUES, other), 1))) == 1


def test_what_is_too_short_sorted_or_no_float_has_no_large_values() -> None:
    assert made(VALUES[:40]) is None and made(np.sort(VALUES)) is None and made(np.arange(1000, dtype=np.int32)) is None
    assert made(VALUES, row_lengths=(4,)) is None, "no two values of a row of four are five apart"
