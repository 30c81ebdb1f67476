"""Size expressions: exact, closed grammar, errors that name the place."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.workload.expressions import ExpressionProblem, ExpressionProblemCode, evaluate, evaluate_count, names_in

C = ExpressionProblemCode


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n*n", Fraction(1_000_000)),
        ("ceil(n/32)", Fraction(32)),
        ("floor(n/32)", Fraction(31)),
        ("n/3", Fraction(1000, 3)),
        ("-n + 2*(n - 1)", Fraction(998)),
        ("min(n, 7, 9) % 4", Fraction(3)),
        ("max(0.5, .25)", Fraction(1, 2)),
        ("n - 1 - 1", Fraction(998)),
        ("-7 % 4", Fraction(1)),
    ],
)
def test_values_are_exact(text: str, expected: Fraction) -> None:
    assert evaluate(text, {"n": 1000}) == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("m", C.UNKNOWN_SIZE),
        ("n +", C.ENDS_EARLY),
        ("n n", C.UNEXPECTED),
        ("n // 2", C.UNEXPECTED),
        ("n / 0", C.DIVISION_BY_ZERO),
        ("sqrt(n)", C.UNKNOWN_FUNCTION),
        ("ceil(1, 2)", C.ARGUMENT_COUNT),
        ("__import__('os')", C.UNEXPECTED),
        ("n ** 2", C.UNEXPECTED),
        ("", C.EMPTY),
        ("(" * 60 + "1" + ")" * 60, C.TOO_DEEP),
        ("min(1", C.SYMBOL_MISSING),
    ],
)
def test_anything_outside_the_grammar_is_refused(text: str, code: ExpressionProblemCode) -> None:
    result = evaluate(text, {"n": 4})
    assert isinstance(result, ExpressionProblem)
    assert result.code is code


def test_a_count_that_is_no_whole_number_names_the_shape() -> None:
    problem = evaluate_count("n/32", {"n": 48}, "grid")
    assert isinstance(problem, ExpressionProblem) and problem.code is C.NOT_WHOLE
    assert problem.message == "grid = 'n/32' is 3/2 at n=48, expected a whole number (use ceil or floor)"


def test_a_negative_count_is_refused() -> None:
    problem = evaluate_count("n - 5", {"n": 4}, "count")
    assert isinstance(problem, ExpressionProblem) and problem.code is C.NEGATIVE


def test_a_count_keeps_the_code_of_its_expression() -> None:
    problem = evaluate_count("m", {"n": 4}, "count")
    assert isinstance(problem, ExpressionProblem) and problem.code is C.UNKNOWN_SIZE


def test_a_long_expression_is_refused() -> None:
    problem = names_in("1+" * 500 + "1")
    assert isinstance(problem, ExpressionProblem) and problem.code is C.TOO_LONG


def test_an_unknown_size_suggests_the_nearest() -> None:
    problem = evaluate("widht", {"width": 3, "height": 4})
    assert isinstance(problem, ExpressionProblem)
    assert "did you mean 'width'" in problem.message


def test_names_are_found_without_values() -> None:
    assert names_in("ceil(n / (m - m))") == {"n", "m"}


@given(a=st.integers(0, 10**6), b=st.integers(1, 10**6))
def test_rounding_up_agrees_with_integer_arithmetic(a: int, b: int) -> None:
    assert evaluate("ceil(a/b)", {"a": a, "b": b}) == -(-a // b)
    assert evaluate("floor(a/b) * b + a % b", {"a": a, "b": b}) == a


@given(st.text(alphabet="n0123456789+-*/%(). ,ceilmax", max_size=40))
def test_any_text_gives_a_value_or_a_problem(text: str) -> None:
    assert isinstance(evaluate(text, {"n": 3}), Fraction | ExpressionProblem)
