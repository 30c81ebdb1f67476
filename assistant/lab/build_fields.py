"""What the emulator is told of a program that it is to build.

Example::

    {"op": "build", **build_fields(program, cache), "flavour": "counted"}
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from assistant.lab.device_text import without_host_code
from assistant.lab.readable import workspaces
from assistant.ports.lab import Program

__all__ = ["build_fields"]

_OF_CUDA = re.compile(
    r"-l(?:cuda|cudart|cublas|cufft|curand|cusparse|cusolver|cudnn|cutensor|cupti|cufile|nccl|nvrtc|nvToolsExt|nvtx|nvidia|nvjpeg|npp|nvJitLink)"
)
"""Libraries of CUDA: the emulator has none of them, and names what a source uses of one."""
_OLDEST_STANDARD = "17"
"""That the emulator's own headers compile in."""
_NEWER_STANDARDS = frozenset({"20", "2a", "23", "2b"})


def build_fields(program: Program, cache: Path) -> dict[str, Any]:
    """Fields of ``BuildMessage`` for a program; ``cache`` keeps what the lab builds. Reads files, so takes a while."""
    if program.is_extension:  # of which the emulator runs the kernels, by declared launches: it has no PyTorch
        program = without_host_code(program) or program
    return {
        "sources": [[str(source.path), source.text] for source in program.sources],
        "include_dirs": [folder for folder in _values(program.flags.arguments, "-I") if not _is_toolkit(Path(folder))],
        "defines": _values(program.flags.arguments, "-D"),
        "standard": _standard(program.flags.arguments),
        "cache_dir": str(cache / "emulator"),
        "libraries": [word for word in program.libraries if not _OF_CUDA.match(word)],
        "workspaces": workspaces(program),
    }


def _is_toolkit(folder: Path) -> bool:
    """Whether CUDA's own headers lie there, in whose place the emulator has its own: builds name that folder, as by CMake."""
    return (folder / "cuda_runtime_api.h").is_file()


def _values(arguments: tuple[str, ...], option: str) -> list[str]:
    """Values of ``-Ivalue``/``-I value`` style options."""
    values: list[str] = []
    for index, argument in enumerate(arguments):
        if argument == option and index + 1 < len(arguments):
            values.append(arguments[index + 1])
        elif argument.startswith(option) and argument != option:
            values.append(argument[len(option) :])
    return values


def _standard(arguments: tuple[str, ...]) -> str:
    """The last that flags ask for, as g++ spells it; the oldest possible where that is older."""
    found = [value.lstrip("=").rpartition("++")[2] for option in ("-std", "--std") for value in _values(arguments, option)]
    return found[-1] if found and found[-1] in _NEWER_STANDARDS else _OLDEST_STANDARD
