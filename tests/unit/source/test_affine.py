"""Index expressions as polynomials: what they come to, and what is not known about them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.model.source import Source
from assistant.source.affine import IndexForm, index_form, integer_constant
from assistant.source.names import names_of
from assistant.source.parse import parse
from assistant.source.polynomial import Polynomial, constant, symbol
from assistant.source.queries import array_accesses
from assistant.source.syntax import SyntaxTree

HEAD = """
#define BLOCK 0x20
#define HALF (BLOCK / 2)
#define TORN BLOCK + 1
enum { TILE = 16 };
constexpr int WIDE = TILE << 2;
template <int STEP> __global__ void k(float *a, const int *rows, int n, int pitch, int2 size) {
"""
SMALL: st.SearchStrategy[int] = st.integers(-5, 5)


def polynomial_of(x: int, y: int, c: int) -> Polynomial:
    return constant(x) * symbol("x") * symbol("x") + constant(y) * symbol("y") + constant(c)


POLYNOMIALS: st.SearchStrategy[Polynomial] = st.builds(polynomial_of, SMALL, SMALL, SMALL)


def form_of(statements: str) -> IndexForm:
    """The index of the last access to ``a`` in a kernel with these statements."""
    text = f"{HEAD}{statements}\n}}"
    tree = SyntaxTree(text)
    kernel = parse(Source(Path("/k.cu"), text)).kernels[0]
    access = [access for access in array_accesses(tree, tree.root) if access.base == "a"][-1]
    return index_form(access.indices[0], names_of(tree, kernel))


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("int i = blockIdx.x * blockDim.x + threadIdx.x; a[i] = 0;", "blockDim.x*blockIdx.x + threadIdx.x"),
        ("const int x = threadIdx.x, y{threadIdx.y}; a[y * pitch + x] = 0;", "pitch*threadIdx.y + threadIdx.x"),
        ("a[(int)threadIdx.x * TILE + size_t(n) - static_cast<int>(1)] = 0;", "n + 16*threadIdx.x - 1"),
        ("a[-(n - 3) + n + +2] = 0;", "5"),
        ("a[threadIdx.x << 2] = 0;", "4*threadIdx.x"),
        ("a[BLOCK * n + HALF + WIDE] = 0;", "32*n + 80"),
        ("a[n * n - size.x] = 0;", "n*n + -size.x"),
        ("for (int j = 0; j < n; j++) a[j * STEP] = 0;", "STEP*j"),
        ("for (int j = threadIdx.x; j < n; j += blockDim.x) a[j] = 0;", "blockDim.x*trip(j) + threadIdx.x"),
        ("for (int j = n - 1; j >= 0; --j) a[j] = 0;", "n + -trip(j) - 1"),
        ("int i = 0; i += n; a[i] = 0;", "i"),
    ],
)
def test_an_index_is_written_out_in_coordinates(statements: str, expected: str) -> None:
    polynomial = form_of(statements).polynomial
    assert str(polynomial).replace("+ -", "- ") == expected.replace("+ -", "- ")


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("a[threadIdx.x] = 0;", 1),
        ("a[n] = 0;", 0),
        ("a[4 * threadIdx.x + n / 2] = 0;", 4),
        ("for (int j = 0; j < n; j++) a[j] = 0; for (int j = 0; j < n; j++) a[j] = 0;", 0),
        ("a[rows[n]] = 0;", 0),
    ],
)
def test_the_growth_per_thread_is_known(statements: str, expected: int) -> None:
    assert form_of(statements).coefficient("threadIdx.x") == constant(expected)


@pytest.mark.parametrize(
    "statements",
    [
        "a[threadIdx.x / 2] = 0;",
        "a[threadIdx.x * threadIdx.x] = 0;",
        "a[rows[threadIdx.x]] = 0;",
        "int i = threadIdx.x; i ^= 1; a[i] = 0;",
        "int i = 0; if (threadIdx.x == 3) i = threadIdx.x; a[i] = 0;",
        'int i; asm("mov.u32 %0, %%laneid;" : "=r"(i)); a[i] = 0;',
        "int i = 0; who_am_i(&i); a[i] = 0;",
        "a[who_am_i()] = 0;",
        "a[min(n, (int)threadIdx.x)] = 0;",
        "KERNEL_LOOP(i, n) { a[i] = 0; }",
        "a[TORN] = 0;",
        "int2 c = {0, 0}; c.x = threadIdx.x; a[c.x] = 0;",
        "int v[2]; v[0] = threadIdx.x; a[v[0]] = 0;",
    ],
)
def test_a_growth_that_is_not_sure_is_not_given(statements: str) -> None:
    form = form_of(statements)
    assert form.coefficient("threadIdx.x") is None
    assert form.depends_on("threadIdx.x")


def test_a_growth_may_be_a_product() -> None:
    assert form_of("a[threadIdx.y * pitch * TILE + threadIdx.x] = 0;").coefficient("threadIdx.y") == symbol("pitch") * constant(16)


def test_a_local_hides_a_constant_of_the_same_name() -> None:
    assert str(form_of("int TILE = n; a[TILE] = 0;").polynomial) == "n"


@pytest.mark.parametrize(
    ("expression", "value"),
    [("WIDE / 3", 21), ("-7 / 2", -3), ("-7 % 4", -3), ("010", 8), ("1'000u", 1000), ("n", None), ("1 / 0", None)],
)
def test_constants_are_folded_as_in_cpp(expression: str, value: int | None) -> None:
    text = f"{HEAD}a[{expression}] = 0; }}"
    tree = SyntaxTree(text)
    names = names_of(tree, parse(Source(Path("/k.cu"), text)).kernels[0])
    assert integer_constant(array_accesses(tree, tree.root)[0].indices[0], names) == value


@given(POLYNOMIALS, POLYNOMIALS, POLYNOMIALS)
def test_polynomials_obey_the_laws_of_a_ring(p: Polynomial, q: Polynomial, r: Polynomial) -> None:
    assert p + q == q + p
    assert p * q == q * p
    assert p * (q + r) == p * q + p * r
    assert p - p == constant(0)
    assert p.without("y") + symbol("y") * (p.coefficient("y") or constant(0)) == p
