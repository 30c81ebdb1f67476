"""Integer expressions of a kernel: what they come to, and where the answer is honestly unknown."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.cuda.integers import evaluate
from assistant.cuda.parse import parse
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import SyntaxTree, parsed_expression
from assistant.model.source import Source
from assistant.plan.expert.analysis.bounds import Range, range_of

TEXT = """\
#define W 32
#define AT(y, x) ((y) * W + (x))
constexpr int HALF = W / 2;
enum { DEPTH = 0x10 };
__device__ int row_of(int i, int n) { return i / n; }
__global__ void k(const int *map, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int twice = 2 * t, x = t;
  x = x + 1;
  int changed = 0;
  for (int j = 4; j < 12; j += 2) {
    int inside = j * 3;
    changed += j;
  }
  int loaded = map[t];
  use(%s);
}
"""


@cache
def checked(expression):
    tree = SyntaxTree(TEXT % expression)
    parsed = parse(Source(Path("/k.cu"), TEXT % expression))
    call = next(n for n in tree.find("call_expression") if tree.text(n).startswith("use("))
    arguments = call.child_by_field_name("arguments")
    assert arguments is not None
    return arguments.named_children[0], scope_of(tree, parsed.kernels[0])


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("W + HALF + DEPTH", 64),
        ("t", 2 * 64 + 5),
        ("twice % W", 2 * 133 % 32),
        ("AT(2, threadIdx.x)", 69),
        ("row_of(t, 10)", 13),
        ("(int)(size_t)t >> 1", 66),
        ("min(t, n) > 7 ? 1u : 2u", 1),
        ("-7 / 2", -3),
        ("__brev(t) >> (32 - 8)", 0b10100001),
        ("010 + 0b11", 11),
        ("changed", None),
        ("loaded", None),
        ("n / 0", None),
        ("unheard_of", None),
        ("t * 1.5f", None),
    ],
)
def test_an_expression_for_one_thread(expression, value):
    node, scope = checked(expression)
    assert evaluate(node, scope, {"threadIdx.x": 5, "blockIdx.x": 2, "blockDim.x": 64, "n": 100}) == value


def test_a_loop_counter_has_its_first_value_unless_only_fixed_values_count():
    node, scope = checked("j")
    assert evaluate(node, scope, {}) == 4
    assert evaluate(node, scope.fixed(), {}) is None


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("threadIdx.x", Range(0, 63)),
        ("threadIdx.x % 8 + 8", Range(8, 15)),
        ("threadIdx.x & 31", Range(0, 31)),
        ("threadIdx.x / 16", Range(0, 3)),
        ("j", Range(4, 11)),
        ("inside", Range(12, 33)),
        ("W - threadIdx.x", Range(-31, 32)),
        ("loaded & 15", Range(0, 15)),
        ("loaded", None),
        ("changed", None),
        ("n", None),
    ],
)
def test_the_range_of_an_index(expression, expected):
    node, scope = checked(expression)
    assert range_of(node, scope, {"threadIdx.x": Range(0, 63)}) == expected


_NUMBERS = st.integers(min_value=0, max_value=99).map(str)
_EXPRESSIONS = st.recursive(
    _NUMBERS, lambda inner: st.tuples(inner, st.sampled_from(["+", "-", "*", "&", "|", "^"]), inner).map(lambda p: f"({' '.join(p)})")
)


@given(_EXPRESSIONS)
def test_arithmetic_is_that_of_integers(expression):
    node = parsed_expression(expression)
    _, scope = checked("0")
    assert node is not None
    assert evaluate(node, scope, {}) == eval(expression)


@given(_EXPRESSIONS, st.integers(min_value=0, max_value=31))
def test_a_range_holds_every_value(expression, lane):
    node = parsed_expression(expression.replace("7", "threadIdx.x"))
    _, scope = checked("0")
    if node is None:
        return
    value = evaluate(node, scope, {"threadIdx.x": lane})
    found = range_of(node, scope, {"threadIdx.x": Range(0, 31)})
    if found is not None and value is not None:
        assert found.low <= value <= found.high
