"""Integer constants: macros, constants and enumerators, and the names that mean too much to be one."""

from __future__ import annotations

import pytest

from assistant.cuda.constants import constants_of, integer_constant
from assistant.cuda.syntax import SyntaxTree

CONSTANT = [
    ("#define N (4 * M)\n#define M 8\n", 32),
    ("constexpr size_t N{1 << 5};", 32),
    ("static const unsigned long long N(0x20);", 32),
    ("enum { A = 4, N = A * 8 };", 32),
    ("typedef int idx;\nusing width = idx;\nconst width N = 32;", 32),
    ("constexpr std::int32_t N = 32;", 32),
    ("#define N 32\nvoid f() { dim3 grid(N * 2); }", 32),
    ("void f() { const int N = 32; }\nvoid g() { const int N = 32; }", 32),
]
NOT_CONSTANT = [
    "#define N 4 + 4\n",
    "#define N 32\n#undef N\n#define N 64\n",
    "#define N 32\n#undef N\n#define N size()\n",
    "const int N = 32;\nvoid f(int N) { }",
    "void f() { const int N = 32; }\nvoid g() { int N = 64; }",
    "template <int N> void f() { }\nvoid g() { const int N = 32; }",
    "const double N = 32;",
    "typedef double real;\nconst real N = 32;",
    "const int N[] = {32};",
    "const int N = N;",
]


@pytest.mark.parametrize(("text", "value"), CONSTANT)
def test_a_name_with_one_value_is_a_constant(text: str, value: int) -> None:
    assert constants_of(SyntaxTree(text))["N"] == value


@pytest.mark.parametrize("text", NOT_CONSTANT)
def test_a_name_that_may_mean_something_else_is_none(text: str) -> None:
    assert "N" not in constants_of(SyntaxTree(text))


@pytest.mark.parametrize(
    ("expression", "value"),
    [("TILE * 2 + 1", 65), ("-(TILE)", -32), ("TILE / 3 % 4", 2), ("TILE + n", None), ("", None), ("f(TILE)", None)],
)
def test_an_expression_of_constants_has_a_value(expression: str, value: int | None) -> None:
    assert integer_constant(SyntaxTree("#define TILE 32\n"), expression) == value


def test_a_constant_is_known_by_its_qualified_name_too() -> None:
    tree = SyntaxTree("namespace audio { constexpr int kBlock = 64; }\nconstexpr int kAll = audio::kBlock * 2;")
    assert constants_of(tree)["kAll"] == 128
    assert integer_constant(tree, "audio::kOther") is None
