"""Which breaks of a module are drawn, and what stands there then."""

from __future__ import annotations

import ast

import pytest

from benchmarks.mutation import interval
from benchmarks.mutation_breaks import Break, breaks_of, broken_text
from benchmarks.mutation_reach import Reach


def broken(text: str) -> list[str]:
    """The module with each of its breaks."""
    found = [broken_text(text, one) for breaks in breaks_of(text) for one in breaks]
    for each in found:
        assert ast.dump(ast.parse(each)) != ast.dump(ast.parse(text)), each
    return found


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("x = a < b", ["x = (a <= b)", "x = (a >= b)"]),
        ("x = a is None", ["x = (a is not None)"]),
        ("x = a and b", ["x = (a or b)", "x = (b)", "x = (a)"]),
        ("x = not a", ["x = (a)"]),
        ("x = [y for y in z if y]", ["x = ([y for y in z])"]),
        ("x = 3", ["x = (4)", "x = (2)"]),
        ("x = 'é' + y  # é", ["x = ('é' - y)  # é"]),
        ("x = min(y)", ["x = (max(y))"]),
        ("f(a, b)", ["pass", "(f(b, a))"]),
        ("def f(x: int = 1) -> 'int | None':\n    return x", ["def f(x: int = (2)) -> 'int | None':\n    return x"]),
        ("while a:\n    break", ["while (not (a)):\n    break", "while a:\n    continue"]),
        ("x += y", ["x -= y"]),
    ],
)
def test_what_stands_in_the_place_of_an_expression(text: str, made: list[str]) -> None:
    assert set(made) <= set(broken(text))


@pytest.mark.parametrize(
    "text",
    [
        '"""A docstring with 3."""',
        "assert a < 3",
        "x: Literal[3]",
        "Either = int | None",
        "x = f'{a + 1}'",
        "x = zip(a, strict=True)",
        "if TYPE_CHECKING:\n    x = 3",
        "def f():\n    return None",
        "x = f(a, a)",
    ],
)
def test_what_nothing_could_notice_is_left_alone(text: str) -> None:
    assert broken(text) == []


def test_a_statements_own_lines_are_those_before_its_block() -> None:
    text = "def f():\n    if (a <\n        3):\n        x = 1\n    return x\n"
    lines = [{one.lines for one in breaks} for breaks in breaks_of(text)]
    assert lines == [{(2, 3)}, {(4,)}, {(5,)}]
    assert {one.is_in_function for breaks in breaks_of(f"Y = 2\n{text}")[:1] for one in breaks} == {False}


def test_tests_that_reach_the_line_come_first_and_the_narrowest_of_them() -> None:
    lines = {"a.py::wide": {"m.py": [1, 2, 3]}, "a.py::narrow": {"m.py": [2]}, "a.py::beside": {"m.py": [9]}, "b.py::other": {"n.py": [2]}}
    reach = Reach({test: {module: frozenset(numbers) for module, numbers in found.items()} for test, found in lines.items()})
    assert reach.tests_of("m.py", (2,)) == ["a.py::narrow", "a.py::wide", "a.py::beside"]
    assert reach.tests_of("m.py", ()) == ["a.py::beside", "a.py::narrow", "a.py::wide"]
    assert reach.tests_of("m.py", (7,)) == []


def test_the_interval_of_a_share_is_wilsons() -> None:
    assert interval(57, 64) == pytest.approx((0.791, 0.946), abs=1e-3)
    assert interval(10, 10)[1] == pytest.approx(1.0)


def test_a_break_says_what_it_changes() -> None:
    ((first, _),) = breaks_of("x = a < b")
    assert isinstance(first, Break) and first.what == "a <= b for a < b"
