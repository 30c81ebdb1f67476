"""What a consent is asked for, in words: what is compiled, by which compiler, with which flags, and how it is then run.

Example::

    run_in_words(request, None, ("-O3",))
    # ("Compiles stencil.cu with g++ for the CPU emulator, with -O3.", "Runs it without arguments, at most 60 s each time.")
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from assistant.engine import JobRequest
from assistant.model.program import FoundProgram

__all__ = ["run_folder", "run_in_words"]

_MAIN = re.compile(r"\bmain\s*\(")
_CPU = "cpu"
_NAMES_SHOWN = 6


def run_folder(request: JobRequest, program: FoundProgram | None) -> Path:
    """Where the program runs."""
    return (None if program is None else program.working_directory) or request.working_directory


def run_in_words(request: JobRequest, program: FoundProgram | None, flags: Sequence[str], text: str = "") -> tuple[str, ...]:
    """A sentence on the compilers, one on the run. ``text``: of a source that stands alone."""
    arguments = request.arguments if program is None else program.arguments
    with_what = f"with the arguments {shlex.join(arguments)}" if arguments else "without arguments"
    limit = "" if request.timeout_s is None else f", at most {request.timeout_s:g} s each time"
    if program is not None and program.run_command is not None:
        build = () if program.build_command is None else (f"Builds it by {shlex.join(program.build_command)}.",)
        return (*build, f"Runs {shlex.join(program.run_command)} {with_what}{limit}.")
    units = (request.file,) if program is None else program.units
    compiled = f"Compiles {_listed(units, run_folder(request, program))} with {_compilers(request)}{_flags(flags)}."
    if program is None and not _MAIN.search(text):
        return (compiled, f"Runs its kernels on the workload that it declares{limit}.")
    return (compiled, f"Runs it {with_what}{limit}.")


def _compilers(request: JobRequest) -> str:
    emulated = "g++ for the CPU emulator"
    return f"nvcc, and with {emulated}" if request.device != _CPU and shutil.which("nvcc") is not None else emulated


def _flags(flags: Sequence[str]) -> str:
    return f", with the flags {shlex.join(flags)}" if flags else ", without flags of yours"


def _listed(units: Sequence[Path], folder: Path) -> str:
    """``main.cu, sums.cu``, as they are called where it runs; the first ones of many."""
    names = [os.path.relpath(unit, folder) for unit in units]
    more = len(names) - _NAMES_SHOWN
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:_NAMES_SHOWN])} and {more} more"
