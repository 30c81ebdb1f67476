"""Runs of a program on a lab with a GPU: recorded there at full speed, and seen by the emulator for a time that does not grow with it.

What the program computes, and what its cases are made of, is the GPU's. The emulator counts and checks what it runs of the launches in
its time; of programs that it cannot run, blocks of the launches that the GPU recorded. Where the GPU's recorder fails, the emulator's
run stands alone, and says so. Example::

    runs = GpuRuns(cpu, captured, count_recorded)
    await runs.run(program, Look("count", sample_blocks=4096), limits)      # ProgramRun with `emulated`
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from assistant.lab.merged_runs import merged, unseen_by_emulator
from assistant.lab.side_by_side import side_by_side
from assistant.model.problems import is_refused, merge_problems
from assistant.model.profile import Correction, LaunchProfile
from assistant.model.recording import RecordedLaunch
from assistant.ports.lab import NOT_MODELLED, LabFailure, Program, ProgramRun, RunLimits
from assistant.record import Record

__all__ = ["EMULATED_S", "Emulator", "GpuRuns", "Look", "Recorder"]

EMULATED_S = 1.0
"""For all launches of a run under the emulator, which then ends within twice that and 2 s more (``emulator/runtime/partial.cpp``)."""
_SMALL_S = 3.0
"""For a run that says nothing unless it is whole: small programs alone end in it."""
_EMULATED_BYTES = 64 << 20
"""Contents that the emulator keeps of a launch: they say which memory nothing has written before it."""
_KEPT_RUNS = 8
_UNFUSED = "-fmad=false"
"""nvcc's flag for products and sums that are rounded one by one; by default it fuses them."""
_BEYOND_THE_EMULATOR = frozenset({"unsupported", "not_built", "timed_out", "internal", "out_of_memory"})
"""Kinds of its failures that say nothing of a program that a GPU runs."""
_TOO_LARGE = LabFailure(
    "timed_out", f"the emulator does not run all of the program's launches in {_SMALL_S:g} s", "smaller arguments behind -- have it checked"
)


class Look(Record):
    """What is to be seen of a run."""

    mode: str
    """As of ``ReplayOptions``."""
    sample_blocks: int = 0
    """Blocks of a launch that are counted at most; 0: a person asked for all, so that the emulator runs all."""
    corrections: tuple[Correction, ...] = ()
    order_seed: int = 0


class Recorder(Protocol):
    """Records programs on a GPU."""

    def run(self, program: Program, limits: RunLimits) -> Coroutine[Any, Any, ProgramRun | LabFailure]: ...


class Emulator(Protocol):
    """The part of a lab without a GPU that runs programs."""

    async def prepare(self, program: Program, mode: str) -> None: ...

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
    ) -> ProgramRun | LabFailure: ...

    async def run_streams(self, program: Program, is_late: bool, limits: RunLimits) -> ProgramRun | LabFailure: ...


class GpuRuns:
    """Uses what the lab owns, and closes none of it."""

    def __init__(
        self,
        cpu: Emulator,
        gpu: Recorder,
        count_recorded: Callable[[Program, ProgramRun, Look, RunLimits], Coroutine[Any, Any, ProgramRun]],
        device_bytes: int,
    ) -> None:
        """``count_recorded``: a recorded run with what the emulator counts of blocks of its launches. ``device_bytes``: the GPU's."""
        self._cpu = cpu
        self._gpu = gpu
        self._count_recorded = count_recorded
        self._device_bytes = device_bytes
        self._recorded: dict[Program, ProgramRun] = {}
        """The last few, to be looked at again."""
        self._too_large: set[Program] = set()

    async def run(self, program: Program, look: Look, limits: RunLimits) -> ProgramRun | LabFailure:
        """The program on the GPU, with what the emulator sees of it."""
        if program.run_command is not None:
            recorded = await self._gpu.run(program, limits)
            return recorded if isinstance(recorded, LabFailure) else await self._counted(program, _of_gpu(recorded), look, limits)
        known = self._recorded.get(program) if look.mode == "grade" else None
        recorded, emulated = await self._both(program, look, limits, known)
        if isinstance(recorded, LabFailure):
            return _alone(emulated, recorded)
        recorded = self._keep(program, _of_gpu(recorded))
        if emulated is None:
            return recorded
        if isinstance(emulated, ProgramRun) and _is_of_use(emulated, recorded):
            run = await self._with_missed(program, merged(recorded, emulated), look, limits)
            return await self._checked_again(program, run, look, limits) if look.mode == "check" and emulated.is_partial else run
        failure = emulated if isinstance(emulated, LabFailure) else LabFailure("unsupported", _why_of_no_use(emulated), "")
        if failure.kind not in _BEYOND_THE_EMULATOR and recorded.exit_status == 0:
            return failure
        counted = await self._counted(program, recorded, look, limits)
        return counted if counted.profiles else unseen_by_emulator(recorded, failure)

    async def run_fused(self, program: Program, limits: RunLimits) -> ProgramRun | LabFailure:
        """As ``run`` with other roundings: without fused products and sums, which the GPU's own runs have."""
        if program.run_command is not None:
            return LabFailure(
                "unsupported", "a program that is built by a command of its own is run with that command's roundings alone", ""
            )
        flags = replace(program.flags, arguments=(*program.flags.arguments, _UNFUSED))
        run = await self._gpu.run(replace(program, flags=flags), limits)
        return run if isinstance(run, LabFailure) else _of_gpu(run)

    async def run_uploads(self, program: Program, look: Look, limits: RunLimits, uploads: Path) -> ProgramRun | LabFailure:
        """Under the emulator alone: no other lab can upload other contents. A failure where it does not end in its time."""
        if program.run_command is not None:
            return LabFailure("unsupported", "only the emulator can upload other contents", "")
        if program in self._too_large:
            return _TOO_LARGE
        ended = await self._cpu.run(
            program, look.mode, _small(limits), True, look.sample_blocks, look.corrections, look.order_seed, uploads
        )
        return self._whole(program, ended)

    async def run_streams(self, program: Program, is_late: bool, limits: RunLimits) -> ProgramRun | LabFailure:
        """Under the emulator alone: no run on a GPU is late on purpose."""
        if program.run_command is not None:
            return LabFailure("unsupported", "only the emulator can run streams late, and the program is run by a command of its own", "")
        return (
            _TOO_LARGE
            if program in self._too_large
            else self._whole(program, await self._cpu.run_streams(program, is_late, _small(limits)))
        )

    def _whole(self, program: Program, ended: ProgramRun | LabFailure) -> ProgramRun | LabFailure:
        if isinstance(ended, ProgramRun) and ended.timed_out:
            self._too_large.add(program)
            return _TOO_LARGE
        return ended

    async def _both(
        self, program: Program, look: Look, limits: RunLimits, known: ProgramRun | None
    ) -> tuple[ProgramRun | LabFailure, ProgramRun | LabFailure | None]:
        """At the same time where each run has a private copy of the program's folder; else one after the other, and only what the emulator
        runs is built at the same time. The emulator's is None where nothing is counted or checked."""
        if known is not None:
            return known, await self._emulated(program, look, limits)
        if look.mode == "plain":
            recorded = await self._gpu.run(program, limits)
            return recorded, await self._emulated(program, look, limits) if isinstance(recorded, LabFailure) else None
        if not program.is_candidate:
            recorded, _ = await side_by_side(self._gpu.run(program, limits), self._cpu.prepare(program, look.mode))
            return recorded, await self._emulated(program, look, limits)
        return await side_by_side(self._gpu.run(program, limits), self._emulated(program, look, limits))

    async def _emulated(self, program: Program, look: Look, limits: RunLimits) -> ProgramRun | LabFailure:
        bounded = replace(
            limits,
            whole_s=EMULATED_S if look.sample_blocks else 0.0,
            launch_bytes=min(limits.launch_bytes, _EMULATED_BYTES),
            recording_bytes=min(limits.recording_bytes, 4 * _EMULATED_BYTES),
            device_bytes=self._device_bytes if look.sample_blocks else 0,
        )
        run = await self._cpu.run(program, look.mode, bounded, True, look.sample_blocks, look.corrections, look.order_seed)
        if isinstance(run, ProgramRun) and run.is_partial:
            self._too_large.add(program)
        return run

    async def _with_missed(self, program: Program, run: ProgramRun, look: Look, limits: RunLimits) -> ProgramRun:
        """With counters of recorded launches for those that the emulator did not come to in its time, as far as it counts them then."""
        missed = {_shape(one) for one in run.profiles if not (one.blocks_counted or is_refused(one))}
        is_modelled = not any(text.startswith(NOT_MODELLED) for text in run.unsupported)
        if not missed or run.recording is None or not is_modelled:
            return run
        recording = replace(run.recording, launches=tuple(one for one in run.recording.launches if _shape(one) in missed))
        counted = await self._counted(program, replace(run, recording=recording), look, limits)
        found = {_shape(one): one for one in counted.profiles if one.blocks_counted and _shape(one) in missed}
        profiles = (replace(found.get(_shape(one), one), index=one.index) for one in run.profiles)
        said = tuple(text for text in counted.unsupported if text not in run.unsupported)
        return replace(run, profiles=tuple(profiles), unsupported=(*run.unsupported, *said))

    async def _checked_again(self, program: Program, run: ProgramRun, look: Look, limits: RunLimits) -> ProgramRun:
        """With what checks of recorded launches find: on what the program computes, and by tools that see whole launches."""
        checked = await self._counted(program, run, look, limits)
        said = tuple(text for text in checked.unsupported if text not in run.unsupported)
        return replace(run, problems=merge_problems((*run.problems, *checked.problems)), unsupported=(*run.unsupported, *said))

    async def _counted(self, program: Program, recorded: ProgramRun, look: Look, limits: RunLimits) -> ProgramRun:
        return recorded if look.mode == "plain" else await self._count_recorded(program, recorded, look, limits)

    def _keep(self, program: Program, recorded: ProgramRun) -> ProgramRun:
        self._recorded.pop(program, None)
        self._recorded[program] = recorded
        while len(self._recorded) > _KEPT_RUNS:
            del self._recorded[next(iter(self._recorded))]
        return recorded


def _shape(launch: RecordedLaunch | LaunchProfile) -> object:
    return launch.kernel, launch.config


def _is_of_use(emulated: ProgramRun, recorded: ProgramRun) -> bool:
    """Whether the emulator came to the program's launches with what the program computes, for all that it ran."""
    if emulated.timed_out or emulated.memory_exceeded or emulated.left_out or emulated.recording is None:
        return False
    return bool(emulated.profiles) or not recorded.launch_count


def _why_of_no_use(emulated: ProgramRun) -> str:
    if emulated.memory_exceeded:
        return "the emulator needs more memory for it than limits.memory_bytes"
    return "the emulator came to none of its launches in its time"


def _of_gpu(run: ProgramRun) -> ProgramRun:
    return replace(run, is_of_gpu=True)


def _small(limits: RunLimits) -> RunLimits:
    return replace(limits, wall_s=min(limits.wall_s, _SMALL_S), whole_s=0.0)


def _alone(emulated: ProgramRun | LabFailure | None, failure: LabFailure) -> ProgramRun | LabFailure:
    """The emulator's run, named as what it is; where that is not whole either, why the GPU has none. Of a source that neither compiler
    takes it is the emulator's that names places, but where only the GPU's is the judge of it."""
    if emulated is None or (isinstance(emulated, ProgramRun) and (emulated.left_out or emulated.recording is None)):
        return failure
    if isinstance(emulated, LabFailure):
        return failure if emulated.kind == "unsupported" or failure.kind == emulated.kind == "not_built" else emulated
    assert emulated.recording is not None
    note = f"recorded under the emulator, as the GPU's recorder failed: {failure.message}"
    recording = replace(emulated.recording, not_captured=(*emulated.recording.not_captured, note))
    return replace(emulated, recording=recording, unsupported=(*emulated.unsupported, note))
