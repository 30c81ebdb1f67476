"""How large the value of a C expression in a kernel can get, as a polynomial in the kernel's sizes.

Every value is taken to be at least 0, as indices are; what is not understood has no limit (None).

Example::

    Ranges(read_kernel(names), KnownNames(sizes={"n"}, extents={"global_x": n})).highest(node)    # 'n*n - 1' of `i * n + (n - 1)`
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from fractions import Fraction

from assistant.cuda.bounds import Bound
from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.sums import Term
from assistant.cuda.syntax import Node, binary_parts, node_text, without_comments
from assistant.record import Record
from assistant.workload.kernel_text import KernelText
from assistant.workload.polynomial import ONE, ZERO, Polynomial

__all__ = ["KnownNames", "Ranges", "probe"]

_MAX_DEPTH = 24
_FIRST_PROBE = 1009
_PROBE_STEP = 16
_WHOLE_WORD = 0xFFFF_FFFF
"""A mask of all bits limits nothing."""
_NO_NAMES = Scope({}, {}, {})


class KnownNames(Record):
    """What names stand for."""

    sizes: frozenset[str] = frozenset()
    """Integer parameters; each stands for itself."""
    values: Mapping[str, int] = field(default_factory=dict[str, int])
    """Constants of the source and template arguments, and ``blockDim_x`` …"""
    extents: Mapping[str, Polynomial] = field(default_factory=dict[str, Polynomial])
    """How many values ``global_x``, ``blockIdx_x``, ``threadIdx_x`` … take, counting from 0."""
    element_limits: Mapping[str, Polynomial] = field(default_factory=dict[str, Polynomial])
    """What the elements of integer arrays stay below."""
    aliases: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variables that start as a counter, whose range they are taken to share."""

    @property
    def exact(self) -> frozenset[str]:
        """Names of one value each."""
        return self.sizes | frozenset(self.values)


def probe(polynomial: Polynomial) -> Fraction:
    """A value to order polynomials by: every name stands for about a thousand, no two for the same."""
    return polynomial.at({name: _FIRST_PROBE + _PROBE_STEP * index for index, name in enumerate(sorted(polynomial.names))})


class _UnknownError(Exception):
    """Leaves the evaluation; never escapes this module."""


class _Value(Record):
    """What an expression may be."""

    low: Polynomial
    high: Polynomial


class Ranges:
    """Evaluates expressions of a kernel."""

    def __init__(self, kernel: KernelText, known: KnownNames) -> None:
        self._kernel = kernel
        self._known = known

    def highest(self, expression: Node) -> Polynomial | None:
        """The largest value; None where it is not known."""
        return self._highest_sum(self._kernel.names.terms(expression), frozenset())

    def highest_sum(self, terms: tuple[Term, ...]) -> Polynomial | None:
        """The same of a sum; 0 of none."""
        return self._highest_sum(terms, frozenset())

    def highest_limit(self, bound: Bound) -> Polynomial | None:
        """What the bound's variable stays below."""
        return self._limit(bound, frozenset())

    def _highest_sum(self, terms: tuple[Term, ...], open_names: frozenset[str]) -> Polynomial | None:
        if len(open_names) > _MAX_DEPTH:
            return None
        try:
            return self._sum(terms, open_names).high
        except (_UnknownError, RecursionError):
            return None

    def _limit(self, bound: Bound, open_names: frozenset[str]) -> Polynomial | None:
        high = self._highest_sum(self._kernel.names.terms(bound.limit), open_names)
        if high is None:
            return None
        try:
            limit = _quotient(high, Polynomial.of(bound.factor)) if bound.factor > 1 else high - Polynomial.of(bound.offset)
        except _UnknownError:
            return None
        return limit + ONE if bound.is_inclusive else limit

    def _of_name(self, name: str, open_names: frozenset[str]) -> Polynomial | None:
        known = self._known
        if name in known.values:
            return Polynomial.of(known.values[name])
        limits = [] if name in open_names else self._limits(name, open_names | {name})
        if limits:
            return max(limits, key=probe)
        name = known.aliases.get(name, name)
        if name in known.extents:
            return known.extents[name] - ONE
        if name in known.sizes:
            return Polynomial.of(name)
        names = self._kernel.names
        settings = names.settings.get(name, ())
        if not settings or name in open_names or name in names.growing:
            return None
        highs = [self._highest_sum(names.terms(node), open_names | {name}) for node in settings]
        found = [high for high in highs if high is not None]
        return max(found, key=probe) if len(found) == len(highs) else None

    def _limits(self, name: str, open_names: frozenset[str]) -> list[Polynomial]:
        """What comparisons say of a variable; those with a constant only where there are no others."""
        highs = [self._limit(bound, open_names) for bound in self._kernel.below.get(name, ()) if name not in self._known.sizes]
        step = self._kernel.steps.get(name, "1")
        last = Polynomial.of(int(step) if step.isdigit() else self._known.values.get(step, 1))  # steps divide what they walk over
        limits = [high - last for high in highs if high is not None]
        return [limit for limit in limits if limit.constant is None] or ([] if self._is_defined(name) else limits)

    def _is_defined(self, name: str) -> bool:
        names = self._kernel.names
        is_set = name in names.settings and name not in names.growing
        return is_set or name in self._known.extents

    def _sum(self, terms: Iterable[Term], open_names: frozenset[str]) -> _Value:
        low, high = ZERO, ZERO
        for term in terms:
            value = self._value(term.node, open_names) if term.word is None else self._named(term.word, open_names)
            added = _Value(-value.high, -value.low) if term.is_subtracted else value
            low, high = low + added.low, high + added.high
        return _Value(low, high)

    def _value(self, node: Node, open_names: frozenset[str]) -> _Value:
        """Value of anything but a name; raises ``_UnknownError``."""
        parts = binary_parts(node)
        if parts is not None:
            return _combined(parts[0], self._whole(parts[1], open_names), self._whole(parts[2], open_names))
        match node.type:
            case "number_literal":
                return _exactly(Polynomial.of(_literal(node)))
            case "unary_expression":
                return self._unary(node, open_names)
            case "conditional_expression":
                branches = (node.child_by_field_name(side) for side in ("consequence", "alternative"))
                return self._largest([branch for branch in branches if branch is not None], open_names)
            case "call_expression":
                return self._call(node, open_names)
            case "subscript_expression":
                return self._element(node)
            case _:
                raise _UnknownError

    def _element(self, node: Node) -> _Value:
        array = node.child_by_field_name("argument")
        limit = None if array is None else self._known.element_limits.get(node_text(array))
        if limit is None:
            raise _UnknownError
        return _up_to(limit - ONE)

    def _whole(self, node: Node, open_names: frozenset[str]) -> _Value:
        return self._sum(self._kernel.names.terms(node), open_names)

    def _unary(self, node: Node, open_names: frozenset[str]) -> _Value:
        operator, argument = node.child_by_field_name("operator"), node.child_by_field_name("argument")
        if operator is None or argument is None or node_text(operator) not in "-!":
            raise _UnknownError
        value = self._whole(argument, open_names)
        return _up_to(ONE) if node_text(operator) == "!" else _Value(-value.high, -value.low)

    def _call(self, node: Node, open_names: frozenset[str]) -> _Value:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        name = "" if function is None else node_text(function).split("<")[0].split("::")[-1].strip()
        if arguments is None or name not in ("min", "max"):
            raise _UnknownError
        return self._largest(without_comments(arguments), open_names, is_least=name == "min")

    def _largest(self, nodes: Iterable[Node], open_names: frozenset[str], *, is_least: bool = False) -> _Value:
        highs = [self._whole(node, open_names).high for node in nodes]
        if len(highs) != 2:
            raise _UnknownError
        return _up_to((min if is_least else max)(highs, key=probe))

    def _named(self, name: str, open_names: frozenset[str]) -> _Value:
        value = self._of_name(name, open_names)
        if value is None:
            raise _UnknownError
        return _exactly(value) if name in self._known.exact else _up_to(value)


def _literal(node: Node) -> int:
    value = evaluate(node, _NO_NAMES, {})
    if value is None or value >= _WHOLE_WORD:
        raise _UnknownError
    return value


def _exactly(value: Polynomial) -> _Value:
    return _Value(value, value)


def _up_to(high: Polynomial) -> _Value:
    return _Value(ZERO, high)


def _combined(operator: str, left: _Value, right: _Value) -> _Value:
    match operator:
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
