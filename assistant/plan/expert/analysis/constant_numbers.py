"""Values of floating constants of a function: literals, macros, constants of the file and of the function, and arithmetic of these.

Example::

    numbers = ConstantNumbers(tree, function)
    numbers.of(node)      # Number(6.283185307179586, is_float=False) for `2 * PI` with `constexpr double PI = 3.14159265358979323846;`
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from assistant.cuda.calls import given_arguments
from assistant.cuda.functions import Function
from assistant.cuda.macros import macro_texts
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, kept, node_text, parsed_expression, unparenthesized
from assistant.cuda.variables import Variable, locals_of

__all__ = ["ConstantNumbers", "Number"]

_LITERAL = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)([fF]?)")
_OF_LIBRARY = {
    "M_PI": math.pi,
    "M_PI_2": math.pi / 2,
    "M_PI_4": math.pi / 4,
    "M_LN2": math.log(2.0),
    "M_LN10": math.log(10.0),
    "CUDART_PI": math.pi,
    "CUDART_PIO2": math.pi / 2,
    "CUDART_PIO4": math.pi / 4,
    "std::numbers::pi": math.pi,
    "std::numbers::ln2": math.log(2.0),
    "std::numbers::ln10": math.log(10.0),
}
"""Of <math.h> (POSIX.1-2017), CUDA's <math_constants.h> and <numbers> (C++20); those of CUDA have a float twin in ``_F``."""
_FUNCTIONS: Mapping[str, Callable[[float], float]] = {"acos": math.acos, "atan": math.atan, "log": math.log}
_MAX_DEPTH = 8
"""Deepest chain of definitions that is followed."""


class Number(NamedTuple):
    """What a constant expression comes to."""

    value: float
    is_float: bool
    """Of type float; else a double, or an integer."""
    is_integer: bool = False


class ConstantNumbers:
    """The numbers that a function's expressions come to where nothing but the text decides."""

    def __init__(self, tree: SyntaxTree, function: Function) -> None:
        self._tree = tree
        self._function = function
        self._locals = locals_of(tree, function.body)

    def of(self, node: Node) -> Number | None:
        """None where a variable, or a name that is not known for certain, takes part."""
        return self._of(node, 0)

    def meanings(self, name: str) -> tuple[float, ...]:
        """What a macro comes to in each of its definitions, where these differ; none of any other name."""
        texts = dict.fromkeys(self._texts(name))
        parsed = (parsed_expression(text) for text in texts) if len(texts) > 1 else ()
        values = (self._of(node, 1) for node in parsed if node is not None)
        return tuple(value.value for value in values if value is not None)

    def _texts(self, name: str) -> tuple[str, ...]:
        return () if self._is_own(name) else macro_texts(self._tree).get(name, ())

    def _is_own(self, name: str) -> bool:
        return name in self._locals or self._function.parameter(name) is not None

    def _of(self, node: Node, depth: int) -> Number | None:
        node = unparenthesized(node)
        if depth > _MAX_DEPTH:
            return None
        match node.type:
            case "number_literal":
                return _of_literal(node_text(node))
            case "identifier" | "qualified_identifier":
                return self._of_name(node_text(node), depth)
            case "unary_expression":
                argument = node.child_by_field_name("argument")
                value = None if argument is None or not node_text(node).startswith("-") else self._of(argument, depth)
                return None if value is None else value._replace(value=-value.value)
            case "binary_expression":
                return self._of_binary(node, depth)
            case "cast_expression" | "call_expression":
                return self._of_call(node, depth)
            case _:
                return None

    def _of_name(self, name: str, depth: int) -> Number | None:
        """Macros that stand for one number in all files, constants, and names of the library that the program leaves alone."""
        texts = set(self._texts(name))
        if len(texts) == 1:
            parsed = parsed_expression(texts.pop())
            return None if parsed is None else self._of(parsed, depth + 1)
        found = self._locals.get(name, ()) or _constants(self._tree).get(name, ())
        if texts or self._function.parameter(name) is not None or len(found) > 1:
            return None
        if found:
            only = found[0]
            is_plain = only.is_const and not (only.is_pointer or only.is_array or only.is_reference or only.is_volatile)
            value = self._of(only.value, depth + 1) if is_plain and only.value is not None else None
            return None if value is None else _as_type(value, only.type)
        plain = name.removesuffix("_F") if name.startswith("CUDART_") else name
        value = _OF_LIBRARY.get(plain)
        return None if value is None else _as_type(Number(value, False), "float" if plain != name else "double")

    def _of_binary(self, node: Node, depth: int) -> Number | None:
        parts = binary_parts(node)
        if parts is None:
            return None
        left, right = self._of(parts[1], depth), self._of(parts[2], depth)
        if left is None or right is None or parts[0] not in "+-*/" or (parts[0] == "/" and right.value == 0.0):
            return None
        is_integer = left.is_integer and right.is_integer
        if is_integer and parts[0] == "/":
            return None
        is_float = (left.is_float or right.is_float) and all(each.is_float or each.is_integer for each in (left, right))
        a, b = left.value, right.value
        value = {"+": a + b, "-": a - b, "*": a * b}[parts[0]] if parts[0] != "/" else a / b
        return Number(_rounded(value) if is_float else value, is_float, is_integer)

    def _of_call(self, node: Node, depth: int) -> Number | None:
        """Casts, and those functions by which pi and logarithms are written."""
        if node.type == "cast_expression":
            to, inner = node.child_by_field_name("type"), node.child_by_field_name("value")
            value = None if inner is None else self._of(inner, depth)
            return None if value is None or to is None else _as_type(value, node_text(to))
        called, given = node.child_by_field_name("function"), given_arguments(node)
        name = "" if called is None else node_text(called)
        value = self._of(given[0], depth) if len(given) == 1 else None
        if value is None or name in ("float", "double"):
            return None if value is None else _as_type(value, name)
        plain = name.removeprefix("std::")
        compute = _FUNCTIONS.get(plain.removesuffix("f"))
        is_float = plain.endswith("f") or value.is_float
        try:
            result = None if compute is None else compute(value.value)
        except ValueError:
            result = None
        return None if result is None else Number(_rounded(result) if is_float else result, is_float)


@kept
def _constants(tree: SyntaxTree) -> Mapping[str, tuple[Variable, ...]]:
    """Variables outside functions, those of the files before this one included."""
    found: dict[str, tuple[Variable, ...]] = {} if tree.outer is None else dict(_constants(tree.outer))
    for name, variable in _outside(tree):
        found[name] = (*found.get(name, ()), variable)
    return found


def _outside(tree: SyntaxTree) -> Iterator[tuple[str, Variable]]:
    for name, variables in locals_of(tree, tree.root).items():
        for variable in variables:
            parent = variable.node.parent
            if parent is not None and parent.type in ("translation_unit", "declaration_list"):
                yield name, variable


def _of_literal(text: str) -> Number | None:
    match = _LITERAL.fullmatch(text.replace("'", ""))
    if match is None:
        return None
    is_integer = not match[2] and match[1].lstrip("-+").isdecimal()
    value = float(match[1])
    return Number(_rounded(value) if match[2] else value, bool(match[2]), is_integer)


def _as_type(number: Number, name: str) -> Number | None:
    """What a variable of the type holds of it; None of types that are not floating."""
    plain = " ".join(word for word in name.split() if word not in ("const", "constexpr"))
    if plain == "auto":
        return number
    if plain not in ("float", "double"):
        return None
    return Number(_rounded(number.value), True) if plain == "float" else Number(number.value, False)


def _rounded(value: float) -> float:
    """To the nearest float; as it is where none is near."""
    return float(struct.unpack("f", struct.pack("f", value))[0]) if abs(value) < 3e38 else value
