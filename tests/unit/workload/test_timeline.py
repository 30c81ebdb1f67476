"""A program's time on the GPU, from the times of its steps."""

from __future__ import annotations

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import DeviceOperations, DeviceStep, Recording, ShapeCount
from assistant.model.timeline import Timeline
from assistant.workload.timeline import TimedWork, WorkTotal, build_timeline, build_timeline_of_totals, timeline_of, work_of

CONFIG = LaunchConfig(Dim3(1), Dim3(32))
SHAPES = (ShapeCount("ns::relax<2>(float*)", CONFIG, 2), ShapeCount("ns::relax<4>(float*)", CONFIG, 1))


def recording(*steps: DeviceStep) -> Recording:
    return Recording((), (), (), (), shape_counts=SHAPES, steps=steps)


def launch(start_ns: int, end_ns: int, shape: int = 0, stream: int = 0) -> DeviceStep:
    return DeviceStep("launch", shape, stream, 0, start_ns, end_ns)


def found(*steps: DeviceStep) -> Timeline:
    timeline = timeline_of(recording(*steps))
    assert timeline is not None
    return timeline


def kernel(name: str, start_s: float, end_s: float, stream: int = 0) -> TimedWork:
    return TimedWork(work_of("launch", f"{name}()"), stream, start_s, end_s)


def copy(start_s: float, end_s: float, stream: int = 0) -> TimedWork:
    return TimedWork(work_of("copy_to_host"), stream, start_s, end_s, 64)


def test_kernels_copies_and_gaps_share_the_span() -> None:
    timeline = found(DeviceStep("copy_to_device", -1, 0, 64, 1000, 1100), launch(1200, 1500), launch(1500, 1600, 1), launch(1900, 2000))
    assert (timeline.span_s, timeline.gap_s, timeline.gap_ratio) == (pytest.approx(1e-6), pytest.approx(400e-9), pytest.approx(0.4))
    assert [(row.kind, row.name, row.direction, row.count, row.size_bytes) for row in timeline.rows] == [
        ("kernel", "ns::relax", None, 3, 0),
        ("copy", "", "to_device", 1, 64),
    ]
    assert [row.time_s for row in timeline.rows] == pytest.approx([500e-9, 100e-9])
    assert [row.ratio for row in timeline.rows] == pytest.approx([0.5, 0.1])
    assert [(gap.after, gap.before) for gap in timeline.gaps] == [("ns::relax", "ns::relax"), ("copy to the GPU", "ns::relax")]
    assert [gap.start_s for gap in timeline.gaps] == pytest.approx([600e-9, 100e-9])
    assert [gap.duration_s for gap in timeline.gaps] == pytest.approx([300e-9, 100e-9])


def test_what_runs_at_once_leaves_no_more_gaps() -> None:
    timeline = found(launch(0, 100), launch(10, 20, 1, stream=1), launch(50, 150, 1, stream=1), launch(200, 250))
    assert timeline.gap_s == pytest.approx(50e-9) and timeline.busy_s == pytest.approx(200e-9)
    assert sum(row.time_s for row in timeline.rows) == pytest.approx(260e-9)
    assert timeline.gap_count == 1
    assert [(stream.stream, stream.busy_s) for stream in timeline.streams] == [(0, pytest.approx(150e-9)), (1, pytest.approx(110e-9))]


def test_kernels_beside_each_other_are_counted_once_in_their_share() -> None:
    timeline = build_timeline([kernel("a", 0, 6), kernel("b", 2, 8, stream=1), copy(4, 10, stream=2)])
    assert timeline.leading_kernels == ("a", "b")
    assert timeline.leading_ratio == pytest.approx(0.8), "from 0 to 8 of 10 s"
    assert timeline.transfer_ratio == pytest.approx(0.2), "the copy alone"
    assert timeline.gap_ratio == 0


def test_a_long_kernel_hides_the_gap_behind_a_short_one() -> None:
    timeline = build_timeline([kernel("long", 0, 10), kernel("short", 1, 2, stream=1), kernel("last", 9, 12, stream=1)])
    assert (timeline.gap_s, timeline.gap_count) == (0, 0)


def test_leading_kernels_are_the_few_that_take_most_of_the_time() -> None:
    timeline = build_timeline([kernel("a", 0, 70), kernel("b", 70, 85), kernel("c", 85, 95), kernel("d", 95, 100)])
    assert (timeline.leading_kernels, timeline.kernel_count) == (("a", "b"), 4)
    assert timeline.leading_ratio == pytest.approx(0.85)


def test_a_stream_of_few_steps_shows_each() -> None:
    timeline = build_timeline([kernel("a", 0, 1), kernel("a", 1, 2), copy(3, 4)], ("legacy",), notes=("said",))
    (stream,) = timeline.streams
    assert (stream.kind, stream.count, timeline.notes) == ("legacy", 3, ("said",))
    assert [(span.kind, span.count, span.start_s, span.duration_s) for span in stream.spans] == [
        ("kernel", 1, 0, 1),
        ("kernel", 1, 1, 1),
        ("copy", 1, 3, 1),
    ]


def test_repeated_launches_become_one_span() -> None:
    timeline = build_timeline([*(kernel("a", 2 * n, 2 * n + 1) for n in range(1000)), copy(2000, 2001)])
    first, last = timeline.streams[0].spans
    assert (first.name, first.count, first.other_count, first.busy_s, first.duration_s) == ("a", 1000, 0, 1000, 1999)
    assert (last.kind, last.count, last.size_bytes) == ("copy", 1, 64)


def test_a_long_loop_of_several_kernels_stays_small() -> None:
    names = ("a", "b", "b")
    timeline = build_timeline([kernel(names[n % 3], n, n + 0.5, stream=n % 20) for n in range(9000)])
    spans = [span for stream in timeline.streams for span in stream.spans]
    assert len(spans) <= 16 * 16 and (len(timeline.streams), timeline.other_stream_count) == (16, 4)
    assert sum(span.count for span in spans) == 9000 * 16 // 20
    assert all(span.count > span.other_count for span in spans)


def test_many_kernels_are_rows_and_a_rest() -> None:
    timeline = build_timeline([kernel(f"k{n}", n, n + 1) for n in range(50)])
    assert (len(timeline.rows), timeline.other_row_count) == (32, 18)
    assert timeline.other_time_s == pytest.approx(18) and timeline.kernel_count == 50


def test_branches_of_a_graph_in_one_stream_are_one_span() -> None:
    timeline = build_timeline([kernel("a", 0, 4), kernel("b", 1, 2), kernel("a", 4, 5)])
    assert [(span.name, span.count, span.other_count) for span in timeline.streams[0].spans] == [("a", 2, 1), ("a", 1, 0)]


def test_of_too_many_steps_the_times_are_added_up_and_gaps_are_not_known() -> None:
    operations = (DeviceOperations("fill", 2, 128, 40),)
    shapes = (ShapeCount("relax()", CONFIG, 20_000, 60),)
    timeline = timeline_of(Recording((), (), (), (), shape_counts=shapes, operations=operations))
    assert timeline is not None and (timeline.gap_s, timeline.gap_ratio, timeline.streams) == (None, None, ())
    assert timeline.span_s == pytest.approx(100e-9)
    assert (timeline.leading_ratio, timeline.transfer_ratio) == (pytest.approx(0.6), pytest.approx(0.4))
    assert timeline.notes and timeline.rows[0].count == 20_000


def test_totals_of_one_kernel_are_one_row() -> None:
    work = work_of("launch", "a<1>()")
    timeline = build_timeline_of_totals([WorkTotal(work, 3, 2.0), WorkTotal(work_of("launch", "a<2>()"), 1, 1.0)])
    assert [(row.name, row.count, row.time_s) for row in timeline.rows] == [("a", 4, 3.0)]


def test_without_time_stamps_there_is_none() -> None:
    assert timeline_of(recording(DeviceStep("launch", 0, 0))) is None
    assert timeline_of(Recording((), (), (), ())) is None
