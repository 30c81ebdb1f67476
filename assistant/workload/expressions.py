"""Size expressions of a workload block, evaluated in exact rational arithmetic.

Grammar: ``+ - * / %``, parentheses, ``ceil floor min max``, integers, decimals and size names; never ``eval``.
``/`` is exact (``n/32`` of ``n = 48`` is 3/2), ``%`` has the sign of its right side; counts must come out integral.

Example::

    evaluate("ceil(n/32)", {"n": 1000})        # Fraction(32)
    evaluate_count("n/3", {"n": 4}, "grid")    # ExpressionProblem: grid = n/3 is 4/3 …
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from enum import StrEnum
from fractions import Fraction
from math import ceil, floor

from assistant.record import Record

__all__ = ["ExpressionProblem", "ExpressionProblemCode", "evaluate", "evaluate_count", "names_in"]

MAX_LENGTH = 1000
"""Characters of one expression; a longer one is a mistake, and a bound keeps the recursion shallow."""
MAX_DEPTH = 50
"""Nested parentheses of an expression."""

_TOKEN = re.compile(r"\s*(?:(?P<number>\d+(?:\.\d*)?|\.\d+)|(?P<name>[A-Za-z_]\w*)|(?P<symbol>[-+*/%(),]))")
_FUNCTIONS = ("ceil", "floor", "min", "max")


class ExpressionProblemCode(StrEnum):
    """Why an expression has no value; `ExpressionProblem.message` says the same about one expression, in words."""

    EMPTY = "empty"
    TOO_LONG = "too_long"
    TOO_DEEP = "too_deep"
    ENDS_EARLY = "ends_early"
    UNEXPECTED = "unexpected"
    """A character or a word that cannot stand there."""
    SYMBOL_MISSING = "symbol_missing"
    """A bracket, as after a function's name."""
    UNKNOWN_FUNCTION = "unknown_function"
    ARGUMENT_COUNT = "argument_count"
    """A function is given more values than it takes."""
    UNKNOWN_SIZE = "unknown_size"
    DIVISION_BY_ZERO = "division_by_zero"
    NOT_WHOLE = "not_whole"
    """A count with a fraction."""
    NEGATIVE = "negative"
    """A count below 0."""


class ExpressionProblem(Record):
    """Why an expression has no value."""

    code: ExpressionProblemCode
    message: str
    """Names the expression."""


class _RefusedError(Exception):
    """Leaves the recursive descent; never escapes this module."""

    def __init__(self, code: ExpressionProblemCode, message: str) -> None:
        super().__init__(message)
        self.code = code


def evaluate(text: str, sizes: Mapping[str, int]) -> Fraction | ExpressionProblem:
    """The exact value of ``text`` with the size names bound to ``sizes``."""
    try:
        return _Parser(text, sizes).parse()
    except _RefusedError as refusal:
        return ExpressionProblem(refusal.code, f"'{text}': {refusal}")


def evaluate_count(text: str, sizes: Mapping[str, int], what: str) -> int | ExpressionProblem:
    """A whole number ≥ 0, or the reason with the shape at which ``text`` is none."""
    value = evaluate(text, sizes)
    if isinstance(value, ExpressionProblem):
        return ExpressionProblem(value.code, f"{what} = {value.message}")
    at = ", ".join(f"{name}={size}" for name, size in sizes.items()) or "no sizes"
    if value.denominator != 1:
        return ExpressionProblem(
            ExpressionProblemCode.NOT_WHOLE, f"{what} = '{text}' is {value} at {at}, expected a whole number (use ceil or floor)"
        )
    if value < 0:
        return ExpressionProblem(ExpressionProblemCode.NEGATIVE, f"{what} = '{text}' is {value} at {at}, expected a number from 0 up")
    return int(value)


def names_in(text: str) -> frozenset[str] | ExpressionProblem:
    """The size names that ``text`` uses; a problem when it does not parse."""
    try:
        parser = _Parser(text, None)
        parser.parse()
    except _RefusedError as refusal:
        return ExpressionProblem(refusal.code, f"'{text}': {refusal}")
    return frozenset(parser.names)


class _Parser:
    """Recursive descent over one expression; with ``sizes`` None every name is 1 and divisors are not checked."""

    def __init__(self, text: str, sizes: Mapping[str, int] | None) -> None:
        if len(text) > MAX_LENGTH:
            raise _RefusedError(ExpressionProblemCode.TOO_LONG, f"longer than {MAX_LENGTH} characters")
        self._tokens = list(_tokens(text))
        self._position = 0
        self._depth = 0
        self._sizes = sizes
        self.names: set[str] = set()

    def parse(self) -> Fraction:
        value = self._sum()
        if self._position < len(self._tokens):
            raise _RefusedError(ExpressionProblemCode.UNEXPECTED, f"unexpected '{self._tokens[self._position]}'")
        return value

    def _peek(self) -> str | None:
        return self._tokens[self._position] if self._position < len(self._tokens) else None

    def _take(self) -> str:
        token = self._peek()
        if token is None:
            raise _RefusedError(ExpressionProblemCode.ENDS_EARLY, "ends too early")
        self._position += 1
        return token

    def _expect(self, symbol: str) -> None:
        token = self._peek()
        if token != symbol:
            place = f"before '{token}'" if token is not None else "at the end"
            raise _RefusedError(ExpressionProblemCode.SYMBOL_MISSING, f"expected '{symbol}' {place}")
        self._position += 1

    def _sum(self) -> Fraction:
        value = self._product()
        while self._peek() in ("+", "-"):
            value = value + self._product() if self._take() == "+" else value - self._product()
        return value

    def _product(self) -> Fraction:
        value = self._unary()
        while (operator := self._peek()) in ("*", "/", "%"):
            self._take()
            right = self._unary()
            if operator == "*":
                value *= right
                continue
            if right == 0:
                if self._sizes is not None:
                    raise _RefusedError(ExpressionProblemCode.DIVISION_BY_ZERO, "division by zero")
                right = Fraction(1)
            value = value / right if operator == "/" else value % right
        return value

    def _unary(self) -> Fraction:
        sign = 1
        while self._peek() in ("+", "-"):
            sign = -sign if self._take() == "-" else sign
        return sign * self._atom()

    def _atom(self) -> Fraction:
        token = self._take()
        if token == "(":
            value = self._nested()
            self._expect(")")
            return value
        if token[0].isdigit() or token[0] == ".":
            return Fraction(token)
        if token[0].isalpha() or token[0] == "_":
            return self._call(token) if self._peek() == "(" else self._size(token)
        raise _RefusedError(ExpressionProblemCode.UNEXPECTED, f"unexpected '{token}'")

    def _nested(self) -> Fraction:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _RefusedError(ExpressionProblemCode.TOO_DEEP, f"more than {MAX_DEPTH} nested parentheses")
        value = self._sum()
        self._depth -= 1
        return value

    def _call(self, name: str) -> Fraction:
        if name not in _FUNCTIONS:
            raise _RefusedError(
                ExpressionProblemCode.UNKNOWN_FUNCTION, f"unknown function '{name}', expected one of {', '.join(_FUNCTIONS)}"
            )
        self._expect("(")
        values = [self._nested()]
        while self._peek() == ",":
            self._take()
            values.append(self._nested())
        self._expect(")")
        if name in ("ceil", "floor"):
            if len(values) != 1:
                raise _RefusedError(ExpressionProblemCode.ARGUMENT_COUNT, f"{name} takes one value, not {len(values)}")
            return Fraction(ceil(values[0]) if name == "ceil" else floor(values[0]))
        return min(values) if name == "min" else max(values)

    def _size(self, name: str) -> Fraction:
        self.names.add(name)
        if self._sizes is None:
            return Fraction(1)
        if name not in self._sizes:
            near = get_close_matches(name, self._sizes, 1)
            hint = f", did you mean '{near[0]}'?" if near else f", known: {', '.join(self._sizes) or 'none'}"
            raise _RefusedError(ExpressionProblemCode.UNKNOWN_SIZE, f"unknown size '{name}'{hint}")
        return Fraction(self._sizes[name])


def _tokens(text: str) -> list[str]:
    tokens, position, end = list[str](), 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            raise _RefusedError(ExpressionProblemCode.UNEXPECTED, f"unexpected '{text[position:].strip()[:1]}'")
        tokens.append(match[match.lastgroup or 0])
        position = match.end()
    if not tokens:
        raise _RefusedError(ExpressionProblemCode.EMPTY, "empty expression")
    return tokens
