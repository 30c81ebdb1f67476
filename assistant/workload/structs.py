"""Bytes of by-value arguments: scalars, short vectors and structs of them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from assistant.model.elements import ElementKind, ElementType, parse_element_type
from assistant.record import Record
from assistant.workload.arrays import encode, storage_dtype

__all__ = ["StructField", "StructLayout", "encode_scalar", "encode_struct", "layout_of"]


class StructField(Record):
    name: str
    type: str
    offset_bytes: int


class StructLayout(Record):
    """Where the fields of a struct stand."""

    name: str
    fields: tuple[StructField, ...]
    size_bytes: int


def layout_of(name: str, fields: tuple[tuple[str, str], ...]) -> StructLayout | None:
    """Natural C layout of (field, type) pairs in order; None when a type is not arithmetic (System V ABI, §3.1.2)."""
    placed, end, alignment = list[StructField](), 0, 1
    for field, spelled in fields:
        element = parse_element_type(spelled)
        if element is None:
            return None
        offset = _aligned(end, element.alignment_bytes)
        placed.append(StructField(field, spelled, offset))
        end, alignment = offset + element.size_bytes, max(alignment, element.alignment_bytes)
    return StructLayout(name, tuple(placed), _aligned(end, alignment))


def encode_scalar(element: ElementType, value: Fraction) -> bytes | str:
    """The argument's bytes, every component set to ``value``; a sentence when the type cannot hold it."""
    if element.is_floating:
        return encode(np.full(element.components, float(value)), element)
    if element.kind is ElementKind.BOOL:
        return encode(np.full(element.components, int(value != 0)), element)
    limits = np.iinfo(storage_dtype(element))
    if value.denominator != 1:
        return f"{value} is not a whole number, {element.name} holds only those"
    if not limits.min <= value <= limits.max:
        return f"{value} does not fit {element.name} ({limits.min} … {limits.max})"
    return np.full(element.components, int(value), storage_dtype(element)).tobytes()


def encode_struct(layout: StructLayout, values: Mapping[str, Fraction]) -> bytes | str:
    """The struct's bytes, padding zero; a sentence when fields are missing, unknown or do not fit."""
    names = [field.name for field in layout.fields]
    missing = [name for name in names if name not in values]
    strangers = [name for name in values if name not in names]
    if missing or strangers:
        return f"fields of {layout.name} are {', '.join(names)}; missing: {missing}, unknown: {strangers}"
    data = bytearray(layout.size_bytes)
    for field in layout.fields:
        element = parse_element_type(field.type)
        if element is None:
            return f"type '{field.type}' of field {field.name} is not supported here"
        encoded = encode_scalar(element, values[field.name])
        if isinstance(encoded, str):
            return f"{field.name}: {encoded}"
        data[field.offset_bytes : field.offset_bytes + len(encoded)] = encoded
    return bytes(data)


def _aligned(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment
