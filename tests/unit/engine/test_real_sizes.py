"""A lab with a clock judges launches of any size: the emulator sees a part of what is large, and the verdict says which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from assistant.build.architectures import architecture
from assistant.cuda.parse import parse
from assistant.engine.evaluate import Effort, JudgedCase
from assistant.engine.job import Job
from assistant.engine.judge.deriving import Lead, derive
from assistant.engine.judge.replaying import CaseTrial
from assistant.engine.judge.trying import try_version
from assistant.engine.request import JobRequest
from assistant.engine.source_version import Selection, version_of
from assistant.measure.targets import target
from assistant.model import events
from assistant.model.build import Flags
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.source import Source
from assistant.model.verification import Outcome
from assistant.model.workload import Case
from assistant.ports.lab import CaseRun, Lab, LabFailure, Program, ReplayOptions, ReplayRun, RunLimits
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


def _job(folder: Path, lab: Lab) -> Job:
    limits = architecture("sm_90")
    assert limits is not None
    return Job("J", JobRequest(folder / "a.cu", folder), lab, target("h200"), limits, folder, (1, 2), RunLimits())


async def _tried(tmp_path: Path, case: NewCase, clock: Clock | None) -> CaseTrial:
    job = _job(tmp_path, Watched(tmp_path, KERNELS, timing=clock))
    program = Program((Source(tmp_path / "a.cu", A),), Flags(()))
    (trial,) = await try_version(job, program, [case], 10.0)
    return trial


@pytest.mark.parametrize(("clock", "threads"), [(Clock(), 64 * 256), (None, BLOCKS * 256)])
async def test_a_trial_is_of_what_the_emulator_can_run_next_to_a_clock_and_else_of_all(
    tmp_path: Path, clock: Clock | None, threads: int
) -> None:
    trial = await _tried(tmp_path, _program(), clock)
    assert threads_run(trial.case.recording.launches[0]) == threads
    written = sum(trial.written.values())
    assert written == (COUNT if clock is None else pytest.approx(64 * 256, rel=0.05))


async def test_a_trial_at_another_size_shows_what_the_original_writes_there_next_to_a_clock_too(tmp_path: Path) -> None:
    """Where it did not, no other size counted: the original seemed to write nothing."""
    own = _program()
    resized = replace(own, origin=replace(own.origin, kind="resized", is_own_size=False))
    trial = await _tried(tmp_path, resized, Clock())
    assert trial.is_checked and sum(trial.written.values()) == COUNT


@dataclass
class LateChecks(FakeLab):
    """Where the launch at its own size does not end in its time under checks, as one whose few threads loop over much data."""

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        found = await super().replay(program, cases, options, limits)
        if options.mode == "plain" or isinstance(found, LabFailure):
            return found
        late = CaseRun(False, "cudaErrorLaunchTimeout", (), True, None, (), ())
        runs = (late if case.origin.is_own_size else run for case, run in zip(cases, found.cases, strict=True))
        return replace(found, cases=tuple(runs))


async def test_a_launch_that_is_too_slow_for_checks_is_tried_at_other_sizes_all_the_same(tmp_path: Path) -> None:
    parsed = parse(Source(tmp_path / "a.cu", A))
    version = version_of(parsed, Program((parsed.source,), Flags(())), Selection())
    own, kernel = _program(), parsed.kernels[0]
    case = JudgedCase(own, kernel.key, (kernel.parameters,), (), frozenset(), 0)
    effort = Effort((1,), 1, "plain", with_boundary=False, is_confirming=False)
    derived = await derive(_job(tmp_path, LateChecks(tmp_path, KERNELS)), version, Lead(case), effort)
    sizes = {one.new.origin.shape for one in derived.cases if one.resize is not None and one.resize.is_whole}
    assert sizes and derived.cases[0].new is own, derived.dropped
