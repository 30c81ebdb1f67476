"""PTX by source line. Example::

ptx_by_line(text)[("/home/me/k.cu", 6)]   # ('ld.global.f32 %f1, [%rd4];', …)
"""

from __future__ import annotations

import re

__all__ = ["ptx_by_line", "ptx_entries"]

_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"')
_LOC = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)\s+\d+(?:,\s*function_name\s+[^,]+(?:\s*\+\s*\d+)?,\s*inlined_at\s+(\d+)\s+(\d+)\s+\d+)?")
_ENTRY = re.compile(r"\.entry\s+([\w$]+)")
_CODE = re.compile(r"^\s*(?:@!?%p\d+\s+)?[a-z][\w.:]*(?:\s.*)?;")


def ptx_entries(text: str) -> tuple[str, ...]:
    """Mangled names of the kernels, in order."""
    return tuple(_ENTRY.findall(text))


def ptx_by_line(text: str) -> dict[tuple[str, int], tuple[str, ...]]:
    """Instructions of each (file, line). An inlined header function is booked on the line it was inlined into."""
    files = {match[1]: match[2] for match in (_FILE.match(line) for line in text.splitlines()) if match}
    found: dict[tuple[str, int], list[str]] = {}
    place: tuple[str, int] | None = None
    for line in text.splitlines():
        if match := _LOC.match(line):
            file, number = (match[3], match[4]) if match[3] else (match[1], match[2])
            place = (files.get(file, ""), int(number))
        elif _ENTRY.search(line):
            place = None
        elif place is not None and _CODE.match(line):
            found.setdefault(place, []).append(" ".join(line.split()))
    return {key: tuple(instructions) for key, instructions in found.items()}
