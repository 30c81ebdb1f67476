"""Bytes of device memory ↔ NumPy arrays, by element type. bfloat16, which NumPy lacks, travels as float32.

Example::

    element = parse_element_type("float4")
    encode(decode(data, element), element) == data
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.model.elements import ElementKind, ElementType

__all__ = ["Array", "decode", "doubles", "encode", "largest_finite", "significand_bits", "storage_dtype"]

Array = NDArray[Any]

_LETTERS = {
    ElementKind.FLOAT: "f",
    ElementKind.BFLOAT: "u",
    ElementKind.INT: "i",
    ElementKind.UINT: "u",
    ElementKind.BOOL: "u",
}


def storage_dtype(element: ElementType) -> np.dtype[Any]:
    """The NumPy type of a stored component (bfloat16: its 16 bits)."""
    return np.dtype(f"<{_LETTERS[element.kind]}{element.scalar_bytes}")


def decode(data: bytes, element: ElementType) -> Array:
    """All components in order, shape ``(n_components,)``; a tail that holds no whole component is left out."""
    dtype = storage_dtype(element)
    stored: Array = np.frombuffer(data, dtype, len(data) // dtype.itemsize)
    if element.kind is ElementKind.BFLOAT:
        return (stored.astype(np.uint32) << 16).view(np.float32)
    return stored


@np.errstate(invalid="ignore")
def doubles(data: bytes, element: ElementType) -> NDArray[np.float64]:
    """All components in order as float64; a signalling NaN, which memory may hold by chance, becomes a quiet one."""
    return decode(data, element).astype(np.float64)


@np.errstate(over="ignore", invalid="ignore")
def encode(values: Array, element: ElementType) -> bytes:
    """Components as stored: floats rounded to nearest (beyond the range: infinity), integers wrapped, booleans 0 or 1."""
    if element.kind is ElementKind.BFLOAT:
        return _bfloat_bits(values.astype(np.float32)).tobytes()
    if element.kind is ElementKind.BOOL:
        return (values != 0).astype(np.uint8).tobytes()
    if element.kind is ElementKind.FLOAT:
        return values.astype(storage_dtype(element)).tobytes()
    return _wrapped(values, element).tobytes()


def largest_finite(element: ElementType) -> float:
    """The type's largest finite value; floating types only."""
    if element.kind is ElementKind.BFLOAT:
        return float(np.float32(2.0**127) * np.float32(2.0 - 2.0**-7))
    return float(np.finfo(storage_dtype(element)).max)


def significand_bits(element: ElementType) -> int:
    """Bits in a floating type's significand, the hidden one included."""
    return round(-np.log2(element.unit_roundoff or 1.0))


def _bfloat_bits(values: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Round to nearest even; NaN stays a quiet NaN."""
    bits = values.view(np.uint32)
    rounded = (bits.astype(np.uint64) + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(values), (bits >> 16) | 0x40, rounded).astype(np.uint16)


def _wrapped(values: Array, element: ElementType) -> Array:
    if values.dtype.kind in "iu":
        return values.astype(storage_dtype(element))
    return np.trunc(values).astype(np.int64).astype(storage_dtype(element))
