"""What makes an expression of device code double."""

from __future__ import annotations

import pytest

from assistant.cuda.functions import functions
from assistant.cuda.syntax import SyntaxTree
from assistant.plan.expert.analysis.value_kinds import Kind, ValueKinds

KERNEL = """
#define HALF 0.5
#define TWO 2
typedef float real;
struct Cell {{ float weight; double exact; }};
__device__ float helper(float x);
template <typename T>
__global__ void k(float *f, double *d, int *n, T *t, real *r, Cell *cells, float4 v) {{
    value = {expression};
}}
"""


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("f[0] * 2", Kind.FLOAT),
        ("f[0] * 0.5f", Kind.FLOAT),
        ("f[0] * 0.5", Kind.WIDENED),
        ("f[0] * HALF", Kind.WIDENED),
        ("f[0] * TWO", Kind.FLOAT),
        ("r[0] + 1.0", Kind.WIDENED),
        ("v.x / 3.0", Kind.WIDENED),
        ("cells[0].weight * 1e-3", Kind.WIDENED),
        ("cells[0].exact * 1e-3", Kind.DOUBLE),
        ("n[0] * 0.5", Kind.WIDENED_INTEGER),
        ("d[0] * f[0]", Kind.DOUBLE),
        ("(double)f[0] * 2", Kind.DOUBLE),
        ("t[0] * 0.5", Kind.WIDENED_GENERIC),
        ("1.0 / 3", Kind.LITERAL),
        ("sqrt(f[0])", Kind.FLOAT),
        ("sqrt(f[0] + 1.0)", Kind.WIDENED),
        ("pow(f[0], 2)", Kind.WIDENED),
        ("f[0] < 0.5", Kind.INTEGER),
        ("__expf(f[0]) + 1.f", Kind.FLOAT),
        ("mystery(f[0]) * 0.5", Kind.UNKNOWN),
    ],
)
def test_the_kind_of_an_expression(expression, kind):
    tree = SyntaxTree(KERNEL.format(expression=expression))
    function = next(f for f in functions(tree) if f.name == "k")
    assignment = next(tree.find("assignment_expression", inside=function.body))
    right = assignment.child_by_field_name("right")
    assert right is not None
    assert ValueKinds(tree, function).of(right) is kind
