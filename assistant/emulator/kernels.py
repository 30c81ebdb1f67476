"""C++ text that a program is given in addition to its own.

Kernels startable by name: ``k<1>`` becomes ``EmuKernelRegistration r("k<1>", &k<1>);``.
"""

from __future__ import annotations

import re

from assistant.emulator.binutils import run_binutil
from assistant.worker.launcher import Launcher

COMMUNICATION_TEXT = """#line 1 "what blocks signal with"
__attribute__((constructor)) static void emu_communicates() { emu_note_communication(); }
"""
"""Tells the core, before the program or a replay starts, that its blocks may signal to each other."""


def registration_text(kernels: tuple[str, ...], launcher: Launcher | None = None) -> str:
    """Registrations to append to the main source; empty without kernels. Line 1 of the text carries a marker file name."""
    if not kernels:
        return ""
    lines = ['#line 1 "requested kernels"']
    for number, name in enumerate(kernels):
        literal = name.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'static EmuKernelRegistration emu_requested_{number}("{literal}", {kernel_expression(name, launcher)});')
    return "\n".join(lines) + "\n"


def kernel_expression(name: str, launcher: Launcher | None = None) -> str:
    """A C++ expression for the kernel's address: ``&k<1>``, or a cast that selects the overload when parameter types are given."""
    plain = _demangled(name, launcher) if name.startswith("_Z") else name
    plain = plain.replace("(anonymous namespace)::", "").strip()
    plain = re.sub(r"^void\s+(?=\S)", "", plain)
    opener = _parameters_start(plain)
    if opener is None:
        return f"&{plain}"
    return f"static_cast<void (*){plain[opener:]}>(&{plain[:opener].strip()})"


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
