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

__all__ = ["VECTOR_CAST", "aligned_parameters", "assumed_casts", "unaliased"]

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


def assumed_casts(code: str, aligned: Mapping[str, int]) -> str:
    """The code without casts of ``aligned`` pointers; aliases of vector types are named by these, lines stay."""

    def kept(cast: re.Match[str]) -> str:
        element = parse_element_type(cast[1])
        is_promised = element is not None and aligned.get(cast[2], 0) >= element.alignment_bytes
        return " " * len(cast[0]) if is_promised else cast[0]

    return _CAST_OPERAND.sub(kept, unaliased(code))
