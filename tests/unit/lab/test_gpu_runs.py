"""Who runs a program on a lab with a GPU, for how long, and what is said where one of both fails."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from assistant.lab.gpu_runs import EMULATED_S, GpuRuns, Look
from assistant.model.build import Flags
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import Correction, LaunchProfile, Method, Problem
from assistant.model.recording import RecordedLaunch, Recording, ShapeCount
from assistant.model.source import Source
from assistant.ports.lab import LabFailure, Program, ProgramRun, RunLimits
from tests.deadlines import HANG_S

PROGRAM = Program((Source(Path("/k.cu"), "text"),), Flags(("-O3",)))
CONFIG = LaunchConfig(Dim3(100), Dim3(32))
PROFILE = LaunchProfile(0, "k()", CONFIG, Method.EMULATOR, "emulator", 100, (), (), (), None, None, ())
RACE = Problem("shared_race", "a race", "k.cu", 3, None, None, None, None, None, 1)
LIMITS = RunLimits(whole_s=20.0)
COUNT = Look("count", sample_blocks=4096)


def ran(*profiles: LaunchProfile, partial: int | None = None, note: str = "") -> ProgramRun:
    recording = Recording((), (), (), (note,) if note else (), shape_counts=(ShapeCount("k()", CONFIG, 1),), first_partial=partial)
    return ProgramRun(0, None, False, False, False, b"", b"", None, recording, 1, profiles, (), ())


@dataclass
class Machines:
    """A recorder and an emulator that answer what they are told, and note what they were asked."""

    on_gpu: ProgramRun | LabFailure = field(default_factory=lambda: ran(note="by the GPU"))
    emulated: ProgramRun | LabFailure = field(default_factory=lambda: ran(PROFILE))
    recorded: list[Program] = field(default_factory=list[Program])
    asked: list[tuple[str, RunLimits]] = field(default_factory=list[tuple[str, RunLimits]])
    counted: list[str] = field(default_factory=list[str])
    built: asyncio.Event = field(default_factory=asyncio.Event)

    async def prepare(self, program: Program, mode: str) -> None:
        self.built.set()

    async def record(self, program: Program, limits: RunLimits) -> ProgramRun | LabFailure:
        self.recorded.append(program)
        return self.on_gpu

    async def run(
        self,
        program: Program,
        mode: str,
        limits: RunLimits,
        record: bool,
        sample_blocks: int = 0,
        corrections: tuple[Correction, ...] = (),
        order_seed: int = 0,
        uploads: Path | None = None,
    ) -> ProgramRun | LabFailure:
        self.asked.append((mode, limits))
        return self.emulated

    async def run_streams(self, program: Program, is_late: bool, limits: RunLimits) -> ProgramRun | LabFailure:
        self.asked.append(("streams", limits))
        return self.emulated

    async def count(self, program: Program, run: ProgramRun, look: Look, limits: RunLimits) -> ProgramRun:
        self.counted.append(look.mode)
        return replace(run, profiles=(replace(PROFILE, blocks_counted=16),), problems=(RACE,))

    @property
    def runs(self) -> GpuRuns:
        return GpuRuns(self, _Recorder(self), self.count, 1 << 37)


@dataclass
class _Recorder:
    machines: Machines

    async def run(self, program: Program, limits: RunLimits) -> ProgramRun | LabFailure:
        return await self.machines.record(program, limits)


async def test_the_gpu_records_and_the_emulator_has_a_second() -> None:
    on = Machines()
    run = await on.runs.run(PROGRAM, COUNT, LIMITS)
    assert isinstance(run, ProgramRun) and run.is_of_gpu and run.profiles == (PROFILE,)
    assert run.recording is not None and run.recording.not_captured == ("by the GPU",)
    ((mode, limits),) = on.asked
    assert (mode, limits.whole_s) == ("count", EMULATED_S)
    assert limits.launch_bytes < LIMITS.launch_bytes, "contents are the GPU's to keep"


class Slow(Machines):
    """The recorder does not end before the emulator's build."""

    async def record(self, program: Program, limits: RunLimits) -> ProgramRun | LabFailure:
        async with asyncio.timeout(HANG_S):
            await self.built.wait()
        return await super().record(program, limits)


async def test_what_the_emulator_runs_is_built_while_the_gpu_records() -> None:
    on = Slow()
    run = await on.runs.run(PROGRAM, COUNT, LIMITS)
    assert isinstance(run, ProgramRun) and run.is_of_gpu and run.profiles == (PROFILE,)


async def test_a_person_who_asks_for_every_block_gets_every_block() -> None:
    on = Machines()
    await on.runs.run(PROGRAM, Look("count"), LIMITS)
    assert on.asked[0][1].whole_s == 0.0


async def test_where_nothing_is_counted_the_emulator_is_not_asked() -> None:
    on = Machines()
    run = await on.runs.run(PROGRAM, Look("plain"), LIMITS)
    assert isinstance(run, ProgramRun) and run.is_of_gpu and on.asked == []
    on.on_gpu = LabFailure("internal", "no CUPTI", "")
    assert isinstance(await on.runs.run(PROGRAM, Look("plain"), LIMITS), ProgramRun) and [mode for mode, _ in on.asked] == ["plain"]


async def test_what_was_recorded_is_looked_at_again_without_another_run() -> None:
    on = Machines()
    runs = on.runs
    await runs.run(PROGRAM, COUNT, LIMITS)
    await runs.run(PROGRAM, Look("grade", 4096), LIMITS)
    assert len(on.recorded) == 1 and [mode for mode, _ in on.asked] == ["count", "grade"]
    await runs.run(PROGRAM, Look("check", 4096), LIMITS)
    assert len(on.recorded) == 2, "whether it does the same again takes another run"


async def test_where_the_recorder_fails_the_emulator_s_run_stands_and_says_so() -> None:
    on = Machines(on_gpu=LabFailure("internal", "CUPTI is held by another profiler", ""))
    run = await on.runs.run(PROGRAM, COUNT, LIMITS)
    assert isinstance(run, ProgramRun) and not run.is_of_gpu and run.recording is not None
    assert any("under the emulator" in note and "another profiler" in note for note in run.recording.not_captured)


async def test_where_the_recorder_fails_too_it_is_the_gpu_s_reason_that_is_reported() -> None:
    """Of what the emulator did not run to its end nothing can be judged, and what it did not run is not why."""
    failure = LabFailure("not_built", "nvcc does not build the program", "fix the errors above")
    left_out = replace(ran(PROFILE), unsupported=("not run: inline PTX",))
    for emulated in (left_out, LabFailure("unsupported", "it uses wmma", ""), LabFailure("not_built", "g++ refuses it", "")):
        assert await Machines(on_gpu=failure, emulated=emulated).runs.run(PROGRAM, COUNT, LIMITS) == failure
    crashed = LabFailure("internal", "CUPTI is held by another profiler", "")
    refused = LabFailure("not_built", "g++ refuses it", "")
    assert await Machines(on_gpu=crashed, emulated=refused).runs.run(PROGRAM, COUNT, LIMITS) == refused


async def test_of_what_the_emulator_cannot_run_recorded_launches_are_counted() -> None:
    on = Machines(emulated=LabFailure("unsupported", "it uses wmma", ""))
    run = await on.runs.run(PROGRAM, COUNT, LIMITS)
    assert isinstance(run, ProgramRun) and run.is_of_gpu and on.counted == ["count"]


@pytest.mark.parametrize("kind", ["storage", "no_space"])
async def test_a_full_disk_is_no_limit_of_the_emulator(kind: str) -> None:
    failure = LabFailure(kind, "the disk is full", "")
    assert await Machines(emulated=failure).runs.run(PROGRAM, COUNT, LIMITS) == failure


async def test_a_program_checked_in_part_has_its_recorded_launches_checked_too() -> None:
    on = Machines(emulated=ran(replace(PROFILE, blocks_counted=64), partial=0))
    run = await on.runs.run(PROGRAM, Look("check", 4096), LIMITS)
    assert isinstance(run, ProgramRun) and on.counted == ["check"]
    assert run.problems == (RACE,) and run.profiles[0].blocks_counted == 64


async def test_a_run_that_must_be_whole_is_not_tried_where_one_was_cut() -> None:
    on = Machines(emulated=ran(PROFILE, partial=0))
    runs = on.runs
    await runs.run(PROGRAM, COUNT, LIMITS)
    on.asked.clear()
    late, uploaded = await runs.run_streams(PROGRAM, True, LIMITS), await runs.run_uploads(PROGRAM, Look("check"), LIMITS, Path("/u"))
    assert isinstance(late, LabFailure) and isinstance(uploaded, LabFailure) and on.asked == []


async def test_a_run_that_must_be_whole_has_three_seconds() -> None:
    on = Machines(emulated=replace(ran(), timed_out=True))
    runs = on.runs
    assert isinstance(await runs.run_streams(PROGRAM, True, LIMITS), LabFailure)
    assert on.asked[0][1].wall_s == 3.0
    assert isinstance(await runs.run_streams(PROGRAM, False, LIMITS), LabFailure) and len(on.asked) == 1


async def test_other_roundings_are_those_of_the_gpu_without_fused_products() -> None:
    on = Machines()
    run = await on.runs.run_fused(PROGRAM, LIMITS)
    assert isinstance(run, ProgramRun) and run.is_of_gpu and on.asked == []
    assert on.recorded[0].flags.arguments == ("-O3", "-fmad=false")


async def test_a_program_with_a_command_of_its_own_is_recorded_and_its_launches_counted() -> None:
    on = Machines()
    run = await on.runs.run(replace(PROGRAM, run_command=("./bench",)), COUNT, LIMITS)
    assert isinstance(run, ProgramRun) and on.counted == ["count"] and on.asked == []


async def test_recorded_launches_are_counted_where_the_emulator_came_to_none_of_a_shape() -> None:
    """Of a program with another launch, which it did come to: without this, nothing was known of the kernel that takes longest."""
    late, other = LaunchConfig(Dim3(7), Dim3(32)), replace(PROFILE, index=1)
    launches = tuple(RecordedLaunch(at, "k()", config, (), (), "k.cu", 3) for at, config in enumerate((late, CONFIG)))
    shapes = (ShapeCount("k()", late, 1), ShapeCount("k()", CONFIG, 1))
    both = ran(replace(PROFILE, config=late), other)
    assert both.recording is not None
    gpu = replace(both, recording=replace(both.recording, launches=launches, shape_counts=shapes), profiles=())

    class Some(Machines):
        async def count(self, program: Program, run: ProgramRun, look: Look, limits: RunLimits) -> ProgramRun:
            assert run.recording is not None and [one.config for one in run.recording.launches] == [late]
            return replace(run, profiles=(replace(PROFILE, config=late, blocks_counted=4),))

    run = await Some(on_gpu=gpu, emulated=ran(other)).runs.run(PROGRAM, COUNT, LIMITS)
    assert isinstance(run, ProgramRun)
    assert [(one.index, one.blocks_counted) for one in run.profiles] == [(0, 4), (1, 100)]
