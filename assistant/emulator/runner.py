"""Runs a built program under the emulator core and reads back what the core saw.

What the core is told, it is told by environment variables (``runtime/options.h``).
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from assistant.emulator.child import Bounds, Command, Outcome, run_child
from assistant.emulator.environment import candidate_environment, own_environment
from assistant.emulator.protocol import Limits, Mode, RunReply, RunRequest
from assistant.emulator.report import read_report
from assistant.emulator.sandbox import Layers, confine
from assistant.emulator.symbolize import Symbolizer
from assistant.emulator.workspace import FolderTooLarge, Workspace
from assistant.model.profile import Correction
from assistant.workload.recorded_log import LogNames, finish_recording

__all__ = ["core_environment", "cut_short", "run_program"]


def run_program(
    request: RunRequest, symbolizer: Symbolizer, environment: Mapping[str, str], folder: Path, workspace: Workspace
) -> RunReply:
    """The output files lie in ``folder``; a candidate runs in ``workspace``. Raises Interrupted, SymbolsMissing, OSError (disk full)."""
    report = folder / "report"
    variables = candidate_environment(environment) if request.is_candidate else own_environment(environment)
    variables |= core_environment(request.mode, request.limits, request.sample_blocks, request.corrections) | {
        "EMU_REPORT": str(report),
        "EMU_SEED": str(request.seed),
    }
    if request.launch_limit is not None:
        variables["EMU_LAUNCH_LIMIT"] = str(request.launch_limit)
    if request.record is not None:
        request.record.mkdir(parents=True, exist_ok=True)
        variables["EMU_RECORD"] = str(request.record)
    command = Command((str(request.binary), *request.args), request.cwd, variables)
    if request.is_candidate:
        outcome, layers = _run_confined(request, command, folder, workspace)
    else:
        limits = request.limits
        bounds = Bounds(limits.wall_s, limits.memory_bytes, limits.output_bytes)
        outcome, layers = run_child(command, bounds, folder / "stdout", folder / "stderr"), Layers((), ())
    if outcome.signal == "SIGXFSZ":
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(request.record or folder))
    return _reply(request, outcome, layers, symbolizer, report)


def _run_confined(request: RunRequest, command: Command, folder: Path, workspace: Workspace) -> tuple[Outcome, Layers]:
    """Run in a private copy of the working folder (where that is small enough), with temporary files and output below ``folder``."""
    limits = request.limits
    bounds = Bounds(limits.wall_s, limits.memory_bytes, limits.output_bytes, limits.task_count)
    temporary = folder / "tmp"
    temporary.mkdir()
    writable = (folder,) if request.record is None else (folder, request.record)
    try:
        with workspace.copy_of(request.cwd) as copy:
            if isinstance(copy, FolderTooLarge):
                notes, cwd = (copy.note,), request.cwd
            else:
                notes, cwd, writable = copy.notes, copy.path, (*writable, workspace.root)
            confined = replace(command, cwd=cwd, environment={**command.environment, "TMPDIR": str(temporary)})
            with confine(writable) as confinement:
                outcome = run_child(confined, bounds, folder / "stdout", folder / "stderr", confinement)
        return outcome, replace(confinement.layers, missing=(*confinement.layers.missing, *notes))
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def core_environment(mode: Mode, limits: Limits, sample_blocks: int, corrections: tuple[Correction, ...]) -> dict[str, str]:
    """The core's options that runs and replays share."""
    return {
        "EMU_MODE": mode,
        "EMU_SAMPLE_BLOCKS": str(sample_blocks),
        "EMU_CORRECTIONS": ";".join(map(_correction_text, corrections)),
        "EMU_MEMORY_BYTES": str(limits.memory_bytes),
        "EMU_LAUNCH_WALL_S": f"{limits.wall_s * 0.9:.3f}",  # before the whole program's time is over: the report names the place
        "EMU_RECORD_LAUNCH_BYTES": str(limits.launch_bytes),
        "EMU_RECORD_TOTAL_BYTES": str(limits.recording_bytes),
    }


def _correction_text(correction: Correction) -> str:
    """As `runtime/corrections.h` reads it: ``16:4221345,4221368``, ``0/1.4:4221345``."""
    pieces = f"/{'.'.join(map(str, correction.pieces))}" if correction.pieces else ""
    return f"{correction.fused_bytes}{pieces}:{','.join(map(str, correction.addresses))}"


def _reply(request: RunRequest, outcome: Outcome, layers: Layers, symbolizer: Symbolizer, report_path: Path) -> RunReply:
    report = read_report(report_path.read_text(encoding="utf-8", errors="replace") if report_path.exists() else "", symbolizer)
    report_path.unlink(missing_ok=True)
    if request.record is not None:
        finish_recording(request.record, LogNames(lambda word: symbolizer.function_name(int(word))), cut_short(outcome))
    return RunReply(
        exit_status=outcome.exit_status,
        signal=outcome.signal,
        timed_out=outcome.timed_out,
        memory_exceeded=outcome.memory_exceeded,
        tasks_exceeded=outcome.tasks_exceeded,
        output_truncated=outcome.output_truncated,
        stdout_path=str(report_path.with_name("stdout")),
        stderr_path=str(report_path.with_name("stderr")),
        profiles=report.profiles,
        problems=report.problems,
        sites=report.sites,
        launch_count=report.launch_count,
        unsupported=report.unsupported,
        recording=None if request.record is None else str(request.record),
        confinement=layers.in_force,
        missing=layers.missing,
    )


def cut_short(outcome: Outcome) -> tuple[str, ...]:
    """What is missing in the recording of a program that was ended, in words."""
    if outcome.timed_out:
        return ("the program was stopped at its time limit; later launches and transfers are missing",)
    if outcome.memory_exceeded:
        return ("the program was stopped at its memory limit; later launches and transfers are missing",)
    return () if outcome.signal is None else (f"the program ended by {outcome.signal}; later launches and transfers are missing",)
