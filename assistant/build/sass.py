"""Disassembly text, read into `KernelCode` with the user's source line on every instruction.

Reads ``nvdisasm -c -gi CUBIN`` and ``cuobjdump -sass -lineinfo``. A place inside a toolkit header is
booked on the innermost user line that it was inlined into, as a person reading the file expects. Example of what is read::

    .text._Z1kPf:
        //## File "/toolkit/include/sm_30_intrinsics.hpp", line 397 inlined at "/home/me/k.cu", line 27
        //## File "/home/me/k.cu", line 27
            /*0160*/              @!P0 LDG.E R3, desc[UR6][R2.64] ;
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from assistant.model.build import KernelCode, SassInstruction

__all__ = ["parse_sass"]

_TARGET = re.compile(r"^\s*\.target\s+(sm_\w+)|^\s*code for (sm_\w+)")
_FUNCTION = re.compile(r"^\.text\.(\S+):$|^\s*Function : (\S+)$")
_LABEL = re.compile(r"^(\.L_x_\d+|\$\S+|[.\w$]+):\s*$")
_PLACE = re.compile(r'^\s*//## File "([^"]+)", line (\d+)(?: inlined at "([^"]+)", line (\d+))?')
_INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(?:(@!?U?P[T\d]+)\s+)?([A-Z][\w.]*)\s*([^;]*);")


@dataclass
class _Function:
    symbol: str
    instructions: list[SassInstruction] = field(default_factory=list[SassInstruction])
    labels: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    pending_labels: list[str] = field(default_factory=list[str])


def parse_sass(text: str, names: Mapping[str, str], system_directories: tuple[str, ...]) -> tuple[KernelCode, ...]:
    """Every function of ``text``.

    ``names`` maps mangled to demangled names; files under ``system_directories`` are not the user's.
    """
    functions: list[_Function] = []
    architecture = ""
    places: list[tuple[str, int]] = []
    is_open = True
    for line in text.splitlines():
        if match := _INSTRUCTION.match(line):
            if functions:
                _add(functions[-1], match, _user_places(places, system_directories))
            is_open = True
        elif match := _PLACE.match(line):
            if is_open:
                places, is_open = [], False
            places.append((posixpath.normpath(match[1]), int(match[2])))
            if match[3]:
                places.append((posixpath.normpath(match[3]), int(match[4])))
        elif match := _FUNCTION.match(line):
            functions.append(_Function(match[1] or match[2]))
            places = []
        elif match := _TARGET.match(line):
            architecture = match[1] or match[2]
        elif functions and (match := _LABEL.match(line)):
            functions[-1].pending_labels.append(match[1])
    return tuple(
        KernelCode(names.get(f.symbol, f.symbol), f.symbol, architecture, tuple(f.instructions), tuple(f.labels))
        for f in functions
        if f.instructions
    )


def _add(function: _Function, match: re.Match[str], places: tuple[tuple[str, int], ...]) -> None:
    offset = int(match[1], 16)
    function.labels.extend((label, offset) for label in function.pending_labels)
    function.pending_labels.clear()
    operands = " ".join(match[4].split())
    file, line = places[0] if places else ("", 0)
    function.instructions.append(SassInstruction(offset, match[2] or "", match[3], operands, file, line, places[1:]))


def _user_places(places: list[tuple[str, int]], system_directories: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """Places outside the toolkit, innermost first, each once."""
    own = [
        (file, line) for file, line in places if line > 0 and not any(file.startswith(directory + "/") for directory in system_directories)
    ]
    return tuple(dict.fromkeys(own))
