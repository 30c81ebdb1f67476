"""Calls of a program's own rounded-up division."""

from __future__ import annotations

import pytest

from assistant.cuda.rounded_calls import RoundedCall, rounded_call
from assistant.cuda.syntax import SyntaxTree


def found(definition: str, call: str) -> RoundedCall | None:
    return rounded_call(SyntaxTree(f"{definition}\n__global__ void k(float *y) {{ y[0] = 1; }}\n"), call)


@pytest.mark.parametrize(
    "definition",
    [
        "#define UP(a, b) (((a) + (b) - 1) / (b))",
        "#define UP(x,y) ((x+(y-1))/y)",
        "static inline int UP(int n, int size) { return (n + size - 1) / size; }",
        "constexpr unsigned UP(unsigned n, unsigned size) { return (n - 1) / size + 1; }",
        "__host__ __device__ int UP(int n, int size)\n{\n    return ((n) + size - 1) / (size);\n}",
    ],
)
def test_a_rounded_up_division_is_understood(definition):
    assert found(definition, "UP(b * h, THREADS)") == RoundedCall("UP", "b * h", "THREADS")


@pytest.mark.parametrize(
    ("definition", "call"),
    [
        ("#define UP(a, b) ((a) / (b))", "UP(n, 64)"),
        ("#define UP(a, b) (((a) + (b) - 1) / (b) * (b))", "UP(n, 64)"),
        ("#define UP(a, b) (((b) + (a) - 1) / (a))", "UP(n, 64)"),
        ("#define UP(a, b) (((a) + (b) - 1) / (b))", "UP(n, 64) + 1"),
        ("#define UP(a, b) (((a) + (b) - 1) / (b))", "UP(n, 64) + UP(m, 64)"),
        ("#ifdef EXACT\n#define UP(a, b) ((a) / (b))\n#else\n#define UP(a, b) (((a) + (b) - 1) / (b))\n#endif", "UP(n, 64)"),
        ("int UP(int n, int size) { int m = n + size - 1; return m / size; }", "UP(n, 64)"),
        ("", "UP(n, 64)"),
    ],
)
def test_anything_else_is_left_alone(definition, call):
    assert found(definition, call) is None
