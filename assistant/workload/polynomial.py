"""Polynomials in size names, as counts and grids of a workload block are: ``rows*cols - cols + 1``.

Example::

    n = Polynomial.of("n")
    str((n - ONE) * n + n)      # 'n*n'
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import reduce

from assistant.record import Record

__all__ = ["ONE", "ZERO", "Polynomial"]

_Monomial = tuple[str, ...]
"""Names in alphabetical order, each as often as its power."""


class Polynomial(Record):
    """A sum of products of names with rational factors."""

    terms: tuple[tuple[_Monomial, Fraction], ...]
    """(product, factor), longest product first; no factor is 0."""

    @staticmethod
    def of(value: str | int | Fraction) -> Polynomial:
        """The name or the number."""
        return _polynomial({(value,): Fraction(1)} if isinstance(value, str) else {(): Fraction(value)})

    def __add__(self, other: Polynomial) -> Polynomial:
        summed = dict(self.terms)
        for product, factor in other.terms:
            summed[product] = summed.get(product, Fraction(0)) + factor
        return _polynomial(summed)

    def __neg__(self) -> Polynomial:
        return _polynomial({product: -factor for product, factor in self.terms})

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + -other

    def __mul__(self, other: Polynomial) -> Polynomial:
        parts = (_polynomial({tuple(sorted((*mine, *theirs))): a * b}) for mine, a in self.terms for theirs, b in other.terms)
        return reduce(Polynomial.__add__, parts, ZERO)

    def over(self, divisor: int) -> Polynomial:
        """Exactly divided by a number."""
        return _polynomial({product: factor / divisor for product, factor in self.terms})

    def divided(self, other: Polynomial) -> Polynomial | None:
        """The whole part of the quotient by one product; what that does not divide counts as less than one. None otherwise."""
        if len(other.terms) != 1:
            return None
        (product, factor) = other.terms[0]
        quotient: dict[_Monomial, Fraction] = {}
        rest = ZERO
        for mine, own in self.terms:
            left = _without(mine, product)
            if left is None:
                rest += _polynomial({mine: own})
            else:
                quotient[left] = own / factor
        whole = _polynomial(quotient)
        if not rest.terms:
            return whole
        constant = rest.constant
        return None if constant is None else whole - ONE if constant < 0 else whole

    @property
    def floored(self) -> Polynomial:
        """With the number that is added to the names rounded down."""
        return _polynomial({product: factor if product else Fraction(factor // 1) for product, factor in self.terms})

    @property
    def rounded_up(self) -> Polynomial:
        """Its one longest product alone where everything else is taken away from it: ``n*n`` for ``n*n - n - 1``."""
        leading = [term for term in self.terms if len(term[0]) == len(self.terms[0][0])]
        is_less = all(factor < 0 for _, factor in self.terms[1:])
        return Polynomial((leading[0],)) if self.terms and len(leading) == 1 and leading[0][0] and is_less else self

    @property
    def constant(self) -> Fraction | None:
        """Its value when no name is in it; None otherwise."""
        if not self.terms:
            return Fraction(0)
        return self.terms[0][1] if self.terms[0][0] == () else None

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for product, _ in self.terms for name in product)

    @property
    def is_whole(self) -> bool:
        """True when it is a whole number whatever whole numbers the names stand for, as far as its factors show."""
        return all(factor.denominator == 1 for _, factor in self.terms)

    def at(self, values: Mapping[str, int]) -> Fraction:
        """The value with every name replaced; KeyError for a name without value."""
        return sum((f * reduce(lambda a, name: a * values[name], product, 1) for product, f in self.terms), Fraction(0))

    def replaced(self, name: str, value: Polynomial) -> Polynomial:
        """The polynomial with ``value`` in the place of ``name``."""
        result = ZERO
        for product, factor in self.terms:
            part = Polynomial.of(factor)
            for item in product:
                part *= value if item == name else Polynomial.of(item)
            result += part
        return result

    def __str__(self) -> str:
        """In the grammar of ``assistant.workload.expressions``."""
        text = ""
        for product, factor in self.terms:
            sign = (" - " if factor < 0 else " + ") if text else ("-" if factor < 0 else "")
            text += sign + _term(product, abs(factor))
        return text or "0"


def _term(product: _Monomial, factor: Fraction) -> str:
    numbers = [str(factor.numerator)] if factor.numerator != 1 or not product else []
    text = "*".join([*numbers, *product])
    return text if factor.denominator == 1 else f"{text}/{factor.denominator}"


def _polynomial(terms: Mapping[_Monomial, Fraction]) -> Polynomial:
    kept = [(product, factor) for product, factor in terms.items() if factor]
    return Polynomial(tuple(sorted(kept, key=lambda term: (-len(term[0]), term[0]))))


def _without(product: _Monomial, divisor: _Monomial) -> _Monomial | None:
    left = list(product)
    for name in divisor:
        if name not in left:
            return None
        left.remove(name)
    return tuple(left)


ZERO = _polynomial({})
ONE = Polynomial.of(1)
