"""What only the new program's host fills before a launch is filled when that launch is replayed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import DeviceOperations
from assistant.workload.derive import contents_of
from assistant.workload.host_fills import with_host_fills
from assistant.workload.recordings import NewCase
from tests.unit.workload.launches import launched

CONFIG = LaunchConfig(Dim3(1), Dim3(32), 0)
DATA, ZEROS, ONES = np.arange(8, dtype=np.int32), np.zeros(8, np.int32), np.full(8, -1, np.int32)


def case(*buffers: np.ndarray, unwritten: int | None = None, fill_bytes: int = 0) -> NewCase:
    """Of a program that fills so many bytes."""
    made, _ = launched(CONFIG, {}, *buffers)
    made = replace(made, recording=replace(made.recording, operations=(DeviceOperations("fill", 1, fill_bytes),)))
    (launch,) = made.recording.launches
    states = tuple(replace(state, is_poisoned=state.buffer == unwritten) for state in launch.buffers)
    return replace(made, recording=replace(made.recording, launches=(replace(launch, buffers=states),)))


def found(a: NewCase, b: NewCase) -> NewCase:
    return with_host_fills(a, a.recording, 0, b.recording, 0)


@pytest.mark.parametrize("fill", [ZEROS, ONES])
@pytest.mark.parametrize("unwritten", [1, None])
def test_memory_that_a_never_wrote_or_left_as_it_was_holds_what_b_fills_it_with(fill: np.ndarray, unwritten: int | None) -> None:
    a = case(DATA, DATA + 5, unwritten=unwritten)
    made = found(a, case(DATA, fill, fill_bytes=32))
    assert contents_of(made) == {0: DATA.tobytes(), 1: fill.tobytes()}
    assert not any(state.is_poisoned for state in made.recording.launches[0].buffers)
    assert made.origin == a.origin


@pytest.mark.parametrize(
    ("a", "b"),
    [
        pytest.param(case(DATA, ZEROS), case(DATA, ZEROS, fill_bytes=32), id="both fill it"),
        pytest.param(case(DATA, DATA, unwritten=1), case(DATA, ZEROS, unwritten=1, fill_bytes=32), id="fresh memory is no fill"),
        pytest.param(case(DATA, DATA, unwritten=1), case(DATA, ZEROS), id="fresh memory of a program recorded without checks is no fill"),
        pytest.param(case(DATA, DATA), case(DATA, DATA[::-1].copy(), fill_bytes=32), id="B computes it"),
    ],
)
def test_what_both_fill_or_b_does_not_fill_stays(a: NewCase, b: NewCase) -> None:
    assert found(a, b) is a


def test_values_of_our_own_in_a_buffer_that_both_fill_stay() -> None:
    drawn = case(DATA, DATA + 1)
    assert with_host_fills(drawn, case(DATA, ZEROS).recording, 0, case(DATA, ZEROS).recording, 0) is drawn


def test_a_buffer_is_filled_at_its_size_in_the_case() -> None:
    grown = case(np.arange(16, dtype=np.int32), np.arange(16, dtype=np.int32))
    made = with_host_fills(grown, case(DATA, DATA, unwritten=1).recording, 0, case(DATA, ZEROS, fill_bytes=32).recording, 0)
    assert contents_of(made)[1] == bytes(64)
