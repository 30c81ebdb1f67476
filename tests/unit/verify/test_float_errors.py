"""Whole outputs on the host are looked at in pieces: with the verdict of the longer look that one infinite value asks for."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.model.verification import Outcome
from assistant.model.workload import AutoTolerance
from assistant.verify.program import compare_programs
from assistant.verify.transfer_values import REGROUPING_ROUNDOFFS
from assistant.verify.transfers import HostData, ProgramTrace

COUNT = 150_000
U = 2.0**-24


def trace(values: np.ndarray, is_looked_at_longer: bool) -> ProgramTrace:
    values = np.concatenate(([np.inf], values)).astype(np.float32) if is_looked_at_longer else values.astype(np.float32)
    return ProgramTrace(0, b"done\n", (HostData("copy_to_host", values.tobytes(), "float", "c", buffer=3),), False)


def is_right(original: np.ndarray, candidate: np.ndarray, is_looked_at_longer: bool) -> bool:
    a, again, b = (trace(values, is_looked_at_longer) for values in (original, original.copy(), candidate))
    found = compare_programs(a, again, b, AutoTolerance())
    return not any(finding.outcome is Outcome.FAIL for finding in found.findings)  # type: ignore[union-attr]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.9, 0.99, 1.01, 1.1, 3.9, 4.1, 100.0])
@pytest.mark.parametrize("is_one", [True, False])
def test_floats_on_the_host_pass_as_far_as_the_longer_look_lets_them(share: float, is_one: bool) -> None:
    original = np.random.default_rng(1).standard_normal(COUNT).astype(np.float32).astype(np.float64)
    candidate, moved = original.copy(), share * REGROUPING_ROUNDOFFS * U * np.sqrt(np.mean(original**2))
    candidate[COUNT // 2 if is_one else slice(None)] += moved
    quick, long = (is_right(original, candidate, is_looked_at_longer) for is_looked_at_longer in (False, True))
    assert quick == long == (share < (4.0 if is_one else 1.0))


def test_a_mark_next_to_which_all_is_small_is_no_size() -> None:
    original = np.random.default_rng(2).standard_normal(COUNT).astype(np.float32).astype(np.float64)
    original[:2] = np.finfo(np.float32).max
    candidate = original.copy()
    candidate[5] += 10.0
    assert not is_right(original, candidate, is_looked_at_longer=False)
    assert is_right(original, original.copy(), is_looked_at_longer=False)
