"""CUDA's arithmetic types as values: what one element of a buffer is made of.

Sizes are those of the 64-bit Linux ABI (CUDA C++ Programming Guide, "Built-in Vector Types" and "Type sizes").
"""

from __future__ import annotations

import re
from enum import StrEnum

from assistant.record import Record

__all__ = ["ElementKind", "ElementType", "parse_element_type"]


class ElementKind(StrEnum):
    FLOAT = "float"
    """IEEE 754 binary16, binary32 or binary64, by size."""
    BFLOAT = "bfloat"
    """bfloat16: the upper half of a binary32."""
    INT = "int"
    UINT = "uint"
    BOOL = "bool"


_UNIT_ROUNDOFF = {
    (ElementKind.FLOAT, 2): 2.0**-11,
    (ElementKind.FLOAT, 4): 2.0**-24,
    (ElementKind.FLOAT, 8): 2.0**-53,
    (ElementKind.BFLOAT, 2): 2.0**-8,
}
"""u = 2^-p for p significand bits, rounding to nearest (Higham, Accuracy and Stability, table 2.1)."""


class ElementType(Record):
    """One scalar or short vector type."""

    name: str
    """Canonical spelling (``unsigned int``, ``float4``)."""
    kind: ElementKind
    scalar_bytes: int
    components: int
    alignment_bytes: int

    @property
    def size_bytes(self) -> int:
        return self.scalar_bytes * self.components

    @property
    def is_floating(self) -> bool:
        return self.kind in (ElementKind.FLOAT, ElementKind.BFLOAT)

    @property
    def is_integer(self) -> bool:
        return self.kind in (ElementKind.INT, ElementKind.UINT)

    @property
    def unit_roundoff(self) -> float | None:
        """Relative error bound of one rounding; None for integers."""
        return _UNIT_ROUNDOFF.get((self.kind, self.scalar_bytes))


def parse_element_type(spelled: str) -> ElementType | None:
    """The arithmetic type that ``spelled`` names, cv-qualifiers ignored; None for any other type."""
    words = [w for w in re.sub(r"\bstd::|^::", "", spelled).split() if w not in ("const", "volatile", "struct")]
    name = " ".join(words)
    name = _ALIASES.get(name, name)
    if name in _SCALARS:
        kind, size = _SCALARS[name]
        return ElementType(name, kind, size, 1, size)
    return _vector(name)


def _vector(name: str) -> ElementType | None:
    packed = _PACKED.get(name)
    if packed is not None:
        scalar, components = packed
    else:
        match = re.fullmatch(r"(u?(?:char|short|int|long|longlong)|float|double)([1-4])", name)
        if match is None:
            return None
        scalar, components = _VECTOR_BASES.get(match[1], match[1]), int(match[2])
    kind, size = _SCALARS[scalar]
    alignment = size if components in (1, 3) else min(16, size * components)
    return ElementType(name, kind, size, components, alignment)


_SCALARS: dict[str, tuple[ElementKind, int]] = {
    "bool": (ElementKind.BOOL, 1),
    "char": (ElementKind.INT, 1),
    "signed char": (ElementKind.INT, 1),
    "unsigned char": (ElementKind.UINT, 1),
    "short": (ElementKind.INT, 2),
    "unsigned short": (ElementKind.UINT, 2),
    "int": (ElementKind.INT, 4),
    "unsigned int": (ElementKind.UINT, 4),
    "long": (ElementKind.INT, 8),
    "unsigned long": (ElementKind.UINT, 8),
    "long long": (ElementKind.INT, 8),
    "unsigned long long": (ElementKind.UINT, 8),
    "half": (ElementKind.FLOAT, 2),
    "float": (ElementKind.FLOAT, 4),
    "double": (ElementKind.FLOAT, 8),
    "__nv_bfloat16": (ElementKind.BFLOAT, 2),
}

_ALIASES = {
    "__half": "half",
    "nv_bfloat16": "__nv_bfloat16",
    "bfloat16": "__nv_bfloat16",
    "half2": "__half2",
    "nv_bfloat162": "__nv_bfloat162",
    "signed": "int",
    "signed int": "int",
    "unsigned": "unsigned int",
    "uint": "unsigned int",
    "uchar": "unsigned char",
    "ushort": "unsigned short",
    "ulong": "unsigned long",
    "short int": "short",
    "unsigned short int": "unsigned short",
    "short unsigned int": "unsigned short",
    "long int": "long",
    "unsigned long int": "unsigned long",
    "long unsigned int": "unsigned long",
    "long long int": "long long",
    "unsigned long long int": "unsigned long long",
    "long long unsigned int": "unsigned long long",
    "int8_t": "signed char",
    "uint8_t": "unsigned char",
    "int16_t": "short",
    "uint16_t": "unsigned short",
    "int32_t": "int",
    "uint32_t": "unsigned int",
    "int64_t": "long",
    "uint64_t": "unsigned long",
    "size_t": "unsigned long",
    "ptrdiff_t": "long",
}

_VECTOR_BASES = {
    "char": "signed char",
    "uchar": "unsigned char",
    "ushort": "unsigned short",
    "uint": "unsigned int",
    "ulong": "unsigned long",
    "longlong": "long long",
    "ulonglong": "unsigned long long",
}

_PACKED = {"__half2": ("half", 2), "__nv_bfloat162": ("__nv_bfloat16", 2)}
