"""Which launch shapes a profile times, and what it says of the times, on a clock that answers at once."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.build.architectures import architecture
from assistant.build.flags import DEFAULT_FLAGS
from assistant.engine.evaluate.assessment import Assessment, CountedRun, KernelAssessment
from assistant.engine.evaluate.evaluation import Evaluation
from assistant.engine.job import Job
from assistant.engine.reading import read_version
from assistant.engine.report.coach import LaunchTimes, time_launches
from assistant.engine.request import JobRequest
from assistant.lab.cpu import CpuLab
from assistant.measure.targets import target
from assistant.model.build import CompilerMissing
from assistant.model.timing import Block, CaseTiming, PairTiming, SelfTest, TimedDevice, TimingOptions
from assistant.model.workload import Case
from assistant.ports.lab import LabFailure, Program, ProgramRun, RunLimits
from assistant.serialize import dumps
from assistant.workload.recordings import read_recording
from tests.caches import link_kept_emulator

PROGRAMS = Path(__file__).parents[2] / "data/captured"
Assess = Callable[..., tuple[KernelAssessment, ...]]
NOTE = "heat held the clocks down"


class Clock:
    """Says of every shape that it takes 10 µs, and that something was in the way."""

    def __init__(self, *failures: str) -> None:
        self.self_test = SelfTest(1.0, 0.95, failures, 0.1)

    async def time(
        self, a: Program, b: Program, cases: Sequence[tuple[Case, Case]], options: TimingOptions, limits: RunLimits
    ) -> PairTiming | LabFailure:
        blocks = (Block("ABBA", (1e-5,) * 4),) * 20
        case = CaseTiming("", 1.0, blocks, "graph", 50, 1, 1e-6, 2, False, "width", 0.1, notes=(NOTE,))
        return PairTiming((case,) * len(cases), TimedDevice("NVIDIA H200", "GPU-1", "580", "nvcc 13.0"), self.self_test)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    limits = architecture("sm_90")
    assert limits is not None
    request = JobRequest(PROGRAMS / "vectors.cu", PROGRAMS)
    lab = CpuLab(tmp_path, link_kept_emulator(tmp_path / "cache"), "h200")
    return Job("J", request, lab, target("h200"), limits, tmp_path, (1, 2), RunLimits())


def evaluation(job: Job, assessed: Assess, space: str) -> Evaluation:
    """A program that a GPU recorded, as if all of its memory lay in ``space``."""
    folder = job.scratch / "recording"
    shutil.copytree(PROGRAMS / "recordings" / "vectors", folder)
    own = read_recording(folder)
    recording = replace(own, buffers=tuple(replace(buffer, space=space) for buffer in own.buffers))
    (folder / "recording.json").write_text(dumps(recording), "utf-8")
    run = ProgramRun(0, None, False, False, False, b"", b"", folder, recording, 1, (), (), ())
    version = read_version(job.request, DEFAULT_FLAGS)
    counted = CountedRun((), (), (), run)
    kernels = tuple(replace(item, kernel=kernel) for kernel in version.kernels for item in assessed())
    return Evaluation(version, counted, Assessment(CompilerMissing("none", "install one"), counted, kernels))


async def test_every_shape_is_timed_and_what_was_in_the_way_is_said_once(job: Job, assessed: Assess) -> None:
    times = await time_launches(job, evaluation(job, assessed, "device"), Clock())
    assert isinstance(times, LaunchTimes) and times.timings
    assert times.notes == (NOTE,)


async def test_times_of_a_gpu_that_failed_its_self_test_are_doubted(job: Job, assessed: Assess) -> None:
    times = await time_launches(job, evaluation(job, assessed, "device"), Clock("a copy slowed by 5 % came out SAME"))
    assert isinstance(times, LaunchTimes)
    assert "not to be relied on" in times.notes[0] and "slowed by 5 %" in times.notes[0]


async def test_page_locked_memory_is_not_timed_as_if_it_were_the_devices(job: Job, assessed: Assess) -> None:
    refused = await time_launches(job, evaluation(job, assessed, "host"), Clock())
    assert isinstance(refused, LabFailure) and "page-locked host memory" in refused.message
