"""A program's time on the GPU, from the time stamps of one run."""

from __future__ import annotations

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import DeviceStep, Recording, ShapeCount
from assistant.model.timing import TimelineRow
from assistant.workload.timeline import timeline_of

CONFIG = LaunchConfig(Dim3(1), Dim3(32))
SHAPES = (ShapeCount("ns::relax<2>(float*)", CONFIG, 2), ShapeCount("ns::relax<4>(float*)", CONFIG, 1))


def recording(*steps: DeviceStep) -> Recording:
    return Recording((), (), (), (), shape_counts=SHAPES, steps=steps)


def launch(start_ns: int, end_ns: int, shape: int = 0, stream: int = 0) -> DeviceStep:
    return DeviceStep("launch", shape, stream, 0, start_ns, end_ns)


def test_kernels_copies_and_gaps_share_the_span() -> None:
    found = timeline_of(
        recording(DeviceStep("copy_to_device", -1, 0, 64, 1000, 1100), launch(1200, 1500), launch(1500, 1600, 1), launch(1900, 2000))
    )
    assert found is not None
    assert (found.span_s, found.gap_s, found.gap_ratio) == (pytest.approx(1e-6), pytest.approx(400e-9), pytest.approx(0.4))
    assert found.rows == (
        TimelineRow("launch", "ns::relax", 3, pytest.approx(500e-9), pytest.approx(0.5)),
        TimelineRow("copy_to_device", "", 1, pytest.approx(100e-9), pytest.approx(0.1)),
    )


def test_what_runs_at_once_leaves_no_more_gaps() -> None:
    found = timeline_of(recording(launch(0, 100), launch(10, 20, 1, stream=1), launch(50, 150, 1, stream=1), launch(200, 250)))
    assert found is not None and found.gap_s == pytest.approx(50e-9)
    assert sum(row.time_s for row in found.rows) == pytest.approx(260e-9)


def test_without_time_stamps_there_is_none() -> None:
    assert timeline_of(recording(DeviceStep("launch", 0, 0))) is None
    assert timeline_of(Recording((), (), (), ())) is None
