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
from collections.abc import Callable, Sequence
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from assistant.errors import KernelOptError

__all__ = ["DecodeError", "decode", "dumps", "encodable", "encode", "loads"]

T = TypeVar("T")
_Reader = Callable[[Any], Any]
"""A JSON value in, a value of one type out; raises _MisfitError."""
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
    try:
        return _reader(kind)(data)
    except _MisfitError as misfit:
        raise DecodeError(misfit.text(place)) from None


class _MisfitError(Exception):
    """What does not fit. Where it stands is put together on the way out, so that what fits costs nothing."""

    def __init__(self, says: str, whole: str = "value", members: Sequence[_MisfitError] = ()) -> None:
        super().__init__(says)
        self.says = says
        self.whole = whole
        """What the place is called if it is all that is read."""
        self.members = members
        """Of a union: why each member does not fit."""
        self.place = ""

    def inside(self, outer: str) -> _MisfitError:
        self.place = _joined(outer, self.place)
        return self

    def text(self, outer: str) -> str:
        place = _joined(outer, self.place)
        return f"{place or self.whole}: {self.says}" + "; ".join(member.text(place) for member in self.members)


def _joined(outer: str, inner: str) -> str:
    return f"{outer}.{inner}" if outer and inner and not inner.startswith("[") else outer + inner


def _unexpected(expected: str, data: Any) -> _MisfitError:
    return _MisfitError(f"expected {expected}, got {str(data)[:80]!r}")


@cache
def _reader(kind: Any) -> _Reader:
    """Reads values of ``kind``: made once for each type, as asking ``typing`` what a type is takes longer than reading a value."""
    origin = typing.get_origin(kind)
    arguments = typing.get_args(kind)
    if kind is Any:
        return lambda data: data
    if origin is typing.Literal:
        return _literal_reader(arguments)
    if origin in (typing.Union, types.UnionType):
        return _union_reader(arguments)
    if origin is tuple and not (len(arguments) == 2 and arguments[1] is Ellipsis):
        return _fixed_tuple_reader(arguments)
    if origin in (tuple, frozenset, list):
        return _sequence_reader(origin, arguments[0])
    if origin is dict:
        return _dict_reader(arguments[1])
    if dataclasses.is_dataclass(kind):
        return _dataclass_reader(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _enum_reader(kind)
    return _SCALARS.get(kind) or _refuser(kind)


def _read_none(data: Any) -> None:
    if data is not None:
        raise _unexpected("null", data)


def _read_int(data: Any) -> int:
    if not isinstance(data, int) or isinstance(data, bool):
        raise _unexpected("an integer", data)
    return data


def _read_float(data: Any) -> float:
    """An integer will do, if it is not too large."""
    if not isinstance(data, int | float) or isinstance(data, bool):
        raise _unexpected("a finite number", data)
    try:
        value = float(data)
    except OverflowError:
        raise _unexpected("a finite number", data) from None
    if not math.isfinite(value):
        raise _unexpected("a finite number", value)
    return value


def _read_str(data: Any) -> str:
    if not isinstance(data, str):
        raise _unexpected("str", data)
    return data


def _read_bool(data: Any) -> bool:
    if not isinstance(data, bool):
        raise _unexpected("bool", data)
    return data


def _read_path(data: Any) -> Path:
    if not isinstance(data, str):
        raise _unexpected("a path", data)
    return Path(data)


def _read_bytes(data: Any) -> bytes:
    if not isinstance(data, str):
        raise _unexpected("base64 text", data)
    try:
        return base64.b64decode(data, validate=True)
    except ValueError as error:
        raise _MisfitError(f"not base64: {error}") from error


_SCALARS: dict[Any, _Reader] = {
    type(None): _read_none,
    int: _read_int,
    float: _read_float,
    str: _read_str,
    bool: _read_bool,
    Path: _read_path,
    bytes: _read_bytes,
}


def _refuser(kind: Any) -> _Reader:
    def read(data: Any) -> Any:
        raise TypeError(f"{kind!r} has no JSON form")

    return read


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _enum_reader(kind: type[Enum]) -> _Reader:
    def read(data: Any) -> Any:
        try:
            return kind(data)
        except ValueError as error:
            raise _MisfitError(f"{data!r} is not a {kind.__name__}") from error

    return read


def _literal_reader(values: tuple[Any, ...]) -> _Reader:
    def read(data: Any) -> Any:
        if data not in values:
            raise _unexpected(f"one of {values}", data)
        return data

    return read


def _sequence_reader(collect: Any, item_kind: Any) -> _Reader:
    read_item = _reader(item_kind)

    def read(data: Any) -> Any:
        items = _list(data)
        made: list[Any] = []
        try:
            for item in items:
                made.append(read_item(item))
        except _MisfitError as misfit:
            raise misfit.inside(f"[{len(made)}]")  # noqa: B904  the same exception
        return collect(made)

    return read


def _fixed_tuple_reader(kinds: tuple[Any, ...]) -> _Reader:
    readers = tuple(map(_reader, kinds))

    def read(data: Any) -> Any:
        items = _list(data)
        if len(items) != len(readers):
            raise _unexpected(f"{len(readers)} items", data)
        made: list[Any] = []
        try:
            for reader, item in zip(readers, items, strict=True):
                made.append(reader(item))
        except _MisfitError as misfit:
            raise misfit.inside(f"[{len(made)}]")  # noqa: B904  the same exception
        return tuple(made)

    return read


def _list(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise _unexpected("a list", data)
    return data  # pyright: ignore[reportUnknownVariableType]


def _object(data: Any, expected: str) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise _unexpected(expected, data)
    return data  # pyright: ignore[reportUnknownVariableType]


def _dict_reader(item_kind: Any) -> _Reader:
    read_item = _reader(item_kind)

    def read(data: Any) -> Any:
        return _members(_object(data, "an object"), lambda _: read_item)

    return read


def _dataclass_reader(kind: Any) -> _Reader:
    expected = f"an object ({kind.__name__})"
    readers: dict[str, _Reader] = {}  # made with the first value, as a type may hold itself

    def read(data: Any) -> Any:
        fields = _object(data, expected)
        if not readers:
            readers.update({name: _reader(hint) for name, hint in typing.get_type_hints(kind).items()})
        if not fields.keys() <= readers.keys():
            raise _MisfitError(f"unknown field {min(fields.keys() - readers.keys())!r}", kind.__name__)
        values = _members(fields, readers.__getitem__)
        try:
            return kind(**values)
        except TypeError as error:
            raise _MisfitError(str(error), kind.__name__) from error

    return read


def _members(data: dict[str, Any], reader_of: Callable[[str], _Reader]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, item in data.items():
        try:
            values[name] = reader_of(name)(item)
        except _MisfitError as misfit:
            raise misfit.inside(name)  # noqa: B904  the same exception
    return values


def _union_reader(kinds: tuple[Any, ...]) -> _Reader:
    has_none, has_int = type(None) in kinds, int in kinds
    readers = tuple(_reader(kind) for kind in kinds if kind is not type(None))

    def read(data: Any) -> Any:
        if data is None and has_none:
            return None
        if has_int and isinstance(data, int) and not isinstance(data, bool):
            return data  # as a float, an integer above 2**53 would be another number
        misfits: list[_MisfitError] = []
        for reader in readers:
            try:
                return reader(data)
            except _MisfitError as misfit:
                misfits.append(misfit)
        raise misfits[0] if len(misfits) == 1 else _MisfitError("fits none of: ", members=misfits)

    return read
