"""Sorted buffers in another order."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.workload.derive import contents_of
from assistant.workload.unsorted import UNSORTED, with_unsorted
from tests.unit.workload.launches import launched

CONFIG = LaunchConfig(Dim3(4), Dim3(64))
RANDOM = np.random.default_rng(3)
DATA = RANDOM.standard_normal(300).astype(np.float32)
TABLE = np.sqrt(np.arange(200)).astype(np.float32)


def unsorted(values: np.ndarray) -> np.ndarray | None:
    made = with_unsorted(launched(CONFIG, {"n": 200}, values, DATA)[0], 7)
    assert made is None or (made.origin.kind == UNSORTED and contents_of(made)[1] == DATA.tobytes())
    return None if made is None else np.frombuffer(contents_of(made)[0], values.dtype)


@pytest.mark.parametrize("values", [TABLE, TABLE[::-1].copy(), np.arange(1000, 4000, 15, dtype=np.int32)])
def test_a_sorted_table_holds_the_same_values_in_another_order(values: np.ndarray) -> None:
    after = unsorted(values)
    assert after is not None and not np.array_equal(after, values) and np.array_equal(np.sort(after), np.sort(values))


def test_zeros_behind_a_table_stay() -> None:
    after = unsorted(np.concatenate([TABLE + 1, np.zeros(56, np.float32)]))
    assert after is not None and (after[:200] > 0).all() and not after[200:].any()


@pytest.mark.parametrize(
    "values",
    [
        DATA,
        np.ones(200, np.float32),
        np.repeat(np.arange(4, dtype=np.float32), 50),
        np.linspace(0, 300, 101).astype(np.int32),  # where the rows of the other buffer begin
    ],
)
def test_what_is_in_no_order_or_says_where_rows_begin_stays(values: np.ndarray) -> None:
    assert unsorted(values) is None
