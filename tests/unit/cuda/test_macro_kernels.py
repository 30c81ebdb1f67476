"""Kernels that macros of a file make: their names, their parameters, the line of the use."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.model.source import ParsedSource, Source

HEAD = "__global__ void __launch_bounds__(128) NAME##_kernel(float *x)"
MAKE = f"#define MAKE(NAME, OP) \\\n  {HEAD} {{ *x = *x OP twice(2); }} \\\n  void run_##NAME() {{}}\n"


def read(text: str) -> ParsedSource:
    return parse(Source(Path("/user/a.cu"), text))


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (f"{MAKE}MAKE(add, +)\nMAKE(mul, *)\n", [("add_kernel(float *)", 4, "MAKE"), ("mul_kernel(float *)", 5, "MAKE")]),
        (f"{MAKE}// MAKE(add, +)\n#if 1\nMAKE(sub, -)\n#endif\n", [("sub_kernel(float *)", 6, "MAKE")]),
        (f"{MAKE}#define TWO(A, B) MAKE(A, +) MAKE(B, -)\nTWO(a, b)\n", [("a_kernel(float *)", 5, "TWO"), ("b_kernel(float *)", 5, "TWO")]),
        ("#define K(T, N) template <class U> __global__ void k_ ## N ## _ ## T(T *) {}\nK(float, 4)", [("k_4_float(float *)", 2, "K")]),
        ("#define MAKE(NAME) __global__ void NAME(float *x) {}\nnamespace n { MAKE(add) }\n", [("n::add(float *)", 2, "MAKE")]),
        ("#define MAKE(NAME) __global__ void NAME(float *x) {}\n#undef MAKE\nvoid f() { MAKE(add); }\n", []),
        ("#define NAME(x) x##_kernel\n__global__ void NAME(add)(float *x) {}\n", [("add_kernel(float *)", 2, "")]),
        ("#define J(a, b) a##b\n#define CAT(a, b) J(a, b)\n#define P f\n__global__ void CAT(P, _a)(int n) {}\n", [("f_a(int)", 4, "")]),
    ],
)  # fmt: skip
def test_a_kernel_that_a_macro_makes_stands_where_the_macro_is_used(text: str, made: list[tuple[str, int, str]]) -> None:
    assert [(kernel.key, kernel.line, kernel.macro) for kernel in read(text).kernels] == made


def test_a_launch_whose_name_a_macro_makes_is_one_of_that_kernel() -> None:
    parsed = read("#define NAME(x) x##_k\n__global__ void NAME(add)(float *x) {}\nvoid f(float *x) { NAME(add)<<<1, 32>>>(x); }\n")
    assert [site.line for site in parsed.launch_sites_of(parsed.kernels[0])] == [3]


def test_device_functions_that_a_macros_kernel_calls_are_known() -> None:
    parsed = read(f"__device__ float twice(float x) {{ return 2 * x; }}\n{MAKE}MAKE(add, +)\n")
    (kernel,) = parsed.kernels
    assert kernel.device_functions == ("twice",)
    assert parsed.source.text[kernel.span.start : kernel.span.end] == "MAKE(add, +)"
    assert kernel.launch_bounds == ("128",)


def test_a_file_without_such_macros_is_read_once() -> None:
    assert [kernel.name for kernel in read("#define N 4\n__global__ void k(float *x) {}\n").kernels] == ["k"]
