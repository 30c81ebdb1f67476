"""Runs a program with the recording library loaded into it, and turns what the library wrote into a recording.

The user's own program runs where and as its user would run it. A candidate's is built and run in a private copy of the working
folder, confined to it and to the GPU. While a program runs, the locks of all GPUs that it may use are held: no measurement of another front
end's is disturbed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from assistant.build.static_symbols import StaticLabels, static_labels
from assistant.cuda.device_variables import device_variable_types
from assistant.device.capture.demangle import function_name, variable_name
from assistant.device.capture.executable import build_program, run_build_command
from assistant.device.capture.kept_build import BUILT, CANNOT_STOP, build_key, build_only_command
from assistant.device.capture.library import injection_library
from assistant.device.capture.private_copy import files_of, put_texts
from assistant.device.capture.protocol import CaptureFailed, CaptureReply, CaptureRequest, CollectReply, CollectRequest
from assistant.device.process import ToolRunner
from assistant.device.toolchain import Toolchain
from assistant.model.recording import Recording
from assistant.record import Record
from assistant.worker.child import Bounds, Command, Outcome, cut_short, run_child
from assistant.worker.environment import candidate_environment, own_environment
from assistant.worker.lease import all_held, lock_folder
from assistant.worker.left_behind import keep_plain_files
from assistant.worker.sandbox import Confinement, confine_to_gpu
from assistant.worker.workspace import FolderTooLarge, RunFolder, Workspace
from assistant.workload.recorded_log import LogNames, finish_recording

__all__ = ["CaptureEnvironment", "capture", "collect"]

_CONFINED_VARIABLES = {"CUDA_CACHE_DISABLE": "1"}
"""The driver's cache of compiled PTX lies in the user's home."""
_LOADED_FIRST = {"CUDA_MODULE_LOADING": "EAGER"}
"""Else each kernel's code is loaded by its first launch, and the gap before it shows that and nothing of the program."""
_INJECTED = "CUDA_INJECTION64_PATH"
"""The library that CUDA's driver loads into the program."""
_EXTENSIONS_FOLDER = "TORCH_EXTENSIONS_DIR"
_COPIED_EXTENSIONS = ".torch-extensions"
"""Where an edited program's extensions are built, in the private copy's root: what stands there is kept and restored with the copy."""
_JOBS, _MOST_JOBS = "MAX_JOBS", "4"
"""Compilers that PyTorch starts at once (chosen: each takes up to 2 GB for PyTorch's headers)."""
_NAME_CHARACTERS = 32
_SHARED_BLOBS = "recorded-blobs"
"""Next to the recordings of a job."""
_RAW = "raw"
"""Below a run's folder: what the recording library writes."""
_ONE_LAUNCH = ("launch ", "skipped ", "step launch ")
_LAUNCHES = "steps launch "
"""How lines of a recorder's log begin; the second one goes on with a count."""
_PROGRAM_STARTS = (b"\x7fELF", b"#!")


class CaptureEnvironment(Record):
    """What one worker works with."""

    environment: Mapping[str, str]
    toolchain: Toolchain
    runner: ToolRunner
    workspace: Workspace


def capture(request: CaptureRequest, around: CaptureEnvironment, folder: Path) -> CaptureReply:
    """Run the program; its output lies in ``folder``. Raises CaptureFailed, Interrupted, OSError (disk full)."""
    library = injection_library(around.toolchain, request.cache, around.runner)
    raw = folder / _RAW
    raw.mkdir()
    variables = _with_tools(request, _variables(request, around, library, raw))
    _check_tools(request, variables)
    if request.is_candidate:
        outcome, missing = _run_candidate(request, around, variables, folder)
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


def collect(request: CollectRequest) -> CollectReply:
    """The recording of a process that loaded the library by itself. Raises OSError (disk full)."""
    recording = _finish(request.raw, request.record, _names(request.texts, {}), ())
    return CollectReply(sum(shape.count for shape in recording.shape_counts))


def _variables(request: CaptureRequest, around: CaptureEnvironment, library: Path, raw: Path) -> dict[str, str]:
    given = candidate_environment(around.environment) if request.is_candidate else own_environment(around.environment)
    variables = given | {
        _INJECTED: str(library),
        "KERNELOPT_CAPTURE_FOLDER": str(raw),
        "KERNELOPT_CAPTURE_LAUNCH_BYTES": str(request.limits.launch_bytes),
        "KERNELOPT_CAPTURE_TOTAL_BYTES": str(request.limits.recording_bytes),
    }
    if request.is_extension:
        variables[_EXTENSIONS_FOLDER] = str(_extensions_folder(request))
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
    limits = request.limits
    bounds = Bounds(limits.wall_s, limits.memory_bytes, limits.output_bytes)
    if request.run_command is None:
        arguments = (str(build_program(request, around.toolchain, around.runner)), *request.args)
    elif request.is_extension and request.build_command is not None:
        return _run_built_in_copy(request, around, variables, folder, bounds)
    else:
        arguments = request.run_command
        if request.build_command is not None:
            build = Command(request.build_command, request.cwd, own_environment(around.environment))
            run_build_command(build, bounds, folder, launcher=around.runner.launcher)
    with _gpus_of(request):
        return _start(around, Command(arguments, request.cwd, variables), bounds, folder)


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
                _moved(request, copy.path, request.build_command), copy.path, _with_tools(request, own_environment(around.environment))
            )
            run_build_command(build, bounds, folder, launcher=around.runner.launcher)
            around.workspace.keep(key or "")
        with _gpus_of(request):
            return _start(around, Command(_command_in(request, copy.path), copy.path, variables), bounds, folder)


def _gpus_of(request: CaptureRequest) -> AbstractContextManager[None]:
    """The GPUs for this program alone, as far as other front ends of ours go."""
    return all_held(request.gpu_uuids, lock_folder())


def _start(around: CaptureEnvironment, command: Command, bounds: Bounds, folder: Path, confinement: Confinement | None = None) -> Outcome:
    try:
        return run_child(command, bounds, folder / "stdout", folder / "stderr", confinement, around.runner.launcher)
    except FileNotFoundError as error:
        raise CaptureFailed("not_built", f"{command.arguments[0]}: no such program", "check the command and PATH") from error


def _run_candidate(
    request: CaptureRequest, around: CaptureEnvironment, variables: Mapping[str, str], folder: Path
) -> tuple[Outcome, tuple[str, ...]]:
    """How the edited program ended, and which limits were missing. What builds it is limited like what is built."""
    temporary, raw = folder / "tmp", folder / _RAW
    temporary.mkdir()
    limits = request.limits
    bounds = Bounds(limits.wall_s, limits.memory_bytes, limits.output_bytes, limits.task_count)
    in_copy = around.workspace.folder_to_run_in(request.cwd, build_key(request))
    with in_copy as place, confine_to_gpu((raw, temporary, *place.writable)) as confinement:
        if request.run_command and not place.writable:
            message = "; ".join(place.notes)
            raise CaptureFailed("unsupported", message, "run from a smaller folder: the edited program needs a private copy of it")
        extensions = around.workspace.root / _COPIED_EXTENSIONS
        confined = {**variables, "TMPDIR": str(temporary), **_CONFINED_VARIABLES, _EXTENSIONS_FOLDER: str(extensions)}
        edited = _EditedProgram(request, around, place, confined, bounds, folder, confinement)
        if request.run_command is None:
            arguments = (str(build_program(request, around.toolchain, around.runner)), *request.args)
            outcome = edited.run(arguments)
        else:
            failed = None if place.is_built else edited.build()
            outcome = edited.run(_command_in(request, place.path)) if failed is None else failed
    keep_plain_files(raw)
    return outcome, (*confinement.layers.missing, *place.notes)


class _EditedProgram(Record):
    """What the user did not write, in a private copy of the working folder."""

    request: CaptureRequest
    around: CaptureEnvironment
    place: RunFolder
    variables: Mapping[str, str]
    bounds: Bounds
    folder: Path
    confinement: Confinement

    def run(self, arguments: tuple[str, ...]) -> Outcome:
        with _gpus_of(self.request):
            return _start(self.around, Command(arguments, self.place.path, self.variables), self.bounds, self.folder, self.confinement)

    def build(self) -> Outcome | None:
        """Put the texts into the copy, and build there what is built once for all runs. How a script ended that fails before it has loaded
        what it builds, else None. Raises CaptureFailed where a build command fails."""
        put_texts(self.request, self.place.path, self.request.sources)
        key = build_key(self.request)
        if key is None:
            return None
        if self.request.build_command is not None:
            self._run_build_command(self.request.build_command)
            self.around.workspace.keep(key)
            return None
        command = build_only_command(self.request, _command_in(self.request, self.place.path))
        if command is None:
            return None
        unrecorded = {name: value for name, value in self.variables.items() if name != _INJECTED}
        outcome = replace(self, variables=unrecorded).run(command)
        if outcome.exit_status == BUILT:
            self.around.workspace.keep(key)
        return None if outcome.exit_status in {0, BUILT, CANNOT_STOP} else outcome

    def _run_build_command(self, command: tuple[str, ...]) -> None:
        own = candidate_environment(self.around.environment) | {"TMPDIR": self.variables["TMPDIR"]}
        build = Command(_moved(self.request, self.place.path, command), self.place.path, _with_tools(self.request, own))
        launcher = self.around.runner.launcher
        _build_edited(self.request, build, lambda: run_build_command(build, self.bounds, self.folder, self.confinement, launcher))


def _build_edited(request: CaptureRequest, build: Command, run: Callable[[], None]) -> None:
    """Run the build in the private copy. Raises CaptureFailed: ``unsupported`` where the texts on the disk do not build there either."""
    try:
        run()
    except CaptureFailed:
        put_texts(request, build.cwd, tuple((str(path), path.read_text("utf-8", "surrogateescape")) for path in files_of(request)))
        try:
            run()
        except CaptureFailed as failed:
            message = f"in a private copy of {request.cwd}, confined, the unedited program does not build: {failed.message}"
            raise CaptureFailed("unsupported", message, "give a --build that works in any folder and fetches nothing") from failed
        raise
    _let_run(build.cwd)


def _let_run(folder: Path) -> None:
    """Programs that a confined build made may be started: the linker's change of their mode was only answered as done."""
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                is_program = file.read(4).startswith(_PROGRAM_STARTS)
            mode = path.stat().st_mode
            if is_program and not mode & stat.S_IXUSR:
                path.chmod(mode | stat.S_IXUSR)


def _command_in(request: CaptureRequest, copy: Path) -> tuple[str, ...]:
    """The command with the working folder's own absolute paths moved into its copy."""
    assert request.run_command is not None
    return _moved(request, copy, request.run_command)


def _moved(request: CaptureRequest, copy: Path, command: tuple[str, ...]) -> tuple[str, ...]:
    own = f"{request.cwd}/"
    return tuple(f"{copy}/{word.removeprefix(own)}" if word.startswith(own) else word for word in command)


def _with_tools(request: CaptureRequest, variables: Mapping[str, str]) -> dict[str, str]:
    """What PyTorch needs to build an extension: the programs installed next to its interpreter, and not one compiler for each processor."""
    if not request.is_extension:
        return dict(variables)
    found = next((word for word in request.run_command or () if word.startswith("/")), None)
    path = variables.get("PATH", os.defpath)
    return {_JOBS: _MOST_JOBS, **variables, "PATH": path if found is None else f"{Path(found).parent}{os.pathsep}{path}"}


def _check_tools(request: CaptureRequest, variables: Mapping[str, str]) -> None:
    """Raises CaptureFailed where PyTorch would refuse to build what a script loads."""
    if request.is_extension and request.build_command is None and shutil.which("ninja", path=variables.get("PATH")) is None:
        raise CaptureFailed("no_compiler", "PyTorch builds what load() names with ninja, which is not on PATH", "pip install ninja")


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
