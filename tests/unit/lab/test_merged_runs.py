"""One run of two: contents of the GPU's, and of the emulator's what it saw with the program's own values."""

from __future__ import annotations

from dataclasses import replace

from assistant.lab.merged_runs import merged, unseen_by_emulator
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import LaunchProfile, Method, Problem
from assistant.model.recording import (
    BufferState,
    DeviceOperations,
    DeviceStep,
    PointerField,
    RecordedArgument,
    RecordedBuffer,
    RecordedLaunch,
    Recording,
    ShapeCount,
)
from assistant.ports.lab import LabFailure, ProgramRun

CONFIG = LaunchConfig(Dim3(100), Dim3(32))
OTHER = LaunchConfig(Dim3(200), Dim3(32))


def launch(index: int, config: LaunchConfig = CONFIG, buffer: int = 7, line: int = 0, poisoned: bool = False) -> RecordedLaunch:
    argument = RecordedArgument(8, bytes(8).hex(), (PointerField(0, buffer, 0),))
    return RecordedLaunch(index, "k(float*)", config, (argument,), (BufferState(buffer, "a", "b", poisoned),), "", line)


def recording(*launches: RecordedLaunch, steps: tuple[DeviceStep, ...] | None = None, **more: object) -> Recording:
    counts = dict.fromkeys(one.config for one in launches)
    shapes = tuple(ShapeCount("k(float*)", config, sum(one.config == config for one in launches)) for config in counts)
    buffer = launches[0].buffers[0].buffer if launches else 0
    made = Recording((RecordedBuffer(buffer, 400, 0, None, "device"),), launches, (), (), shape_counts=shapes, steps=steps)
    return replace(made, **more)  # type: ignore[arg-type]


def profile(index: int, blocks: int = 100, config: LaunchConfig = CONFIG, problem: str = "") -> LaunchProfile:
    problems = (Problem(problem, problem, "k.cu", 3, None, None, None, None, None, 1),) if problem else ()
    return LaunchProfile(index, "k(float*)", config, Method.EMULATOR, "emulator", blocks, (), (), (), None, None, problems)


def ran(recorded: Recording, *profiles: LaunchProfile, is_of_gpu: bool = False) -> ProgramRun:
    count = sum(shape.count for shape in recorded.shape_counts)
    return ProgramRun(0, None, False, False, False, b"", b"", None, recorded, count, profiles, (), (), is_of_gpu=is_of_gpu)


def test_contents_are_the_gpu_s_and_places_and_unwritten_memory_the_emulator_s() -> None:
    gpu = ran(recording(launch(0, buffer=7)), is_of_gpu=True)
    run = merged(gpu, ran(recording(launch(0, buffer=3, line=12, poisoned=True)), profile(0)))
    assert run.recording is not None and run.is_of_gpu and not run.is_counted_in_part
    (seen,) = run.recording.launches
    assert (seen.line, seen.buffers) == (12, (BufferState(7, "a", "b", is_poisoned=True),))
    assert run.profiles == (profile(0),) and run.under_emulator is not None


def test_behind_a_launch_that_was_cut_nothing_is_taken_for_unwritten_and_no_problem_counts() -> None:
    gpu = ran(recording(launch(0), launch(1), launch(2)), is_of_gpu=True)
    cut = recording(launch(0), launch(1), launch(2, poisoned=True), first_partial=1)
    seen = ran(cut, profile(0), profile(1, 64, problem="shared_race"), profile(2, problem="out_of_bounds"))
    run = merged(gpu, seen)
    assert run.recording is not None and run.recording.first_partial is None
    assert not any(state.is_poisoned for one in run.recording.launches for state in one.buffers)
    assert [problem.kind for problem in run.problems] == ["shared_race"]
    assert run.is_counted_in_part and not run.is_partial and run.under_emulator is None
    assert any("64 of 100 blocks of k(float*)" in note for note in run.recording.not_captured)


def test_launches_that_the_emulator_came_to_in_another_order_are_found_by_their_shape() -> None:
    gpu = ran(recording(launch(0), launch(1, OTHER), launch(2, OTHER)), is_of_gpu=True)
    run = merged(gpu, ran(recording(launch(0, OTHER)), profile(0, 200, OTHER)))
    assert [(one.index, one.blocks_counted) for one in run.profiles] == [(0, 0), (1, 200)]
    assert run.recording is not None and any("came to no launch of k(float*)" in note for note in run.recording.not_captured)


def test_a_launch_that_cuda_refuses_is_known_though_a_gpu_keeps_nothing_of_it() -> None:
    gpu = ran(recording(launch(0)), is_of_gpu=True)
    seen = ran(recording(launch(0), launch(1, OTHER)), profile(0), profile(1, 0, OTHER, problem="bad_launch"))
    run = merged(gpu, seen)
    assert [[problem.kind for problem in one.problems] for one in run.profiles] == [[], ["bad_launch"]]


def test_launches_too_large_to_be_kept_are_known_and_have_the_emulator_s_counters() -> None:
    both = (ShapeCount("k(float*)", CONFIG, 2), ShapeCount("k(float*)", OTHER, 1))
    order = tuple(DeviceStep("launch", shape) for shape in (0, 1, 0))
    gpu = ran(recording(shape_counts=both, steps=order, are_waits_seen=False), is_of_gpu=True)
    run = merged(gpu, ran(recording(launch(0)), profile(0)))
    assert [(one.config, one.index, one.blocks_counted) for one in run.profiles] == [(CONFIG, 0, 100), (OTHER, 1, 0)]
    alone = unseen_by_emulator(gpu, LabFailure("unsupported", "it uses wmma", ""))
    assert [(one.config, one.index, one.blocks_counted) for one in alone.profiles] == [(CONFIG, 0, 0), (OTHER, 1, 0)]
    unordered = merged(ran(recording(launch(0), shape_counts=both), is_of_gpu=True), ran(recording(launch(0)), profile(0)))
    assert [one.index for one in unordered.profiles] == [0, 4], "none of the places of launches that are known"


COPY, LAUNCH, WAIT = DeviceStep("copy_to_host", size_bytes=400), DeviceStep("launch", 0), DeviceStep("wait")


def test_waits_are_the_emulator_s_where_both_did_the_same() -> None:
    gpu = ran(recording(launch(0), steps=(LAUNCH, COPY), are_waits_seen=False), is_of_gpu=True)
    run = merged(gpu, ran(recording(launch(0), steps=(LAUNCH, WAIT, COPY)), profile(0)))
    assert run.recording is not None and run.recording.are_waits_seen
    assert run.recording.steps == (LAUNCH, WAIT, COPY)


def test_steps_stay_the_gpu_s_where_it_copied_something_else() -> None:
    larger = replace(COPY, size_bytes=800)
    gpu = ran(recording(launch(0), steps=(LAUNCH, larger), are_waits_seen=False), is_of_gpu=True)
    run = merged(gpu, ran(recording(launch(0), steps=(LAUNCH, WAIT, COPY)), profile(0)))
    assert run.recording is not None and run.recording.steps == (LAUNCH, larger) and not run.recording.are_waits_seen


def test_without_an_order_of_the_gpu_s_what_was_copied_decides() -> None:
    moved = (DeviceOperations("copy_to_host", 1, 400),)
    gpu = ran(recording(launch(0), operations=moved, are_waits_seen=False), is_of_gpu=True)
    run = merged(gpu, ran(recording(launch(0), steps=(LAUNCH, WAIT, COPY), operations=moved), profile(0)))
    assert run.recording is not None and run.recording.steps == (LAUNCH, WAIT, COPY)


def test_a_program_that_the_emulator_does_not_run_has_its_launches_by_name() -> None:
    run = unseen_by_emulator(ran(recording(launch(0), launch(1)), is_of_gpu=True), LabFailure("unsupported", "it uses wmma", ""))
    assert [one.blocks_counted for one in run.profiles] == [0]
    assert any("it uses wmma" in text for text in run.unsupported)
