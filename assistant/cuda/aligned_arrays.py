"""Arrays of device code that are declared with an alignment: casts of them to vector types assume nothing.

Example::

    aligned_arrays("__shared__ __align__(16) float tile[8][132];")     # {"tile": 16}
"""

from __future__ import annotations

import re

from assistant.cuda.code_text import blanked

__all__ = ["aligned_arrays"]

_ALIGN = r"(?:__align__|alignas)\s*\(\s*(?P<{}>\d+)\s*\)\s*"
_SCALAR_WORDS = r"(?:(?:const|static|unsigned|signed|volatile)\s+)*\w+"
_ALIGNED_ARRAY = re.compile(
    rf"(?:{_ALIGN.format('size')}(?:(?:static|extern)\s+)*(?:__shared__\s+)?|__shared__\s+{_ALIGN.format('later')})"
    rf"{_SCALAR_WORDS}\s+(?P<names>\w+\s*\[[^;{{}}()=]*)[;=]"
)
_ARRAY_NAME = re.compile(r"(?:^|,)\s*(\w+)\s*\[")
_ROW_POINTER = re.compile(r"\(\s*\*\s*(?:const\s+)?(\w+)\s*\)\s*\[[^\]]*\]\s*=\s*(\w+)\s*[\[;]")
"""(name, array) of ``const float (*row)[132] = tile[stage];``."""
_DECLARED = r"(?:(?!\breturn\b|\belse\b)\b\w+[\s*&>]+(?:const\s+|__restrict__\s+)*|\(\s*\*\s*(?:const\s+)?){name}\s*(?:\)\s*)?[\[;=,){{(]"
_DECLARED_TOO = r",\s*{name}\s*\["
"""Places that may declare ``name``, the second outside of parentheses; also some that only use it, which leaves it out."""
_WIDE_BYTES = 16
"""Size of the widest access."""


def aligned_arrays(code: str) -> dict[str, int]:
    """Arrays that are declared with an alignment of 16 bytes or more, and pointers to rows of them: the alignment in bytes, by name.

    A name that is also declared otherwise, as a parameter of another function, is left out. Where in the array a cast points is the code's
    own doing, and shows in every run: misaligned accesses are refused. Example::

        aligned_arrays("__shared__ __align__(16) float tile[8][132];")     # {"tile": 16}
    """
    text = blanked(code)
    found: dict[str, int] = {}
    declared_count: dict[str, int] = {}
    for declaration in _ALIGNED_ARRAY.finditer(text):
        size = int(declaration["size"] or declaration["later"])
        for name in _ARRAY_NAME.findall(declaration["names"]):
            found[name] = min(size, found.get(name, size))
            declared_count[name] = declared_count.get(name, 0) + 1
    for row in _ROW_POINTER.finditer(text):
        if row[2] in found:
            found[row[1]] = found[row[2]]
            declared_count[row[1]] = declared_count.get(row[1], 0) + 1
    return {name: size for name, size in found.items() if size >= _WIDE_BYTES and _declaration_count(text, name) == declared_count[name]}


def _declaration_count(text: str, name: str) -> int:
    outside, more = text, -1
    while more != 0:
        outside, more = re.subn(r"\([^()]*\)", "", outside)
    return len(re.findall(_DECLARED.format(name=name), text)) + len(re.findall(_DECLARED_TOO.format(name=name), outside))
