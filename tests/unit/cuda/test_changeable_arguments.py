"""What a call may change of what it is given."""

from __future__ import annotations

import pytest

from assistant.cuda.assignments import changed_names
from assistant.cuda.syntax import SyntaxTree

TEXT = """
struct State { float z; };
__device__ float step(const float *c, int at, State &s, float in) { return c[at] * in + s.z; }
__device__ float plain(float a, float b) { return a + b; }
__device__ void put(float a, float b) {}
__device__ void put(float a, float &b, int c) {}
__device__ void all(float a, float &b);
void k() { CALL; }
"""


@pytest.mark.parametrize(
    ("call", "changed"),
    [
        ("step(c, at, s, x)", {"s"}),
        ("step(c, at, states[at], x)", set()),
        ("plain(a, b)", set()),
        ("put(a, b)", {"b"}),
        ("elsewhere(a, b + 1, c)", {"a", "c"}),
        ("all(a, b)", {"a", "b"}),
    ],
)
def test_only_what_is_taken_by_reference_changes(call: str, changed: set[str]) -> None:
    tree = SyntaxTree(TEXT.replace("CALL", call))
    assert changed_names(tree, next(tree.find("expression_statement"))) == changed
