"""Whether two runs of a launch with other grids left the same."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.engine.judge.grids import leaves_the_same
from assistant.engine.judge.replaying import CaseTrial
from assistant.model.launch import Dim3, LaunchConfig
from tests.unit.workload.launches import launched

BEFORE = np.random.default_rng(1).uniform(1, 2, 1000).astype(np.float32)


def trials(before: np.ndarray, one: np.ndarray, other: np.ndarray) -> tuple[CaseTrial, CaseTrial]:
    case, _ = launched(LaunchConfig(Dim3(8), Dim3(128)), {"n": 1000}, before)
    return CaseTrial(case, None, ((0, one.tobytes()),), 0.0), CaseTrial(case, None, ((0, other.tobytes()),), 0.0)


def test_rounding_of_floats_is_the_same() -> None:
    assert leaves_the_same(*trials(BEFORE, BEFORE + 1, (BEFORE + 1) * np.float32(1 + 1e-6)))


@pytest.mark.parametrize("step", [1.0, 1e-4])
def test_what_half_of_the_grid_leaves_out_is_not_however_little_it_changes(step: float) -> None:
    whole = BEFORE + np.float32(step)
    half = np.concatenate([whole[:500], BEFORE[500:]])
    assert not leaves_the_same(*trials(BEFORE, whole, half))


def test_zeros_of_both_signs_are_the_same() -> None:
    zeros = np.zeros(1000, np.float32)
    assert leaves_the_same(*trials(zeros, zeros, -zeros))


def test_integers_are_the_same_to_the_bit() -> None:
    before = np.zeros(1000, np.int32)
    after = np.full(1000, 10**9, np.int32)
    assert leaves_the_same(*trials(before, after, after)) and not leaves_the_same(*trials(before, after, after + (after > 0)))


def test_what_is_not_a_number_in_one_of_them_only_is_not_the_same() -> None:
    with_nan = BEFORE + 1
    with_nan[3] = np.nan
    assert not leaves_the_same(*trials(BEFORE, BEFORE + 1, with_nan))
