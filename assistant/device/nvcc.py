"""Compiles a program's device code with nvcc, in a private folder.

A text that differs from the disk is compiled from a copy that says, by ``#line``, which file it stands for; quoted includes
still find their neighbours through ``-I``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

from assistant.build.architectures import compiled_for
from assistant.build.overlay import write_overlay
from assistant.build.safe_flags import is_read_by_shell
from assistant.build.symbols import name_in_code
from assistant.build.units import is_c, unit_of, unit_paths
from assistant.device.process import ToolOutput, ToolRunner
from assistant.device.protocol import CompileRequest
from assistant.disk.texts import read_bytes
from assistant.record import Record
from assistant.worker.landlock import FileAccess

__all__ = ["CUBIN", "NvccInputs", "NvccOutput", "compile_with_nvcc", "given_to_nvcc", "is_on_disk"]

_UNRESOLVED = "Unresolved extern"
_TAKEN_FOR_OWN = "is treated as a static definition"
"""nvcc's warning 20044 of ``extern __device__`` where no option says that code is relocatable."""
_MAIN = re.compile(r"^(?:int|auto)\s+main\s*\(", re.MULTILINE)
_DEVICE_WORDS = ("__device__", "__global__", "__constant__")
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
    unfit: str | None = None
    """Why nvcc was not started: it cannot be given such a path."""


def compile_with_nvcc(nvcc: str, request: CompileRequest, runner: ToolRunner, scratch: Path, access: FileAccess) -> NvccOutput:
    """Compile to a cubin (and PTX if wanted) below ``scratch``, which ``access`` lets be written."""
    cubin = scratch / CUBIN
    given = given_to_nvcc(nvcc, request, scratch)
    if isinstance(given, str):
        return NvccOutput(None, None, "", "", unfit=given)
    common, source = given.command, given.source
    run = partial(runner.run, cwd=given.cwd, timeout_s=request.timeout_s, temporary=scratch, access=access)
    views = ("-Xptxas", "-v") if request.want else ()
    ran = run((*common, *views, "-cubin", "-o", str(cubin), str(source)))
    if _is_of_several(ran) and given.others:
        ran = _linked(nvcc, given, views, cubin, run)
    elif _is_of_several(ran) and "cubin" not in request.want and not _is_whole(request):  # what it lacks is looked for when it is linked
        ran = run((*common, *views, "-rdc=true", "-cubin", "-o", str(cubin), str(source)))
    if ran.status != 0 or not cubin.exists():
        return NvccOutput(ran.status, None, "", ran.text, ran.limit)
    ptx = scratch / "kernel.ptx"
    if "ptx" in request.want:
        run((*common, "-ptx", "-o", str(ptx), str(source)))
    text = ptx.read_text("utf-8", "replace") if ptx.exists() else ""
    return NvccOutput(0, cubin, text, ran.text)


def _is_of_several(ran: ToolOutput) -> bool:
    """Whether device code uses what another unit defines: functions are missed, variables taken for the unit's own."""
    return (ran.status != 0 and _UNRESOLVED in ran.text) or _TAKEN_FOR_OWN in ran.text


def _is_whole(request: CompileRequest) -> bool:
    """Whether the sources are a program: nothing that is not among them will be linked."""
    return any(_MAIN.search(text) for _, text in request.sources)


def _linked(nvcc: str, given: NvccInputs, views: tuple[str, ...], cubin: Path, run: Callable[[tuple[str, ...]], ToolOutput]) -> ToolOutput:
    """Every unit compiled to relocatable code, and all linked: for device code that calls functions of other units.

    The output of the first step that failed, else of all steps.
    """
    parts, texts = list[str](), list[str]()
    for number, source in enumerate((given.source, *given.others)):
        part = cubin.with_name(f"unit{number}.cubin")
        ran = run((*given.command, *views, "-rdc=true", "-cubin", "-o", str(part), str(source)))
        if ran.status != 0:
            return ran
        parts.append(str(part))
        texts.append(ran.text)
    architecture = next(word for word in given.command if word.startswith("-arch="))
    ran = run((str(Path(nvcc).with_name("nvlink")), "-v", f"-{architecture}", *parts, "-o", str(cubin)))
    return ran if ran.status != 0 else replace(ran, text="\n".join((*texts, ran.text)))


class NvccInputs(Record):
    """How a program is given to nvcc."""

    command: tuple[str, ...]
    """With all flags of the program; without what nvcc is to make of it."""
    source: Path
    cwd: Path
    others: tuple[Path, ...] = ()
    """The program's other units that hold device code."""


def given_to_nvcc(nvcc: str, request: CompileRequest, scratch: Path) -> NvccInputs | str:
    """The command that compiles the program, or why nvcc is not started; copies of texts that differ from the disk go below ``scratch``."""
    (source, *others), first, last = _written(request, scratch)
    command = (
        nvcc,
        *(() if source.suffix == ".cu" else ("-x", "cu")),  # nvcc takes no other suffix for CUDA
        *first,
        *request.flags.arguments,
        *last,
        f"-arch={compiled_for(request.architecture, (text for _, text in request.sources))}",
        "-lineinfo",
    )
    unfit = next((argument for argument in (*command, str(source), str(scratch)) if is_read_by_shell(argument)), None)
    if unfit is not None:
        return f"nvcc was not given {unfit}: it has a shell read its command lines, where `$`, `\\` and such act"
    quoted = next((path for path, _ in request.sources if '"' in path), None)
    if quoted is not None:
        return f"nvcc was not given {quoted}: ptxas does not read line information with a quotation mark in a path"
    working_directory = Path(unit_of(request.sources, request.flags.arguments)).parent
    return NvccInputs(command, source, working_directory if working_directory.is_dir() else scratch, tuple(others))


def _written(request: CompileRequest, scratch: Path) -> tuple[list[Path], tuple[str, ...], tuple[str, ...]]:
    """The unit to compile and the others, and flags to be given before and after the program's own, by which includes are found.

    Of a program that is asked about in C it is the first unit with device code.
    """
    arguments = request.flags.arguments
    tail, texts = "".join(_instantiations(request.kernels)), dict(request.sources)
    units = [path for path in unit_paths(request.sources, arguments) if any(word in texts[path] for word in _DEVICE_WORDS)]
    asked = unit_of(request.sources, arguments)
    unit = next(iter(units), asked) if is_c(asked) else asked
    others = [path for path in units if path != unit]
    if not tail and all(is_on_disk(path, text) for path, text in request.sources):
        return [Path(unit), *map(Path, others)], (), ()
    overlay = write_overlay(request.sources, arguments, scratch / "overlay", {unit: ("", tail)})
    return [overlay.place(path) for path in (unit, *others)], overlay.first, overlay.last


def is_on_disk(path: str, text: str) -> bool:
    """Whether the file holds this text."""
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
