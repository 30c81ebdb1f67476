"""Peaks are measured once per device and driver; a file that cannot be read is as good as none. Every case is timed, once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.build.flags import DEFAULT_FLAGS
from assistant.device.counters.protocol import DurationsReply
from assistant.lab.captured import CapturedRuns
from assistant.lab.compiler import Compiler, Image
from assistant.lab.gpu_client import GpuClient
from assistant.lab.gpu_timing import GpuTiming, PeaksCache
from assistant.lab.gpus import Gpu
from assistant.lab.process import WorkerProcess
from assistant.model.build import BuildResult, CompilerMissing
from assistant.model.timing import CaseTiming, GpuState, MeasuredPeaks, PairTiming, ProfiledTime, SelfTest, TimedDevice, TimingOptions
from assistant.model.workload import Case, CaseOrigin
from assistant.ports.lab import LabFailure, Program, RunLimits
from assistant.serialize import encode

_PEAKS = MeasuredPeaks("GPU-1/2", "580 (CUDA 13.0)", 4.6e12, 7.9e12, 3.2e13, 1.6e13, 3.2e13, "best of 5")


def test_peaks_are_kept_for_one_device_and_driver(tmp_path: Path) -> None:
    cache = PeaksCache(tmp_path / "peaks")
    assert cache.load("GPU-1/2", "580") is None
    cache.store(_PEAKS, "580")
    assert cache.load("GPU-1/2", "580") == _PEAKS
    assert cache.load("GPU-1/2", "590") is None
    assert cache.load("GPU-3", "580") is None


def test_an_unreadable_file_is_measured_anew(tmp_path: Path) -> None:
    cache = PeaksCache(tmp_path)
    cache.store(_PEAKS, "580")
    (kept,) = tmp_path.iterdir()
    kept.write_text('{"device_uuid": 3}')
    assert cache.load("GPU-1/2", "580") is None


def test_a_folder_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "peaks").write_text("a file")
    PeaksCache(tmp_path / "peaks").store(_PEAKS, "580")


@pytest.mark.parametrize(("failures", "is_kept"), [((), True), (("a kernel timed against itself came out SLOWER",), False)])
def test_peaks_that_were_taken_while_timing_was_disturbed_are_not_kept(tmp_path: Path, failures: tuple[str, ...], is_kept: bool) -> None:
    cache = PeaksCache(tmp_path)
    cache.keep(PairTiming((), TimedDevice("", "", "", ""), SelfTest(1.0, 0.95, failures, 0.1), _PEAKS), "580")
    assert (cache.load("GPU-1/2", "580") == _PEAKS) is is_kept


class Busy(GpuClient):
    """Its worker answers with the first cases of each request alone, as many as the next of ``counts`` says; 0: the GPU is busy."""

    def __init__(self, *counts: int) -> None:
        super().__init__(Gpu(0, "NVIDIA Test", "GPU-0", 1, (9, 0), "580"), None)
        self._counts = iter(counts)
        self.asked: list[list[str]] = []
        self.peaks: list[Any] = []
        self.profiled = 0

    async def ask(self, op: str, message: dict[str, Any], deadline_s: float, is_fresh: bool = False) -> dict[str, Any] | LabFailure:
        if op == "durations":
            self.profiled += len(message["cases"])
            await asyncio.sleep(0)
            return encode(DurationsReply(tuple(ProfiledTime(1e-5, 2e-5, 7, "CUPTI") for _ in message["cases"])))
        self.asked.append([case["shape"] for case in message["cases"]])
        self.peaks.append(message["peaks"])
        count = next(self._counts)
        if not count:
            return LabFailure("busy", "another kernelopt measures", "try again")
        part = len(self.asked)
        cases = tuple(
            CaseTiming(shape, 1.0, (), "events", 1, 1, 0.0, 1, is_restored=False, stop="width", seconds=1.0)
            for shape in self.asked[-1][:count]
        )
        device = TimedDevice("NVIDIA Test", "GPU-0", "580", "nvcc", GpuState(power_w=part), GpuState(power_w=part))
        tested = SelfTest(1.0, 0.95, ("disturbed",) if part == 1 else (), 0.1)
        return encode(PairTiming(cases, device, tested, _PEAKS))


class Compiled(Compiler):
    """Everything is compiled already."""

    async def image(self, program: Program, architecture: str) -> Image | LabFailure:
        return Image("/a.cubin", ())

    async def built_for_device(self, program: Program, architecture: str) -> BuildResult:
        return CompilerMissing("none", "")


async def timed(client: GpuClient, folder: Path) -> PairTiming | LabFailure:
    return await clock(client, folder)()


def clock(client: GpuClient, folder: Path) -> Callable[[], Awaitable[PairTiming | LabFailure]]:
    """Times one program's three cases, as often as it is called."""

    async def helpers() -> str | LabFailure:
        return "/own.cubin"

    cases = [Case(folder / str(index), (0,), CaseOrigin("recorded", f"n={index}", 0, 1.0, 1.0)) for index in range(3)]
    program = Program((), DEFAULT_FLAGS)
    for case in cases:
        case.recording.mkdir(parents=True)
        (case.recording / "recording.json").write_text(str(case.origin.shape))
    timing = GpuTiming(
        client, Compiled(WorkerProcess("none"), folder, folder), helpers, CapturedRuns(folder, folder, client.gpu), folder, folder
    )
    return lambda: timing.time(program, program, [(case, case) for case in cases], TimingOptions(seed=1), RunLimits())


async def test_shapes_that_are_left_when_another_process_keeps_the_gpu_are_asked_for_again(tmp_path: Path) -> None:
    client = Busy(1, 2)
    timing = await timed(client, tmp_path)
    assert isinstance(timing, PairTiming)
    assert client.asked == [["n=0", "n=1", "n=2"], ["n=1", "n=2"]]
    assert [case.shape for case in timing.cases] == ["n=0", "n=1", "n=2"]
    assert (timing.device.before.power_w, timing.device.after.power_w) == (1, 2)
    assert client.peaks == [None, encode(_PEAKS)]
    assert timing.self_test is not None and timing.self_test.failures == ("disturbed",)


async def test_a_profiler_is_asked_for_the_originals_time_once(tmp_path: Path) -> None:
    """Also where two candidates are held against it at the same time."""
    client = Busy(3, 3, 3)
    candidate = clock(client, tmp_path)
    found = [*await asyncio.gather(candidate(), candidate()), await candidate()]
    assert client.profiled == 3
    for timing in found:
        assert isinstance(timing, PairTiming) and len(timing.cases) == 3
        assert all(case.profiled is not None and case.profiled.most_s == 2e-5 for case in timing.cases)


async def test_a_gpu_that_another_process_still_keeps_is_busy(tmp_path: Path) -> None:
    failure = await timed(Busy(1, 0), tmp_path)
    assert isinstance(failure, LabFailure) and failure.kind == "busy"
