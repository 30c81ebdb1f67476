"""Runs a program with the recording library loaded into it, and turns what the library wrote into a recording.

The user's own program runs where and as its user would run it. A candidate's is built and run in a private copy of the working
folder, confined to it and to the GPU. While a program runs, the locks of all GPUs that it may use are held, or shared where its steps are
not timed: no measurement of another front end's is disturbed.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from assistant.build.static_symbols import StaticLabels, static_labels
from assistant.cuda.device_variables import device_variable_types
from assistant.device.capture.demangle import function_name, variable_name
from assistant.device.capture.edited import build_edited, run_edited
from assistant.device.capture.executable import build_program
from assistant.device.capture.library import injection_library
from assistant.device.capture.own import build_own_extension, run_own, variables_of_extension
from assistant.device.capture.protocol import CaptureReply, CaptureRequest, CollectReply, CollectRequest
from assistant.device.capture.started import (
    INJECTED,
    RAW,
    CaptureEnvironment,
    check_tools,
    with_tools,
)
from assistant.model.recording import Recording
from assistant.worker.child import cut_short
from assistant.worker.environment import candidate_environment, own_environment
from assistant.workload.recorded_log import LogNames, finish_recording

__all__ = ["build", "capture", "collect"]

_LOADED_FIRST = {"CUDA_MODULE_LOADING": "EAGER"}
"""Else each kernel's code is loaded by its first launch, and the gap before it shows that and nothing of the program."""
_SHARED_BLOBS = "recorded-blobs"
"""Next to the recordings of a job."""
_ONE_LAUNCH = ("launch ", "skipped ", "step launch ")
_LAUNCHES = "steps launch "
"""How lines of a recorder's log begin; the second one goes on with a count."""


def capture(request: CaptureRequest, around: CaptureEnvironment, folder: Path) -> CaptureReply:
    """Run the program; its output lies in ``folder``. Raises CaptureFailed, Interrupted, OSError (disk full)."""
    raw = folder / RAW
    variables = _prepared(request, around, raw)
    if request.is_candidate:
        outcome, missing = run_edited(request, around, variables, folder)
    else:
        outcome, missing = run_own(request, around, variables, folder), ()
    names = _names((text for _, text in request.sources), static_labels(request.sources, request.flags.arguments))
    recording = _finish(raw, request.record, names, cut_short(outcome), request.record.with_name(_SHARED_BLOBS))
    return CaptureReply(
        exit_status=outcome.exit_status,
        signal=outcome.signal,
        timed_out=outcome.timed_out,
        memory_exceeded=outcome.memory_exceeded,
        tasks_exceeded=outcome.tasks_exceeded,
        output_truncated=outcome.output_truncated,
        stdout_path=str(folder / "stdout"),
        stderr_path=str(folder / "stderr"),
        launch_count=sum(shape.count for shape in recording.shape_counts),
        recording=str(request.record),
        missing=missing,
    )


def build(request: CaptureRequest, around: CaptureEnvironment, folder: Path) -> None:
    """Build what the next ``capture`` of the same texts starts, and run nothing of it; what builds says lies in ``folder``.

    A build command of the user's own program is left to that: it builds in the user's folder. Raises as ``capture`` does.
    """
    variables = _prepared(request, around, folder / RAW)
    if request.run_command is None:
        build_program(request, around.toolchain, around.runner)
    elif request.is_candidate:
        build_edited(request, around, variables, folder)
    else:
        build_own_extension(request, around, variables, folder)


def _prepared(request: CaptureRequest, around: CaptureEnvironment, raw: Path) -> dict[str, str]:
    """The program's variables; the library that they name is built, and so is the folder that it writes to."""
    library = injection_library(around.toolchain, request.cache, around.runner)
    raw.mkdir()
    variables = with_tools(request, _variables(request, around, library, raw))
    check_tools(request, variables)
    return variables


def collect(request: CollectRequest) -> CollectReply:
    """The recording of a process that loaded the library by itself. Raises OSError (disk full)."""
    recording = _finish(request.raw, request.record, _names(request.texts, {}), ())
    return CollectReply(sum(shape.count for shape in recording.shape_counts))


def _variables(request: CaptureRequest, around: CaptureEnvironment, library: Path, raw: Path) -> dict[str, str]:
    given = candidate_environment(around.environment) if request.is_candidate else own_environment(around.environment)
    variables = given | {
        INJECTED: str(library),
        "KERNELOPT_CAPTURE_FOLDER": str(raw),
        "KERNELOPT_CAPTURE_LAUNCH_BYTES": str(request.limits.launch_bytes),
        "KERNELOPT_CAPTURE_TOTAL_BYTES": str(request.limits.recording_bytes),
    }
    if request.is_extension:
        variables |= variables_of_extension(request)
    if request.is_timeline:
        variables |= {"KERNELOPT_CAPTURE_TIMELINE": "1", **_LOADED_FIRST}
    if request.snapshots is not None:
        variables["KERNELOPT_CAPTURE_SNAPSHOTS"] = str(request.snapshots)
    if request.visible_devices is not None:  # one of those that the user may use
        variables["CUDA_VISIBLE_DEVICES"] = request.visible_devices
    return variables


def _names(texts: Iterable[str], labels: StaticLabels) -> LogNames:
    types = {name: kind for text in texts for name, kind in device_variable_types(text).items()}
    return LogNames(lambda word: function_name(word, labels), variable_name, types)


def _finish(raw: Path, record: Path, names: LogNames, notes: tuple[str, ...], shared: Path | None = None) -> Recording:
    """One recording of what the program's processes wrote: that of the process with the most launches, the others named. ``shared``: as of
    `finish_recording`."""
    processes = sorted((path for path in raw.iterdir() if (path / "log").exists()), key=_launch_lines, reverse=True)
    if not processes:
        notes = ("no process of the program used CUDA", *notes)
    elif len(processes) > 1 and _launch_lines(processes[1]):
        others = sum(map(_launch_lines, processes[1:]))
        notes = (f"{len(processes) - 1} further processes with {others} launches are not in the recording", *notes)
    if processes:
        shutil.rmtree(record, ignore_errors=True)
        shutil.move(processes[0], record)
    record.mkdir(parents=True, exist_ok=True)
    recording = finish_recording(record, names, notes, shared)
    shutil.rmtree(raw, ignore_errors=True)
    return recording


def _launch_lines(folder: Path) -> int:
    """How many launches a process made."""
    with (folder / "log").open(encoding="utf-8", errors="replace") as lines:
        return sum(map(_launches_of, lines))


def _launches_of(line: str) -> int:
    if line.startswith(_LAUNCHES):
        return int(line.split()[2])
    return line.startswith(_ONE_LAUNCH)
