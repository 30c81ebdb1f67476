"""How the value of a declared argument is written: ``randn(n*n)``, ``full(0.5, n)``, ``n``, a number, a table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from difflib import get_close_matches
from enum import StrEnum
from typing import cast

from assistant.cuda.reading import split_arguments
from assistant.model.workload import DeclaredArgument, Generator
from assistant.record import Record

__all__ = ["ValueProblem", "ValueProblemCode", "parse_value"]

_CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*\((.*)\)\s*", re.S)
_FORMS = {
    Generator.EMPTY: ("count",),
    Generator.ZEROS: ("count",),
    Generator.ONES: ("count",),
    Generator.RANDN: ("count",),
    Generator.RAND: ("count",),
    Generator.ARANGE: ("count",),
    Generator.FULL: ("value", "count"),
    Generator.RANDINT: ("low", "high", "count"),
}
_SCALAR_FUNCTIONS = ("ceil", "floor", "min", "max")


class ValueProblemCode(StrEnum):
    """Why a value cannot be read; `ValueProblem.message` says the same about one value, in words."""

    NO_VALUE = "no_value"
    """Neither text, number nor table."""
    UNKNOWN_GENERATOR = "unknown_generator"
    ARGUMENT_COUNT = "argument_count"
    """The generator takes more or fewer arguments."""
    FIELD_VALUE = "field_value"
    """A struct's field is neither a number nor an expression."""
    NO_FIELDS = "no_fields"


class ValueProblem(Record):
    """Why a declared argument's value cannot be read."""

    code: ValueProblemCode
    message: str


def parse_value(name: str, value: object, buffers: Mapping[str, DeclaredArgument]) -> DeclaredArgument | ValueProblem:
    """The argument that ``name = value`` declares; ``buffers`` are names that steps may refer to."""
    if isinstance(value, dict):
        return _struct(name, cast("dict[str, object]", value))
    number = _number(value)
    if number is not None:
        return DeclaredArgument(name, Generator.SCALAR, "1", (number,))
    if not isinstance(value, str):
        return ValueProblem(ValueProblemCode.NO_VALUE, f'{name} must be a value such as "randn(n)", a number or a table, not {value!r}')
    if value.strip() in buffers:
        shared = buffers[value.strip()]
        return DeclaredArgument(name, shared.generator, shared.count, shared.parameters, shared.fields, shared.name)
    call = _CALL.fullmatch(value)
    if call is None or call[1] in _SCALAR_FUNCTIONS:
        return DeclaredArgument(name, Generator.SCALAR, "1", (value.strip(),))
    return _generated(name, call[1], split_arguments(call[2]))


def _generated(name: str, function: str, arguments: tuple[str, ...]) -> DeclaredArgument | ValueProblem:
    forms = {generator.value: generator for generator in _FORMS}
    if function not in forms:
        near = get_close_matches(function, forms, 1)
        hint = f"did you mean '{near[0]}'?" if near else f"expected one of: {', '.join(forms)}"
        return ValueProblem(ValueProblemCode.UNKNOWN_GENERATOR, f"{name}: unknown generator '{function}', {hint}")
    generator = forms[function]
    form = _FORMS[generator]
    if len(arguments) != len(form) or not all(arguments):
        return ValueProblem(ValueProblemCode.ARGUMENT_COUNT, f"{name}: expected {function}({', '.join(form)})")
    return DeclaredArgument(name, generator, arguments[-1], arguments[:-1])


def _struct(name: str, table: Mapping[str, object]) -> DeclaredArgument | ValueProblem:
    fields = list[tuple[str, str]]()
    for field, value in table.items():
        text = value.strip() if isinstance(value, str) else _number(value)
        if text is None:
            return ValueProblem(ValueProblemCode.FIELD_VALUE, f"{name}.{field} must be a number or an expression, not {value!r}")
        fields.append((field, text))
    if not fields:
        return ValueProblem(ValueProblemCode.NO_FIELDS, f"{name}: a struct needs at least one field")
    return DeclaredArgument(name, Generator.STRUCT, "1", (), tuple(fields))


def _number(value: object) -> str | None:
    """A TOML number or boolean as text of the grammar; None for anything else, ``nan`` and ``inf`` included."""
    if isinstance(value, bool | int):
        return str(int(value))
    if isinstance(value, float) and value == value and abs(value) != float("inf"):
        return format(Decimal(repr(value)), "f")
    return None
