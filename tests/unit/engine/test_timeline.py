"""The timeline of a program that nothing timed: what stands in it, when, and what is said of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.engine.report.timeline import measured_timeline, predicted_timeline
from assistant.measure.targets import target
from assistant.model import events
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import LaunchProfile, Method
from assistant.model.recording import DeviceOperations, DeviceStep, RecordedBuffer, Recording, ShapeCount
from assistant.model.timeline import Timeline
from assistant.ports.lab import LabFailure, Program, ProgramRun, RunLimits
from tests.contracts.fake_clock import Clock
from tests.unit.engine.commands import HOST, SCALE, Commands

SMALL = LaunchConfig(Dim3(4), Dim3(64))
SCALED, OTHER = ("scale(float*)", SMALL), ("other(float*)", SMALL)
UPLOAD, DOWNLOAD = (DeviceStep(kind, -1, 0, 1 << 20, is_waited=True, is_pinned=True) for kind in ("copy_to_device", "copy_to_host"))
LAUNCH = DeviceStep("launch", 0, 0)
LINK = "copies to and from the host are predicted as fast as a PCIe 5.0 x16 link"
GAPS = "gaps: waits, and starting the next step; what the host does in that time is not predicted"


def counted(shape: tuple[str, LaunchConfig] = SCALED, blocks: int = 4) -> LaunchProfile:
    return LaunchProfile(0, *shape, Method.EMULATOR, "a table", blocks, (), (), (), None, None, ())


def recorded(steps: tuple[DeviceStep, ...] | None, **more: Any) -> Recording:
    return replace(Recording((), (), (), (), shape_counts=(ShapeCount(*SCALED, 5), ShapeCount(*OTHER, 2)), steps=steps), **more)


def predicted(recording: Recording, *profiles: LaunchProfile, stopped_at: str | None = None) -> Timeline | None:
    run = SimpleNamespace(profiles=profiles or (counted(), counted(OTHER)), run=SimpleNamespace(stopped_at=stopped_at))
    evaluation: Any = SimpleNamespace(assessment=SimpleNamespace(kernels=(), counted=run), counted=run)
    return predicted_timeline(evaluation, recording, target("h200"))


def found(recording: Recording, *profiles: LaunchProfile) -> Timeline:
    timeline = predicted(recording, *profiles)
    assert timeline is not None and timeline.is_predicted
    return timeline


def test_steps_of_one_stream_follow_each_other() -> None:
    timeline = found(recorded((UPLOAD, LAUNCH, replace(LAUNCH, shape=1), DOWNLOAD)))
    (stream,) = timeline.streams
    assert [span.kind for span in stream.spans] == ["copy", "kernel", "kernel", "copy"]
    ends = [span.start_s + span.duration_s for span in stream.spans]
    assert all(later.start_s >= end for end, later in zip(ends, stream.spans[1:], strict=False))
    rows = {row.name or row.direction: (row.count, row.size_bytes) for row in timeline.rows}
    assert rows == {"to_device": (1, 1 << 20), "scale": (1, 0), "other": (1, 0), "to_host": (1, 1 << 20)}


def test_kernels_of_two_streams_that_fit_beside_each_other_run_at_once() -> None:
    two = recorded((LAUNCH, replace(LAUNCH, shape=1, stream=1)), stream_kinds=("non_blocking", "non_blocking"))
    beside, behind = found(two), found(recorded((LAUNCH, replace(LAUNCH, shape=1))))
    assert beside.span_s < behind.span_s and [stream.kind for stream in beside.streams] == ["non_blocking"] * 2
    sharing = "steps that need not wait run at the same time where they fit into the machine (assumed)"
    assert beside.notes == (GAPS, sharing) and behind.notes == (GAPS,)


def test_where_it_is_not_seen_what_waits_for_what_each_step_waits_for_the_one_before() -> None:
    two = (LAUNCH, replace(LAUNCH, shape=1, stream=1))
    unseen = found(recorded(two, are_waits_seen=False))
    assert unseen.span_s == pytest.approx(found(recorded((LAUNCH, replace(LAUNCH, shape=1)))).span_s)


@pytest.mark.parametrize(
    ("is_pinned", "note"), [(True, LINK), (None, LINK), (False, f"{LINK}; those of pageable memory may take several times as long")]
)
def test_a_copy_to_the_host_says_what_its_time_rests_on(is_pinned: bool | None, note: str) -> None:
    assert found(recorded((LAUNCH, replace(DOWNLOAD, is_pinned=is_pinned)))).notes == (GAPS, note)
    inside = DeviceStep("copy_on_device", -1, 0, 1 << 20)
    assert found(recorded((LAUNCH, inside))).notes == (GAPS,)


def test_what_is_no_work_of_the_device_takes_no_time() -> None:
    waits = DeviceStep("wait"), DeviceStep("allocation", size_bytes=64)
    assert found(recorded((LAUNCH, *waits))).span_s == found(recorded((LAUNCH,))).span_s


def test_launches_of_which_nothing_was_counted_are_left_out_by_name() -> None:
    timeline = found(recorded((LAUNCH, replace(LAUNCH, shape=1), LAUNCH)), counted(), counted(OTHER, 0))
    assert timeline.notes[0] == "left out, as nothing of it was counted: 2 launches of other"
    assert [(row.name, row.count) for row in timeline.rows] == [("scale", 2)]
    assert predicted(recorded((LAUNCH,)), counted(SCALED, 0)) is None
    assert predicted(recorded(None), counted(SCALED, 0)) is None


def test_a_program_that_was_run_in_part_says_that_something_may_be_missing() -> None:
    cut = "the program was run in part: what it does after its time was up may be missing"
    assert found(recorded((LAUNCH,), first_partial=0)).notes == (cut, GAPS)
    assert cut in found(recorded(None, first_partial=0)).notes


def test_a_program_that_was_stopped_says_what_is_missing() -> None:
    timeline = predicted(recorded((LAUNCH,)), stopped_at="cublasSscal of cuBLAS (a.cu:3)")
    stopped = "the program was stopped at cublasSscal of cuBLAS (a.cu:3), which is not run here: what it does after is missing"
    assert timeline is not None and timeline.notes == (stopped, GAPS)


@pytest.mark.parametrize(
    ("blocks", "note"),
    [
        ((4,) * 5, None),
        ((4, 4), "counted on 2 of 5 launches, scaled"),
        ((1, 3, 4, 4, 4), "counted on 16 of 20 blocks, scaled"),
        ((1, 2), "counted on 3 of 8 blocks in 2 of 5 launches, scaled"),
        ((4, 0, 4, 4), "counted on 3 of 5 launches, scaled"),
    ],
)
@pytest.mark.parametrize("steps", [(LAUNCH,), None])
def test_a_kernel_that_was_counted_in_part_says_how_much(
    steps: tuple[DeviceStep, ...] | None, blocks: tuple[int, ...], note: str | None
) -> None:
    timeline = found(recorded(steps), *(counted(SCALED, count) for count in blocks))
    (row,) = (row for row in timeline.rows if row.name == "scale")
    assert row.note == note


def test_of_a_program_whose_order_is_not_kept_times_are_added_up() -> None:
    once, fill = found(recorded((LAUNCH,))), DeviceOperations("fill", 3, 3 << 20)
    timeline = found(recorded(None, operations=(fill,)))
    rows = {row.name or row.kind: row for row in timeline.rows}
    assert {name: row.count for name, row in rows.items()} == {"scale": 5, "other": 2, "fill": 3}
    assert rows["scale"].time_s == pytest.approx(5 * once.rows[0].time_s)
    assert rows["fill"].size_bytes == 3 << 20
    assert "starting 10 steps takes 17 µs in all, which are gaps where nothing else runs at the time" in timeline.notes


class Timeliner(Clock):
    """Runs every program in the same time."""

    def __init__(self, answer: LabFailure | Recording | None) -> None:
        super().__init__()
        self.answer = answer
        self.run_count = 0

    async def timeline(self, program: Program, limits: RunLimits) -> ProgramRun | LabFailure:
        self.run_count += 1
        if isinstance(self.answer, LabFailure):
            return self.answer
        return ProgramRun(0, None, False, False, False, b"", b"", None, self.answer, 1, (), (), ())


TIMED = (SCALE + HOST).replace("    int i", "    // takes 40 us\n    int i")


async def profiled(folder: Path, clock: Timeliner, **more: Any) -> Commands:
    on = Commands(folder, timing=clock)
    await on.hear(on.session.profile(on.request(TIMED, **more)))
    return on


async def test_where_there_is_a_gpu_the_timeline_is_measured(tmp_path: Path) -> None:
    clock = Timeliner(recorded((replace(LAUNCH, start_ns=1000, end_ns=3000),)))
    told = (await profiled(tmp_path, clock)).only(events.TimelineFound)
    assert not told.timeline.is_predicted and told.timeline.span_s == pytest.approx(2e-6)
    assert told.method == "CUPTI activity records of one run on a table of the tests"
    assert clock.run_count == 1


def test_times_that_hold_the_migration_of_managed_memory_say_so() -> None:
    run = recorded((replace(LAUNCH, start_ns=1000, end_ns=3000),))
    spaces = {space: replace(recorded(None), buffers=(RecordedBuffer(0, 4, 0, None, space),)) for space in ("device", "managed")}
    notes = {name: (measured_timeline(run, one) or pytest.fail(name)).notes for name, one in {**spaces, "not seen": None}.items()}
    assert notes["device"] == notes["not seen"] == ()
    assert "managed memory" in " ".join(notes["managed"])


async def test_while_somebody_types_no_program_is_run_for_its_timeline(tmp_path: Path) -> None:
    clock = Timeliner(recorded((replace(LAUNCH, start_ns=1000, end_ns=3000),)))
    on = await profiled(tmp_path, clock, is_live=True)
    assert clock.run_count == 0 and on.all(events.TimelineFound) == []


async def test_a_run_that_left_no_records_has_no_timeline(tmp_path: Path) -> None:
    assert (await profiled(tmp_path, Timeliner(None))).all(events.TimelineFound) == []
