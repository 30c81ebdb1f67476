"""Questions about code: accesses, assignments, declarations, loops, names, literals."""

from __future__ import annotations

import pytest

from assistant.cuda.accesses import Use, array_accesses
from assistant.cuda.assignments import assignments, modified_names
from assistant.cuda.functions import functions
from assistant.cuda.literals import double_literals
from assistant.cuda.loops import loops_around
from assistant.cuda.names import fresh_name, mentions
from assistant.cuda.shared_arrays import shared_arrays
from assistant.cuda.syntax import SyntaxTree
from assistant.cuda.variables import locals_of


def tree_of(statements: str) -> SyntaxTree:
    return SyntaxTree(f"__global__ void k(float *a, float *b, int n) {{ {statements} }}")


ACCESSES: list[tuple[str, list[tuple[str, list[str], str]]]] = [
    ("a[n] = b[n + 1];", [("a", ["n"], "write"), ("b", ["n + 1"], "read")]),
    ("*(a + n) += *b;", [("a", ["n"], "update"), ("b", [], "read")]),
    ("(*a)++; --b[2];", [("a", [], "update"), ("b", ["2"], "update")]),
    ("t[n][n * 2].x = 1;", [("t", ["n", "n * 2"], "write")]),
    ("atomicAdd(&a[n], 1.f);", [("a", ["n"], "atomic")]),
    ("p = &a[n]; q(b[n]);", [("a", ["n"], "escape"), ("b", ["n"], "escape")]),
    ("p = __ldg(&a[n]) + sqrtf(b[n]);", [("a", ["n"], "read"), ("b", ["n"], "read")]),
    ("f(a)[3] = 1; *f(b) = 2; n = -n;", []),
    ("a[(int)b[0]] = 0;", [("a", ["(int)b[0]"], "write"), ("b", ["0"], "read")]),
]


@pytest.mark.parametrize(("statements", "expected"), ACCESSES)
def test_element_accesses_are_found_with_index_and_kind(statements: str, expected: list[tuple[str, list[str], str]]) -> None:
    tree = tree_of(statements)
    found = array_accesses(tree, tree.root)
    assert [(access.base, [tree.text(i) for i in access.indices], access.kind) for access in found] == [
        (base, indices, Use(kind)) for base, indices, kind in expected
    ]


def test_assignments_have_target_operator_and_value() -> None:
    tree = tree_of("n = 1; a[n] <<= b[0]; n++;")
    found = [(tree.text(a.target), a.operator, a.value and tree.text(a.value)) for a in assignments(tree, tree.root)]
    assert found == [("n", "=", "1"), ("a[n]", "<<=", "b[0]"), ("n", "++", None)]


def test_each_declared_variable_has_type_shape_and_value() -> None:
    tree = tree_of("const unsigned int i = n, *p = q; float t[2][N + 1] = {0}; for (int j = 0; j < n; j++) {} for (auto v : vs) {}")
    (function,) = functions(tree)
    variables = [v for found in locals_of(tree, function.body).values() for v in found]
    assert [(v.name, v.type, v.indirection, v.is_array, v.value and tree.text(v.value)) for v in variables] == [
        ("i", "unsigned int", 0, False, "n"),
        ("p", "unsigned int", 1, False, "q"),
        ("t", "float", 0, True, "{0}"),
        ("j", "int", 0, False, "0"),
        ("v", "auto", 0, False, None),
    ]


def test_shared_arrays_have_dimensions_through_alignment_attributes() -> None:
    tree = tree_of("extern __shared__ __align__(16) float s[]; __shared__ float t[32][33]; __shared__ int flag; float r[4];")
    found = [(a.name, [s and tree.text(s) for s in a.sizes], a.is_dynamic) for a in shared_arrays(tree, tree.root)]
    assert found == [("s", [None], True), ("t", ["32", "33"], False)]


def test_a_variable_changes_by_assignment_address_and_reference() -> None:
    tree = SyntaxTree("void set(int &x);\nvoid set(int &x) { x = 1; }\nvoid f() { a = 1; b++; g(&c); set(d); min(e, 2); v.x = 3; }")
    body = functions(tree)[1].body
    assert modified_names(tree, body) == {"a", "b", "c", "d", "v"}


def test_loops_are_listed_from_the_innermost() -> None:
    tree = tree_of("for (;;) { while (n) do a[0] = 1; while (0); }")
    (access,) = array_accesses(tree, tree.root)
    assert [loop.type for loop in loops_around(tree, access.node)] == ["do_statement", "while_statement", "for_statement"]


def test_uses_of_a_name_leave_out_members_and_strings() -> None:
    tree = tree_of('int x = n; p.x = x; printf("x");')
    assert [tree.span(use).start for use in mentions(tree, tree.root, "x")] == [
        tree.source.index("x = n"),
        tree.source.index("x; printf"),
    ]


@pytest.mark.parametrize(
    ("literal", "is_double"),
    [("2.0", True), ("1e-3", True), (".5", True), ("3.", True), ("2.0f", False), ("7", False), ("0x1e", False)],
)
def test_literals_of_type_double_are_recognized(literal: str, is_double: bool) -> None:
    tree = tree_of(f"a[0] = {literal};")
    assert [tree.text(node) for node in double_literals(tree, tree.root)] == ([literal] if is_double else [])


def test_a_fresh_name_avoids_every_word_of_the_text() -> None:
    tree = SyntaxTree("#define tile2 3\nint tile; // tile3\n")
    assert fresh_name(tree, "tile") == "tile4"
    assert fresh_name(tree, "pad") == "pad"
