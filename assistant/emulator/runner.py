"""Runs a built program under the emulator core and reads back what the core saw.

The core gets its options as environment variables (``runtime/options.h``).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from assistant.disk.removal import remove_tree
from assistant.emulator.protocol import Mode, RunReply, RunRequest
from assistant.emulator.report import read_report
from assistant.emulator.symbolize import Symbolizer
from assistant.model.profile import Correction
from assistant.record import Record
from assistant.worker.child import Bounds, Command, Outcome, cut_short, run_child
from assistant.worker.environment import candidate_environment, own_environment
from assistant.worker.launcher import Launcher
from assistant.worker.left_behind import keep_plain_files
from assistant.worker.limits import ProgramLimits
from assistant.worker.sandbox import Layers, confine
from assistant.worker.workspace import Workspace
from assistant.workload.recorded_log import LogNames, finish_recording

__all__ = ["RunEnvironment", "core_environment", "run_program"]


class RunEnvironment(Record):
    """What one worker runs programs with."""

    environment: Mapping[str, str]
    workspace: Workspace
    """Private copies, for candidates."""
    launcher: Launcher


def run_program(request: RunRequest, symbolizer: Symbolizer, around: RunEnvironment, folder: Path) -> RunReply:
    """The output files lie in ``folder``. Raises Interrupted, SymbolsMissing, OSError (disk full)."""
    programs_own = folder / "own"
    programs_own.mkdir()
    report = programs_own / "report"
    given = candidate_environment if request.is_candidate else own_environment
    variables = given(around.environment)
    variables |= core_environment(request.mode, request.limits, request.sample_blocks, request.corrections) | {
        "EMU_REPORT": str(report),
        "EMU_SEED": str(request.seed),
    }
    if request.is_late:
        variables["EMU_LATE"] = "1"
    if request.device_fill is not None:
        variables["EMU_DEVICE_FILL"] = str(request.device_fill)
    if request.launch_limit is not None:
        variables["EMU_LAUNCH_LIMIT"] = str(request.launch_limit)
    if request.record is not None:
        request.record.mkdir(parents=True, exist_ok=True)
        variables["EMU_RECORD"] = str(request.record)
    if request.uploads is not None:
        variables["EMU_UPLOADS"] = str(request.uploads)
    command = Command((str(request.binary), *request.args), request.cwd, variables)
    if request.is_candidate:
        outcome, layers = _run_confined(request, command, folder, around)
    else:
        limits = request.limits
        bounds = Bounds(limits.wall_s, limits.memory_bytes, limits.output_bytes)
        outcome = run_child(command, bounds, folder / "stdout", folder / "stderr", launcher=around.launcher)
        layers = Layers((), ())
    if outcome.signal == "SIGXFSZ":
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(request.record or folder))
    return _reply(request, outcome, layers, symbolizer, folder)


def _run_confined(request: RunRequest, command: Command, folder: Path, around: RunEnvironment) -> tuple[Outcome, Layers]:
    """Run in a private copy of the working folder, with its own files below ``folder/own``."""
    limits = request.limits
    bounds = Bounds(limits.wall_s, limits.memory_bytes, limits.output_bytes, limits.task_count)
    programs_own = folder / "own"
    temporary = programs_own / "tmp"
    temporary.mkdir()
    own_writable = (programs_own,) if request.record is None else (programs_own, request.record)
    try:
        with around.workspace.folder_to_run_in(request.cwd) as place:
            confined = replace(command, cwd=place.path, environment={**command.environment, "TMPDIR": str(temporary)})
            with confine((*own_writable, *place.writable)) as confinement:
                outcome = run_child(confined, bounds, folder / "stdout", folder / "stderr", confinement, around.launcher)
        for written in own_writable:
            keep_plain_files(written)
        return outcome, replace(confinement.layers, missing=(*confinement.layers.missing, *place.notes))
    finally:
        remove_tree(temporary)


def core_environment(mode: Mode, limits: ProgramLimits, sample_blocks: int, corrections: tuple[Correction, ...]) -> dict[str, str]:
    """The core's options that runs and replays share."""
    return {
        "EMU_MODE": mode,
        "EMU_SAMPLE_BLOCKS": str(sample_blocks),
        "EMU_CORRECTIONS": ";".join(map(_correction_text, corrections)),
        "EMU_MEMORY_BYTES": str(limits.device_bytes or limits.memory_bytes),
        "EMU_LAUNCH_WALL_S": f"{_launches_wall_s(limits.wall_s):.3f}",
        "EMU_WHOLE_S": f"{limits.whole_s:.9f}",
        "EMU_RECORD_LAUNCH_BYTES": str(limits.launch_bytes),
        "EMU_RECORD_TOTAL_BYTES": str(limits.recording_bytes),
    }


def _launches_wall_s(wall_s: float) -> float:
    """When launches end, before the whole program's time is over: the report names the place, for which a busy machine takes up to 3 s."""
    return max(0.5 * wall_s, min(0.9 * wall_s, wall_s - 3.0))


def _correction_text(correction: Correction) -> str:
    """As `runtime/corrections.h` reads it: ``16:4221345,4221368``, ``0/1.4:4221345``."""
    pieces = f"/{'.'.join(map(str, correction.pieces))}" if correction.pieces else ""
    return f"{correction.fused_bytes}{pieces}:{','.join(map(str, correction.addresses))}"


def _reply(request: RunRequest, outcome: Outcome, layers: Layers, symbolizer: Symbolizer, folder: Path) -> RunReply:
    report_path = folder / "own" / "report"
    report = read_report(report_path.read_text(encoding="utf-8", errors="replace") if report_path.exists() else "", symbolizer)
    remove_tree(report_path.parent)
    if request.record is not None:
        finish_recording(request.record, LogNames(lambda word: symbolizer.function_name(int(word))), cut_short(outcome))
    return RunReply(
        exit_status=outcome.exit_status,
        signal=outcome.signal,
        timed_out=outcome.timed_out,
        memory_exceeded=outcome.memory_exceeded,
        tasks_exceeded=outcome.tasks_exceeded,
        output_truncated=outcome.output_truncated,
        stdout_path=str(folder / "stdout"),
        stderr_path=str(folder / "stderr"),
        profiles=report.profiles,
        problems=report.problems,
        sites=report.sites,
        launch_count=report.launch_count,
        unsupported=report.unsupported,
        recording=None if request.record is None else str(request.record),
        confinement=layers.in_force,
        missing=layers.missing,
    )
