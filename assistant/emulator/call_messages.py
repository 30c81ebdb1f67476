"""Device code that calls what is no device code, as errors with the user's file and line. Example::

foreign_call_messages((Path("/tmp/0.o"),), runtime_objects, Path("/home/me/a.cu"))
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path

from assistant.emulator.binutils import run_binutil
from assistant.emulator.device_calls import ForeignCall, foreign_calls, needed_functions, replaced_functions
from assistant.emulator.object_file import read_object
from assistant.emulator.toolchain import INCLUDE_DIR
from assistant.model.build import Diagnostic, DiagnosticSeverity
from assistant.worker.launcher import Launcher

__all__ = ["foreign_call_messages"]

_PLACE = re.compile(r"^(?P<file>/.*):(?P<line>\d+)(?: \(discriminator \d+\))?$", re.MULTILINE)
_SYSTEM_CALL = re.compile(r"\t(?:syscall|sysenter|int +\$0x80)\s*$", re.MULTILINE)
_NOT_THE_USERS = (f"{INCLUDE_DIR}/", "/usr/include/", "/usr/lib/", "/usr/local/include/")


def foreign_call_messages(
    objects: Sequence[Path], runtime: tuple[Path, ...], main: Path, launcher: Launcher | None = None
) -> list[Diagnostic]:
    """One error for each line of device code that reaches a host function, a library's or a system call; none where nvcc would take it."""
    files = [read_object(path.read_bytes()) for path in objects]
    calls = [call for call in foreign_calls(files) if _is_real(objects[call.file], call, launcher)]
    errors = {
        (place := _place(objects[call.file], call, main, launcher)): _error(*place, _call_text(call, launcher)) for call in reversed(calls)
    }
    replaced = replaced_functions(files, _needed(runtime))
    clashes = [
        _error(str(main), 0, f"{name} is a function of the C library that the emulator itself needs: rename it") for name in replaced
    ]
    return [*reversed(errors.values()), *clashes]


@functools.lru_cache(maxsize=4)
def _needed(runtime: tuple[Path, ...]) -> frozenset[str]:
    """The names of runtime objects say what is in them."""
    return needed_functions([read_object(path.read_bytes()) for path in runtime])


def _error(file: str, line: int, message: str) -> Diagnostic:
    return Diagnostic(file, line, 0, DiagnosticSeverity.ERROR, message, compiler="g++")


def _call_text(call: ForeignCall, launcher: Launcher | None) -> str:
    if call.kind == "system call":
        return "inline assembly in device code makes a system call, which only host code can"
    return f'calling a __host__ function("{_demangled(call.name, launcher)}") from device code is not allowed'


def _demangled(name: str, launcher: Launcher | None) -> str:
    run = run_binutil(("c++filt", name), None, launcher)
    return run.output.strip() if run.is_ok else name


def _is_real(path: Path, call: ForeignCall, launcher: Launcher | None) -> bool:
    """Bytes of a constant or an address may look like a system call; the disassembler knows where instructions begin."""
    if call.kind != "system call":
        return True
    run = run_binutil(("objdump", "-d", "-j", call.section, "--no-show-raw-insn", str(path)), path, launcher)
    return not run.is_ok or _SYSTEM_CALL.search(run.output) is not None


def _place(path: Path, call: ForeignCall, main: Path, launcher: Launcher | None) -> tuple[str, int]:
    """File and line of the innermost code of the user's at the place; the main file, line 0, where debugging information names none."""
    run = run_binutil(("addr2line", "-i", "-e", str(path), "-j", call.section, hex(call.offset)), path, launcher)
    places = [(found["file"], int(found["line"])) for found in _PLACE.finditer(run.output if run.is_ok else "")]
    return next((place for place in places if not place[0].startswith(_NOT_THE_USERS)), (str(main), 0))
