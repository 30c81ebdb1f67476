"""A lab with a clock judges launches of any size: the emulator sees a part of what is large, and the verdict says which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from assistant.build.architectures import architecture
from assistant.engine.job import Job
from assistant.engine.judge.trying import try_version
from assistant.engine.request import JobRequest
from assistant.measure.targets import target
from assistant.model import events
from assistant.model.build import Flags
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.source import Source
from assistant.model.verification import Outcome
from assistant.model.workload import Case
from assistant.ports.lab import Lab, LabFailure, Program, ReplayOptions, ReplayRun, RunLimits
from assistant.workload.chosen_blocks import threads_run
from assistant.workload.emulated_blocks import WHOLE_THREADS
from assistant.workload.recordings import NewCase, read_recording
from tests.contracts.fake_clock import Clock
from tests.contracts.fake_lab import Behaviour, FakeLab
from tests.unit.engine.commands import KERNELS, SCALE, Commands
from tests.unit.workload.launches import launched

COUNT, BLOCKS = 132_000, 516
HOST = """\
int main()
{
    float *out, *x;
    cudaMalloc(&out, 528000);
    cudaMalloc(&x, 528000);
    scale<<<516, 256>>>(out, x, 132000);
    cudaMemcpy(x, out, 528000, cudaMemcpyDeviceToHost);
}
"""
A = (SCALE + HOST).replace("    int i", "    // takes 40 us\n    int i")
B = A.replace("2.0f * x[i]", "x[i] + x[i]").replace("40 us", "25 us")
ONE_BLOCK = B.replace("x[i] + x[i]", "x[i] + x[i] + (blockIdx.x == 300)")


def _one_block(out: np.ndarray, x: np.ndarray, n: int) -> None:
    out[:n] = np.float32(2) * x[:n]
    out[300 * 256 : 301 * 256] += np.float32(1)


def _program() -> NewCase:
    x = np.linspace(-4, 4, COUNT, dtype=np.float32)
    case, _ = launched(LaunchConfig(Dim3(BLOCKS), Dim3(256)), {"n": COUNT}, np.zeros(COUNT, np.float32), x)
    launches = tuple(replace(one, kernel="scale(float*, const float*, int)", file="a.cu", line=1) for one in case.recording.launches)
    return replace(case, recording=replace(case.recording, launches=launches))


@dataclass
class Watched(FakeLab):
    """Notes the threads of what is run with checks: trials at the program's own size by themselves, and everything at other sizes."""

    tried: list[tuple[bool, int]] = field(default_factory=list[tuple[bool, int]])

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        if options.mode in ("grade", "check"):
            for case in (one for one in cases if options.mode == "grade" or not one.origin.is_own_size):
                launches = map(read_recording(case.recording).launch, case.launches)
                self.tried += [(case.origin.is_own_size, threads_run(launch)) for launch in launches]
        return await super().replay(program, cases, options, limits)


@dataclass
class LargePrograms(Commands):
    """On a lab with a clock, as a GPU has one."""

    labs: list[Watched] = field(default_factory=list[Watched])

    def _open_lab(self, request: object, scratch: Path, target: str) -> Lab:
        kernels = {"(blockIdx.x == 300)": Behaviour(_one_block, sectors=4), **KERNELS}
        self.labs.append(Watched(scratch, kernels, {"scale<<<516, 256>>>": _program()}, target=target, timing=self.timing))
        return self.labs[-1]


async def test_a_mistake_in_a_block_that_the_emulator_does_not_run_fails_and_the_verdict_says_what_was_checked(tmp_path: Path) -> None:
    on = LargePrograms(tmp_path, timing=Clock())
    await on.compare(A, ONE_BLOCK)
    made = on.only(events.ComparisonMade).verification
    assert made.outcome is Outcome.FAIL, made
    tried = [one for lab in on.labs for one in lab.tried]
    assert max(threads for is_own, threads in tried if is_own) <= WHOLE_THREADS
    assert max(threads for is_own, threads in tried if not is_own) <= 1 << 20
    assert any("the emulator checked 64 of 516 blocks" in text for text in made.missing_checks), made.missing_checks


@pytest.mark.thorough
async def test_a_right_edit_passes(tmp_path: Path) -> None:
    on = LargePrograms(tmp_path, timing=Clock())
    await on.compare(A, B)
    assert on.only(events.ComparisonMade).verification.outcome is Outcome.PASS


@pytest.mark.parametrize(("clock", "threads"), [(Clock(), 64 * 256), (None, BLOCKS * 256)])
async def test_a_trial_is_of_what_the_emulator_can_run_next_to_a_clock_and_else_of_all(
    tmp_path: Path, clock: Clock | None, threads: int
) -> None:
    lab = Watched(tmp_path, KERNELS, timing=clock)
    limits = architecture("sm_90")
    assert limits is not None
    job = Job("J", JobRequest(tmp_path / "a.cu", tmp_path), lab, target("h200"), limits, tmp_path, (1, 2), RunLimits())
    program = Program((Source(tmp_path / "a.cu", A),), Flags(()))
    (trial,) = await try_version(job, program, [_program()], 10.0)
    assert threads_run(trial.case.recording.launches[0]) == threads
    written = sum(trial.written.values())
    assert written == (COUNT if clock is None else pytest.approx(64 * 256, rel=0.05))
