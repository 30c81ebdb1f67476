"""Asking for nodes answers alike for the whole text and inside its root, and for short texts and long ones."""

from __future__ import annotations

import pytest

from assistant.cuda.syntax import SyntaxTree

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


COPIES = 100
TYPES = pytest.mark.parametrize(
    "types",
    [
        ("call_expression",),
        ("declaration", "for_range_loop"),
        ("parameter_declaration", "optional_parameter_declaration"),
        ("preproc_def", "preproc_function_def"),
        ("function_definition", "compound_statement"),
        ("enumerator",),
        ("number_literal",),
        ("for", "number_literal"),
    ],
)


@TYPES
def test_the_whole_text_is_the_inside_of_its_root(types: tuple[str, ...]) -> None:
    tree = SyntaxTree(TEXT)
    whole = list(tree.find(*types))
    assert whole and whole == list(tree.find(*types, inside=tree.root))


@TYPES
def test_what_is_found_inside_a_node_lies_below_it(types: tuple[str, ...]) -> None:
    tree, other = SyntaxTree(TEXT), SyntaxTree(f"int before;\n{TEXT}")
    for node in (function := next(tree.find("function_definition")), *function.named_children):
        found = list(tree.find(*types, inside=node))
        assert found == [each for each in tree.find(*types) if each == node or node in tree.ancestors(each)]
        assert found == list(other.find(*types, inside=node))


@TYPES
def test_a_long_text_is_answered_as_its_parts_are(types: tuple[str, ...]) -> None:
    """Walked through where it is short, queried where it is long."""
    part, whole = SyntaxTree(TEXT), SyntaxTree(TEXT * COPIES)
    assert [whole.text(node) for node in whole.find(*types)] == COPIES * [part.text(node) for node in part.find(*types)]


def test_outer_calls_come_before_inner_ones() -> None:
    tree = SyntaxTree(TEXT)
    assert [tree.text(node) for node in tree.find("call_expression")] == ["range(n)", "IDX(i)", "f(g(a[i]))", "g(a[i])", "call()"]
