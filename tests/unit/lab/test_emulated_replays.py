"""What the emulator of a GPU's lab is given to replay, and what is done with what it does not come to the end of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from assistant.lab.emulated_replays import CASE_S, EmulatedCases, EmulatedReplays
from assistant.model.build import Flags
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.source import Source
from assistant.model.workload import Case
from assistant.ports.lab import CaseRun, LabFailure, Program, ReplayOptions, ReplayRun, RunLimits
from assistant.serialize import dumps
from assistant.workload.recordings import read_recording, write_case
from tests.unit.workload.launches import launched

PROGRAM = Program((Source(Path("/k.cu"), "__global__ void k(float *p, int n) {}"),), Flags(()))
CHECK = ReplayOptions("check")


def case(folder: Path, blocks: int, is_cooperative: bool = False) -> Case:
    new, _ = launched(LaunchConfig(Dim3(blocks), Dim3(256)), {"n": 8}, np.zeros(8, np.float32))
    launches = tuple(replace(one, is_cooperative=is_cooperative) for one in new.recording.launches)
    return write_case(folder / f"{blocks}-{is_cooperative}", replace(new, recording=replace(new.recording, launches=launches)))


def run(error: str | None = None) -> CaseRun:
    return CaseRun(error is None, error, (), True, None, (), ())


@dataclass
class Emulator:
    """Notes how many blocks of each case it was given: 0 for all."""

    answer: Callable[[int], CaseRun] = field(default_factory=lambda: lambda _: run())
    given: list[list[int]] = field(default_factory=list[list[int]])
    limits: list[RunLimits] = field(default_factory=list[RunLimits])

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        self.given.append([len(read_recording(one.recording).launches[0].chosen_blocks) for one in cases])
        assert all((one.recording / "blobs").is_dir() for one in cases)
        self.limits.append(limits)
        return ReplayRun(tuple(self.answer(blocks) for blocks in self.given[-1]), Path("/blobs"))


async def replayed(folder: Path, emulator: Emulator, cases: Sequence[Case], options: ReplayOptions = CHECK) -> EmulatedCases:
    found = await EmulatedReplays(emulator, folder).run(PROGRAM, cases, options, RunLimits())
    assert isinstance(found, EmulatedCases)
    return found


async def test_large_launches_are_given_in_part_and_every_case_has_five_seconds(tmp_path: Path) -> None:
    emulator = Emulator()
    found = await replayed(tmp_path, emulator, [case(tmp_path, 4), case(tmp_path, 1 << 16), case(tmp_path, 1 << 22)])
    assert emulator.given == [[0, 64, 64]] and CASE_S <= emulator.limits[0].wall_s < CASE_S + 0.1
    assert found.runs == (run(), run(), run())


async def test_a_case_of_much_data_has_the_time_to_read_it(tmp_path: Path) -> None:
    emulator, large = Emulator(), case(tmp_path, 1 << 16)
    recording = read_recording(large.recording)
    buffers = tuple(replace(buffer, size_bytes=2 << 30) for buffer in recording.buffers)
    (large.recording / "recording.json").write_text(dumps(replace(recording, buffers=buffers)), "utf-8")
    await replayed(tmp_path, emulator, [case(tmp_path, 4), large])
    assert CASE_S + 3 < emulator.limits[0].wall_s < CASE_S + 10


async def test_a_launch_that_is_not_done_in_its_time_is_given_again_with_four_blocks_and_that_is_said(tmp_path: Path) -> None:
    emulator = Emulator(lambda blocks: run() if blocks == 4 else run("cudaErrorLaunchTimeout"))
    found = await replayed(tmp_path, emulator, [case(tmp_path, 264)])
    assert emulator.given == [[0], [4]]
    (only,) = found.runs
    assert isinstance(only, CaseRun) and only.error is None and "4 blocks of a launch" in only.problems[0].message


async def test_whoever_tries_cases_is_told_that_they_were_late(tmp_path: Path) -> None:
    emulator = Emulator(lambda _: run("timed out"))
    found = await replayed(tmp_path, emulator, [case(tmp_path, 264)], ReplayOptions("grade"))
    assert emulator.given == [[0]] and found.runs == (run("timed out"),)


async def test_what_can_be_run_in_no_part_is_not_given_and_the_reason_stands_in_its_place(tmp_path: Path) -> None:
    emulator = Emulator()
    found = await replayed(tmp_path, emulator, [case(tmp_path, 1 << 16, is_cooperative=True), case(tmp_path, 4)])
    assert emulator.given == [[0]]
    assert isinstance(found.runs[0], str) and "cooperative" in found.runs[0] and found.runs[1] == run()


async def test_where_four_blocks_take_too_long_one_is_counted(tmp_path: Path) -> None:
    emulator = Emulator(lambda blocks: run() if blocks == 1 else run("timed out"))
    found = await replayed(tmp_path, emulator, [case(tmp_path, 264)], ReplayOptions("count"))
    assert emulator.given == [[0], [4], [1]]
    (only,) = found.runs
    assert isinstance(only, CaseRun) and only.error is None and "1 block of a launch" in only.problems[0].message
