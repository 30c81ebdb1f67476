"""Timing on a GPU, the parent's end: device code for both versions, the worker's ``time`` operation, peaks kept per device.

Example::

    timing = GpuTiming(client, compiler, helper_code)
    await timing.time(a, b, pairs, TimingOptions(seed=7, is_fresh=True), limits)     # PairTiming or LabFailure
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.disk.whole import write_whole
from assistant.lab.captured import CapturedRuns
from assistant.lab.compiler import Compiler, Image
from assistant.lab.gpu_client import GpuClient
from assistant.model.build import Build
from assistant.model.timing import MeasuredPeaks, PairTiming, ProfiledTime, TimingOptions
from assistant.model.workload import Case
from assistant.ports.lab import LabFailure, Program, ProgramRun, RunLimits
from assistant.serialize import DecodeError, decode, dumps, encode, loads

__all__ = ["GpuTiming", "PeaksCache"]

_CASE_GRACE_S = 20.0
"""Beyond a shape's own time: loading, copying, the pilot, and a kernel that takes far longer than the others."""
_START_GRACE_S = 15.0
"""Warming up, the self-test, the peaks."""
_PROFILED_CASE_S = 10.0
"""Limit of a profiler's look at one case: loading, copying, fourteen calls."""


class PeaksCache:
    """Measured peaks, one file for each device and driver; a lost or unreadable one is measured anew."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, device_uuid: str, driver_version: str) -> MeasuredPeaks | None:
        try:
            return loads(MeasuredPeaks, self._path(device_uuid, driver_version).read_bytes())
        except (OSError, DecodeError):
            return None

    def keep(self, timing: PairTiming, driver_version: str) -> None:
        """Its peaks, unless the timing was disturbed: peaks that are too low would doubt true gains for ever."""
        is_disturbed = timing.self_test is not None and not timing.self_test.has_passed
        if timing.peaks is not None and not is_disturbed:
            self.store(timing.peaks, driver_version)

    def store(self, peaks: MeasuredPeaks, driver_version: str) -> None:
        path = self._path(peaks.device_uuid, driver_version)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, dumps(peaks))
        except OSError:
            return  # measured again next time

    def _path(self, device_uuid: str, driver_version: str) -> Path:
        return self._folder / (re.sub(r"[^\w.-]", "_", f"{device_uuid}-{driver_version}") + ".json")


class GpuTiming:
    """Implements ``ports.lab.Timing``; uses what the lab owns, and closes none of it."""

    def __init__(
        self,
        client: GpuClient,
        compiler: Compiler,
        helper_code: Callable[[], Awaitable[str | LabFailure]],
        captured: CapturedRuns,
        scratch: Path,
        cache: Path,
    ) -> None:
        """``scratch`` receives what timed calls leave; ``cache`` keeps the library that drives CUPTI."""
        self._client = client
        self._compiler = compiler
        self._helper_code = helper_code
        self._captured = captured
        self._scratch = scratch
        self._cache = cache
        self._profiled: dict[str, ProfiledTime] = {}
        """By machine code and launches: the original's are asked for once, however many candidates are held against it."""
        self._profiling = asyncio.Lock()
        """Held while they are asked for: candidates are timed at the same time."""
        self._peaks = PeaksCache(compiler.cache / "peaks")
        self.request_count = 0
        """Comparisons that were asked for."""

    async def time(
        self, a: Program, b: Program, cases: Sequence[tuple[Case, Case]], options: TimingOptions, limits: RunLimits
    ) -> PairTiming | LabFailure:
        gpu = self._client.gpu
        a_image, b_image = [await self._compiler.image(program, gpu.architecture) for program in (a, b)]
        helpers = await self._helper_code()
        if isinstance(a_image, LabFailure):
            return a_image
        if isinstance(b_image, LabFailure):
            return b_image
        if isinstance(helpers, LabFailure):
            return helpers
        known = await asyncio.to_thread(self._peaks.load, gpu.uuid, gpu.driver_version)
        message = {
            "a": encode(a_image),
            "b": encode(b_image),
            "helpers": helpers,
            "compiler": await self._compiler_of(a),
            "options": encode(options),
            "out": str(self._scratch / f"timed-{self.request_count}"),
        }
        self.request_count += 1
        timing = await self._every_case(message, cases, known, options.wall_s + _CASE_GRACE_S + limits.wall_s, options.is_fresh)
        if isinstance(timing, LabFailure):
            return timing
        if known is None:
            await asyncio.to_thread(self._peaks.keep, timing, gpu.driver_version)
        return await self._with_profiled_times(timing, a_image, helpers, [a_case for a_case, _ in cases], limits)

    async def timelines(self, programs: Sequence[Program], limits: RunLimits) -> tuple[ProgramRun, ...] | LabFailure:
        return await self._captured.timelines(programs, limits)

    async def _with_profiled_times(
        self, timing: PairTiming, image: Image, helpers: str, cases: Sequence[Case], limits: RunLimits
    ) -> PairTiming:
        """With what a profiler says that A's calls take; as it is where none can be asked, which the method then says."""
        keys = [await asyncio.to_thread(_key, image, case) for case in cases]
        async with self._profiling:
            missing = {key: case for key, case in zip(keys, cases, strict=True) if key not in self._profiled}
            if missing:
                self._profiled.update(zip(missing, await self._profiled_times(image, helpers, missing.values(), limits), strict=False))
        profiled = [self._profiled.get(key) for key in keys]
        return replace(timing, cases=tuple(replace(c, profiled=p) for c, p in zip(timing.cases, profiled, strict=False)))

    async def _profiled_times(self, image: Image, helpers: str, cases: Collection[Case], limits: RunLimits) -> tuple[ProfiledTime, ...]:
        """In the order of the cases; none where no profiler answers."""
        wall_s = limits.wall_s + _PROFILED_CASE_S * len(cases)
        message = {
            "image": encode(image),
            "helpers": helpers,
            "cases": [_replayed(case) for case in cases],
            "cache": str(self._cache),
            "wall_s": wall_s,
        }
        reply = await self._client.ask("durations", message, wall_s + _START_GRACE_S)
        return () if isinstance(reply, LabFailure) else decode(tuple[ProfiledTime, ...], reply["times"])

    async def _every_case(
        self, message: dict[str, Any], cases: Sequence[tuple[Case, Case]], peaks: MeasuredPeaks | None, case_s: float, is_fresh: bool
    ) -> PairTiming | LabFailure:
        """All cases, by as many requests as it takes: a worker that waits in vain for the GPU answers with those that it has timed."""
        timing: PairTiming | None = None
        while timing is None or len(timing.cases) < len(cases):
            left = cases if timing is None else cases[len(timing.cases) :]
            wanted = {"cases": [_case_message(*pair) for pair in left], "peaks": encode(peaks)}
            reply = await self._client.ask("time", message | wanted, _START_GRACE_S + len(left) * case_s, is_fresh)
            if isinstance(reply, LabFailure):
                return reply
            part: PairTiming = decode(PairTiming, reply)
            timing = part if timing is None else _joined(timing, part)
            peaks = timing.peaks
        return timing

    async def _compiler_of(self, program: Program) -> str:
        """``nvcc 13.0.88``"""
        built = await self._compiler.built_for_device(program, self._client.gpu.architecture)
        return built.compiler if isinstance(built, Build) else "unknown compiler"


def _joined(first: PairTiming, rest: PairTiming) -> PairTiming:
    """One timing, which is as good as its worse part."""
    is_first_disturbed = first.self_test is not None and not first.self_test.has_passed
    return replace(
        rest,
        cases=first.cases + rest.cases,
        device=replace(rest.device, before=first.device.before),
        self_test=first.self_test if is_first_disturbed else rest.self_test,
    )


def _case_message(a: Case, b: Case) -> dict[str, object]:
    return {"a": _replayed(a), "b": _replayed(b), "shape": a.origin.shape, "weight": a.origin.weight}


def _replayed(case: Case) -> dict[str, object]:
    return {"recording": str(case.recording), "launches": list(case.launches)}


def _key(image: Image, case: Case) -> str:
    """What decides how long a case's launches take: the machine code and the recording, whose text names all contents."""
    recording = hashlib.sha256((case.recording / "recording.json").read_bytes()).hexdigest()
    cubins = (image.cubin, *(unit.cubin for unit in image.others))
    return f"{cubins} {recording} {case.launches}"
