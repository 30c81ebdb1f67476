"""C++ text that a program is given in addition to its own.

Kernels startable by name: ``k<1>`` becomes ``EmuKernelRegistration r("k<1>", &k<1>);``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from assistant.build.units import is_c
from assistant.cuda.parse import parse
from assistant.cuda.same_names import is_named_file, split_name, without_file
from assistant.emulator.binutils import run_binutil
from assistant.model.source import Source
from assistant.worker.launcher import Launcher

COMMUNICATION_TEXT = """#line 1 "what blocks signal with"
__attribute__((constructor)) static void emu_communicates() { emu_note_communication(); }
"""
"""Tells the core, before the program or a replay starts, that its blocks may signal to each other."""


def kernels_by_unit(
    kernels: tuple[str, ...], units: Sequence[Mapping[Path, str]], launcher: Launcher | None = None
) -> tuple[tuple[str, ...], ...]:
    """For each unit ((path, text) of all its files) the kernels to be made startable in it: one that launches them, else names them.

    A template's arguments are known where it is launched, and a kernel of internal linkage exists only there.
    """
    if len(units) == 1:
        return (kernels,)
    places = {kernel: _place(_named(kernel, launcher).rpartition("::")[2], split_name(kernel)[0], units) for kernel in kernels}
    return tuple(tuple(kernel for kernel, place in places.items() if place == number) for number in range(len(units)))


def _place(name: str, file: str, units: Sequence[Mapping[Path, str]]) -> int:
    """The unit's number; ``file``: the end of the path of the kernel's file, empty where that is not known."""
    codes = ["\n".join(texts.values()) if not file or any(is_named_file(path, file) for path in texts) else "" for texts in units]
    launched = re.compile(rf"\b{re.escape(name)}\s*(?:<[^;{{}}]*)?<<<")
    named = re.compile(rf"__global__[^;{{}}]*\b{re.escape(name)}\b")
    found = (number for pattern in (launched, named) for number, code in enumerate(codes) if pattern.search(code))
    return next(found, next((number for number, texts in enumerate(units) if not is_c(next(iter(texts)))), 0))


def _named(kernel: str, launcher: Launcher | None) -> str:
    """``ns::k`` of ``void ns::k<float>(float*)``."""
    plain = _plain(kernel, launcher)
    opener = _parameters_start(plain)
    return (plain if opener is None else plain[:opener]).partition("<")[0].strip()


def registration_text(kernels: tuple[str, ...], launcher: Launcher | None = None, texts: Iterable[tuple[Path, str]] = ()) -> str:
    """Registrations to append to the main source; empty without kernels. Line 1 of the text carries a marker file name.

    ``texts``: of the unit, which say in which namespace a kernel of C linkage stands, as its symbol does not.
    """
    if not kernels:
        return ""
    lines = ['#line 1 "requested kernels"']
    for number, name in enumerate(kernels):
        literal = name.replace("\\", "\\\\").replace('"', '\\"')
        expression = kernel_expression(name, launcher)
        if expression == f"&{name}":
            expression = f"&{_scope_of(name, texts)}{name}"
        lines.append(f'static EmuKernelRegistration emu_requested_{number}("{literal}", {expression});')
    return "\n".join(lines) + "\n"


def _scope_of(name: str, texts: Iterable[tuple[Path, str]]) -> str:
    """``ns::`` of a kernel of C linkage in a namespace; empty for any other name."""
    if not name.isidentifier():
        return ""
    for path, text in texts:
        if 'extern "C"' in text and "namespace" in text:
            for kernel in parse(Source(path, text)).kernels:
                if kernel.name == name:
                    return kernel.qualified_name.removesuffix(name)
    return ""


def kernel_expression(name: str, launcher: Launcher | None = None) -> str:
    """A C++ expression for the kernel's address: ``&k<1>``, or a cast that selects the overload when parameter types are given."""
    plain = _plain(name, launcher)
    opener = _parameters_start(plain)
    if opener is None:
        return f"&{plain}"
    return f"static_cast<void (*){plain[opener:]}>(&{plain[:opener].strip()})"


def _plain(name: str, launcher: Launcher | None) -> str:
    """Demangled, without its file, the return type and unnamed namespaces."""
    name = without_file(name)
    plain = _demangled(name, launcher) if name.startswith("_Z") else name
    return re.sub(r"^void\s+(?=\S)", "", plain.replace("(anonymous namespace)::", "").strip())


def _parameters_start(plain: str) -> int | None:
    """Index of the ``(`` that opens the parameter types; None without them."""
    if not plain.endswith(")"):
        return None
    depth = 0
    for index in range(len(plain) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(plain[index], 0)
        if depth == 0:
            return index if index else None
    return None


def _demangled(symbol: str, launcher: Launcher | None) -> str:
    try:
        run = run_binutil(("c++filt", symbol), None, launcher)
    except OSError:
        return symbol
    return (run.output.strip() if run.is_ok else "") or symbol
