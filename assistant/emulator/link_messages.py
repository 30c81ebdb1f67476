"""What a linker says about names that are used and defined nowhere, as errors with the user's file and line. Example::

link_messages("ld: /user/a.cu:3: undefined reference to `f(int)'", Path("/user/a.cu"))
# a.cu:3: f(int) is used here, and no given source defines it
"""

from __future__ import annotations

import re
from pathlib import Path

from assistant.emulator.translate.stubs import STUB_PREFIX
from assistant.model.build import LINKER, Diagnostic, DiagnosticSeverity

__all__ = ["link_messages"]

_UNDEFINED = re.compile(
    r"^(?:[^:\n]*\bld: )?(?:(?P<file>/[^\n]*?):(?P<line>\d+): |[^\n]*?)undefined reference to `(?P<name>[^\n]+)'$", re.MULTILINE
)
_STUB = re.compile(rf"\b{STUB_PREFIX}(?P<name>\w+)(?P<arguments><.*>)?\(EmuConfig const&(?:, )?")


def link_messages(output: str, main: Path) -> list[Diagnostic]:
    """One error a name, at the first place that uses it; at the main file where the linker names no place."""
    first: dict[str, re.Match[str]] = {}
    for match in _UNDEFINED.finditer(output):
        first.setdefault(match["name"], match)
    return [_error(match, name, main) for name, match in first.items()]


def _error(match: re.Match[str], name: str, main: Path) -> Diagnostic:
    shown = _STUB.sub(lambda stub: f"the kernel {stub['name']}{stub['arguments'] or ''}(", name)
    file, line = (match["file"], int(match["line"])) if match["file"] else (str(main), 0)
    message = f"{shown} is used here, and no given source defines it"
    return Diagnostic(file, line, 0, DiagnosticSeverity.ERROR, message, compiler=LINKER)
