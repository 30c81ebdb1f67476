"""Recordings that an H200 made (tests/data/captured/recordings) are used without one: replayed and counted under the emulator."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assistant.build.flags import DEFAULT_FLAGS
from assistant.lab.captured import counted
from assistant.lab.cpu import CpuLab
from assistant.lab.device_text import without_host_code
from assistant.model.recording import Recording
from assistant.model.source import Source
from assistant.model.workload import Case, CaseOrigin
from assistant.ports import Program, ProgramRun, ReplayOptions, ReplayRun, RunLimits
from assistant.workload.recordings import read_recording

PROGRAMS = Path(__file__).parents[2] / "data/captured"
RECORDED = ("blocks", "graphs", "places", "together", "vectors")
TYPES = {"float": np.float32, "float4": np.float32, "double": np.float64, "int": np.int32, "unsigned int": np.uint32}


@pytest.fixture
async def lab(tmp_path: Path) -> AsyncIterator[CpuLab]:
    """With the builds that the emulator's own tests keep: its prelude is the same."""
    kept = Path(tempfile.gettempdir()) / f"kernelopt-test-emulator-{os.getuid()}"
    kept.mkdir(exist_ok=True)
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache/emulator").symlink_to(kept)
    lab = CpuLab(tmp_path, tmp_path / "cache", "h200")
    yield lab
    await lab.close()


def program(name: str) -> Program:
    path = PROGRAMS / f"{name}.cu"
    return Program((Source(path, path.read_text()),), DEFAULT_FLAGS, (), PROGRAMS, run_command=("./program",))


def run_of(name: str) -> tuple[ProgramRun, Recording]:
    folder = PROGRAMS / "recordings" / name
    recording = read_recording(folder)
    count = sum(shape.count for shape in recording.shape_counts)
    return ProgramRun(0, None, False, False, False, b"", b"", folder, recording, count, (), (), ()), recording


@pytest.mark.parametrize("name", ["blocks", "vectors"])
async def test_launches_of_a_gpu_come_out_alike_under_the_emulator(lab: CpuLab, name: str) -> None:
    run, recording = run_of(name)
    assert run.recording_path is not None
    types = {buffer.id: TYPES[buffer.element_type or "int"] for buffer in recording.buffers}
    cases = [Case(run.recording_path, (launch.index,), CaseOrigin("recorded", "", 0, 1.0, 1.0)) for launch in recording.launches]
    startable = replace(program(name), kernels=tuple(launch.kernel for launch in recording.launches))
    found = await lab.replay(startable, cases, ReplayOptions(), RunLimits())
    assert isinstance(found, ReplayRun), found
    for launch, case in zip(recording.launches, found.cases, strict=True):
        assert case.error is None
        after = dict(case.after)
        for state in launch.buffers:
            assert state.after is not None
            ours = np.frombuffer((found.blobs / after[state.buffer]).read_bytes(), types[state.buffer])
            theirs = np.frombuffer((run.recording_path / "blobs" / state.after).read_bytes(), types[state.buffer])
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6, err_msg=f"{launch.kernel}, buffer {state.buffer}")


async def test_each_recorded_shape_is_counted_once(lab: CpuLab) -> None:
    run, recording = run_of("places")
    looked = await counted(lab, program("places"), run, "count", RunLimits())
    assert [profile.kernel for profile in looked.profiles] == ["weigh(float*, int)", "follow(float**, int, int)", "increment(int*, int)"]
    assert [profile.index for profile in looked.profiles] == [0, 1, 2]
    assert looked.launch_count == 5 and recording.shape_counts[2].count == 3
    assert looked.unsupported == ()


async def test_what_the_emulator_cannot_build_is_known_by_its_launches_alone(lab: CpuLab) -> None:
    run, _ = run_of("graphs")
    looked = await counted(lab, program("graphs"), run, "count", RunLimits())
    assert [(profile.kernel, profile.blocks_counted) for profile in looked.profiles] == [
        ("twice(float*, int)", 0),
        ("plus(float*, float, int)", 0),
    ]
    assert looked.unsupported == ("counters and checks: the emulator cannot run what this source uses",)


async def test_kernels_are_counted_without_the_host_code_that_the_emulator_cannot_build(lab: CpuLab) -> None:
    run, _ = run_of("graphs")
    kernels_alone = without_host_code(program("graphs"))
    assert kernels_alone is not None and kernels_alone.sources[0].text.count("\n") == program("graphs").sources[0].text.count("\n")
    looked = await counted(lab, kernels_alone, run, "count", RunLimits())
    assert [profile.kernel for profile in looked.profiles] == ["twice(float*, int)", "plus(float*, float, int)"]


@pytest.mark.parametrize("name", RECORDED)
def test_every_recording_is_whole(name: str) -> None:
    run, recording = run_of(name)
    assert run.recording_path is not None
    blobs = {path.name for path in (run.recording_path / "blobs").iterdir()}
    used = {blob for launch in recording.launches for state in launch.buffers for blob in (state.before, state.after)}
    assert used | {transfer.blob for transfer in recording.transfers} == blobs
    assert all(shape.time_ns is not None and shape.time_ns > 0 for shape in recording.shape_counts)


def test_they_hold_more_than_a_dozen_kernels() -> None:
    kernels = {(name, launch.kernel) for name in RECORDED for launch in run_of(name)[1].launches}
    assert len(kernels) >= 12
