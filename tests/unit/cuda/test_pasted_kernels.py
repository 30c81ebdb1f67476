"""Which kernels a text's macros name."""

from __future__ import annotations

import pytest

from assistant.cuda.pasted_kernels import PastedKernel, pasted_kernels

HEAD = "__global__ void __launch_bounds__(128) NAME##_kernel(float *x)"
MAKE = f"#define MAKE(NAME, OP) \\\n  {HEAD} {{ *x = *x OP 2; }} \\\n  void run_##NAME() {{}}\n"


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (f"{MAKE}MAKE(add, +)\nMAKE(mul, *)\n", (PastedKernel("add_kernel", "MAKE", 4), PastedKernel("mul_kernel", "MAKE", 5))),
        (f"{MAKE}// MAKE(add, +)\n#if 1\nMAKE(sub, -)\n#endif\n", (PastedKernel("sub_kernel", "MAKE", 6),)),
        (
            "#define K(T, N) template <class T> __global__ void k_ ## N ## _ ## T(T *)\nK(float, 4)",
            (PastedKernel("k_4_float", "K", 2),),
        ),
        ("#define MAKE(NAME) __global__ void NAME(float *x) {}\nMAKE(add)\n", ()),
        ("#define NAME(x) x##_kernel\n__global__ void NAME(add)(float *x) {}\n", ()),
        ("__global__ void k(float *x) {}\n", ()),
    ],
)
def test_names_that_macros_paste_are_found_where_the_macro_is_used(text: str, made: tuple[PastedKernel, ...]) -> None:
    assert pasted_kernels(text) == made
