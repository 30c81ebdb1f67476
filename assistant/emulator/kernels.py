"""C++ text that a program is given beside its own.

Kernels startable by name: ``k<1>`` becomes ``EmuKernelRegistration r("k<1>", &k<1>);``.
"""

from __future__ import annotations

import re
import subprocess

_DEMANGLE_TIMEOUT_S = 10.0
COMMUNICATION_TEXT = """#line 1 "what blocks signal with"
__attribute__((constructor)) static void emu_communicates() { emu_note_communication(); }
"""
"""Tells the core, before the program or a replay starts, that its blocks may signal to each other."""


def registration_text(kernels: tuple[str, ...]) -> str:
    """Registrations to append to the main source; empty without kernels. Line 1 of the text carries a marker file name."""
    if not kernels:
        return ""
    lines = ['#line 1 "requested kernels"']
    for number, name in enumerate(kernels):
        literal = name.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'static EmuKernelRegistration emu_requested_{number}("{literal}", {kernel_expression(name)});')
    return "\n".join(lines) + "\n"


def kernel_expression(name: str) -> str:
    """A C++ expression for the kernel's address: ``&k<1>``, or a cast that selects the overload when parameter types are given."""
    plain = _demangled(name) if name.startswith("_Z") else name
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


def _demangled(symbol: str) -> str:
    try:
        done = subprocess.run(("c++filt", symbol), capture_output=True, text=True, timeout=_DEMANGLE_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return symbol
    return done.stdout.strip() or symbol
