"""Which of a kernel's arrays are only stored to: what they held before is no input."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.model.source import Source
from assistant.workload.array_use import maybe_written, only_stored


def stored(body: str) -> frozenset[str]:
    text = f"__device__ float half_of(float *p);\n__global__ void k(float *out, const float *x, int n)\n{{\n{body}\n}}\n"
    (kernel,) = parse(Source(Path("/w/k.cu"), text)).kernels
    return only_stored(text, kernel)


@pytest.mark.parametrize(
    "body",
    [
        "out[threadIdx.x] = x[threadIdx.x];",
        "float *row = out + blockIdx.x * n; row[threadIdx.x] = x[0];",
        "float *const a = (out + n) + 1; float *b = a; *b = x[0];",
    ],
)
def test_an_array_that_is_stored_to_by_name_or_through_a_copy_of_its_pointer(body: str) -> None:
    assert stored(body) == {"out"}


@pytest.mark.parametrize(
    "body",
    [
        "out[threadIdx.x] += x[threadIdx.x];",
        "atomicAdd(out, x[0]);",
        "float *row = out + n; row[0] = row[1];",
        "float *row; row = out; row[0] = row[1];",
        "out[0] = half_of(out + 1);",
        "float v = out[0]; out[1] = v;",
        "float *a = x[0] > 0 ? out : out + 1; a[0] = 1;",
    ],
)
def test_an_array_that_is_or_may_be_loaded_is_none(body: str) -> None:
    assert not stored(body)


def written(body: str, before: str = "") -> frozenset[str]:
    text = f"{before}\n__device__ void fill(float *p);\n__global__ void k(float *a, float *b, float *c, const float *d)\n{{\n{body}\n}}\n"
    (kernel,) = parse(Source(Path("/w/k.cu"), text)).kernels
    return maybe_written(text, kernel)


def test_what_is_read_alone_is_not_written_though_nothing_says_const() -> None:
    assert written("float s = 0; for (int i = 0; i < 4; i++) s += a[i] * b[threadIdx.x]; c[threadIdx.x] = s + d[0];") == {"c"}
    assert written("float v = a[0]; fill(b); atomicAdd(&c[0], v);") == {"b", "c"}
    assert written("c[threadIdx.x] += *(a + threadIdx.x);") == {"c"}


def test_what_a_macro_hides_may_be_written() -> None:
    assert written("AT(threadIdx.x) = a[0]; b[0] = 1.0f;", "#define AT(i) c[i]") == {"b", "c"}
    assert written("SET(c, a[0]);", "#define SET(p, v) p[threadIdx.x] = (v)") >= {"c"}
