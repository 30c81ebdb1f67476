"""Questions about code: accesses, assignments, declarations, names, launch variables."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.model.source import Source
from assistant.source.parse import parse
from assistant.source.queries import (
    AccessKind,
    array_accesses,
    assignments,
    declaration_behind,
    declarations,
    double_literals,
    fresh_name,
    indentation,
    loops_around,
    shared_arrays,
    uses_of,
)
from assistant.source.syntax import SyntaxTree

DATA = Path(__file__).parents[2] / "data" / "source"


def tree_of(statements: str) -> SyntaxTree:
    return SyntaxTree(f"__global__ void k(float *a, float *b, int n) {{ {statements} }}")


ACCESSES: list[tuple[str, list[tuple[str, list[str], str]]]] = [
    ("a[n] = b[n + 1];", [("a", ["n"], "write"), ("b", ["n + 1"], "read")]),
    ("*(a + n) += *b;", [("a", ["n"], "update"), ("b", [], "read")]),
    ("(*a)++; --b[2];", [("a", [], "update"), ("b", ["2"], "update")]),
    ("t[n][n * 2].x = 1;", [("t", ["n", "n * 2"], "write")]),
    ("atomicAdd(&a[n], 1.f);", [("a", ["n"], "address")]),
    ("f(a)[3] = 1; *f(b) = 2; n = -n;", []),
    ("a[(int)b[0]] = 0;", [("a", ["(int)b[0]"], "write"), ("b", ["0"], "read")]),
]


@pytest.mark.parametrize(("statements", "expected"), ACCESSES)
def test_element_accesses_are_found_with_index_and_kind(statements: str, expected: list[tuple[str, list[str], str]]) -> None:
    tree = tree_of(statements)
    found = array_accesses(tree, tree.root)
    assert [(access.base, [tree.text(i) for i in access.indices], access.kind) for access in found] == [
        (base, indices, AccessKind(kind)) for base, indices, kind in expected
    ]


def test_assignments_have_target_operator_and_value() -> None:
    tree = tree_of("n = 1; a[n] <<= b[0]; n++;")
    found = [(tree.text(a.target), a.operator, a.value and tree.text(a.value)) for a in assignments(tree, tree.root)]
    assert found == [("n", "=", "1"), ("a[n]", "<<=", "b[0]"), ("n", "++", None)]


def test_each_declared_variable_has_type_bounds_and_value() -> None:
    tree = tree_of("const unsigned int i = n, *p = q; float t[2][N + 1] = {0}; for (int j = 0; j < n; j++) {} for (auto v : vs) {}")
    found = [(d.name, d.type, [x and x.text for x in d.dimensions], d.value and tree.text(d.value)) for d in declarations(tree, tree.root)]
    assert found == [
        ("i", "unsigned int", [], "n"),
        ("p", "unsigned int", [], "q"),
        ("t", "float", ["2", "N + 1"], "{0}"),
        ("j", "int", [], "0"),
        ("v", "auto", [], None),
    ]


def test_shared_arrays_have_dimensions_through_alignment_attributes() -> None:
    tree = tree_of("extern __shared__ __align__(16) float s[]; __shared__ float t[32][33]; __shared__ int flag; float r[4];")
    found = [(d.name, [x and x.text for x in d.dimensions], "extern" in d.qualifiers) for d in shared_arrays(tree, tree.root)]
    assert found == [("s", [None], True), ("t", ["32", "33"], False)]


def test_loops_are_listed_from_the_innermost() -> None:
    tree = tree_of("for (;;) { while (n) do a[0] = 1; while (0); }")
    (access,) = array_accesses(tree, tree.root)
    assert [loop.type for loop in loops_around(tree, access.node)] == ["do_statement", "while_statement", "for_statement"]


def test_uses_of_a_name_leave_out_members_and_strings() -> None:
    tree = tree_of('int x = n; p.x = x; printf("x");')
    assert [tree.span(use).start for use in uses_of(tree, "x", tree.root)] == [
        tree.source.index("x = n"),
        tree.source.index("x; printf"),
    ]


@pytest.mark.parametrize(
    ("literal", "is_double"),
    [("2.0", True), ("1e-3", True), (".5", True), ("3.", True), ("2.0f", False), ("7", False), ("0x1e", False)],
)
def test_literals_of_type_double_are_told_from_others(literal: str, is_double: bool) -> None:
    tree = tree_of(f"a[0] = {literal};")
    assert [tree.text(node) for node in double_literals(tree, tree.root)] == ([literal] if is_double else [])


def test_a_fresh_name_avoids_every_word_of_the_text() -> None:
    tree = SyntaxTree("#define tile_2 3\nint tile; // tile_3\n")
    assert fresh_name(tree, "tile") == "tile_4"
    assert fresh_name(tree, "pad") == "pad"


def test_indentation_is_what_begins_the_line() -> None:
    text = "{\n\t  int x;\n}"
    assert indentation(text, text.index("x")) == "\t  "
    assert indentation(text, 0) == ""


@pytest.mark.parametrize(
    ("file", "index", "grid", "block"),
    [
        ("transpose", 1, ["(width + TILE - 1) / TILE", "(height + TILE - 1) / TILE"], ["TILE", "ROWS"]),
        ("matmul_namespaces", 0, ["detail::ceil_div(n, 16)", "detail::ceil_div(n, 16)"], ["16", "16"]),
        ("jagged_and_graph", 0, ["(n_ + block - 1) / block"], ["128"]),
        ("saxpy", 0, None, None),
    ],
)
def test_the_variable_behind_a_launch_expression_is_found(file: str, index: int, grid: list[str] | None, block: list[str] | None) -> None:
    source = Source(DATA / f"{file}.cu", (DATA / f"{file}.cu").read_text())
    tree = SyntaxTree(source.text)
    site = parse(source).launch_sites[index]
    for expression, expected in ((site.grid, grid), (site.block, block)):
        declaration = declaration_behind(tree, expression)
        assert (declaration and [argument.text for argument in declaration.arguments]) == expected
