"""Asking for nodes of the whole text answers as asking for those inside its root."""

from __future__ import annotations

import pytest

from assistant.source.syntax import SyntaxTree

TEXT = """\
#define TILE 16
#define IDX(i) (base + (i))
enum { A = 1, B = 2 };
template <int N = 4>
__global__ void k(float *a, int n = 3) {
    const int base = blockIdx.x * TILE;
    for (int i : range(n)) a[IDX(i)] = f(g(a[i]));
}
struct S { void method() { call(); } };
"""


@pytest.mark.parametrize(
    "types",
    [
        ("call_expression",),
        ("declaration", "for_range_loop"),
        ("parameter_declaration", "optional_parameter_declaration"),
        ("preproc_def", "preproc_function_def"),
        ("function_definition", "compound_statement"),
        ("enumerator",),
        ("number_literal",),
    ],
)
def test_the_whole_text_is_the_inside_of_its_root(types: tuple[str, ...]) -> None:
    tree = SyntaxTree(TEXT)
    whole = list(tree.find(*types))
    assert whole and whole == list(tree.find(*types, inside=tree.root))


def test_outer_calls_come_before_inner_ones() -> None:
    tree = SyntaxTree(TEXT)
    assert [tree.text(node) for node in tree.find("call_expression")] == ["range(n)", "IDX(i)", "f(g(a[i]))", "g(a[i])", "call()"]
