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
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import InstructionMix
from assistant.model.recording import ShapeCount
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
    """Says of the first shape that it takes 10 µs, of the second 20 µs, and so on; and that something was in the way."""

    def __init__(self, *failures: str) -> None:
        self.self_test = SelfTest(1.0, 0.95, failures, 0.1)
        self.options: TimingOptions | None = None
        self.asked: list[tuple[str, list[str]]] = []
        """(source that is compiled, kernels), request by request."""

    async def time(
        self, a: Program, b: Program, cases: Sequence[tuple[Case, Case]], options: TimingOptions, limits: RunLimits
    ) -> PairTiming | LabFailure:
        self.options = options
        self.asked.append((a.sources[0].path.name, sorted(kernel.partition("(")[0] for kernel in a.kernels)))
        timed = tuple(timing(number * 1e-5) for number in range(1, 1 + len(cases)))
        return PairTiming(timed, TimedDevice("NVIDIA H200", "GPU-1", "580", "nvcc 13.0"), self.self_test)


def timing(seconds: float) -> CaseTiming:
    return CaseTiming("", 1.0, (Block("ABBA", (seconds,) * 4),) * 20, "graph", 50, 1, 1e-6, 2, False, "width", 0.1, notes=(NOTE,))


@pytest.fixture
def job(tmp_path: Path) -> Job:
    limits = architecture("sm_90")
    assert limits is not None
    request = JobRequest(PROGRAMS / "vectors.cu", PROGRAMS)
    lab = CpuLab(tmp_path, link_kept_emulator(tmp_path / "cache"), "h200")
    return Job("J", request, lab, target("h200"), limits, tmp_path, (1, 2), RunLimits())


def evaluation(job: Job, assessed: Assess, *spaces: str, shapes: tuple[ShapeCount, ...] | None = None) -> Evaluation:
    """A program that a GPU recorded, as if its memory lay in these spaces, buffer by buffer, the rest of it in the last."""
    folder = job.scratch / "recording"
    shutil.copytree(PROGRAMS / "recordings" / "vectors", folder)
    own = read_recording(folder)
    lie_in = (*spaces, *[spaces[-1]] * len(own.buffers))
    recording = replace(own, buffers=tuple(replace(buffer, space=space) for buffer, space in zip(own.buffers, lie_in, strict=False)))
    recording = recording if shapes is None else replace(recording, shape_counts=shapes)
    (folder / "recording.json").write_text(dumps(recording), "utf-8")
    run = ProgramRun(0, None, False, False, False, b"", b"", folder, recording, 1, (), (), ())
    version = read_version(job.request, DEFAULT_FLAGS)
    counted = CountedRun((), (), (), run)
    kernels = tuple(replace(item, kernel=kernel) for kernel in version.kernels for item in assessed())
    return Evaluation(version, counted, Assessment(CompilerMissing("none", "install one"), counted, kernels))


async def test_every_shape_is_timed_and_what_was_in_the_way_is_said_once(job: Job, assessed: Assess) -> None:
    clock = Clock()
    times = await time_launches(job, evaluation(job, assessed, "device"), clock)
    assert isinstance(times, LaunchTimes) and len(times.timings) == 4
    assert times.notes == (NOTE,)
    assert clock.options == TimingOptions(1, wall_s=1.0)


async def test_kernels_of_several_files_are_timed_from_their_own_ones(job: Job, assessed: Assess, tmp_path: Path) -> None:
    text = (PROGRAMS / "vectors.cu").read_text()
    start = text.index("__global__ void gather(")
    (tmp_path / "gather.cuh").write_text(text[start : text.index("}", start) + 1])
    main = tmp_path / "main.cu"
    main.write_text(text[:start] + '#include "gather.cuh"' + text[text.index("}", start) + 1 :])
    (tmp_path / "kernelopt.toml").write_text("")
    looked = evaluation(replace(job, request=JobRequest(main, tmp_path)), assessed, "device")
    clock = Clock()
    times = await time_launches(job, looked, clock)
    assert isinstance(times, LaunchTimes) and len(times.timings) == 4
    assert {file: "gather" in kernels for file, kernels in clock.asked} == {"main.cu": False, "gather.cuh": True}


async def test_shapes_on_page_locked_memory_are_left_out(job: Job, assessed: Assess) -> None:
    times = await time_launches(job, evaluation(job, assessed, "host", "device"), Clock())
    assert isinstance(times, LaunchTimes) and len(times.timings) == 1
    assert times.notes[-1].startswith("not all launches are timed: page-locked host memory")


async def test_without_a_launch_of_the_kernels_in_question_nothing_is_timed(job: Job, assessed: Assess) -> None:
    looked = evaluation(job, assessed, "device")
    assert await time_launches(job, replace(looked, assessment=replace(looked.assessment, kernels=())), Clock()) is None


AXPY, COPY, GATHER, ADD = (
    "axpy(float*, float const*, float, int)",
    "copy4(float4*, float4 const*, int)",
    "gather(int*, int const*, unsigned int const*, int)",
    "add_scaled(double*, Scaled, int)",
)
SHAPES = {AXPY: LaunchConfig(Dim3(8), Dim3(128)), COPY: LaunchConfig(Dim3(1), Dim3(256))}


def launched(name: str, count: int, time_ns: int | None = None) -> ShapeCount:
    return ShapeCount(name, SHAPES.get(name, LaunchConfig(Dim3(1), Dim3(1))), count, time_ns)


@pytest.mark.parametrize(
    ("shapes", "shares"),
    [
        ((launched(AXPY, 1, 300), launched(COPY, 7, 100), launched(AXPY, 1, 400)), ((AXPY, 0.875), (COPY, 0.125))),
        ((launched(AXPY, 6, 300), launched(COPY, 7)), ((COPY, 0.7), (AXPY, 0.3))),
        ((launched(AXPY, 6), launched(COPY, 15), launched(AXPY, 4)), ((COPY, 0.75), (AXPY, 0.25))),
        ((launched(AXPY, 6), launched("gone()", 7)), ()),
        ((launched(AXPY, 6, 0), launched(COPY, 7, 0)), ()),
        ((), ()),
    ],
)
async def test_shares_of_the_program_are_by_its_own_stamps_else_by_what_each_shape_takes(
    job: Job, assessed: Assess, shapes: tuple[ShapeCount, ...], shares: tuple[tuple[str, float], ...]
) -> None:
    times = await time_launches(job, evaluation(job, assessed, "device", shapes=shapes), Clock())
    assert isinstance(times, LaunchTimes)
    assert [(name, pytest.approx(share)) for name, share in times.shares] == list(shares)


@pytest.mark.parametrize(
    ("shares", "share", "words"),
    [
        (
            (("k(float*)", 0.6), ("a::b<int>(int)", 0.4)),
            0.6,
            "60 % of the program's GPU time: at most 2.50x of it can be gained here; there is something to gain here",
        ),
        (
            (("a::b<int>(int)", 0.6), ("k(float*)", 0.04)),
            0.04,
            "4 % of the program's GPU time: at most 1.04x of it can be gained here; look at a::b<int>, which takes 60 %",
        ),
        ((), None, None),
    ],
)
def test_a_launch_is_told_with_its_time_its_share_and_who_takes_most(
    job: Job, assessed: Assess, shares: tuple[tuple[str, float], ...], share: float | None, words: str | None
) -> None:
    (kernel,) = assessed()
    (launch,) = kernel.launches
    others = [("k(float*)", LaunchConfig(Dim3(9), Dim3(64))), ("other()", launch.profile.config)]
    timings = ((others[0], timing(1.0)), (others[1], timing(2.0)), (("k(float*)", launch.profile.config), timing(0.25)))
    timed = LaunchTimes(timings, "a clock", job.target, shares, ()).of(kernel, launch)
    assert timed is not None and timed.light is None
    assert (timed.measured.time_s, timed.measured.method, timed.measured.share_ratio) == (0.25, "a clock", share)
    assert timed.measured.advice == words
    assert LaunchTimes(timings[:2], "a clock", job.target, shares, ()).of(kernel, launch) is None


def test_the_speed_of_light_is_by_the_time_that_was_measured(job: Job, assessed: Assess) -> None:
    (kernel,) = assessed(mixes=((3, InstructionMix(fp32=32)),))
    (launch,) = kernel.launches
    far = replace(launch, profile=replace(launch.profile, unique_sectors=1000))
    key = ("k(float*)", launch.profile.config)
    slow, slower = (LaunchTimes(((key, timing(s)),), "", job.target, (), ()).of(kernel, far) for s in (1e-6, 2e-6))
    assert slow is not None and slower is not None and slow.light is not None and slower.light is not None
    assert slow.light.ratio == pytest.approx(2 * slower.light.ratio)
    assert (slow.measured.advice or "").startswith("at 0.33 % of what L2 allows: ")


async def test_times_of_a_gpu_that_failed_its_self_test_are_doubted(job: Job, assessed: Assess) -> None:
    times = await time_launches(job, evaluation(job, assessed, "device"), Clock("a copy slowed by 5 % came out SAME"))
    assert isinstance(times, LaunchTimes)
    assert "not to be relied on" in times.notes[0] and "slowed by 5 %" in times.notes[0]


async def test_page_locked_memory_is_not_timed_as_if_it_were_the_devices(job: Job, assessed: Assess) -> None:
    refused = await time_launches(job, evaluation(job, assessed, "host"), Clock())
    assert isinstance(refused, LabFailure) and "page-locked host memory" in refused.message
