"""What conditions ask, what operators join, which function and which loops stand around a piece of code."""

from __future__ import annotations

import pytest

from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.calls import calls_of, given_arguments, takes_values_only
from assistant.cuda.functions import enclosing_function, functions
from assistant.cuda.loops import loops_around
from assistant.cuda.syntax import SyntaxTree, joined

PROGRAM = """
#define SET(x) (x) = 1
#define TWICE(x) (2 * (x))
__device__ void by_reference(float &x) { x = 1; }
__device__ float by_value(float x) { return x; }
__global__ void k(float *a, int n) {
    for (int j = 0; j < n; j++) {
        CUDA_KERNEL_LOOP(i, n) { a[i] += 1; }
    }
}
"""


@pytest.mark.parametrize(
    ("statement", "condition", "parts"),
    [
        ("if (x < w && (y < h && !z)) return;", "x < w && (y < h && !z)", ["x < w", "y < h", "!z"]),
        ("if ((x >= w || y >= h)) return;", "x >= w || y >= h", ["x >= w || y >= h"]),
        ("while (n) n--;", "n", ["n"]),
        ("for (; (int)n < 3;) n++;", "(int)n < 3", ["(int)n < 3"]),
    ],
)
def test_a_condition_comes_apart_where_and_joins_it(statement: str, condition: str, parts: list[str]) -> None:
    tree = SyntaxTree(f"void f() {{ {statement} }}")
    asked = condition_of(functions(tree)[0].body.named_children[0])
    assert asked is not None
    assert (tree.text(asked), [tree.text(part) for part in joined(asked, "&&")]) == (condition, parts)


@pytest.mark.parametrize(
    ("branch", "only"),
    [("return;", "return;"), ("{ /* done */ return; }", "return;"), ("{ n = 1; return; }", None), ("{ }", None)],
)
def test_a_branch_with_a_single_statement_is_that_statement(branch: str, only: str | None) -> None:
    tree = SyntaxTree(f"void f() {{ if (n) {branch} }}")
    then = functions(tree)[0].body.named_children[0].child_by_field_name("consequence")
    found = None if then is None else lone_statement(then)
    assert (found and tree.text(found)) == only


def test_code_in_a_loop_macro_belongs_to_the_function_around_it() -> None:
    tree = SyntaxTree(PROGRAM)
    update = next(node for node in tree.find("assignment_expression") if tree.text(node) == "a[i] += 1")
    function = enclosing_function(tree, update)
    assert function is not None
    assert (function.name, [p.name for p in function.parameters]) == ("k", ["a", "n"])
    assert [tree.line(loop) for loop in loops_around(tree, update)] == [7]


@pytest.mark.parametrize(
    ("call", "is_harmless"),
    [("by_value(v)", True), ("by_reference(v)", False), ("unknown(v)", False), ("sqrtf(v)", True), ("TWICE(v)", True), ("SET(v)", False)],
)
def test_a_call_changes_its_arguments_unless_it_takes_values(call: str, is_harmless: bool) -> None:
    tree = SyntaxTree(f"{PROGRAM}\n__device__ void f(float v) {{ {call}; }}")
    (node,) = calls_of(tree, call.split("(")[0])
    assert takes_values_only(tree, node) is is_harmless


def test_arguments_leave_comments_out_and_launches_are_calls() -> None:
    tree = SyntaxTree("int main() { ns::k<float><<<1, 2>>>(a /* in */, b); }")
    (launch,) = calls_of(tree, "k")
    assert [tree.text(argument) for argument in given_arguments(launch)] == ["a", "b"]
