"""Arithmetic of suite files: what it gives, and that nothing else is evaluated."""

from __future__ import annotations

import pytest

from assistant.bench.formula import evaluated
from assistant.errors import UsageError


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("12*n**2", 108.0),
        ("(n - 1)//2 + n/2", 2.5),
        ("-n + 4", 1.0),
        ("26*channels*((side-3)//2+1)**3", 26 * 2 * 9**3),
        ("0", 0.0),
        ("8*2**(side+8)", 8 * 2.0**28),
    ],
)
def test_a_formula_is_arithmetic_in_the_parameters(formula: str, value: float) -> None:
    assert evaluated(formula, {"n": 3, "channels": 2, "side": 20}) == value


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("4*m", "speaks of 'm'"),
        ("__import__('os').getpid()", "may not have"),
        ("n if n else 1", "may not have"),
        ("n % 2", "may not have Mod"),
        ("9**n**9", "may not have Pow"),
        ("1/(n-3)", "cannot be evaluated"),
        ("4*", "cannot be evaluated"),
        ("1 - n", "no amount"),
        ("1e999", "no amount"),
        ("True", "may not have"),
        ("+".join("n" * 300), "longer than"),
    ],
)
def test_anything_else_is_refused_by_name(formula: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        evaluated(formula, {"n": 3})
