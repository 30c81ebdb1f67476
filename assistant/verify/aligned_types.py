"""Casts to vector types, and the structs whose own type promises the alignment that such a cast needs.

Example::

    aligned = aligned_parameters(text, kernels)     # {"bodies": 16} of struct __align__(16) Body, passed as const Body *bodies
    assumed_casts(code, aligned)                    # the code without reinterpret_cast<const float4 *>(bodies)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from assistant.cuda.code_text import blanked
from assistant.model.elements import parse_element_type
from assistant.model.source import Kernel

__all__ = ["VECTOR_CAST", "aligned_arrays", "aligned_parameters", "assumed_casts", "unaliased"]

_VECTOR = r"(?:u?(?:char|short|int|long|longlong)|float|double)[24]"
VECTOR_CAST = re.compile(
    rf"(?:reinterpret_cast\s*<\s*|\(\s*)(?:const\s+|volatile\s+)*({_VECTOR})"
    r"\s*(?:const\s*)?[*&]"
)
"""Group 1: the vector type."""
_CAST_OPERAND = re.compile(VECTOR_CAST.pattern + r"\s*(?:__restrict__\s*)?[>)]\s*\(?\s*&?\s*(\w+)")
"""(vector type, first name of what is cast)."""
_ALIGNED_STRUCT = re.compile(r"\bstruct\s+(?:__align__|alignas)\s*\(\s*(\d+)\s*\)\s*(\w+)")
_ALIAS = re.compile(rf"\busing\s+(\w+)\s*=\s*({_VECTOR})\b")
_TYPEDEF = re.compile(rf"\btypedef\s+({_VECTOR})\s+(\w+)\s*;")
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


def unaliased(code: str) -> str:
    """Casts to other names of vector types as casts to these (``using vec = float4``); lines stay."""
    for name, vector in [*_ALIAS.findall(code), *((name, vector) for vector, name in _TYPEDEF.findall(code))]:
        code = re.sub(rf"(?<=[<(\s]){name}(?=\s*(?:const\s*)?[*&])", vector, code)
    return code


def aligned_parameters(text: str, kernels: Iterable[Kernel]) -> dict[str, int]:
    """Pointers to structs that ask for an alignment of 16 bytes or more: the alignment in bytes, by the parameter's name."""
    structs = {name: int(size) for size, name in _ALIGNED_STRUCT.findall(blanked(text)) if int(size) >= _WIDE_BYTES}
    pointers = (parameter for kernel in kernels for parameter in kernel.parameters if parameter.is_pointer)
    return {p.name: structs[p.element_type] for p in pointers if p.element_type in structs}


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


def assumed_casts(code: str, aligned: Mapping[str, int]) -> str:
    """The code without casts of ``aligned`` pointers; aliases of vector types are named by these, lines stay."""

    def kept(cast: re.Match[str]) -> str:
        element = parse_element_type(cast[1])
        is_promised = element is not None and aligned.get(cast[2], 0) >= element.alignment_bytes
        return " " * len(cast[0]) if is_promised else cast[0]

    return _CAST_OPERAND.sub(kept, unaliased(code))
