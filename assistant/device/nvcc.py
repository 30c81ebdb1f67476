"""Compiles a program's device code with nvcc, in a private folder.

A text that differs from the disk is compiled from a copy that says, by ``#line``, which file it stands for; quoted includes
still find their neighbours through ``-I``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from assistant.build.safe_flags import is_read_by_shell
from assistant.build.symbols import name_in_code
from assistant.cuda.files import BYTE_ORDER_MARK, line_directive
from assistant.device.process import ToolRunner
from assistant.device.protocol import CompileRequest
from assistant.disk.texts import read_bytes
from assistant.record import Record
from assistant.worker.landlock import FileAccess

__all__ = ["CUBIN", "NvccInputs", "NvccOutput", "compile_with_nvcc", "given_to_nvcc"]

CUBIN = "kernel.cubin"
"""Name of the machine code below the scratch folder."""


class NvccOutput(Record):
    """What nvcc left; ``status`` is None where it ran past the deadline, ``cubin`` where it refused the source."""

    status: int | None
    cubin: Path | None
    ptx: str
    log: str
    limit: str | None = None
    """What a compiler took too much of, as the end of a sentence about it."""


def compile_with_nvcc(nvcc: str, request: CompileRequest, runner: ToolRunner, scratch: Path, access: FileAccess) -> NvccOutput:
    """Compile to a cubin (and PTX if wanted) below ``scratch``, which ``access`` lets be written."""
    cubin = scratch / CUBIN
    given = given_to_nvcc(nvcc, request, scratch)
    if isinstance(given, str):
        return NvccOutput(1, None, "", given)
    common, source = given.command, given.source
    run = partial(runner.run, cwd=given.cwd, timeout_s=request.timeout_s, temporary=scratch, access=access)
    views = ("-Xptxas", "-v") if request.want else ()
    ran = run((*common, *views, "-cubin", "-o", str(cubin), str(source)))
    if ran.status != 0 or not cubin.exists():
        return NvccOutput(ran.status, None, "", ran.text, ran.limit)
    ptx = scratch / "kernel.ptx"
    if "ptx" in request.want:
        run((*common, "-ptx", "-o", str(ptx), str(source)))
    text = ptx.read_text("utf-8", "replace") if ptx.exists() else ""
    return NvccOutput(0, cubin, text, ran.text)


class NvccInputs(Record):
    """How a program is given to nvcc."""

    command: tuple[str, ...]
    """With all flags of the program; without what nvcc is to make of it."""
    source: Path
    cwd: Path


def given_to_nvcc(nvcc: str, request: CompileRequest, scratch: Path) -> NvccInputs | str:
    """The command that compiles the program, or why nvcc is not started; copies of texts that differ from the disk go below ``scratch``."""
    source, directories = _written(request, scratch)
    command = (
        nvcc,
        *(() if source.suffix == ".cu" else ("-x", "cu")),  # nvcc takes no other suffix for CUDA
        *request.flags.arguments,
        *(f"-I{directory}" for directory in directories),
        f"-arch={request.architecture}",
        "-lineinfo",
    )
    unfit = next((argument for argument in (*command, str(source), str(scratch)) if is_read_by_shell(argument)), None)
    if unfit is not None:
        return f"{unfit} was not given to nvcc: it has a shell read its command lines, where `$`, `\\` and such act"
    working_directory = Path(request.sources[0][0]).parent
    return NvccInputs(command, source, working_directory if working_directory.is_dir() else scratch)


def _written(request: CompileRequest, scratch: Path) -> tuple[Path, tuple[str, ...]]:
    """The file to compile and the folders that quoted includes need."""
    main_path = request.sources[0][0]
    tail = "".join(_instantiations(request.kernels))
    if not tail and all(_is_on_disk(path, text) for path, text in request.sources):
        return Path(main_path), ()
    common = os.path.commonpath([str(Path(path).parent) for path, _ in request.sources])
    for path, text in request.sources:
        copy = scratch / "overlay" / os.path.relpath(path, common)
        copy.parent.mkdir(parents=True, exist_ok=True)
        ending = tail if path == main_path else ""
        copy.write_bytes(f"{line_directive(path)}{text.removeprefix(BYTE_ORDER_MARK)}\n{ending}".encode("utf-8", "surrogateescape"))
    directories = dict.fromkeys(str(Path(path).parent) for path, _ in request.sources)
    return scratch / "overlay" / os.path.relpath(main_path, common), tuple(directories)


def _is_on_disk(path: str, text: str) -> bool:
    data = text.encode("utf-8", "surrogateescape")
    try:
        return read_bytes(Path(path), len(data)) == data
    except OSError:
        return False


def _instantiations(kernels: Iterable[str]) -> list[str]:
    """Host code that takes each instance's address, so that nvcc compiles it."""
    lines: list[str] = []
    for index, kernel in enumerate(kernels):
        name, parameters = name_in_code(kernel)
        cast = f"static_cast<void (*){parameters}>" if parameters else ""
        target = f"{cast}(&{name})" if cast else f"&{name}"
        lines.append(f"__attribute__((used)) static const void* const kernelopt_instance_{index} = (const void*)({target});\n")
    return lines
