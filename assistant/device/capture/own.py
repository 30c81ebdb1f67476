"""Running the user's own program where its user runs it, for those that record it.

Example::

    variables |= variables_of_extension(request)
    outcome = run_own(request, around, variables, folder)
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from pathlib import Path

from assistant.device.capture.edited import EXTENSIONS_FOLDER
from assistant.device.capture.executable import build_program, run_build_command
from assistant.device.capture.kept_build import build_key, build_only_command
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
from assistant.worker.child import Bounds, Command, Outcome
from assistant.worker.environment import own_environment
from assistant.worker.workspace import FolderTooLarge

__all__ = ["build_own_extension", "run_own", "variables_of_extension"]

_OWN_ALLOCATIONS = "PYTORCH_NO_CUDA_MEMORY_CACHING"
"""With it PyTorch gives each tensor an allocation of its own (https://docs.pytorch.org/docs/stable/cuda_environment_variables.html). Else
tensors share one: where each ends is not known, and a store past its end is not seen."""
_NAME_CHARACTERS = 32


def variables_of_extension(request: CaptureRequest) -> dict[str, str]:
    """Of a script that loads a PyTorch extension. A timeline shows the program as its user runs it, with PyTorch's own allocations."""
    variables = {EXTENSIONS_FOLDER: str(_extensions_folder(request))}
    if not request.is_timeline and not _shares_allocations(request).exists():
        variables[_OWN_ALLOCATIONS] = "1"
    return variables


def run_own(request: CaptureRequest, around: CaptureEnvironment, variables: Mapping[str, str], folder: Path) -> Outcome:
    """How it ended; its output lies in ``folder``. Raises CaptureFailed, Interrupted, OSError.

    A script that fails where each tensor has an allocation of its own, as code that captures CUDA graphs does, is run once more as PyTorch
    allocates by itself. Where that works, its edits are run so too.
    """
    outcome = _run(request, around, variables, folder)
    if _OWN_ALLOCATIONS not in variables or outcome.timed_out or outcome.exit_status == 0:
        return outcome
    for written in (folder / RAW).iterdir():
        shutil.rmtree(written)
    outcome = _run(request, around, {name: value for name, value in variables.items() if name != _OWN_ALLOCATIONS}, folder)
    if outcome.exit_status == 0:
        _shares_allocations(request).touch()
    return outcome


def build_own_extension(request: CaptureRequest, around: CaptureEnvironment, variables: Mapping[str, str], folder: Path) -> None:
    """What a script loads, built before the GPUs are held for the script: a minute in which no other process could measure."""
    key, command = build_key(request), build_only_command(request, request.run_command or ())
    built = _extensions_folder(request) / f"{key}.built"
    if command is not None and not built.exists():
        limits = Limits(_bounds(request), folder)
        is_built_alone(around, Command(command, request.cwd, variables), limits)  # else it is built when it is run
        for before in built.parent.glob("*.built"):
            before.unlink()
        built.touch()


def _run(request: CaptureRequest, around: CaptureEnvironment, variables: Mapping[str, str], folder: Path) -> Outcome:
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
        build_own_extension(request, around, variables, folder)
    with gpus_of(request):
        return start(around, Command(arguments, request.cwd, variables), Limits(bounds, folder))


def _run_built_in_copy(
    request: CaptureRequest, around: CaptureEnvironment, variables: Mapping[str, str], folder: Path, bounds: Bounds
) -> Outcome:
    """Built where nothing of the user's is: what a build leaves in a folder was not asked for."""
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


def _bounds(request: CaptureRequest) -> Bounds:
    return Bounds(request.limits.wall_s, request.limits.memory_bytes, request.limits.output_bytes)


def _extensions_folder(request: CaptureRequest) -> Path:
    """Where PyTorch keeps what scripts of a folder have it build, from run to run: not among the user's own."""
    folder = request.cache / "extensions" / _name(str(request.cwd))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _shares_allocations(request: CaptureRequest) -> Path:
    """Exists once this script was seen to work only where its tensors share allocations."""
    return _extensions_folder(request) / f"{_name(*(request.run_command or ()))}.shared"


def _name(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogateescape")).hexdigest()[:_NAME_CHARACTERS]
