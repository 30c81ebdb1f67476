"""A tool's call where CUDA's toolkit may be missing: what needs it leaves a placeholder, all else is done by the tool itself.

With the toolkit every call is the tool's own, unless one of its inputs is a placeholder. Example::

    stand_in(Tool("nvcc", "", "", ("-c", "a.cu", "-o", "a.o"), environment), call)     # 0, and a.o is a placeholder
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence

from assistant.build.compiler_calls import Action, CompilerCall
from assistant.record import Record
from assistant.recorder.placeholders import is_placeholder, write_placeholder

__all__ = ["Tool", "stand_in", "started"]

_VERSION_TEXT = """\
nvcc: NVIDIA (R) Cuda compiler driver (kernelopt records this build; there is no CUDA toolkit here)
Cuda compilation tools, release 13.0, V13.0.0
"""
"""The release whose headers the emulator has."""
_VERSION_WORDS = frozenset({"--version", "-V"})
_DRY_WORDS = frozenset({"--dryrun", "-dryrun", "-n"})
_DEPENDENCY_WORDS = frozenset({"-M", "-MM", "--generate-dependencies", "--generate-nonsystem-dependencies"})
_PREPROCESS_WORDS = frozenset({"-E", "--preprocess"})
_NO_CUDA_HEADER = re.compile(
    rb"fatal error: '?(?:cuda|cu[A-Z]|cublas|cufft|curand|cusparse|cusolver|cudnn|nccl|nvToolsExt|nvtx|nvml|nvrtc|thrust/|cub/"
    rb"|cooperative_groups|device_launch_parameters|device_functions|vector_types|vector_functions|driver_types|helper_(?:cuda|math|functions)"
    rb"|builtin_types|math_constants|channel_descriptor)[^:]*: No such file"
)
"""As gcc 11 to 15 say it."""
_NO_CUDA_LIBRARY = re.compile(rb"cannot find -l(?:cu|nv|npp)|unable to find library -l(?:cu|nv|npp)|undefined reference to `cu[a-z]*[A-Z_]")
"""As ld (binutils 2.40) and lld say it."""
_KIND_WORDS = {"-ptx": "ptx", "-cubin": "cubin", "-fatbin": "fatbin", "-optix-ir": "optixir", "-ltoir": "ltoir", "-cuda": "cu.cpp.ii"}
"""What is left next to nothing of a name where none is given (nvcc 13.0 manual, "NVCC Command Options")."""


class Tool(Record):
    """One call as the build made it."""

    name: str
    real: str
    """Empty: there is none."""
    nvcc: str
    """The machine's own; empty: there is none."""
    words: tuple[str, ...]
    environment: Mapping[str, str]


def stand_in(tool: Tool, call: CompilerCall) -> int:
    """The exit status of a call, of which placeholders are the result where nothing else can be."""
    if tool.name == "nvcc":
        return started(tool) if tool.real and not _has_placeholder(call) else _without_nvcc(tool, call)
    if call.action in (Action.LINK, Action.SHARED, Action.PARTIAL) and _has_placeholder(call):
        return _placed(tool, call)
    is_asked_for_rules = not _DEPENDENCY_WORDS.isdisjoint(tool.words)
    if tool.nvcc or call.action is Action.ARCHIVE:
        return started(tool)
    if call.action is Action.OTHER and not is_asked_for_rules:
        return started(tool)
    return _without_toolkit(tool, call)


def started(tool: Tool) -> int:
    """The exit status of the tool itself, as a shell has it."""
    return _shell_status(subprocess.call((tool.real, *tool.words), env=tool.environment))


def _without_nvcc(tool: Tool, call: CompilerCall) -> int:
    words = frozenset(tool.words)
    if words & _VERSION_WORDS:
        sys.stdout.write(_VERSION_TEXT)
        return 0
    if words & _DRY_WORDS:
        sys.stderr.write("".join(f"#$ {unit.source}\n" for unit in call.units))
        return 0
    missing = next((unit.source for unit in call.units if not os.path.isfile(unit.source)), None)  # noqa: PTH113 - started for each call
    if missing is not None:
        sys.stderr.write(f"nvcc fatal   : Could not open input file '{missing}'\n")
        return 1
    if words & _DEPENDENCY_WORDS:
        return _told(call, _rules(call))
    if words & _PREPROCESS_WORDS:
        return _told(call, "".join(_read(unit.source) for unit in call.units))
    if call.dependencies is not None:
        _write(call.dependencies, "".join(f"{unit.object or call.output}: {unit.source}\n" for unit in call.units))
    kind = next((kind for word, kind in _KIND_WORDS.items() if word in words or f"-{word}" in words), None)
    if kind is not None and call.output is None:
        return _put(tool, [f"{_stem(unit.source)}.{kind}" for unit in call.units])
    return _placed(tool, call)


def _without_toolkit(tool: Tool, call: CompilerCall) -> int:
    """The tool itself, and a placeholder where it fails for want of CUDA's headers or libraries alone."""
    ended = subprocess.run((tool.real, *tool.words), env=tool.environment, stderr=subprocess.PIPE, check=False)
    is_linked = call.action in (Action.LINK, Action.SHARED)
    is_lacking = _NO_CUDA_HEADER.search(ended.stderr) or (is_linked and _NO_CUDA_LIBRARY.search(ended.stderr))
    if ended.returncode != 0 and is_lacking:
        return _told(call, _rules(call)) if call.action is Action.OTHER else _placed(tool, call)
    sys.stderr.buffer.write(ended.stderr)
    return _shell_status(ended.returncode)


def _placed(tool: Tool, call: CompilerCall) -> int:
    """Placeholders for all that the call would have left."""
    objects = [unit.object for unit in call.units if unit.object is not None]
    return _put(tool, objects or ([] if call.output is None else [call.output]))


def _put(tool: Tool, files: Sequence[str]) -> int:
    meaning = shlex.join((tool.name, *tool.words))
    try:
        for file in files:
            write_placeholder(file, meaning)
    except OSError as error:
        sys.stderr.write(f"{tool.name}: {error.filename}: {error.strerror}\n")
        return 1
    return 0


def _told(call: CompilerCall, text: str) -> int:
    place = call.dependencies or call.output
    if place is None:
        sys.stdout.write(text)
    else:
        _write(place, text)
    return 0


def _rules(call: CompilerCall) -> str:
    """Dependency rules for make, as far as they can be given without reading the sources."""
    return "".join(f"{_stem(unit.source)}.o: {unit.source}\n" for unit in call.units)


def _has_placeholder(call: CompilerCall) -> bool:
    return any(is_placeholder(file) for file in (*call.inputs, *_libraries(call)))


def _libraries(call: CompilerCall) -> list[str]:
    """Files that ``-lNAME`` means in the call's own folders of libraries."""
    folders = [word[2:] for word in call.inputs if word.startswith("-L")]
    names = [word[2:] for word in call.inputs if word.startswith("-l")]
    return [f"{folder}/lib{name}{suffix}" for name in names for folder in folders for suffix in (".so", ".a")]


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123 - a string from a command line
        return file.read()


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123 - likewise
        file.write(text)


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]  # noqa: PTH119, PTH122 - likewise


def _shell_status(code: int) -> int:
    return code if code >= 0 else 128 - code
