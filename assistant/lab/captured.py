"""Runs of a program on a GPU with its launches recorded, asked of the capture worker.

The recording is the emulator's format: what was recorded on a GPU can be counted, checked and replayed there. Example::

    captured = CapturedRuns(scratch, cache, gpu)
    await captured.run(program, limits)      # ProgramRun with a recording, without profiles
    await counted(cpu, program, run, "count", limits)   # the same run with counters from the emulator
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.build.includes import with_headers
from assistant.cuda.match import kernel_of_instance
from assistant.cuda.one_gpu import stays_on_first_gpu
from assistant.cuda.parse import parse
from assistant.lab.emulated_replays import LATE
from assistant.lab.gpus import Gpu, NoGpu, list_gpus
from assistant.lab.held_gpus import held_alone
from assistant.lab.process import WorkerDied, WorkerPool, WorkerTimedOut
from assistant.lab.readable import workspaces
from assistant.lab.uncounted import bare_profile
from assistant.model.build import Diagnostic
from assistant.model.profile import Correction, LaunchProfile, Problem
from assistant.model.recording import RecordedLaunch, Recording
from assistant.model.source import Source
from assistant.model.workload import Case, CaseOrigin
from assistant.ports.lab import Lab, LabFailure, Program, ProgramRun, ReplayOptions, RunLimits
from assistant.serialize import decode, encode, loads

__all__ = ["CapturedRuns", "counted", "reachable_gpus", "shown_alone"]

_KERNEL = "__global__"
_RECORDED_ON = "GPU, by CUPTI's time stamps"
"""Device and method of what is known of a launch that nothing counted."""
_BUILD_S = 240.0
"""The recording library and the program are built before the first run."""
_LEASE_S = 120.0
"""How long a program waits for each of its GPUs while other front ends measure on them (``disk.gpu_lease``)."""
_EXTENSION_BUILD_S = 900.0
"""What building a PyTorch extension may take besides its run (chosen: a file with PyTorch's headers takes a minute on a slow core)."""
_COUNTED_LAUNCHES = 16
"""Launches of a recording that are counted: each shape's first launch, in program order."""


class CapturedRuns:
    """Asks capture workers."""

    def __init__(self, scratch: Path, cache: Path, gpu: Gpu, at_once: int = 1) -> None:
        """``scratch`` receives recordings; ``cache`` keeps programs that were built; ``at_once``: workers."""
        self._scratch = scratch
        self._cache = cache
        self._gpu = gpu
        self._worker = WorkerPool("assistant.device.capture", {**os.environ, "TMPDIR": str(scratch)}, at_once)
        self._own_waits: list[tuple[float, float]] = []
        self._run_count = 0
        self._ahead: dict[Program, asyncio.Event] = {}
        """Programs whose builds were begun before they are run; the event: it has ended."""

    @property
    def waits(self) -> list[tuple[float, float]]:
        """As of `WorkerProcess`."""
        return [*self._own_waits, *self._worker.waits]

    async def build_ahead(self, program: Program, limits: RunLimits) -> None:
        """Build what ``run`` will start, next to what else is done; where that cannot be done, the run says why."""
        built = _as_built(program)
        if built in self._ahead:
            return
        ended = self._ahead[built] = asyncio.Event()
        try:
            message = await self._message(program, limits, "build")
            await self._worker.request(message, float(message["limits"]["wall_s"]) + _BUILD_S, _kept_for(built))
        except (WorkerTimedOut, WorkerDied):
            pass
        finally:
            ended.set()

    async def run(self, program: Program, limits: RunLimits, snapshots: Path | None = None) -> ProgramRun | LabFailure:
        """One run of the program; profiles and problems stay empty.

        ``snapshots``: with snapshots of its large launches taken through the pipes of this folder, and no launch kept.
        """
        if (ahead := self._ahead.get(_as_built(program))) is not None:
            await ahead.wait()
        return await self._ran(program, await self._message(program, limits, "capture") | {"snapshots": encode(snapshots)})

    async def timelines(self, programs: Sequence[Program], limits: RunLimits) -> tuple[ProgramRun, ...] | LabFailure:
        """A run of each, one after the other, with when its steps ran, and no launch kept. No other request has their GPUs until the last
        has ended; they are built before that."""
        for program in programs:
            await self.build_ahead(program, limits)
            await self._ahead[_as_built(program)].wait()
        messages = [await self._message(program, limits, "capture") for program in programs]
        uuids = dict.fromkeys(uuid for message in messages for uuid in message["gpu_uuids"])
        runs = list[ProgramRun]()
        async with held_alone(uuids, self._own_waits) as busy:
            if busy is not None:
                return LabFailure("busy", busy.message, "try again, or use --device cpu")
            for program, message in zip(programs, messages, strict=True):
                run = await self._ran(program, message | {"is_timeline": True, "gpu_uuids": []})
                if isinstance(run, LabFailure):
                    return run
                runs.append(run)
        return tuple(runs)

    async def _ran(self, program: Program, message: dict[str, Any]) -> ProgramRun | LabFailure:
        try:
            run_s = float(message["limits"]["wall_s"]) * (
                1 + bool(program.build_command) + program.is_candidate
            )  # one that fails runs twice
            reply = await self._worker.request(
                message, run_s + _BUILD_S + _LEASE_S * len(message["gpu_uuids"]), _kept_for(_as_built(program))
            )
        except WorkerTimedOut as error:
            return LabFailure("timed_out", str(error), "raise --timeout or shrink the workload")
        except WorkerDied as error:
            return LabFailure("internal", str(error), "kernelopt doctor")
        if "failure" in reply:
            diagnostics = decode(tuple[Diagnostic, ...], reply["diagnostics"])
            return LabFailure(reply["failure"], reply["message"], reply["remedy"], diagnostics)
        return await asyncio.to_thread(_program_run, reply)

    async def close(self) -> None:
        await self._worker.close()

    async def _message(self, program: Program, limits: RunLimits, operation: str) -> dict[str, Any]:
        self._run_count += 1
        record = self._scratch / f"captured-{self._run_count}"  # before anything is waited for: others may run meanwhile
        shown = await asyncio.to_thread(shown_alone, self._gpu, program)
        gpus = (self._gpu.uuid,) if shown else await asyncio.to_thread(reachable_gpus, self._gpu, os.environ)
        limits = replace(limits, wall_s=limits.wall_s + _EXTENSION_BUILD_S) if program.is_extension else limits
        return {
            "op": operation,
            "sources": [[str(source.path), source.text] for source in program.sources],
            "cwd": str(program.working_directory),
            "record": str(record),
            "cache": str(self._cache),
            "limits": encode(limits),
            "flags": encode(program.flags),
            "architecture": self._gpu.architecture,
            "args": list(program.arguments),
            "libraries": list(program.libraries),
            "build_command": encode(program.build_command),
            "run_command": encode(program.run_command),
            "is_extension": program.is_extension,
            "is_candidate": program.is_candidate,
            "gpu_uuids": list(gpus),
            "visible_devices": shown,
            "workspaces": await asyncio.to_thread(workspaces, program),
        }


def _as_built(program: Program) -> Program:
    """Equal for programs whose builds are."""
    return replace(program, arguments=(), kernels=(), noted_function=None)


def _kept_for(built: Program) -> Program | None:
    """Whose build a worker keeps for itself (`device.capture.kept_build`); None: any worker finds it."""
    return built if built.run_command is not None and built.is_candidate else None


def reachable_gpus(gpu: Gpu, environment: Mapping[str, str]) -> tuple[str, ...]:
    """UUIDs of all GPUs that a program may use which is run for ``gpu`` and not shown it alone."""
    found = list_gpus(environment)
    others = () if isinstance(found, NoGpu) else (one.uuid for one in found)
    return tuple(dict.fromkeys((gpu.uuid, *others)))


def shown_alone(gpu: Gpu, program: Program) -> str | None:
    """``CUDA_VISIBLE_DEVICES`` of a program that is run for ``gpu``; None: it may use every GPU that its user may.

    That is left to programs run for the first GPU that could use others: while they run, nothing else may use those.
    """
    return gpu.uuid if gpu.index > 0 or _stays_on_first_gpu(program) else None


def _stays_on_first_gpu(program: Program) -> bool:
    """In doubt not: a command, and libraries of the user's, are not read."""
    if program.run_command is not None or program.libraries:
        return False
    texts = with_headers(((str(source.path), source.text) for source in program.sources), program.flags.arguments)
    return stays_on_first_gpu(texts.values())


async def counted(
    lab: Lab,
    program: Program,
    run: ProgramRun,
    mode: str,
    limits: RunLimits,
    sample_blocks: int = 0,
    corrections: tuple[Correction, ...] = (),
) -> ProgramRun:
    """``run`` with the counters and problems of its recorded launches, replayed by ``lab``: the first launch of each shape.

    A launch that ``lab`` cannot count has a profile of its configuration alone (``blocks_counted`` is 0), and the reason is said.
    """
    chosen = () if mode == "plain" else _counted_launches(program, run.recording)
    if not chosen or run.recording_path is None:
        return run
    cases = [Case(run.recording_path, (launch.index,), CaseOrigin("recorded", "", 0, 1.0, 1.0)) for launch in chosen]
    startable = replace(program, kernels=tuple(sorted({launch.kernel for launch in chosen})))
    options = ReplayOptions(mode=mode, sample_blocks=sample_blocks, corrections=corrections, kept="none")
    replayed = await lab.replay(startable, cases, options, limits)
    if isinstance(replayed, LabFailure):
        bare = tuple(bare_profile(launch.index, launch, _RECORDED_ON) for launch in chosen)
        return replace(run, profiles=bare, unsupported=(*run.unsupported, f"counters and checks: {replayed.message}"))
    profiles: list[LaunchProfile] = []
    problems: list[Problem] = []
    lost: list[str] = []
    for launch, case in zip(chosen, replayed.cases, strict=True):
        is_seen = bool(case.profiles) and case.error not in LATE  # counters of blocks that did not end are of no whole block
        if not is_seen:
            lost.append(f"counters and checks of {launch.kernel}: {case.error or 'the emulator gave none'}")
        profiles.append(replace(case.profiles[0], index=launch.index) if is_seen else bare_profile(launch.index, launch, _RECORDED_ON))
        problems += case.problems
    return replace(run, profiles=tuple(profiles), problems=tuple(problems), unsupported=(*run.unsupported, *lost))


def _counted_launches(program: Program, recording: Recording | None) -> tuple[RecordedLaunch, ...]:
    """The first kept launch of every shape of a kernel that the sources define, or headers of theirs."""
    if recording is None:
        return ()
    texts = with_headers(((str(source.path), source.text) for source in program.sources), program.flags.arguments)
    parsed = [parse(Source(Path(path), text)) for path, text in texts.items() if _KERNEL in text]
    first: dict[object, RecordedLaunch] = {}
    for launch in recording.launches:
        if any(kernel_of_instance(file, launch.kernel) is not None for file in parsed):
            first.setdefault((launch.kernel, launch.config), launch)
    return tuple(first.values())[:_COUNTED_LAUNCHES]


def _program_run(reply: dict[str, Any]) -> ProgramRun:
    recording = Path(reply["recording"])
    return ProgramRun(
        exit_status=reply["exit_status"],
        signal=reply["signal"],
        memory_exceeded=reply["memory_exceeded"],
        timed_out=reply["timed_out"],
        output_truncated=reply["output_truncated"],
        stdout=Path(reply["stdout_path"]).read_bytes(),
        stderr=Path(reply["stderr_path"]).read_bytes(),
        recording_path=recording,
        recording=loads(Recording, (recording / "recording.json").read_bytes()),
        launch_count=reply["launch_count"],
        profiles=(),
        problems=(),
        unsupported=(),
        tasks_exceeded=reply["tasks_exceeded"],
        missing_limits=decode(tuple[str, ...], reply["missing"]),
    )
