"""Macros that stand for an element of an array they are given, and what is known of the element."""

from __future__ import annotations

import pytest

from assistant.cuda.accesses import Use, uses_of
from assistant.cuda.macro_elements import macro_element
from assistant.cuda.syntax import SyntaxTree, node_text, unparenthesized

KERNEL = """#define AT(m, i, j) BODY
__global__ void k(float *a, const float *b, int n) {
    int row = blockIdx.x;
    AT(a, row, 2 + n) += AT(b, n, row);
}
"""


def tree_of(body: str) -> SyntaxTree:
    return SyntaxTree(KERNEL.replace("BODY", body))


@pytest.mark.parametrize(
    ("body", "index"),
    [("m[(i) * n + (j)]", "(row) * n + (2 + n)"), ("(m[(j) * 4 + i])", "(2 + n) * 4 + row"), ("(m)[i]", "row")],
)
def test_the_index_has_the_arguments_in_it(body, index):
    tree = tree_of(body)
    call = next(tree.find("call_expression"))
    element = macro_element(tree, call)
    assert (node_text(element.base), node_text(unparenthesized(element.index))) == ("a", index)


@pytest.mark.parametrize("body", ["m[i][j]", "m[m[i]]", "f(m[i])", "m[i] + j", "x[i]", "m"])
def test_another_macro_is_no_element(body):
    tree = tree_of(body)
    assert macro_element(tree, next(tree.find("call_expression"))) is None


def test_a_macro_that_is_defined_twice_is_no_element():
    tree = SyntaxTree("#define AT(m, i, j) m[(j) + (i)]\n" + KERNEL.replace("BODY", "m[(i) + (j)]"))
    assert macro_element(tree, next(tree.find("call_expression"))) is None


def test_uses_of_the_array_are_those_of_the_element():
    tree = tree_of("m[(i) * n + (j)]")
    body = next(tree.find("compound_statement"))
    assert [use.kind for use in uses_of(tree, body, "a")] == [Use.UPDATE]
    assert [use.kind for use in uses_of(tree, body, "b")] == [Use.READ]
    hidden = tree_of("f(m[(i) * n + (j)])")
    assert [use.kind for use in uses_of(hidden, next(hidden.find("compound_statement")), "b")] == [Use.ESCAPE]
