"""A kernel's parameters and a person's values, bound to each other: errors name the argument.

Example::

    bound = bind(signature, {"out": out, "x": x, "n": 1024})
    bound.arrays["x"].address, bound.scalars["n"]       # …, b'\\x00\\x04\\x00\\x00'
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assistant.live.arrays import BindingError, LiveArray, is_array, live_array
from assistant.live.structured import demand_layout
from assistant.model.elements import ElementKind, ElementType, parse_element_type
from assistant.model.source import Parameter
from assistant.model.structs import LayoutOf
from assistant.record import Record
from assistant.workload.arrays import decode, encode, storage_dtype
from assistant.workload.signature import Signature

__all__ = ["Bound", "TextFacts", "bind", "bind_positional"]

_POINTER_BYTES = 8
_COMPLEX_HALVES = {"complex64": "float32", "complex128": "float64"}
"""A complex number is two floats: ``float2`` and ``double2``."""


class TextFacts(Record):
    """What a kernel's text says of its parameters besides their types."""

    layout_of: LayoutOf = lambda spelled: None
    tested_for_null: frozenset[str] = frozenset()
    """Pointers that may be null: the kernel looks whether they are."""


_NO_FACTS = TextFacts()


class Bound(Record):
    """Every parameter of a kernel instance with its value."""

    signature: Signature
    arrays: Mapping[str, LiveArray]
    """By parameter, pointers only, without those that are null."""
    scalars: Mapping[str, bytes]
    """By parameter: the argument's bytes; also of null pointers."""
    structs: Mapping[str, object]
    """By parameter: structs and vectors, as they were given."""

    @property
    def device(self) -> str:
        """Where the arrays are; ``cpu`` without any."""
        return next((array.device for array in self.arrays.values()), "cpu")

    @property
    def numbers(self) -> dict[str, object]:
        """By parameter: what a number of Python's has the value of; structs and vectors are left out."""
        numbers: dict[str, object] = {}
        for parameter in self.signature.parameters:
            element = None if parameter.is_pointer else parse_element_type(parameter.type)
            if element is not None and element.components == 1:
                numbers[parameter.name] = decode(self.scalars[parameter.name], element)[0].item()
        return numbers

    @property
    def values(self) -> dict[str, object]:
        """Arrays, as they were given, and all else, by parameter."""
        return {name: array.owner for name, array in self.arrays.items()} | self.plain

    @property
    def plain(self) -> dict[str, object]:
        """By parameter: all that is no array."""
        return {**self.numbers, **self.structs, **dict.fromkeys(self.nulls)}

    @property
    def nulls(self) -> tuple[str, ...]:
        """Pointers that are null."""
        return tuple(p.name for p in self.signature.parameters if p.is_pointer and p.name not in self.arrays)

    @property
    def size_bytes(self) -> int:
        return sum(array.size_bytes for array in self.arrays.values())


def bind(signature: Signature, values: Mapping[str, object], facts: TextFacts = _NO_FACTS) -> Bound:
    """Raises BindingError for a missing, unknown or unfit argument, and for arrays of several devices."""
    names = [parameter.name for parameter in signature.parameters]
    if "" in names:
        remedy = "give each parameter of the kernel a name: values are bound by it"
        raise BindingError(f"parameter {names.index('') + 1} of {_name(signature)} has no name", remedy)
    takes = f"{_name(signature)} takes ({', '.join(_declared(p) for p in signature.parameters)})"
    missing = [parameter for parameter in signature.parameters if parameter.name not in values]
    unknown = [name for name in values if name not in names]
    if unknown:
        raise BindingError(f"unknown argument {', '.join(unknown)}: {takes}", "give the kernel's own parameters by their names")
    if missing:
        named = ", ".join(parameter.name for parameter in missing)
        raise BindingError(
            f"missing argument {named}: {takes}", f"give {missing[0].name}=… (on a magic's line: --args {missing[0].name}=…)"
        )
    arrays: dict[str, LiveArray] = {}
    scalars: dict[str, bytes] = {}
    structs: dict[str, object] = {}
    for parameter in signature.parameters:
        value = values[parameter.name]
        if not parameter.is_pointer:
            scalars[parameter.name] = _scalar(parameter, value, facts.layout_of)
            if isinstance(value, bytes | np.void | np.ndarray):
                structs[parameter.name] = value
        elif value is None:
            scalars[parameter.name] = _null(parameter, facts)
        else:
            arrays[parameter.name] = _array(parameter, value, facts.layout_of)
    _demand_one_device(tuple(arrays.values()))
    return Bound(signature, arrays, scalars, structs)


def bind_positional(signature: Signature, values: Sequence[object], named: Mapping[str, object], facts: TextFacts = _NO_FACTS) -> Bound:
    """As a call binds them. Raises BindingError as ``bind`` does, and for too many of them."""
    if len(values) > len(signature.parameters):
        expected = f"{_name(signature)} takes {len(signature.parameters)} arguments"
        raise BindingError(f"{len(values)} arguments given: {expected}", "leave out what is too much")
    given = {parameter.name: value for parameter, value in zip(signature.parameters, values, strict=False)}
    twice = [name for name in named if name in given]
    if twice:
        raise BindingError(f"argument {twice[0]} is given twice", "give it by position or by name")
    return bind(signature, given | dict(named), facts)


def _null(parameter: Parameter, facts: TextFacts) -> bytes:
    if parameter.name not in facts.tested_for_null:
        remedy = f"pass an array; None is taken where the kernel tests the pointer: if ({parameter.name} != nullptr)"
        raise BindingError(f"{parameter.name}: expected an array for `{_declared(parameter)}`, got None", remedy)
    return bytes(_POINTER_BYTES)


def _array(parameter: Parameter, value: object, layout_of: LayoutOf) -> LiveArray:
    name, declared = parameter.name, _declared(parameter)
    if not is_array(value):
        remedy = f"pass a NumPy, torch, CuPy or pycuda array for {name}"
        raise BindingError(f"{name}: expected an array for `{declared}`, got {type(value).__name__}", remedy)
    array = live_array(name, value)
    if not array.size_bytes:
        raise BindingError(f"{name}: expected at least one value for `{declared}`, got an empty array", "pass an array that holds values")
    _demand_type(parameter, array)
    demand_layout(parameter, getattr(value, "dtype", None), layout_of(parameter.element_type or ""))
    if array.is_read_only and not parameter.is_const:
        raise BindingError(f"{name}: expected a writable array for `{declared}`, got one that is read-only", f"pass {name}.copy()")
    return array


def _demand_type(parameter: Parameter, array: LiveArray) -> None:
    element = parse_element_type(parameter.element_type or "")
    if element is None:
        return  # void and structs: the kernel alone knows
    expected = _dtype_name(element)
    given = array.dtype
    if element.components == 2 and given in _COMPLEX_HALVES:
        given = _COMPLEX_HALVES[given]
    if given != expected:
        what = expected if element.components == 1 else f"{expected}, {element.components} to each {element.name}"
        message = f"{array.name}: expected {what} for `{_declared(parameter)}`, got a {array.words}"
        raise BindingError(message, _conversion(array, expected))
    if array.size_bytes % element.size_bytes:
        message = f"{array.name}: expected whole {element.name} values ({element.size_bytes} bytes each), got {array.size_bytes} bytes"
        raise BindingError(message, "pass an array whose last dimension is a multiple of it")


def _scalar(parameter: Parameter, value: Any, layout_of: LayoutOf) -> bytes:
    name, declared = parameter.name, _declared(parameter)
    element = parse_element_type(parameter.type)
    if is_array(value) and getattr(value, "ndim", 1) == 0 and getattr(value.dtype, "names", None) is not None:
        value = value[()]
    if isinstance(value, bytes | np.void):
        layout = layout_of(parameter.type)
        if isinstance(value, np.void):
            demand_layout(parameter, value.dtype, layout)
        size_bytes = (None if layout is None else layout.size_bytes) if element is None else element.size_bytes
        return _demanded_size(parameter, element, size_bytes, value if isinstance(value, bytes) else value.tobytes())
    if element is None or element.components != 1:
        remedy = "pass an element of a structured NumPy array (a dtype with align=True), or its bytes"
        raise BindingError(f"{name}: expected the bytes of a `{parameter.type}`, got {type(value).__name__}", remedy)
    if is_array(value) and getattr(value, "ndim", 1) == 0:
        value = value.item()
    if is_array(value):
        raise BindingError(f"{name}: expected a number for `{declared}`, got a {live_array(name, value).words}", "pass one number")
    return _number(parameter, element, value)


def _demanded_size(parameter: Parameter, element: ElementType | None, size_bytes: int | None, data: bytes) -> bytes:
    """The bytes as they are given; ``size_bytes`` is None for a struct whose layout the text does not say."""
    if size_bytes is None or len(data) == size_bytes:
        return data
    message = f"{parameter.name}: expected {size_bytes} bytes for `{_declared(parameter)}`, got {len(data)}"
    if element is None:
        remedy = f"give all of {parameter.type} as it is in memory, gaps included: NumPy's dtypes have them with align=True"
        raise BindingError(message, remedy)
    raise BindingError(message, f"pass a number for {parameter.name}" if element.components == 1 else "pass all of its components")


def _number(parameter: Parameter, element: ElementType, value: Any) -> bytes:
    name, declared = parameter.name, _declared(parameter)
    value = value.item() if hasattr(value, "item") else value
    if not isinstance(value, bool | int | float):
        raise BindingError(f"{name}: expected a number for `{declared}`, got {type(value).__name__}", f"pass a number for {name}")
    if element.is_floating:
        return _encoded(parameter, element, _as_float(parameter, value))
    if isinstance(value, float) and not value.is_integer():
        raise BindingError(f"{name}: expected a whole number for `{declared}`, got {value}", f"pass int({name})")
    whole = int(value) if element.kind is not ElementKind.BOOL else int(bool(value))
    limits = np.iinfo(storage_dtype(element)) if element.kind is not ElementKind.BOOL else None
    if limits is not None and not limits.min <= whole <= limits.max:
        message = f"{name}: expected {limits.min} to {limits.max} for `{declared}`, got {whole}"
        raise BindingError(message, "widen the kernel's parameter, or pass less")
    return np.array([whole]).astype(storage_dtype(element)).tobytes() if limits is None else np.array([whole], limits.dtype).tobytes()


def _as_float(parameter: Parameter, value: float) -> float:
    try:
        return float(value)
    except OverflowError as error:
        message = f"{parameter.name}: expected a number that a `{parameter.type}` can hold, got one of more than 300 digits"
        raise BindingError(message, "pass less") from error


def _encoded(parameter: Parameter, element: ElementType, value: float) -> bytes:
    data = encode(np.array([value]), element)
    if math.isfinite(value) and not np.isfinite(decode(data, element)[0]):
        message = f"{parameter.name}: expected a number that a `{parameter.type}` can hold, got {value:g}, which would be infinite"
        raise BindingError(message, "widen the kernel's parameter, or pass less")
    return data


def _demand_one_device(arrays: tuple[LiveArray, ...]) -> None:
    for array in arrays[1:]:
        first = arrays[0]
        if array.device != first.device:
            message = f"{array.name}: expected an array on {first.device}, where {first.name} is, got one on {array.device}"
            raise BindingError(message, f"move {array.name} to {first.device}, or {first.name} to {array.device}")


def _dtype_name(element: ElementType) -> str:
    """NumPy's name of a component."""
    if element.kind is ElementKind.BFLOAT:
        return "bfloat16"
    return "bool" if element.kind is ElementKind.BOOL else storage_dtype(element).name


def _conversion(array: LiveArray, expected: str) -> str:
    if array.kind == "torch tensor":
        return f"pass {array.name}.to(torch.{expected}), or change the kernel's parameter"
    return f"pass {array.name}.astype('{expected}'), or change the kernel's parameter"


def _declared(parameter: Parameter) -> str:
    return f"{parameter.type}{'' if parameter.type.endswith('*') else ' '}{parameter.name}"


def _name(signature: Signature) -> str:
    return signature.instance
