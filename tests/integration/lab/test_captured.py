"""Recordings that an H200 made (tests/data/captured/recordings) are used without one: replayed and counted under the emulator."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assistant.build.flags import DEFAULT_FLAGS
from assistant.device.capture.protocol import CaptureRequest
from assistant.device.cupti import find_cupti
from assistant.device.toolchain import find_toolchain, installed_wheel_tree
from assistant.disk.gpu_lease import lock_folder
from assistant.lab.captured import CapturedRuns, counted
from assistant.lab.cpu import CpuLab
from assistant.lab.device_text import without_host_code
from assistant.lab.gpus import Gpu
from assistant.lab.process import WorkerProcess
from assistant.model.recording import Recording
from assistant.model.source import Source
from assistant.model.workload import Case, CaseOrigin
from assistant.ports.lab import LabFailure, Program, ProgramRun, ReplayOptions, ReplayRun, RunLimits
from assistant.serialize import encode
from assistant.worker.limits import ProgramLimits
from assistant.workload.recordings import read_recording
from tests.caches import kept_emulator, link_kept_emulator

PROGRAMS = Path(__file__).parents[2] / "data/captured"
RECORDED = ("blocks", "graphs", "places", "together", "vectors")
TYPES = {"float": np.float32, "float4": np.float32, "double": np.float64, "int": np.int32, "unsigned int": np.uint32}


@pytest.fixture
async def lab(tmp_path: Path) -> AsyncIterator[CpuLab]:
    """With the builds that the emulator's own tests keep: its prelude is the same."""
    lab = CpuLab(tmp_path, link_kept_emulator(tmp_path / "cache"), "h200")
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


async def test_cases_that_several_workers_share_come_in_their_order(lab: CpuLab, tmp_path: Path) -> None:
    run, recording = run_of("vectors")
    assert run.recording_path is not None
    cases = [Case(run.recording_path, (launch.index,), CaseOrigin("recorded", "", 0, 1.0, 1.0)) for launch in recording.launches]
    cases = [*cases, *reversed(cases), cases[0]]
    startable = replace(program("vectors"), kernels=tuple(launch.kernel for launch in recording.launches))
    sharing = CpuLab(tmp_path / "sharing", lab.cache, "h200", at_once=3)
    try:
        shared, alone = [await each.replay(startable, cases, ReplayOptions("check"), RunLimits()) for each in (sharing, lab)]
    finally:
        await sharing.close()
    assert isinstance(shared, ReplayRun) and isinstance(alone, ReplayRun)
    assert [case.after for case in shared.cases] == [case.after for case in alone.cases]
    assert len({case.after for case in shared.cases}) == len(recording.launches) > 1
    assert all((shared.blobs / name).exists() for case in shared.cases for _, name in case.after)


async def test_each_recorded_shape_is_counted_once(lab: CpuLab) -> None:
    run, recording = run_of("places")
    looked = await counted(lab, program("places"), run, "count", RunLimits())
    assert [profile.kernel for profile in looked.profiles] == ["weigh(float*, int)", "follow(float**, int, int)", "increment(int*, int)"]
    assert [profile.index for profile in looked.profiles] == [0, 1, 2]
    assert looked.launch_count == 5 and recording.shape_counts[2].count == 3
    assert looked.unsupported == ()


async def test_what_the_emulator_cannot_build_is_known_by_its_launches_alone(lab: CpuLab) -> None:
    run, _ = run_of("graphs")
    whole = program("graphs")
    refused = replace(
        whole,
        sources=(
            replace(
                whole.sources[0], text="template <int N> struct Wide { static_assert(N == 0); }; Wide<1> wide;\n" + whole.sources[0].text
            ),
        ),
    )
    looked = await counted(lab, refused, run, "count", RunLimits())
    assert [(profile.kernel, profile.blocks_counted) for profile in looked.profiles] == [
        ("twice(float*, int)", 0),
        ("plus(float*, float, int)", 0),
    ]
    assert looked.unsupported == ("counters and checks: the emulator's compiler refused the source",)


async def test_kernels_are_counted_without_the_host_code_that_the_emulator_cannot_build(lab: CpuLab) -> None:
    run, _ = run_of("graphs")
    kernels_alone = without_host_code(program("graphs"))
    assert kernels_alone is not None and kernels_alone.sources[0].text.count("\n") == program("graphs").sources[0].text.count("\n")
    looked = await counted(lab, kernels_alone, run, "count", RunLimits())
    assert [profile.kernel for profile in looked.profiles] == ["twice(float*, int)", "plus(float*, float, int)"]


@pytest.fixture
def kept() -> Path:
    """Where the recording library is built, by the capture worker: that takes a C++ compiler and CUPTI, and no GPU."""
    if find_cupti(find_toolchain(os.environ, installed_wheel_tree()), installed_wheel_tree()) is None:
        pytest.skip("no CUPTI here (pip install nvidia-cuda-cupti): the recording library cannot be built")
    return kept_emulator()


@pytest.fixture
async def captured(tmp_path: Path, kept: Path) -> AsyncIterator[CapturedRuns]:
    runs = CapturedRuns(tmp_path, kept, Gpu(0, "none", "GPU-0", 0, (9, 0), ""))
    yield runs
    await runs.close()


async def test_an_edit_is_built_and_run_in_a_private_copy(captured: CapturedRuns, tmp_path: Path) -> None:
    home = tmp_path / "project"
    home.mkdir()
    (home / "step.cu").write_text("the user's own")
    build = ("sh", "-c", "printf '#!/bin/cat\\n' > program; cat step.cu >> program; chmod +x program")
    own = Program(
        (Source(home / "step.cu", "an edit"),), DEFAULT_FLAGS, (), home, build_command=build, run_command=("./program",), is_candidate=True
    )
    run = await captured.run(own, RunLimits())
    assert isinstance(run, ProgramRun), run
    assert run.stdout == b"#!/bin/cat\nan edit"
    assert run.recording is not None and run.recording.not_captured == ("no process of the program used CUDA",)
    assert [path.name for path in home.iterdir()] == ["step.cu"] and (home / "step.cu").read_text() == "the user's own"


@pytest.mark.parametrize("at_once", [1, 2])
async def test_what_is_built_ahead_is_what_runs_start(kept: Path, tmp_path: Path, at_once: int) -> None:
    home, draw = tmp_path / "project", "{ echo '#!/bin/cat'; date +%N; } > program; chmod +x program; sleep 0.2"
    home.mkdir()
    programs = [
        Program(
            (Source(home / "step.cu", text),),
            DEFAULT_FLAGS,
            (),
            home,
            build_command=("sh", "-c", draw),
            run_command=("./program",),
            is_candidate=True,
        )
        for text in ("one", "two")
    ]
    captured = CapturedRuns(tmp_path, kept, Gpu(0, "none", "GPU-0", 0, (9, 0), ""), at_once)
    try:
        building = [asyncio.create_task(captured.build_ahead(each, RunLimits())) for each in programs]
        await asyncio.sleep(0)
        runs = [await captured.run(each, RunLimits()) for each in (*programs, *programs, *reversed(programs))]
        await asyncio.gather(*building)
    finally:
        await captured.close()
    drawn = [run.stdout for run in runs if isinstance(run, ProgramRun)]
    assert drawn == [drawn[0], drawn[1], drawn[0], drawn[1], drawn[1], drawn[0]] and drawn[0] != drawn[1], "each was built once"
    assert not list(home.iterdir())


async def test_what_cannot_be_built_ahead_says_so_when_it_is_run(captured: CapturedRuns, tmp_path: Path) -> None:
    home = tmp_path / "project"
    home.mkdir()
    (home / "step.cu").touch()
    source = Source(home / "step.cu", "")
    broken = Program((source,), DEFAULT_FLAGS, (), home, build_command=("false",), run_command=("true",), is_candidate=True)
    await captured.build_ahead(broken, RunLimits())
    failure = await captured.run(broken, RunLimits())
    assert isinstance(failure, LabFailure) and failure.kind == "unsupported", failure


async def test_programs_that_run_at_once_leave_recordings_of_their_own(captured: CapturedRuns, tmp_path: Path) -> None:
    source = Source(tmp_path / "step.cu", "")
    own = Program((source,), DEFAULT_FLAGS, (), tmp_path, build_command=("true",), run_command=("true",))
    runs = await asyncio.gather(*(captured.run(own, RunLimits()) for _ in range(3)))
    folders = {run.recording_path for run in runs if isinstance(run, ProgramRun)}
    assert len(folders) == 3 and None not in folders


async def test_a_build_that_fails_in_the_copy_for_the_users_text_too_is_no_verdict(captured: CapturedRuns, tmp_path: Path) -> None:
    home = tmp_path / "project"
    home.mkdir()
    (home / "step.cu").write_text("fine")
    build = ("grep", "fine", "step.cu")
    source = Source(home / "step.cu", "broken")
    broken = Program((source,), DEFAULT_FLAGS, (), home, is_candidate=True, build_command=build, run_command=("true",))
    anywhere = replace(broken, build_command=("false",))
    for given, kind in ((broken, "not_built"), (anywhere, "unsupported"), (replace(anywhere, is_candidate=False), "not_built")):
        failure = await captured.run(given, RunLimits())
        assert isinstance(failure, LabFailure) and failure.kind == kind, failure


LOOKS = """
import fcntl, sys
for lock in sys.argv[1:]:
    try:
        fcntl.flock(open(lock), fcntl.LOCK_EX | fcntl.LOCK_NB)
        print("free")
    except BlockingIOError:
        print("held")
"""


async def test_none_of_our_processes_measures_on_any_gpu_of_a_program_that_runs(kept: Path, tmp_path: Path) -> None:
    (tmp_path / "looks.py").write_text(LOOKS)
    gpus = tuple(f"GPU-{name}-{os.getpid()}" for name in "ab")
    locks = [lock_folder() / f"kernelopt-{gpu}.{kind}" for gpu in gpus for kind in ("lock", "turn")]
    request = CaptureRequest(
        sources=(),
        cwd=tmp_path,
        record=tmp_path / "record",
        cache=kept,
        limits=ProgramLimits(),
        run_command=(sys.executable, "looks.py", *map(str, locks[::2])),
        gpu_uuids=gpus,
    )
    worker = WorkerProcess("assistant.device.capture")
    try:
        reply = await worker.request({"op": "capture", **encode(request)}, 60)
        assert await asyncio.to_thread(Path(reply["stdout_path"]).read_bytes) == b"held\n" * 2
    finally:
        await worker.close()
        for lock in locks:
            lock.unlink(missing_ok=True)


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
