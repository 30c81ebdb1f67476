"""What every implementation of ``ports.lab.Lab`` must do with kernels that are given as text and as what they compute."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assistant.build.flags import DEFAULT_FLAGS
from assistant.cuda.parse import parse
from assistant.model.build import Build, BuildFailure, CompilerMissing
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.source import Source
from assistant.model.workload import Case, CaseOrigin
from assistant.ports.lab import CaseRun, Lab, LabFailure, Program, ProgramRun, ReplayOptions, ReplayRun, RunLimits
from assistant.workload.recordings import NewCase, RecordingReader, write_case
from assistant.workload.widen import widened
from tests.unit.workload.launches import launched

__all__ = ["BEYOND", "HOST", "IN_PLACE", "TWICE", "LabContract"]

TWICE = "__global__ void k(float *out, float *x, int n) { int i = threadIdx.x; if (i < n) out[i] = 2.0f * x[i]; }\n"
IN_PLACE = TWICE.replace("out[i] =", "x[i] =")
BEYOND = TWICE.replace("out[i] =", "out[i + 1000000] =")
"""Writes out of bounds."""
BROKEN = TWICE.replace("2.0f * x[i]", "2.0f * y[i]")
HOST = """
int main()
{
    float h[8], *out, *x;
    for (int i = 0; i < 8; i++) h[i] = i;
    cudaMalloc(&out, sizeof h);
    cudaMalloc(&x, sizeof h);
    cudaMemcpy(out, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    k<<<1, 32>>>(out, x, 8);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
}
"""
K = "k(float*, float*, int)"
LIMITS = RunLimits(wall_s=60.0)
VALUES = np.arange(8, dtype=np.float32)
"""What both buffers hold at first."""


def program(text: str) -> Program:
    return Program((Source(Path("/k.cu"), text),), DEFAULT_FLAGS, kernels=(K,))


def new_case(n: int = 8, is_poisoned: bool = False, launch_count: int = 1) -> NewCase:
    """``launch_count`` launches of ``k(out, x, n)``; ``is_poisoned``: what ``out`` holds is arbitrary."""
    case, _ = launched(LaunchConfig(Dim3(1), Dim3(32)), {"n": n}, VALUES, VALUES)
    (launch,), buffers = case.recording.launches, case.recording.buffers
    launches = tuple(replace(launch, index=index, kernel=K) for index in range(launch_count))
    recording = replace(case.recording, launches=launches, buffers=(replace(buffers[0], is_poisoned=is_poisoned), buffers[1]))
    return replace(case, recording=recording, launches=tuple(range(launch_count)))


def contents(ran: ReplayRun, case: CaseRun, dtype: str = "<f4") -> dict[int, list[float]]:
    return {buffer: np.frombuffer((ran.blobs / name).read_bytes(), dtype).tolist() for buffer, name in case.after}


class LabContract:
    """Subclasses give the fixture ``lab``, which knows ``TWICE``, ``IN_PLACE``, ``BEYOND`` and, behind ``TWICE``, ``HOST``.

    ``BROKEN`` compiles nowhere.
    """

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        return tmp_path / "cases"

    def test_it_says_what_it_is(self, lab: Lab) -> None:
        report = lab.describe()
        assert report.name and report.device and report.rung and report.target == "h200"
        assert lab.timing is None and lab.counters is None and lab.parallel_labs == ()
        assert report.gpu is None and lab.emulated is lab

    async def test_a_replay_leaves_what_the_kernel_computes(self, lab: Lab, folder: Path) -> None:
        ran = await replayed(lab, TWICE, folder, new_case(), new_case(n=3))
        whole, some = (contents(ran, case) for case in ran.cases)
        assert whole == {0: (2 * VALUES).tolist(), 1: VALUES.tolist()}
        assert some[0] == [0.0, 2.0, 4.0, *VALUES[3:].tolist()]
        assert all(case.ok and case.error is None and case.guards_intact and not case.problems for case in ran.cases)

    async def test_launches_of_a_case_run_one_after_the_other(self, lab: Lab, folder: Path) -> None:
        ran = await replayed(lab, IN_PLACE, folder, new_case(launch_count=3))
        assert contents(ran, ran.cases[0])[1] == (8 * VALUES).tolist()

    @pytest.mark.parametrize("fill", [0x00, 0xAB])
    async def test_memory_that_holds_anything_is_filled(self, lab: Lab, folder: Path, fill: int) -> None:
        ran = await replayed(lab, TWICE, folder, new_case(n=0, is_poisoned=True), options=ReplayOptions(fill=fill))
        filled = np.frombuffer(bytes([fill]) * 32, np.float32).tolist()
        assert contents(ran, ran.cases[0]) == {0: filled, 1: VALUES.tolist()}

    async def test_repeats_that_leave_the_same_are_one(self, lab: Lab, folder: Path) -> None:
        ran = await replayed(lab, TWICE, folder, new_case(), options=ReplayOptions(mode="count", repeats=2))
        assert (ran.cases[0].repeat_difference, ran.cases[0].varied) == (None, ())
        assert contents(ran, ran.cases[0])[0] == (2 * VALUES).tolist()

    @pytest.mark.parametrize(("mode", "is_counted"), [("plain", False), ("count", True), ("check", True), ("grade", True)])
    async def test_launches_of_every_repeat_are_counted_where_that_is_asked_for(
        self, lab: Lab, folder: Path, mode: str, is_counted: bool
    ) -> None:
        case = new_case(launch_count=2)
        ran = await replayed(lab, TWICE, folder, case, options=ReplayOptions(mode=mode, repeats=2))
        profiles = ran.cases[0].profiles
        assert [(profile.kernel, profile.config) for profile in profiles] == [(K, case.recording.launches[0].config)] * 4
        counted = {"global load": 1, "global store": 1} if is_counted else {}
        assert all({access.op: access.requests for access in profile.accesses} == counted for profile in profiles)

    async def test_an_access_out_of_bounds_is_the_fault_of_its_case_alone(self, lab: Lab, folder: Path) -> None:
        ran = await replayed(lab, BEYOND, folder, new_case(), new_case(n=0), options=ReplayOptions(mode="check"))
        wrong, right = ran.cases
        assert not wrong.ok and wrong.error is not None and wrong.after == ()
        assert {problem.line for problem in wrong.problems} == {1}
        assert "out_of_bounds" in {problem.kind for problem in wrong.problems}
        assert right.ok and contents(ran, right)[0] == VALUES.tolist()

    async def test_floats_are_doubles_in_a_promoted_replay(self, lab: Lab, folder: Path) -> None:
        (kernel,) = parse(Source(Path("/k.cu"), TWICE)).kernels
        case = widened(new_case(), (kernel.parameters,))
        assert isinstance(case, NewCase)
        wide = replace(program(TWICE), kernels=(case.recording.launches[0].kernel,))
        ran = await lab.replay_promoted(wide, [write_case(folder / "wide", case)], ReplayOptions(), LIMITS)
        assert isinstance(ran, ReplayRun)
        assert contents(ran, ran.cases[0], "<f8")[0] == (2 * VALUES).tolist()

    async def test_what_does_not_compile_is_not_built(self, lab: Lab, folder: Path) -> None:
        case = write_case(folder / "case", new_case())
        answers = (
            await lab.replay(program(BROKEN), [case], ReplayOptions(), LIMITS),
            await lab.run(program(BROKEN + HOST), "plain", LIMITS, record=False),
        )
        assert [answer.kind for answer in answers if isinstance(answer, LabFailure)] == ["not_built"] * 2
        assert isinstance(await lab.build(program(BROKEN), "sm_90"), BuildFailure | CompilerMissing)
        assert not await lab.accepts(program(BROKEN), "sm_90")

    async def test_a_build_shows_the_resources_of_what_was_asked_for(self, lab: Lab) -> None:
        for built in (await lab.build(program(TWICE), "sm_90"), await lab.inspect(program(TWICE), "sm_90")):
            if not isinstance(built, CompilerMissing):
                assert isinstance(built, Build) and built.architecture == "sm_90"
                assert [(item.spill_store_bytes, item.static_shared_bytes) for item in built.resources] == [(0, 0)]

    async def test_a_recorded_run_can_be_replayed(self, lab: Lab) -> None:
        ran = await lab.run(program(TWICE + HOST), "count", LIMITS, record=True)
        assert isinstance(ran, ProgramRun) and ran.recording is not None and ran.recording_path is not None
        assert (ran.exit_status, ran.signal, ran.launch_count, ran.problems) == (0, None, 1, ())
        (launch,), reader = ran.recording.launches, RecordingReader(ran.recording_path)
        assert reader.recording == ran.recording and launch.kernel == ran.profiles[0].kernel == K
        assert sorted(reader.blob(transfer.blob) for transfer in ran.recording.transfers) == sorted(
            values.tobytes() for values in (VALUES, 2 * VALUES)
        )
        case = Case(ran.recording_path, (launch.index,), CaseOrigin("recorded", "own", 0, 1.0, 1.0))
        again = await lab.replay(program(TWICE + HOST), [case], ReplayOptions(), LIMITS)
        assert isinstance(again, ReplayRun)
        assert dict(again.cases[0].after) == {state.buffer: state.after for state in launch.buffers}

    async def test_what_was_built_ahead_runs_and_what_cannot_be_built_says_so_then(self, lab: Lab) -> None:
        for text, is_run in ((TWICE + HOST, True), (BROKEN + HOST, False)):
            await lab.build_ahead(program(text), "sm_90")
            assert isinstance(await lab.run(program(text), "plain", LIMITS, record=False), ProgramRun) is is_run

    async def test_a_run_that_is_not_recorded_leaves_no_recording(self, lab: Lab) -> None:
        ran = await lab.run(program(TWICE + HOST), "plain", LIMITS, record=False)
        assert isinstance(ran, ProgramRun) and ran.exit_status == 0
        assert (ran.recording, ran.recording_path, ran.launch_count) == (None, None, 1)

    async def test_closing_twice_is_closing_once(self, lab: Lab) -> None:
        await lab.close()
        await lab.close()


async def replayed(lab: Lab, text: str, folder: Path, *cases: NewCase, options: ReplayOptions | None = None) -> ReplayRun:
    written = [write_case(folder / str(index), case) for index, case in enumerate(cases)]
    ran = await lab.replay(program(text), written, options or ReplayOptions(), LIMITS)
    assert isinstance(ran, ReplayRun), ran
    return ran
