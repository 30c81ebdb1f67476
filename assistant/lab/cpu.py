"""The lab without a GPU: the CUDA emulator runs programs, the CUDA compiler (where there is one) reports resources and SASS.

Both live in worker processes; this class turns the core's values into their messages and back. No time is ever measured here.
"""

from __future__ import annotations

import asyncio
import os
import shlex
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.lab.array_names import with_array_names
from assistant.lab.build_fields import build_fields
from assistant.lab.cache import keep_small
from assistant.lab.compiler import Compiler, texts_of
from assistant.lab.process import WorkerDied, WorkerPool, WorkerProcess, WorkerTimedOut
from assistant.lab.reference_arguments import reference_arguments
from assistant.lab.worker_replies import case_run, float_outputs, program_run
from assistant.model.build import Build, BuildResult, Diagnostic, DiagnosticSeverity
from assistant.model.device import LabDescription
from assistant.model.preprocessed import NotPreprocessed, PreprocessedProgram, Preprocessings
from assistant.model.profile import Correction
from assistant.model.source import Source
from assistant.model.workload import Case
from assistant.ports.lab import (
    Lab,
    LabFailure,
    Program,
    ProgramRun,
    ReferenceCall,
    ReplayOptions,
    ReplayRun,
    RunLimits,
)
from assistant.record import Record
from assistant.serialize import decode, encode

__all__ = ["BUILD_TIMEOUT_S", "CpuLab", "Promotion"]

BUILD_TIMEOUT_S = 1320.0
"""Only for a worker that hangs: each compiler process of the emulator's runtime, of a prelude and of the program has a limit of its own."""
_PREPROCESSED_KEPT = 8
_GRACE_S = 20.0
"""Beyond a run's own wall limit: symbolizing and writing the reply."""
_COUNTED_LAUNCHES = 1024
"""Later launches of a program run without counting; how often each shape occurs is known all the same."""
_STREAMS_FILL = 0x5A
"""Byte of fresh device memory where the order of streams is looked at: four make a large float, so that what is read too early shows."""
_KERNEL = "__global__"
_PATIENCE = 4.0
"""By the clock a replay may take so many times its limit, which is processor time: other processes may keep the machine busy, and what is
checked must not depend on them."""
_EMULATOR = "emulator"
"""``Diagnostic.compiler`` of what the emulator itself refuses; the host compiler's errors carry its own name."""
_FLAVOURS = {"plain": "fast", "fused": "fused", "count": "counted", "grade": "counted", "check": "checked"}
"""How programs are built for each mode. Only ``check`` needs every access that the source makes; it would count too many."""
_DEVICE = "CPU emulator (counting rules of sm_90)"


class Promotion(Record):
    """Whether device arithmetic is compiled as the source says or widened to double (the r64 reference)."""

    is_double: bool = False


class CpuLab:
    """Implements ``ports.lab.Lab``."""

    def __init__(
        self,
        scratch: Path,
        cache: Path,
        target: str,
        missing: tuple[str, ...] = (),
        compiler: WorkerProcess | None = None,
        at_once: int = 1,
    ) -> None:
        """``scratch`` receives outputs and recordings; ``cache`` keeps builds between processes; ``compiler`` is kept by the caller.

        ``at_once``: workers of each kind, where several candidates are tried at a time.
        """
        self._scratch = scratch
        self.cache = cache
        """Keeps builds between processes."""
        self._target = target
        self._missing = missing
        environment = {**os.environ, "TMPDIR": str(scratch)}  # what a killed worker leaves goes with the job's scratch
        self.at_once = at_once
        self.waited_s = 0.0  # it needs no GPU
        """Workers of each kind."""
        self._emulator = WorkerPool("assistant.emulator", environment, at_once)
        self._builder = WorkerProcess("assistant.emulator", environment)  # for builds that would wait for what the other one runs
        self._device = WorkerPool("assistant.device", environment, at_once)
        """Runs the user's references, which no other job may meet; compiles where the caller keeps no compiler."""
        self.compiler = Compiler(compiler or self._device, cache, scratch)
        self._preprocessed: OrderedDict[tuple[object, ...], Preprocessings] = OrderedDict()
        self._run_count = 0

    def describe(self) -> LabDescription:
        return LabDescription("cpu", _DEVICE, self._target, "no GPU: emulator, ptxas and occupancy", self._missing)

    @property
    def large_launches(self) -> None:
        return None

    @property
    def timing(self) -> None:
        """No time is measured on an emulator."""
        return None

    @property
    def counters(self) -> None:
        """The emulator's counters come with its runs."""
        return None

    @property
    def emulated(self) -> Lab:
        """Itself: it has no GPU."""
        return self

    @property
    def parallel_labs(self) -> tuple[Lab, ...]:
        """Nothing is timed, so nothing is gained by more of them."""
        return ()

    async def build(self, program: Program, architecture: str) -> BuildResult:
        return await self.compiler.built(program, architecture, "resources", "sass")

    async def build_ahead(self, program: Program, architecture: str) -> None:
        """The emulator's build as well where the emulator runs the program."""
        if self.at_once > 1:
            emulated = () if program.run_command is not None else (self.prepare(program, "count"),)
            await asyncio.gather(self.build(program, architecture), *emulated)

    async def inspect(self, program: Program, architecture: str) -> BuildResult:
        return await self.compiler.built(program, architecture, "resources")

    async def accepts(self, program: Program, architecture: str) -> bool:
        return isinstance(await self.compiler.built(program, architecture, is_quick=True), Build)

    async def preprocessed(self, program: Program, architecture: str) -> Preprocessings:
        """Kept for the last few programs: an original is compared with many edits."""
        key = (await asyncio.to_thread(texts_of, program), program.flags, architecture)
        known = self._preprocessed.get(key)
        if known is None:
            emulator, (device, host) = await asyncio.gather(self._emulated(program), self.compiler.preprocessed(program, architecture))
            known = Preprocessings(emulator, device, host)
            if len(self._preprocessed) >= _PREPROCESSED_KEPT:
                self._preprocessed.popitem(last=False)
        self._preprocessed[key] = known
        self._preprocessed.move_to_end(key)
        return known

    async def _emulated(self, program: Program) -> PreprocessedProgram | NotPreprocessed:
        fields = await asyncio.to_thread(build_fields, program, self.cache)
        reply = await self._ask_beside({"op": "preprocess", **fields})
        return (
            NotPreprocessed(reply.message)
            if isinstance(reply, LabFailure)
            else decode(PreprocessedProgram | NotPreprocessed, reply["result"])
        )

    async def prepare(self, program: Program, mode: str) -> None:
        """Build what ``run`` will start in this mode; where that cannot be done, the run says why."""
        await self._compile(program, _FLAVOURS[mode])

    async def run(
        self,
        program: Program,
        mode: str,
        limits: RunLimits,
        record: bool,
        sample_blocks: int = 0,
        corrections: tuple[Correction, ...] = (),
        order_seed: int = 0,
        uploads: Path | None = None,
    ) -> ProgramRun | LabFailure:
        if program.run_command is not None:
            return _only_on_a_gpu(program, program.run_command)
        built = await self._compile(program, "counted" if mode == "plain" and record else _FLAVOURS[mode])
        if isinstance(built, LabFailure):
            return built
        recording = self._new_folder("recording") if record else None
        reply = await self._ask(
            {
                "op": "run",
                "binary": built,
                "args": list(program.arguments),
                "cwd": str(program.working_directory),
                "mode": _core_mode(mode),
                "record": None if recording is None else str(recording),
                "uploads": None if uploads is None else str(uploads),
                "sample_blocks": sample_blocks,
                "seed": order_seed,
                "corrections": encode(corrections),
                "is_candidate": program.is_candidate,
                "launch_limit": _COUNTED_LAUNCHES,
                "limits": _limits(limits),
            },
            limits.wall_s + _GRACE_S,
        )
        return reply if isinstance(reply, LabFailure) else await asyncio.to_thread(_named_run, program, reply, recording)

    async def run_streams(self, program: Program, is_late: bool, limits: RunLimits) -> ProgramRun | LabFailure:
        built = await self._compile(program, _FLAVOURS["count"])  # the build that counted runs have made already
        if isinstance(built, LabFailure):
            return built
        recording = self._new_folder("recording")
        message = {
            "op": "run",
            "binary": built,
            "args": list(program.arguments),
            "cwd": str(program.working_directory),
            "record": str(recording),
            "is_late": is_late,
            "device_fill": _STREAMS_FILL,
            "is_candidate": program.is_candidate,
            "limits": _limits(replace(limits, launch_bytes=0)),  # no launch's contents are kept
        }
        reply = await self._ask(message, limits.wall_s + _GRACE_S)
        return reply if isinstance(reply, LabFailure) else await asyncio.to_thread(program_run, reply, recording)

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        return await self._replay(program, cases, options, limits, Promotion())

    async def replay_promoted(
        self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits
    ) -> ReplayRun | LabFailure:
        """Replay with device ``float`` and ``half`` compiled as ``double``; the cases' buffers must be widened already."""
        return await self._replay(program, cases, options, limits, Promotion(is_double=True))

    async def promoted(self, program: Program) -> Program | LabFailure:
        """The program with ``float`` written as ``double``, for another compiler."""
        fields = await asyncio.to_thread(build_fields, program, self.cache)
        reply = await self._ask_beside({"op": "promote", **fields})
        if isinstance(reply, LabFailure):
            return reply
        return replace(program, sources=tuple(Source(Path(path), text) for path, text in reply["texts"]))

    async def reference(self, call: ReferenceCall, limits: RunLimits) -> tuple[tuple[str, bytes], ...] | LabFailure:
        folder = self._new_folder("reference")
        arguments = await asyncio.to_thread(reference_arguments, call.arguments, folder)
        message = {
            "op": "reference",
            "path": str(call.path),
            "function": call.function,
            "arguments": arguments,
            "outputs": list(call.outputs),
            "out": str(folder / "out"),
        }
        try:
            reply = await self._device.first.request(message, limits.wall_s)
        except WorkerTimedOut:
            return LabFailure("timed_out", f"{call.path.name}:{call.function} did not end within {limits.wall_s:g} s", "raise --timeout")
        except WorkerDied as error:
            return LabFailure("crashed", f"{call.path.name}:{call.function} ended its worker: {error}", "run the reference by itself")
        result = reply.get("result", {"failure": "the worker refused the reference", "outputs": []})
        if result["failure"] is not None:
            return LabFailure("bad_reference", result["failure"], "fix the reference, or leave it out")
        return await asyncio.to_thread(float_outputs, result["outputs"])

    async def close(self) -> None:
        await asyncio.gather(self._emulator.close(), self._builder.close(), self._device.close())
        await keep_small(self.cache)

    async def _replay(
        self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits, promotion: Promotion
    ) -> ReplayRun | LabFailure:
        built = await self._compile(program, _FLAVOURS[options.mode], promotion)
        if isinstance(built, LabFailure):
            return built
        out = self._new_folder("replay")
        parts = [cases[at :: self._parts(cases)] for at in range(self._parts(cases))]
        replies = await asyncio.gather(*(self._replay_part(built, part, options, limits, out) for part in parts))
        failure = next((reply for reply in replies if isinstance(reply, LabFailure)), None)
        if failure is not None:
            return failure
        found = [reply for reply in replies if not isinstance(reply, LabFailure)]
        in_order = [found[at % len(found)]["cases"][at // len(found)] for at in range(len(cases))]
        runs = tuple(with_array_names(case_run(case), program) for case in in_order)
        return ReplayRun(runs, out / "blobs", "".join(reply["printed"] for reply in found))

    def _parts(self, cases: Sequence[Case]) -> int:
        """Among how many workers the cases are shared: each reads, watches and writes a case's memory alone, whatever its blocks run on."""
        return max(1, min(self.at_once, len(cases)))

    async def _replay_part(
        self, binary: str, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits, out: Path
    ) -> dict[str, Any] | LabFailure:
        message = {
            "op": "replay",
            "binary": binary,
            "mode": _core_mode(options.mode),
            "sample_blocks": options.sample_blocks,
            "corrections": encode(options.corrections),
            "out": str(out),
            "cases": [
                {
                    "recording": str(case.recording),
                    "launches": list(case.launches),
                    "fill": options.fill,
                    "shared_fill": options.shared_fill,
                    "repeats": options.repeats,
                    "seed": options.seed,
                    "are_results_kept": options.kept != "none",
                }
                for case in cases
            ],
            "limits": _limits(limits),
            "patience": _PATIENCE,
        }
        return await self._ask(message, _PATIENCE * limits.wall_s * max(1, len(cases)) + _GRACE_S)

    async def _compile(self, program: Program, flavour: str, promotion: Promotion | None = None) -> str | LabFailure:
        message = {
            "op": "build",
            **await asyncio.to_thread(build_fields, program, self.cache),
            "flavour": flavour,
            "kernels": list(program.kernels),
            "promote_float": promotion is not None and promotion.is_double,
            "noted_function": program.noted_function,
        }
        reply = await self._ask_beside(message)
        if isinstance(reply, LabFailure):
            return reply
        diagnostics = decode(tuple[Diagnostic, ...], reply["diagnostics"])
        if reply["binary"] is None and _is_limit(diagnostics):
            return LabFailure(
                "unsupported",
                "the emulator cannot run what this source uses",
                "move the kernel to a source without it, or declare a workload for it there",
                diagnostics,
            )
        if reply["binary"] is None:
            return LabFailure(
                reply.get("failure") or "not_built",
                reply.get("message") or "the emulator's compiler refused the source",
                reply.get("remedy") or "",
                diagnostics,
            )
        return reply["binary"]

    async def _ask_beside(self, message: dict[str, Any]) -> dict[str, Any] | LabFailure:
        """Something about texts alone, which need not wait for what runs."""
        return await self._ask(message, BUILD_TIMEOUT_S, self._builder if self._emulator.is_busy else self._emulator)

    async def _ask(
        self, message: dict[str, Any], deadline_s: float, worker: WorkerProcess | WorkerPool | None = None
    ) -> dict[str, Any] | LabFailure:
        try:
            reply = await (worker or self._emulator).request(message, deadline_s)
        except WorkerTimedOut as error:
            return LabFailure("timed_out", str(error), "raise --timeout or shrink the workload")
        except WorkerDied as error:
            return LabFailure("internal", str(error), "kernelopt doctor")
        if "failure" in reply and "binary" not in reply:
            return LabFailure(reply["failure"], reply.get("message", ""), reply.get("remedy", ""))
        return reply

    def _new_folder(self, kind: str) -> Path:
        self._run_count += 1
        folder = self._scratch / f"{kind}-{self._run_count}"
        folder.mkdir(parents=True)
        return folder


def _named_run(program: Program, reply: dict[str, Any], recording: Path | None) -> ProgramRun:
    return with_array_names(program_run(reply, recording), program)


def _only_on_a_gpu(program: Program, command: tuple[str, ...]) -> LabFailure:
    started = shlex.join((Path(command[0]).name, *command[1:]))
    own = sorted(texts_of(replace(program, sources=program.sources[:1])), key=lambda each: each[0] != str(program.sources[0].path))
    with_kernels = next((path for path, text in own if _KERNEL in text), None)
    emulated = "" if with_kernels is None else f"kernelopt init {with_kernels} writes [workload.KERNEL], by which the emulator runs it; "
    return LabFailure(
        "unsupported",
        f"{started} launches these kernels on a GPU alone, and the emulator runs .cu sources, not Python scripts",
        f"here kernelopt inspect still answers: static checks, registers and occupancy; {emulated}or name the GPU with --device gpu:0",
    )


def _core_mode(mode: str) -> str:
    """What the emulator's core is asked for: it counts whenever it checks."""
    return {"grade": "check", "fused": "plain"}.get(mode, mode)


def _is_limit(diagnostics: Sequence[Diagnostic]) -> bool:
    """Whether a build ended at what the emulator does not support, not at a mistake in the source."""
    errors = [found for found in diagnostics if found.severity is DiagnosticSeverity.ERROR]
    return bool(errors) and all(found.compiler == _EMULATOR for found in errors)


def _limits(limits: RunLimits) -> dict[str, Any]:
    return encode(limits)
