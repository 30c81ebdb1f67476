"""Running a program that the user did not write, in a private copy of the working folder and confined to it and to the GPU.

Example::

    build_edited(request, around, variables, folder)     # earlier, while others run
    outcome, missing = run_edited(request, around, variables, folder)
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from assistant.device.capture.executable import build_program, run_build_command
from assistant.device.capture.kept_build import build_key, build_only_command
from assistant.device.capture.private_copy import files_of, put_texts
from assistant.device.capture.protocol import CaptureFailed, CaptureRequest
from assistant.device.capture.started import (
    RAW,
    CaptureEnvironment,
    Limits,
    command_in,
    gpus_of,
    is_built_alone,
    moved,
    start,
    with_tools,
)
from assistant.disk.removal import remove_tree
from assistant.record import Record
from assistant.worker.child import Bounds, Command, Outcome
from assistant.worker.environment import candidate_environment
from assistant.worker.left_behind import keep_plain_files
from assistant.worker.sandbox import confine_to_gpu
from assistant.worker.workspace import RunFolder

__all__ = ["EXTENSIONS_FOLDER", "build_edited", "run_edited"]

EXTENSIONS_FOLDER = "TORCH_EXTENSIONS_DIR"
_CONFINED_VARIABLES = {"CUDA_CACHE_DISABLE": "1"}
"""The driver's cache of compiled PTX lies in the user's home."""
_COPIED_EXTENSIONS = ".torch-extensions"
"""Where an edited program's extensions are built, in the private copy's root: what stands there is kept and restored with the copy."""
_TEMPORARY = "tmp"
_PROGRAM_STARTS = (b"\x7fELF", b"#!")


def run_edited(
    request: CaptureRequest, around: CaptureEnvironment, variables: Mapping[str, str], folder: Path
) -> tuple[Outcome, tuple[str, ...]]:
    """How the edited program ended, and which limits were missing. What builds it is limited like what is built.

    Where its steps are not timed it shares the GPUs. What fails so is run once more with the GPUs to itself, from a fresh copy: others may
    have left it too little memory, or made it too slow for its limit.
    """
    if not (request.is_timeline or request.snapshots):
        outcome, missing = _run(request, around, variables, folder, alone=False)
        if outcome.exit_status == 0 and not outcome.timed_out:
            return outcome, missing
        _clear(folder)
    return _run(request, around, variables, folder, alone=True)


def build_edited(request: CaptureRequest, around: CaptureEnvironment, variables: Mapping[str, str], folder: Path) -> None:
    """Build what the next ``run_edited`` of the same texts starts, where a build is kept. Raises CaptureFailed as that does."""
    if build_key(request) is None:
        return
    with _edited(request, around, variables, folder) as (edited, _):
        if not edited.place.is_built:
            edited.build()


def _run(
    request: CaptureRequest, around: CaptureEnvironment, variables: Mapping[str, str], folder: Path, *, alone: bool
) -> tuple[Outcome, tuple[str, ...]]:
    with _edited(request, around, variables, folder) as (edited, missing):
        if request.run_command is None:
            arguments = (str(build_program(request, around.toolchain, around.runner)), *request.args)
            outcome = edited.run(arguments, alone=alone)
        else:
            if not edited.place.is_built:
                edited.build()
            outcome = edited.run(command_in(request, edited.place.path), alone=alone)
    keep_plain_files(folder / RAW)
    return outcome, missing


def _clear(folder: Path) -> None:
    """As it was before the first run."""
    for made in (folder / _TEMPORARY, folder / RAW):
        remove_tree(made)
    (folder / RAW).mkdir()


@contextmanager
def _edited(
    request: CaptureRequest, around: CaptureEnvironment, variables: Mapping[str, str], folder: Path
) -> Generator[tuple[_EditedProgram, tuple[str, ...]]]:
    """The program in its private copy, and which limits are missing there."""
    temporary, raw = folder / _TEMPORARY, folder / RAW
    temporary.mkdir()
    pipes = () if request.snapshots is None else (request.snapshots,)
    limits = request.limits
    bounds = Bounds(limits.wall_s, limits.memory_bytes, limits.output_bytes, limits.task_count)
    in_copy = around.workspace.folder_to_run_in(request.cwd, build_key(request))
    with in_copy as place, confine_to_gpu((raw, temporary, *pipes, *place.writable)) as confinement:
        if request.run_command and not place.writable:
            message = "; ".join(place.notes)
            raise CaptureFailed("unsupported", message, "run from a smaller folder: the edited program needs a private copy of it")
        extensions = around.workspace.root / _COPIED_EXTENSIONS
        confined = {**variables, "TMPDIR": str(temporary), **_CONFINED_VARIABLES, EXTENSIONS_FOLDER: str(extensions)}
        edited = _EditedProgram(request, around, place, confined, Limits(bounds, folder, confinement))
        yield edited, (*confinement.layers.missing, *place.notes)


class _EditedProgram(Record):
    """What the user did not write, in a private copy of the working folder."""

    request: CaptureRequest
    around: CaptureEnvironment
    place: RunFolder
    variables: Mapping[str, str]
    limits: Limits

    def run(self, arguments: tuple[str, ...], *, alone: bool) -> Outcome:
        with gpus_of(self.request, alone=alone):
            return start(self.around, Command(arguments, self.place.path, self.variables), self.limits)

    def build(self) -> None:
        """Put the texts into the copy, and build what is built once for all runs. Raises CaptureFailed where a build command fails."""
        put_texts(self.request, self.place.path, self.request.sources)
        key = build_key(self.request)
        if key is None:
            return
        if self.request.build_command is not None:
            self._run_build_command(self.request.build_command)
            self.around.workspace.keep(key)
            return
        command = build_only_command(self.request, command_in(self.request, self.place.path))
        if command is not None and self._is_built(Command(command, self.place.path, self.variables)):
            self.around.workspace.keep(key)

    def _is_built(self, command: Command) -> bool:
        if is_built_alone(self.around, command, self.limits):
            return True
        with gpus_of(self.request):
            return is_built_alone(self.around, command, self.limits, sees_gpus=True)

    def _run_build_command(self, command: tuple[str, ...]) -> None:
        own = candidate_environment(self.around.environment) | {"TMPDIR": self.variables["TMPDIR"]}
        build = Command(moved(self.request, self.place.path, command), self.place.path, with_tools(self.request, own))
        limits, launcher = self.limits, self.around.runner.launcher
        _run_build(self.request, build, lambda: run_build_command(build, limits.bounds, limits.folder, limits.confinement, launcher))


def _run_build(request: CaptureRequest, build: Command, run: Callable[[], None]) -> None:
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
