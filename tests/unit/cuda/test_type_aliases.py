"""Types behind other names, as kernels have them."""

from __future__ import annotations

from pathlib import Path

from assistant.cuda.parse import parse
from assistant.cuda.type_aliases import spelled_out, type_aliases
from assistant.model.source import Source

TEXT = """
typedef float real; // typedef double real;
using scalar = real;
#define COUNT unsigned int
#define LOOP loop
typedef int both;
using both = long;
template <typename scalar> __global__ void hidden(scalar *x) {}
__global__ void k(real *a, const scalar *b, COUNT n, both m) {}
"""


def test_what_an_alias_stands_for_is_put_in_its_place() -> None:
    hidden, kernel = (spelled_out(kernel, type_aliases(TEXT)) for kernel in parse(Source(Path("/k.cu"), TEXT)).kernels)
    assert [parameter.type for parameter in kernel.parameters] == ["float *", "const float *", "unsigned int", "both"]
    assert [parameter.element_type for parameter in kernel.parameters] == ["float", "float", None, None]
    assert hidden.parameters[0].element_type == "scalar"


def test_several_may_stand_on_one_line() -> None:
    text = "typedef unsigned char u8; typedef unsigned int u32; using f = float;\nint a; typedef long i64;"
    assert type_aliases(text) == {"u8": "unsigned char", "u32": "unsigned int", "f": "float", "i64": "long"}


def test_a_text_without_any_has_none() -> None:
    assert type_aliases("#define N 4\n#define RUN(x) x\ntypedef struct { int a; } P;\n// typedef int a;\n") == {}
