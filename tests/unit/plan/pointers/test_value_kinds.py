"""What makes an expression of device code double."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.functions import functions
from assistant.cuda.syntax import SyntaxTree
from assistant.model.source import Source
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
def test_the_kind_of_an_expression(expression: str, kind: Kind) -> None:
    assert kind_in(SyntaxTree(KERNEL.format(expression=expression))) is kind


def kind_in(tree: SyntaxTree) -> Kind:
    """Of what is assigned to ``value``."""
    function = next(f for f in functions(tree) if f.name == "k")
    assignment = next(tree.find("assignment_expression", inside=function.body))
    right = assignment.child_by_field_name("right")
    assert right is not None
    return ValueKinds(tree, function).of(right)


HEADER = """
typedef float real;
struct Params { real h; const double exact; float box[3], *table; int cells; };
typedef struct { float x; } Point;
#ifdef WIDE
typedef double wide;
struct Other { double x; };
#else
typedef float wide;
struct Other { float x; };
#endif
"""
USER = """
#include "params.h"
template <typename Point>
__device__ void g(Point p);
__global__ void k(Params P, const Params *all, real *r, wide *w, Point q, Other o, double2 d) {{
    value = {expression};
}}
"""


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("P.h * P.h", Kind.FLOAT),
        ("all[2].h * 0.5", Kind.WIDENED),
        ("all->exact * 2.0f", Kind.DOUBLE),
        ("P.cells / 2", Kind.INTEGER),
        ("q.x", Kind.FLOAT),
        ("r[0] + 1.0", Kind.WIDENED),
        ("w[0]", Kind.UNKNOWN),
        ("o.x", Kind.UNKNOWN),
        ("d.x", Kind.UNKNOWN),
        ("P.table", Kind.UNKNOWN),
        ("P.missing", Kind.UNKNOWN),
    ],
)
def test_types_that_a_header_declares_are_known_where_it_says_one_thing(expression: str, kind: Kind) -> None:
    header = Source(Path("params.h"), HEADER)
    assert kind_in(SyntaxTree(USER.format(expression=expression), others=(header,))) is kind
    assert kind_in(SyntaxTree(USER.format(expression=expression))) in (Kind.UNKNOWN, Kind.INTEGER)


def test_what_the_text_itself_declares_goes_before_what_other_files_do() -> None:
    other = Source(Path("other.cu"), "struct Cell { double weight; }; typedef double real; typedef double T;")
    for expression, kind in (("cells[0].weight", Kind.FLOAT), ("r[0]", Kind.FLOAT), ("t[0]", Kind.GENERIC)):
        assert kind_in(SyntaxTree(KERNEL.format(expression=expression), others=(other,))) is kind
