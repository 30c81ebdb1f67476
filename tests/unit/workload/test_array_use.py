"""Which of a kernel's arrays are only stored to: what they held before is no input."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.model.source import Source
from assistant.workload.array_use import only_stored


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
