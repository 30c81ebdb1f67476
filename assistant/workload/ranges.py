"""How large the value of a C expression in a kernel can get, as a polynomial in the kernel's sizes.

Every value is taken to be at least 0, as indices are; what is not understood has no limit (None).

Example::

    Ranges(read_kernel(body), Known(sizes={"n"}, extents={"global_x": n})).highest("i * n + (n - 1)")    # 'n*n - 1'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from fractions import Fraction

from assistant.record import Record
from assistant.workload.kernel_text import KernelText
from assistant.workload.polynomial import ONE, ZERO, Polynomial

__all__ = ["Known", "Ranges", "probe"]

_TOKEN = re.compile(r"\s*(\d+\.?\d*[uUlLfF]*|[A-Za-z_]\w*|<<|>>|<=|>=|==|!=|&&|\|\||->|[-+*/%()\[\],?:<>&|^!~.])")
_LEVELS = (("||", "&&"), ("|",), ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">="), ("<<", ">>"), ("+", "-"), ("*", "/", "%"))
_MAX_DEPTH = 24
_FIRST_PROBE = 1009
_PROBE_STEP = 16


class Known(Record):
    """What names stand for."""

    sizes: frozenset[str] = frozenset()
    """Integer parameters; each stands for itself."""
    values: Mapping[str, int] = field(default_factory=dict[str, int])
    """Constants of the source and template arguments, and ``blockDim_x`` …"""
    extents: Mapping[str, Polynomial] = field(default_factory=dict[str, Polynomial])
    """How many values ``global_x``, ``blockIdx_x``, ``threadIdx_x`` … take, counting from 0."""
    element_limits: Mapping[str, Polynomial] = field(default_factory=dict[str, Polynomial])
    """What the elements of integer arrays stay below."""

    @property
    def exact(self) -> frozenset[str]:
        """Names of one value each."""
        return self.sizes | frozenset(self.values)


def probe(polynomial: Polynomial) -> Fraction:
    """A value to order polynomials by: every name stands for about a thousand, no two for the same."""
    return polynomial.at({name: _FIRST_PROBE + _PROBE_STEP * index for index, name in enumerate(sorted(polynomial.names))})


class _UnknownError(Exception):
    """Leaves the evaluation; never escapes this module."""


class Ranges:
    """Evaluates expressions of one kernel."""

    def __init__(self, kernel: KernelText, known: Known) -> None:
        self._kernel = kernel
        self._known = known

    def highest(self, expression: str) -> Polynomial | None:
        """The largest value; None where it cannot be told."""
        return self._highest(expression, frozenset())

    def _highest(self, expression: str, open_names: frozenset[str]) -> Polynomial | None:
        tokens = _TOKEN.findall(expression)
        if "".join(tokens) != re.sub(r"\s+", "", expression) or len(open_names) > _MAX_DEPTH:
            return None
        reader = _Reader(tokens, lambda name: self._of_name(name, open_names), self._known.exact, self._known.element_limits)
        try:
            return reader.read()
        except (_UnknownError, RecursionError):
            return None

    def _of_name(self, name: str, open_names: frozenset[str]) -> Polynomial | None:
        known = self._known
        if name in known.values:
            return Polynomial.of(known.values[name])
        limits = [] if name in open_names else self._limits(name, open_names | {name})
        if limits:
            return max(limits, key=probe)
        if name in known.extents:
            return known.extents[name] - ONE
        if name in known.sizes:
            return Polynomial.of(name)
        settings = self._kernel.set_to.get(name, ())
        if not settings or name in open_names or name in self._kernel.growing:
            return None
        highs = [self._highest(text, open_names | {name}) for text in settings]
        found = [high for high in highs if high is not None]
        return max(found, key=probe) if len(found) == len(highs) else None

    def _limits(self, name: str, open_names: frozenset[str]) -> list[Polynomial]:
        """What comparisons say of a variable; those with a constant only where there are no others."""
        highs = [self._highest(text, open_names) for text in self._kernel.below.get(name, ()) if name not in self._known.sizes]
        step = self._kernel.steps.get(name, "1")
        last = Polynomial.of(int(step) if step.isdigit() else self._known.values.get(step, 1))  # steps divide what they walk over
        limits = [high - last for high in highs if high is not None]
        return [limit for limit in limits if limit.constant is None] or ([] if self._is_defined(name) else limits)

    def _is_defined(self, name: str) -> bool:
        is_set = name in self._kernel.set_to and name not in self._kernel.growing
        return is_set or name in self._known.extents


class _Value(Record):
    """What an expression may be."""

    low: Polynomial
    high: Polynomial


def _exactly(value: Polynomial) -> _Value:
    return _Value(value, value)


def _up_to(high: Polynomial) -> _Value:
    return _Value(ZERO, high)


class _Reader:
    """Recursive descent over one expression."""

    def __init__(
        self, tokens: list[str], of_name: Callable[[str], Polynomial | None], sizes: frozenset[str], limits: Mapping[str, Polynomial]
    ) -> None:
        self._tokens = tokens
        self._of_name = of_name
        self._sizes = sizes
        self._element_limits = limits
        self._position = 0

    def read(self) -> Polynomial:
        """The largest value of the whole expression; raises ``_UnknownError``."""
        value = self._choice()
        if self._position != len(self._tokens):
            raise _UnknownError
        return value.high

    def _next(self) -> str:
        return self._tokens[self._position] if self._position < len(self._tokens) else ""

    def _take(self, expected: str | None = None) -> str:
        token = self._next()
        if not token or (expected is not None and token != expected):
            raise _UnknownError
        self._position += 1
        return token

    def _choice(self) -> _Value:
        value = self._binary(0)
        if self._next() != "?":
            return value
        self._take()
        first = self._choice()
        self._take(":")
        return _up_to(max(first.high, self._choice().high, key=probe))

    def _binary(self, level: int) -> _Value:
        if level == len(_LEVELS):
            return self._unary()
        value = self._binary(level + 1)
        while self._next() in _LEVELS[level]:
            operator = self._take()
            value = _combined(operator, value, self._binary(level + 1))
        return value

    def _unary(self) -> _Value:
        token = self._take()
        if token == "-":
            value = self._unary()
            return _Value(-value.high, -value.low)
        if token == "!":
            self._unary()
            return _up_to(ONE)
        if token == "(":
            value = self._choice()
            self._take(")")
            return value
        if token[0].isdigit():
            return _exactly(Polynomial.of(Fraction(token.rstrip("uUlLfF"))))
        if not token.isidentifier():
            raise _UnknownError
        return self._named(token)

    def _named(self, name: str) -> _Value:
        if self._next() == "(" and name in ("min", "max"):
            self._take()
            first = self._choice()
            self._take(",")
            second = self._choice()
            self._take(")")
            return _up_to((min if name == "min" else max)(first.high, second.high, key=probe))
        if self._next() == "[" and name in self._element_limits:
            self._skip_index()
            return _up_to(self._element_limits[name] - ONE)
        if self._next() in ("(", "[", ".", "->"):
            raise _UnknownError
        value = self._of_name(name)
        if value is None:
            raise _UnknownError
        return _exactly(value) if name in self._sizes else _up_to(value)

    def _skip_index(self) -> None:
        depth = 0
        while True:
            token = self._take()
            depth += (token == "[") - (token == "]")
            if depth == 0:
                return


def _combined(operator: str, left: _Value, right: _Value) -> _Value:
    match operator:
        case "+":
            return _Value(left.low + right.low, left.high + right.high)
        case "-":
            return _Value(left.low - right.high, left.high - right.low)
        case "*":
            return _Value(left.low * right.low, left.high * right.high)
        case "/":
            return _up_to(_quotient(left.high, right.high))
        case "%":
            return _up_to(right.high - ONE)
        case "&":
            return _up_to(min(left.high, right.high, key=probe))
        case "<<" | ">>":
            power = _power_of_two(right.high)
            return _up_to(left.high * power if operator == "<<" else _quotient(left.high, power))
        case "<" | ">" | "<=" | ">=" | "==" | "!=" | "&&" | "||":
            return _up_to(ONE)
        case _:
            raise _UnknownError


def _quotient(left: Polynomial, right: Polynomial) -> Polynomial:
    if left.constant is not None and right.constant:
        return Polynomial.of(left.constant // right.constant)
    quotient = left.divided(right)
    if quotient is None:
        raise _UnknownError
    return quotient.floored if right.constant is not None else quotient  # (n + 15)/16 is n/16 of whole tiles


def _power_of_two(exponent: Polynomial) -> Polynomial:
    value = exponent.constant
    if value is None or value.denominator != 1 or not 0 <= value < 64:
        raise _UnknownError
    return Polynomial.of(1 << int(value))
