"""What is run: the sources built by nvcc into a program, or what the user's own build command makes.

Example::

    build_program(request, toolchain, runner)        # Path('…/programs/9c…')
    run_build_command(Command(("make", "demo"), folder, environment), Bounds(60), scratch)  # raises CaptureFailed where it fails
"""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

from assistant.build.diagnostics import parse_compiler
from assistant.build.includes import with_headers
from assistant.build.overlay import write_overlay
from assistant.build.safe_flags import is_read_by_shell
from assistant.build.units import unit_paths
from assistant.device.access import compile_access, files_of
from assistant.device.capture.protocol import CaptureFailed, CaptureRequest
from assistant.device.process import ToolRunner
from assistant.device.toolchain import INSTALL_CUDA, INSTALL_GXX, Toolchain
from assistant.disk.cached import note_use
from assistant.worker.child import Bounds, Command, run_child
from assistant.worker.launcher import Launcher
from assistant.worker.readable import explained
from assistant.worker.sandbox import Confinement

__all__ = ["build_program", "run_build_command"]

_TIMEOUT_S = 120.0
_LINES_SHOWN = 8
"""Of what a failing build says, the last."""


def build_program(request: CaptureRequest, toolchain: Toolchain, runner: ToolRunner) -> Path:
    """The executable, kept by content. Raises CaptureFailed where nvcc refuses the sources or is missing."""
    if toolchain.nvcc is None:
        raise CaptureFailed("no_compiler", "nvcc is missing, which builds programs for the GPU", INSTALL_CUDA)
    if toolchain.gxx is None:
        raise CaptureFailed("no_compiler", "nvcc needs a host compiler and g++ is not on PATH", INSTALL_GXX)
    folder = request.cache / "programs"
    folder.mkdir(parents=True, exist_ok=True)
    built = folder / _key(request, toolchain.nvcc.version)
    if built.exists():
        note_use(built)
        return built
    with tempfile.TemporaryDirectory(prefix="build-", dir=folder) as scratch:
        staged, place = Path(scratch) / "program", Path(scratch)
        overlay = write_overlay(request.sources, request.flags.arguments, place / "overlay")
        sources = [overlay.place(path) for path in unit_paths(request.sources, request.flags.arguments)]
        linked = ("-rdc=true",) if len(sources) > 1 and "-rdc=true" not in request.flags.arguments else ()
        options = (*overlay.first, *request.flags.arguments, *overlay.last, *linked, f"-arch={request.architecture}", "-lineinfo")
        command = (toolchain.nvcc.path, "-x", "cu", *options, "-o", str(staged), *map(str, sources))
        if any(map(is_read_by_shell, command)):  # nvcc hands its own command lines to one
            raise CaptureFailed("not_built", "a flag or path holds what a shell acts upon, and nvcc starts one", "rename it")
        named = (path for path, _ in request.sources)
        files = files_of(named, request.workspaces, request.flags.arguments, request.cwd, runner.environment)
        access = compile_access(files, toolchain, runner.environment, place)
        output = runner.run(command, cwd=request.cwd, timeout_s=_TIMEOUT_S, temporary=place, access=access)
        if output.limit is not None:
            raise CaptureFailed("not_built", f"nvcc does not build the program: it {output.limit}", "make the source smaller")
        if output.status != 0 or not staged.exists():
            texts = dict(request.sources) | {Path(path).name: text for path, text in reversed(request.sources)}
            diagnostics = explained(parse_compiler(output.text, texts, "nvcc"), files)
            tail = "\n".join(output.text.strip().splitlines()[-5:])
            raise CaptureFailed("not_built", f"nvcc does not build the program\n{tail}", "fix the errors above", diagnostics)
        staged.replace(built)
    return built


def run_build_command(
    command: Command, bounds: Bounds, scratch: Path, confinement: Confinement | None = None, launcher: Launcher | None = None
) -> None:
    """Run the user's own build; what it says lies in ``scratch``. Raises CaptureFailed where it does not end with status 0, Interrupted."""
    name, said = command.arguments[0], (scratch / "build-stdout", scratch / "build-stderr")
    try:
        outcome = run_child(command, bounds, *said, confinement, launcher)
    except FileNotFoundError as error:
        raise CaptureFailed("not_built", f"--build {name}: no such program", "check the command and PATH") from error
    if outcome.exit_status != 0:
        status = f"ended with status {outcome.exit_status}" if outcome.signal is None else f"ended by {outcome.signal}"
        reason = f"did not end within {bounds.wall_s:g} s" if outcome.timed_out else status
        lines = [line for path in said for line in path.read_text("utf-8", "replace").splitlines()]
        tail = "\n".join(lines[-_LINES_SHOWN:])
        raise CaptureFailed("not_built", f"--build {name} {reason}\n{tail}", "fix what the build says")


def _key(request: CaptureRequest, nvcc_version: str) -> str:
    texts = with_headers(request.sources, request.flags.arguments)
    parts = (
        nvcc_version,
        request.architecture,
        str(request.cwd),
        *request.flags.arguments,
        *(f"{p}\0{t}" for p, t in sorted(texts.items())),
    )
    return hashlib.sha256("\0\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]
