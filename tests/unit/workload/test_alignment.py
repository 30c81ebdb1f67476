"""Launches on buffers that begin behind a boundary: the same values, and pointers that say so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assistant.model.launch import Dim3, LaunchConfig
from assistant.workload.alignment import shift_count, with_shifted
from assistant.workload.derive import contents_of
from assistant.workload.recordings import NewCase
from tests.unit.workload.launches import launched

X, Y = np.arange(8, dtype=np.float32), np.arange(6, dtype=np.int32)
CONFIG = LaunchConfig(Dim3(1), Dim3(32))
NAMES = {0: "x", 1: "y"}


def offsets(case: NewCase) -> list[int]:
    """By how many elements of four bytes the pointers of the launch are off."""
    return [field.buffer_offset_bytes // 4 for argument in case.recording.launches[0].arguments for field in argument.pointers]


def test_every_buffer_begins_one_two_and_three_elements_behind_a_boundary_and_alone() -> None:
    case, _ = launched(CONFIG, {"n": 8}, X, Y)
    made = list(with_shifted(case, NAMES, {}))
    assert [offsets(one) for one in made] == [[1, 2], [2, 3], [3, 1], [1, 0], [0, 2]]
    assert shift_count(case, {}) == len(made)
    assert made[0].origin.values == "x 1 element and y 2 elements behind a boundary"
    assert {one.origin.kind for one in made} == {"shifted"} and {one.origin.weight for one in made} == {0.0}


def test_values_stay_where_pointers_say() -> None:
    case, _ = launched(CONFIG, {"n": 8}, X, Y)
    for made in with_shifted(case, NAMES, {}):
        for buffer, (count, values) in enumerate(zip(offsets(made), (X, Y), strict=True)):
            data = contents_of(made)[buffer]
            assert data[4 * count :] == values.tobytes() and len(data) == made.recording.buffers[buffer].size_bytes


def test_types_that_are_unknown_or_as_wide_as_an_access_show_nothing() -> None:
    case, _ = launched(CONFIG, {}, X)
    for element in (None, "float4", "some_struct"):
        buffers = tuple(replace(buffer, element_type=element) for buffer in case.recording.buffers)
        assert list(with_shifted(replace(case, recording=replace(case.recording, buffers=buffers)), NAMES, {})) == []


def test_variables_of_the_device_stay() -> None:
    case, _ = launched(CONFIG, {}, X)
    buffers = tuple(replace(buffer, symbol="table") for buffer in case.recording.buffers)
    assert list(with_shifted(replace(case, recording=replace(case.recording, buffers=buffers)), NAMES, {})) == []
