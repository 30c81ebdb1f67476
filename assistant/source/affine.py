"""Index expressions as polynomials in ``threadIdx``, ``blockIdx``, loop variables and parameters.

What a name stands for comes from ``names``. A loop variable that starts at a number is a symbol of its own; one that
starts at ``threadIdx.x`` and grows by ``blockDim.x`` is ``threadIdx.x + blockDim.x*trip(i)``. What a polynomial cannot
express (``/``, ``%``, ``>>``, a call, a load, a variable set twice) becomes one opaque symbol, and the form knows the
names that its value comes from. Arithmetic is taken as exact: wrap-around of 32-bit values is not modelled.

Example::

    names = names_of(tree, kernel)
    form = index_form(index, names)                  # of ``in[y * width + x]``
    str(form.coefficient("threadIdx.y"))             # 'width'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from assistant.source.names import MAX_DEPTH, Definition, Names
from assistant.source.polynomial import Polynomial, constant, symbol
from assistant.source.queries import unparenthesized
from assistant.source.syntax import Node

__all__ = ["IndexForm", "index_form", "integer_constant"]

_INTEGER = re.compile(r"([+-]?)(0[xX][0-9a-fA-F']+|0[bB][01']+|\d[\d']*)(?:[uU]?[lL]{0,2}|[lL]{1,2}[uU])")
_MAX_SHIFT = 62


@dataclass(frozen=True)
class IndexForm:
    """An integer expression with its definitions put in."""

    polynomial: Polynomial
    opaque: Mapping[str, frozenset[str]]
    """Symbols whose value is not a plain quantity, with all the names that it may come from."""
    unexplained: frozenset[str]
    """Symbols that anything may hide behind: a macro's variable, a call, the result of inline assembly."""

    def depends_on(self, name: str) -> bool:
        """Can the value change when ``name`` does?"""
        return name in self.polynomial.symbols or self._is_hidden(name)

    def coefficient(self, name: str) -> Polynomial | None:
        """By how much the value grows when ``name`` grows by 1; None when that is not known or not the same everywhere."""
        return None if self._is_hidden(name) else self.polynomial.coefficient(name)

    def _is_hidden(self, name: str) -> bool:
        symbols = self.polynomial.symbols
        return bool(self.unexplained & symbols) or any(name in self.opaque[s] for s in symbols if s in self.opaque)


def index_form(node: Node, names: Names) -> IndexForm:
    """The expression as a polynomial; every expression has one, at worst a single opaque symbol."""
    opaque: dict[str, frozenset[str]] = {}
    polynomial = _Reader(names, opaque).read(Definition(names.tree, node), 0)
    unexplained = {s for s, origins in opaque.items() if not names.is_explained(origins)}
    return IndexForm(polynomial, opaque, frozenset(unexplained))


def integer_constant(node: Node, names: Names) -> int | None:
    """The number that an expression of literals, macros and constants comes to; None when it is not one."""
    return index_form(node, names).polynomial.value


class _Reader:
    """One reading of one expression; collects the opaque symbols it meets."""

    def __init__(self, names: Names, opaque: dict[str, frozenset[str]]) -> None:
        self._names = names
        self._opaque = opaque

    def read(self, at: Definition, depth: int) -> Polynomial:
        node = unparenthesized(at.node)
        at = Definition(at.tree, node)
        text = at.tree.text(node)
        if node.type == "number_literal" and (match := _INTEGER.fullmatch(text)):
            magnitude = _integer(match[2].replace("'", ""))
            return constant(-magnitude if match[1] == "-" else magnitude)
        if node.type == "identifier":
            return self._name(text, depth)
        if node.type == "field_expression":
            return self._plain_name("".join(text.split()))
        inner = _behind_cast(node)
        if inner is not None:
            return self.read(Definition(at.tree, inner), depth)
        if node.type == "unary_expression" and text[:1] in "+-":
            value = self._part(at, "argument", depth)
            return -value if text.startswith("-") else value
        if node.type == "binary_expression":
            return self._binary(at, depth)
        return self._unknown(at)

    def _name(self, name: str, depth: int) -> Polynomial:
        definition = self._names.definitions.get(name)
        if definition is not None and depth <= MAX_DEPTH:
            return self.read(definition, depth + 1)
        loop = self._names.loops.get(name)
        if loop is not None and depth <= MAX_DEPTH:
            start = self.read(loop.start, depth + 1)
            if start.value is not None:
                return symbol(name)
            step = constant(loop.sign) if loop.step is None else constant(loop.sign) * self.read(loop.step, depth + 1)
            return start + step * symbol(f"trip({name})")
        return self._plain_name(name)

    def _plain_name(self, name: str) -> Polynomial:
        if not self._names.is_quantity(name):
            self._opaque[name] = self._names.origins(name)
        return symbol(name)

    def _part(self, at: Definition, field: str, depth: int) -> Polynomial:
        child = at.node.child_by_field_name(field)
        return self._unknown(at) if child is None else self.read(Definition(at.tree, child), depth)

    def _binary(self, at: Definition, depth: int) -> Polynomial:
        operator = at.node.child_by_field_name("operator")
        left, right = self._part(at, "left", depth), self._part(at, "right", depth)
        sign = "" if operator is None else at.tree.text(operator)
        if sign == "+":
            return left + right
        if sign == "-":
            return left - right
        if sign == "*":
            return left * right
        if sign == "<<" and right.value is not None and 0 <= right.value <= _MAX_SHIFT:
            return left * constant(1 << right.value)
        if sign in _FOLDED and left.value is not None and right.value is not None:
            folded = _FOLDED[sign](left.value, right.value)
            if folded is not None:
                return constant(folded)
        return self._unknown(at)

    def _unknown(self, at: Definition) -> Polynomial:
        name = " ".join(at.tree.text(at.node).split())
        self._opaque[name] = self._names.origins_of(at)
        return symbol(name)


def _behind_cast(node: Node) -> Node | None:
    """The operand of ``(int)x``, ``size_t(x)`` or ``static_cast<int>(x)``; None for anything else."""
    if node.type == "cast_expression":
        return node.child_by_field_name("value")
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if node.type != "call_expression" or function is None or arguments is None or arguments.named_child_count != 1:
        return None
    name = function.child_by_field_name("name")
    is_static_cast = function.type == "template_function" and name is not None and name.text == b"static_cast"
    return arguments.named_children[0] if function.type == "primitive_type" or is_static_cast else None


def _integer(digits: str) -> int:
    """A C++ integer literal without separators and suffix; a leading 0 means octal."""
    is_octal = len(digits) > 1 and digits[0] == "0" and digits[1] in "01234567"
    return int(digits, 8 if is_octal and set(digits) <= set("01234567") else 10 if is_octal else 0)


def _quotient(left: int, right: int) -> int | None:
    """C++ truncates towards zero; Python floors."""
    if right == 0:
        return None
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _remainder(left: int, right: int) -> int | None:
    quotient = _quotient(left, right)
    return None if quotient is None else left - quotient * right


def _right_shift(left: int, right: int) -> int | None:
    return left >> right if 0 <= right <= _MAX_SHIFT else None


_FOLDED: Mapping[str, Callable[[int, int], int | None]] = {
    "/": _quotient,
    "%": _remainder,
    ">>": _right_shift,
    "&": lambda left, right: left & right,
    "|": lambda left, right: left | right,
    "^": lambda left, right: left ^ right,
}
