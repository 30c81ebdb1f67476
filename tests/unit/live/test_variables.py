"""What the variables of a text hold before a launch, and which of them hand nothing on."""

from pathlib import Path

import numpy as np
import pytest

from assistant.cuda.parse import parse
from assistant.live.variables import lost_variables, uncompared_variables, variables_of
from assistant.model.source import Source


@pytest.mark.parametrize(
    ("declared", "element", "data"),
    [
        ("__device__ int hits;", "int", bytes(4)),
        ("static __device__ unsigned int hits = 3u;", "unsigned int", np.uint32(3).tobytes()),
        ("#define N 4\n__device__ float hits[2][N];", "float", bytes(32)),
        ("__device__ float hits[3] = {1.5f, -2};", "float", np.array([1.5, -2, 0], np.float32).tobytes()),
        ("__device__ volatile double hits = 1e3;", "double", np.float64(1000).tobytes()),
        ("__managed__ short hits[2] = {1, 2};", "short", np.array([1, 2], np.int16).tobytes()),
        ("struct P { float x; double y; };\n__device__ P hits[2];", "P", bytes(32)),
    ],
)
def test_a_variable_holds_what_its_declaration_says(declared: str, element: str, data: bytes) -> None:
    (known,) = variables_of(declared).known
    assert (known.name, known.element_type, known.data) == ("hits", element, data)
    assert variables_of(declared).unknown == ()


@pytest.mark.parametrize(
    "declared",
    [
        "__device__ float hits[] = {1, 2};",
        "__device__ float hits = sqrtf(2.0f);",
        "__device__ int hits[2][2] = {{1}, {2, 3}};",
        "__device__ float *hits;",
        "extern __device__ int hits;",
        "namespace a { __device__ int hits; }",
        "__device__ Unknown hits;",
    ],
)
def test_what_is_not_said_plainly_is_not_guessed(declared: str) -> None:
    text = f"{declared}\n__global__ void k(int n) {{ hits; }}\n__global__ void other(int n) {{ }}"
    found = variables_of(text)
    assert (found.known, found.unknown) == ((), () if "extern" in declared else ("hits",))
    parsed = parse(Source(Path("/k.cu"), text))
    said = [uncompared_variables(found, parsed, kernel) for kernel in parsed.kernels]
    assert [bool(one) for one in said] == ["extern" not in declared, False]


def test_what_no_kernel_can_write_is_left_out() -> None:
    found = variables_of("__constant__ int a[2]; __device__ const int b = 1; __device__ int c(int x); __shared__ int d;")
    assert (found.known, found.unknown) == ((), ())


def test_variables_that_two_kernels_use_hand_nothing_on() -> None:
    text = "__device__ int n, m;\n__global__ void a() { n = 1; m = 1; }\n__global__ void b(int *x) { x[0] = n; }\n__global__ void c() { }"
    parsed = parse(Source(Path("/k.cu"), text))
    said = [lost_variables(parsed, kernel) for kernel in parsed.kernels]
    assert said[0].startswith("n is used by several kernels of the text: each call begins with what the declaration says")
    assert said[1:] == [said[0], ""]
