"""Runs a program with the recording library loaded into it, and turns what the library wrote into a recording.

The user's own program runs where and as its user would run it. A candidate's is built and run in a private copy of the working
folder, confined to it and to the GPU. While a program runs, the locks of all GPUs that it may use are held: no measurement of another front
end's is disturbed.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from assistant.build.static_symbols import StaticLabels, static_labels
from assistant.cuda.device_variables import device_variable_types
from assistant.device.capture.demangle import function_name, variable_name
from assistant.device.capture.edited import EXTENSIONS_FOLDER, build_edited, run_edited
from assistant.device.capture.executable import build_program, run_build_command
from assistant.device.capture.kept_build import build_key, build_only_command
from assistant.device.capture.library import injection_library
from assistant.device.capture.protocol import CaptureFailed, CaptureReply, CaptureRequest, CollectReply, CollectRequest
from assistant.device.capture.started import (
    INJECTED,
    RAW,
    CaptureEnvironment,
    Limits,
    check_tools,
    command_in,
    gpus_of,
    is_built_alone,
    moved,
    start,
    with_tools,
)
from assistant.model.recording import Recording
from assistant.worker.child import Bounds, Command, Outcome, cut_short
from assistant.worker.environment import candidate_environment, own_environment
from assistant.worker.workspace import FolderTooLarge
from assistant.workload.recorded_log import LogNames, finish_recording

__all__ = ["build", "capture", "collect"]

_LOADED_FIRST = {"CUDA_MODULE_LOADING": "EAGER"}
"""Else each kernel's code is loaded by its first launch, and the gap before it shows that and nothing of the program."""
_NAME_CHARACTERS = 32
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
        outcome, missing = _run_own(request, around, variables, folder), ()
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
        limits = Limits(_bounds(request), folder)
        _build_own_extension(request, around, variables, limits)


def _prepared(request: CaptureRequest, around: CaptureEnvironment, raw: Path) -> dict[str, str]:
    """The program's variables; the library that they name is built, and so is the folder that it writes to."""
    library = injection_library(around.toolchain, request.cache, around.runner)
    raw.mkdir()
    variables = with_tools(request, _variables(request, around, library, raw))
    check_tools(request, variables)
    return variables


def _bounds(request: CaptureRequest) -> Bounds:
    """Of the user's own program."""
    return Bounds(request.limits.wall_s, request.limits.memory_bytes, request.limits.output_bytes)


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
        variables[EXTENSIONS_FOLDER] = str(_extensions_folder(request))
    if request.is_timeline:
        variables |= {"KERNELOPT_CAPTURE_TIMELINE": "1", **_LOADED_FIRST}
    if request.visible_devices is not None:  # one of those that the user may use
        variables["CUDA_VISIBLE_DEVICES"] = request.visible_devices
    return variables


def _extensions_folder(request: CaptureRequest) -> Path:
    """Where PyTorch keeps what scripts of a folder have it build, from run to run: not among the user's own."""
    name = hashlib.sha256(str(request.cwd).encode("utf-8", "surrogateescape")).hexdigest()[:_NAME_CHARACTERS]
    folder = request.cache / "extensions" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _run_own(request: CaptureRequest, around: CaptureEnvironment, variables: Mapping[str, str], folder: Path) -> Outcome:
    bounds = _bounds(request)
    if request.run_command is None:
        arguments = (str(build_program(request, around.toolchain, around.runner)), *request.args)
    elif request.is_extension and request.build_command is not None:
        return _run_built_in_copy(request, around, variables, folder, bounds)
    else:
        arguments = request.run_command
        if request.build_command is not None:
            build = Command(request.build_command, request.cwd, own_environment(around.environment))
            run_build_command(build, bounds, folder, launcher=around.runner.launcher)
        _build_own_extension(request, around, variables, Limits(bounds, folder))
    with gpus_of(request):
        return start(around, Command(arguments, request.cwd, variables), Limits(bounds, folder))


def _build_own_extension(request: CaptureRequest, around: CaptureEnvironment, variables: Mapping[str, str], limits: Limits) -> None:
    """What a script loads, built before the GPUs are held for the script: a minute in which nobody else could measure."""
    key, command = build_key(request), build_only_command(request, request.run_command or ())
    built = _extensions_folder(request) / f"{key}.built"
    if command is not None and not built.exists():
        is_built_alone(around, Command(command, request.cwd, variables), limits)  # else it is built when it is run
        for before in built.parent.glob("*.built"):
            before.unlink()
        built.touch()


def _run_built_in_copy(
    request: CaptureRequest, around: CaptureEnvironment, variables: Mapping[str, str], folder: Path, bounds: Bounds
) -> Outcome:
    """The user's own program, built where nothing of the user's is: what a build leaves in a folder was not asked for."""
    assert request.build_command is not None
    key = build_key(request)
    with around.workspace.copy_of(request.cwd, key) as copy:
        if isinstance(copy, FolderTooLarge):
            raise CaptureFailed("unsupported", copy.note, "run from a smaller folder: an extension is built in a private copy of it")
        if not copy.is_built:
            build = Command(
                moved(request, copy.path, request.build_command), copy.path, with_tools(request, own_environment(around.environment))
            )
            run_build_command(build, bounds, folder, launcher=around.runner.launcher)
            around.workspace.keep(key or "")
        with gpus_of(request):
            return start(around, Command(command_in(request, copy.path), copy.path, variables), Limits(bounds, folder))


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
