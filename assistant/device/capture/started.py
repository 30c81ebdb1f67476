"""Starting programs and scripts on the GPUs, each with what it needs around it, for those that record them.

Example::

    with gpus_of(request):
        outcome = start(around, Command(arguments, request.cwd, variables), Limits(bounds, folder))
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from assistant.device.capture.kept_build import BUILT
from assistant.device.capture.protocol import CaptureFailed, CaptureRequest
from assistant.device.process import ToolRunner
from assistant.device.toolchain import Toolchain
from assistant.disk.gpu_lease import all_held, lock_folder
from assistant.record import Record
from assistant.worker.child import Bounds, Command, Outcome, run_child
from assistant.worker.sandbox import Confinement
from assistant.worker.workspace import Workspace

__all__ = [
    "INJECTED",
    "RAW",
    "CaptureEnvironment",
    "Limits",
    "check_tools",
    "command_in",
    "gpus_of",
    "is_built_alone",
    "moved",
    "start",
    "with_tools",
]

INJECTED = "CUDA_INJECTION64_PATH"
"""The library that CUDA's driver loads into the program."""
RAW = "raw"
"""Below a run's folder: what the recording library writes."""
_VISIBLE = "CUDA_VISIBLE_DEVICES"
_ARCHITECTURES = "TORCH_CUDA_ARCH_LIST"
_JOBS, _MOST_JOBS = "MAX_JOBS", "4"
"""Compilers that PyTorch starts at once (chosen: each takes up to 2 GB for PyTorch's headers)."""


class CaptureEnvironment(Record):
    """What one worker works with."""

    environment: Mapping[str, str]
    toolchain: Toolchain
    runner: ToolRunner
    workspace: Workspace


class Limits(Record):
    """What a run may take and reach; its output lies in ``folder``."""

    bounds: Bounds
    folder: Path
    confinement: Confinement | None = None


def gpus_of(request: CaptureRequest, *, alone: bool = True) -> AbstractContextManager[None]:
    """The GPUs for this program alone, as far as other front ends of ours go, or shared with what measures nothing either."""
    return all_held(request.gpu_uuids, lock_folder(), alone=alone)


def start(around: CaptureEnvironment, command: Command, limits: Limits) -> Outcome:
    """How it ended. Raises CaptureFailed where there is no such program, Interrupted, OSError."""
    stdout, stderr = limits.folder / "stdout", limits.folder / "stderr"
    try:
        return run_child(command, limits.bounds, stdout, stderr, limits.confinement, around.runner.launcher)
    except FileNotFoundError as error:
        raise CaptureFailed("not_built", f"{command.arguments[0]}: no such program", "check the command and PATH") from error


def is_built_alone(around: CaptureEnvironment, command: Command, limits: Limits, *, sees_gpus: bool = False) -> bool:
    """Whether a script that is to end once its extension is built (`build_only_command`) has built it, unrecorded.

    It sees no GPU, so that others may measure meanwhile, unless it needs one before.
    """
    variables = {name: value for name, value in command.environment.items() if name != INJECTED}
    if not sees_gpus:
        variables[_VISIBLE] = ""
    return start(around, Command(command.arguments, command.cwd, variables), limits).exit_status == BUILT


def command_in(request: CaptureRequest, copy: Path) -> tuple[str, ...]:
    """The command with the working folder's own absolute paths moved into its copy."""
    assert request.run_command is not None
    return moved(request, copy, request.run_command)


def moved(request: CaptureRequest, copy: Path, command: tuple[str, ...]) -> tuple[str, ...]:
    own = f"{request.cwd}/"
    return tuple(f"{copy}/{word.removeprefix(own)}" if word.startswith(own) else word for word in command)


def with_tools(request: CaptureRequest, variables: Mapping[str, str]) -> dict[str, str]:
    """What PyTorch needs to build an extension: the programs installed next to its interpreter, and not one compiler for each processor."""
    if not request.is_extension:
        return dict(variables)
    found = next((word for word in request.run_command or () if word.startswith("/")), None)
    path = variables.get("PATH", os.defpath)
    given = {_JOBS: _MOST_JOBS, _ARCHITECTURES: _as_pytorch_names(request.architecture), **variables}
    return {**given, "PATH": path if found is None else f"{Path(found).parent}{os.pathsep}{path}"}


def _as_pytorch_names(architecture: str) -> str:
    """As PyTorch would find it by asking the GPU: ``9.0+PTX`` for ``sm_90``."""
    number = architecture.removeprefix("sm_").rstrip("af")
    return f"{number[:-1]}.{number[-1:]}+PTX"


def check_tools(request: CaptureRequest, variables: Mapping[str, str]) -> None:
    """Raises CaptureFailed where PyTorch would refuse to build what a script loads."""
    if request.is_extension and request.build_command is None and shutil.which("ninja", path=variables.get("PATH")) is None:
        raise CaptureFailed("no_compiler", "PyTorch builds what load() names with ninja, which is not on PATH", "pip install ninja")
