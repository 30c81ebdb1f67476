"""Macros expanded as a preprocessor does."""

from __future__ import annotations

import pytest

from assistant.cuda.macro_expansion import expanded, macro_table

MACROS = macro_table(
    "#define PRE fast\n#define CAT_(a, b) a##b\n#define CAT(a, b) CAT_(a, b)\n#define LOOP(x) LOOP(x) + x\n"
    "#define ALL(f, ...) f(__VA_ARGS__)\n#define LONG(a) \\\n  first(a); \\\n  second##a\n#define TWICE(x) x x\n"
)


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("CAT(PRE, _sum)", "fast_sum"),
        ("CAT_(PRE, _sum)", "PRE_sum"),
        ("CAT (a , 1)", "a1"),
        ("CAT + 1", "CAT + 1"),
        ("LOOP(2)", "LOOP(2) + 2"),
        ("ALL(g, 1, 2)", "g(1, 2)"),
        ('"PRE" PREFIX PRE', '"PRE" PREFIX fast'),
        ("TWICE(CAT(x, y))", "xy xy"),
    ],
)
def test_a_use_is_replaced_by_what_it_says(code: str, result: str) -> None:
    assert expanded(code, MACROS) == result


def test_a_body_of_several_lines_becomes_one() -> None:
    assert expanded("LONG(k)", MACROS).split() == ["first(k);", "secondk"]


def test_a_macro_that_doubles_its_argument_many_times_is_cut_off() -> None:
    text = "#define D0(x) x x\n" + "".join(f"#define D{i}(x) D{i - 1}(x) D{i - 1}(x)\n" for i in range(1, 40))
    assert len(expanded("D39(a)", macro_table(text))) < 1 << 20
