"""Arrays whose large values fall to one thread of each block."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.workload.clustered import CLUSTERED, with_clustered
from assistant.workload.derive import contents_of
from assistant.workload.recordings import NewCase
from tests.unit.workload.launches import launched

CONFIG = LaunchConfig(Dim3(16), Dim3(256))
RANDOM = np.random.default_rng(3)


def case_of(values: np.ndarray) -> NewCase:
    return launched(CONFIG, {}, values)[0]


@pytest.mark.parametrize("values", [RANDOM.standard_normal(4097).astype(np.float32), RANDOM.integers(0, 1 << 62, 4096).astype(np.uint64)])
def test_the_largest_values_fall_to_one_thread(values: np.ndarray) -> None:
    made = with_clustered(case_of(values), 256, 7, {0: "score"})
    assert made is not None and made.origin.kind == CLUSTERED and made.origin.values == "score by size"
    after = np.frombuffer(contents_of(made)[0], values.dtype)
    whole = values[:4096]
    assert sorted(after) == sorted(values) and (np.sort(after[:4096:256]) == np.sort(whole)[-16:]).all()


@pytest.mark.parametrize(
    "values",
    [np.arange(4096, dtype=np.int32), RANDOM.permutation(4096).astype(np.int32), np.ones(4096, np.float32), np.ones(300, np.int32)],
)
def test_sorted_ones_places_and_small_ones_stay(values: np.ndarray) -> None:
    assert with_clustered(case_of(values), 256, 7, {}) is None
