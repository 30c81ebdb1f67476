"""Frozen dataclasses to JSON values and back, strictly.

One codec for worker messages, memory rows and events. Supports dataclasses, tuples (variable and fixed length), ``frozenset``,
``dict[str, T]``, enums, ``Path``, ``bytes`` (base64), ``Literal``, unions (of ``None``, scalars and dataclasses) and JSON scalars.
The members of a union of several dataclasses are distinguished by their field names, or by a ``Literal`` field where the names agree.

Example::

    encode(Dim3(2))                      # {'x': 2, 'y': 1, 'z': 1}
    decode(Dim3, {"x": 2})               # Dim3(x=2, y=1, z=1)
"""

from __future__ import annotations

import base64
import dataclasses
import json
import math
import re
import types
import typing
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from assistant.errors import KernelOptError

__all__ = ["DecodeError", "decode", "dumps", "encodable", "encode", "loads"]

T = TypeVar("T")
_SURROGATE = re.compile("[\ud800-\udfff]")


class DecodeError(KernelOptError):
    """A JSON value does not have the form of the type; the message names the place (``launches[2].config.grid``)."""


def dumps(value: Any) -> str:
    """One line of JSON; raises ValueError on NaN or infinity."""
    return encodable(json.dumps(encode(value), ensure_ascii=False, allow_nan=False, separators=(",", ":")))


def encodable(text: str) -> str:
    """JSON text with escapes for lone surrogates, which stand for bytes of a source that are no UTF-8: they cannot be written otherwise."""
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def loads(kind: type[T], text: str | bytes) -> T:
    """Parse JSON text as ``kind``; raises DecodeError."""
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except ValueError as error:
        raise DecodeError(f"not JSON: {error}") from error
    return decode(kind, data)


def encode(value: Any) -> Any:
    """The JSON value of ``value``; raises TypeError for a type that has none."""
    match value:
        case None | bool() | int() | str() if not isinstance(value, Enum):
            return value
        case float():
            if not math.isfinite(value):
                raise ValueError(f"a number in a message must be finite, not {value}")
            return value
        case Enum():
            return value.value
        case Path():
            return str(value)
        case bytes():
            return base64.b64encode(value).decode("ascii")
        case tuple() | list() | frozenset():
            items = sorted(value) if isinstance(value, frozenset) else value  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            return [encode(item) for item in items]  # pyright: ignore[reportUnknownVariableType]
        case dict():
            return {str(key): encode(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return {field.name: encode(getattr(value, field.name)) for field in dataclasses.fields(value)}
        case _:
            raise TypeError(f"{type(value).__name__} has no JSON form")


def decode(kind: Any, data: Any, place: str = "") -> Any:
    """``data`` as a value of ``kind``; raises DecodeError naming the place that does not fit."""
    origin = typing.get_origin(kind)
    arguments = typing.get_args(kind)
    if kind is Any:
        return data
    if origin is typing.Literal:
        return _check(data in arguments, data, place, f"one of {arguments}")
    if origin in (typing.Union, types.UnionType):
        return _decode_union(arguments, data, place)
    if origin in (tuple, frozenset, list):
        return _decode_sequence(origin, arguments, data, place)
    if origin is dict:
        _check(isinstance(data, dict), data, place, "an object")
        return {key: decode(arguments[1], item, f"{place}.{key}") for key, item in data.items()}
    if dataclasses.is_dataclass(kind):
        return _decode_dataclass(kind, data, place)
    return _decode_scalar(kind, data, place)


def _decode_scalar(kind: Any, data: Any, place: str) -> Any:
    if kind is type(None):
        return _check(data is None, data, place, "null")
    if isinstance(kind, type) and issubclass(kind, Enum):
        try:
            return kind(data)
        except ValueError as error:
            raise DecodeError(f"{place or 'value'}: {data!r} is not a {kind.__name__}") from error
    if kind is int:
        return _check(isinstance(data, int) and not isinstance(data, bool), data, place, "an integer")
    if kind is float:
        return _decode_float(data, place)
    if kind in (str, bool):
        return _check(isinstance(data, kind), data, place, kind.__name__)
    if kind is Path:
        return Path(_check(isinstance(data, str), data, place, "a path"))
    if kind is bytes:
        return _decode_bytes(data, place)
    raise TypeError(f"{kind!r} has no JSON form")


def _decode_float(data: Any, place: str) -> float:
    """An integer will do, if it is not too large."""
    _check(isinstance(data, int | float) and not isinstance(data, bool), data, place, "a finite number")
    try:
        return _check(math.isfinite(float(data)), float(data), place, "a finite number")
    except OverflowError as error:
        raise DecodeError(f"{place or 'value'}: expected a finite number, got {str(data)[:80]!r}") from error


def _decode_bytes(data: Any, place: str) -> bytes:
    _check(isinstance(data, str), data, place, "base64 text")
    try:
        return base64.b64decode(data, validate=True)
    except ValueError as error:
        raise DecodeError(f"{place or 'value'}: not base64: {error}") from error


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _decode_sequence(origin: Any, arguments: tuple[Any, ...], data: Any, place: str) -> Any:
    _check(isinstance(data, list), data, place, "a list")
    if origin is tuple and not (len(arguments) == 2 and arguments[1] is Ellipsis):
        _check(len(data) == len(arguments), data, place, f"{len(arguments)} items")
        pairs = zip(arguments, data, strict=True)
    else:
        pairs = ((arguments[0], item) for item in data)
    collect: Any = origin
    return collect(decode(kind, item, f"{place}[{index}]") for index, (kind, item) in enumerate(pairs))


def _decode_dataclass(kind: Any, data: Any, place: str) -> Any:
    _check(isinstance(data, dict), data, place, f"an object ({kind.__name__})")
    hints = _hints(kind)
    unknown = sorted(set(data) - set(hints))
    if unknown:
        raise DecodeError(f"{place or kind.__name__}: unknown field {unknown[0]!r}")
    values = {name: decode(hints[name], item, f"{place}.{name}" if place else name) for name, item in data.items()}
    try:
        return kind(**values)
    except TypeError as error:
        raise DecodeError(f"{place or kind.__name__}: {error}") from error


def _decode_union(arguments: tuple[Any, ...], data: Any, place: str) -> Any:
    if data is None and type(None) in arguments:
        return None
    if isinstance(data, int) and not isinstance(data, bool) and int in arguments:
        return data  # as a float, an integer above 2**53 would be another number
    failures: list[str] = []
    for kind in arguments:
        if kind is type(None):
            continue
        try:
            return decode(kind, data, place)
        except DecodeError as error:
            failures.append(error.message)
    raise DecodeError(failures[0] if len(failures) == 1 else f"{place or 'value'}: fits none of: " + "; ".join(failures))


def _check(is_valid: bool, data: Any, place: str, expected: str) -> Any:
    if not is_valid:
        raise DecodeError(f"{place or 'value'}: expected {expected}, got {str(data)[:80]!r}")
    return data


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)
