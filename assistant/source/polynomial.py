"""Small polynomials with integer coefficients over named quantities: what an index expression comes to.

Example::

    i = symbol("blockIdx.x") * symbol("blockDim.x") + symbol("threadIdx.x")
    (i * constant(4)).coefficient("threadIdx.x")   # Polynomial of 4
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Polynomial", "constant", "symbol"]

_Monomial = tuple[str, ...]


@dataclass(frozen=True)
class Polynomial:
    """A sum of products. Two equal sums compare equal, however they were written."""

    terms: tuple[tuple[_Monomial, int], ...]
    """Sorted factors of each product and its coefficient, which is never 0; sorted. The constant has no factors."""

    @property
    def value(self) -> int | None:
        """The number it is; None when it depends on something."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    @property
    def symbols(self) -> frozenset[str]:
        return frozenset(name for factors, _ in self.terms for name in factors)

    def coefficient(self, name: str) -> Polynomial | None:
        """What ``name`` is multiplied by; 0 when it does not occur, None when it occurs squared or higher."""
        if any(factors.count(name) > 1 for factors, _ in self.terms):
            return None
        return _sum((tuple(f for f in factors if f != name), count) for factors, count in self.terms if name in factors)

    def without(self, name: str) -> Polynomial:
        """The terms in which ``name`` does not occur."""
        return _sum((factors, count) for factors, count in self.terms if name not in factors)

    def __add__(self, other: Polynomial) -> Polynomial:
        return _sum((*self.terms, *other.terms))

    def __neg__(self) -> Polynomial:
        return _sum((factors, -count) for factors, count in self.terms)

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + -other

    def __mul__(self, other: Polynomial) -> Polynomial:
        return _sum((tuple(sorted((*factors, *more))), count * times) for factors, count in self.terms for more, times in other.terms)

    def __str__(self) -> str:
        """As C++ would spell it: ``blockDim.x*blockIdx.x + threadIdx.x + 4``."""
        shown = [_shown(factors, count) for factors, count in sorted(self.terms, key=lambda term: (not term[0], term))]
        return " + ".join(shown).replace("+ -", "- ") or "0"


def constant(value: int) -> Polynomial:
    """The polynomial that is one number."""
    return _sum((((), value),))


def symbol(name: str) -> Polynomial:
    """The polynomial that is one named quantity."""
    return Polynomial((((name,), 1),))


def _sum(terms: Iterable[tuple[_Monomial, int]]) -> Polynomial:
    total: Counter[_Monomial] = Counter()
    for factors, count in terms:
        total[factors] += count
    return Polynomial(tuple(sorted((factors, count) for factors, count in total.items() if count != 0)))


def _shown(factors: _Monomial, count: int) -> str:
    if not factors:
        return str(count)
    product = "*".join(factors)
    return {1: product, -1: f"-{product}"}.get(count, f"{count}*{product}")
