"""What is run: the sources built by nvcc into a program, or what the user's own build command makes.

Example::

    build_program(request, toolchain, runner)        # Path('…/programs/9c…')
    run_build_command(Command(("make", "demo"), folder, environment), Bounds(60), scratch)  # raises CaptureFailed where it fails
"""

from __future__ import annotations

import hashlib
import tempfile
from functools import partial
from pathlib import Path

from assistant.build.architectures import compiled_for
from assistant.build.diagnostics import parse_compiler
from assistant.build.includes import with_headers
from assistant.build.overlay import Overlay, write_overlay
from assistant.build.safe_flags import is_read_by_shell
from assistant.build.units import is_c, unit_paths
from assistant.device.access import compile_access, files_of
from assistant.device.capture.protocol import CaptureFailed, CaptureRequest
from assistant.device.process import ToolRunner
from assistant.device.toolchain import INSTALL_CUDA, INSTALL_GXX, RENAME_PATH, Toolchain
from assistant.disk.cached import note_use
from assistant.worker.child import Bounds, Command, run_child
from assistant.worker.launcher import Launcher
from assistant.worker.readable import explained
from assistant.worker.sandbox import Confinement

__all__ = ["build_program", "run_build_command"]

_TIMEOUT_S = 120.0
_LINES_SHOWN = 8
"""Last lines that are shown of a failing build's messages."""


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
        commands = _commands(toolchain.nvcc.path, request, overlay, staged)
        unfit = next((word for command in commands for word in command if is_read_by_shell(word)), None)
        if unfit is not None:
            text = f"nvcc was not given {unfit}: it has a shell read its command lines, where `$`, `\\` and such act"
            raise CaptureFailed("not_built", text, RENAME_PATH)
        named = (path for path, _ in request.sources)
        files = files_of(named, request.workspaces, request.flags.arguments, request.cwd, runner.environment)
        access = compile_access(files, toolchain, runner.environment, place)
        run = partial(runner.run, cwd=request.cwd, timeout_s=_TIMEOUT_S, temporary=place, access=access)
        output = run(commands[0])
        for command in commands[1:]:
            output = run(command) if output.status == 0 and output.limit is None else output
        if output.limit is not None:
            raise CaptureFailed("not_built", f"nvcc does not build the program: it {output.limit}", "make the source smaller")
        if output.status != 0 or not staged.exists():
            texts = dict(request.sources) | {Path(path).name: text for path, text in reversed(request.sources)}
            diagnostics = explained(parse_compiler(output.text, texts, "nvcc"), files)
            tail = "\n".join(output.text.strip().splitlines()[-5:])
            raise CaptureFailed("not_built", f"nvcc does not build the program\n{tail}", "fix the errors above", diagnostics)
        staged.replace(built)
    return built


def _linked(libraries: tuple[str, ...]) -> tuple[str, ...]:
    """As nvcc hands them to the linker; a shared one is found again where it was linked."""
    words = (word if word.startswith("-") else f"-Xlinker={word}" for word in libraries)
    folders = (word.removeprefix("-L") for word in libraries if word.startswith("-L"))
    return (*words, *(f"-Xlinker=-rpath,{folder}" for folder in folders))


def _commands(nvcc: str, request: CaptureRequest, overlay: Overlay, staged: Path) -> list[tuple[str, ...]]:
    """Each unit in C is compiled by itself, as nvcc takes all that it is given for one language; the last command links them."""
    units, given = unit_paths(request.sources, request.flags.arguments), request.flags.arguments
    sources = [overlay.place(path) for path in units if not is_c(path)]
    in_c = {overlay.place(path): staged.with_name(f"{number}.o") for number, path in enumerate(units) if is_c(path)}
    linked = ("-rdc=true",) if len(sources) > 1 and "-rdc=true" not in given else ()
    architecture = compiled_for(request.architecture, (text for _, text in request.sources))
    options = (*overlay.first, *given, *overlay.last, _compiled_for(architecture))
    plain = tuple(word for word in options if not word.startswith(("-std", "--std")))
    objects = (word for output in in_c.values() for word in ("-Xlinker", str(output)))
    return [
        *((nvcc, "-x", "c", *plain, "-c", "-o", str(output), str(source)) for source, output in in_c.items()),
        (nvcc, *options, *linked, "-lineinfo", *objects, "-o", str(staged), *_linked(request.libraries), "-x", "cu", *map(str, sources)),
    ]


def _compiled_for(architecture: str) -> str:
    """nvcc's option. Of an architecture with instructions of its own (``sm_90a``) nvcc keeps no PTX for later ones: none could run it."""
    number = architecture.removeprefix("sm_")
    return f"-gencode=arch=compute_{number},code={architecture}" if number.endswith("a") else f"-arch={architecture}"


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
        raise CaptureFailed("not_built", f"--build {name} {reason}\n{tail}", "fix what the build reports")


def _key(request: CaptureRequest, nvcc_version: str) -> str:
    texts = with_headers(request.sources, request.flags.arguments)
    parts = (
        nvcc_version,
        request.architecture,
        str(request.cwd),
        *request.flags.arguments,
        *request.libraries,
        *(f"{p}\0{t}" for p, t in sorted(texts.items())),
    )
    return hashlib.sha256("\0\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]
