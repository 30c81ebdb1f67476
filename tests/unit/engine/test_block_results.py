"""Outputs that hold a result of each block."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.cuda.parse import parse
from assistant.engine.judge.block_results import block_results, has_part_by_size
from assistant.model.launch import Dim3
from assistant.model.source import Source

KERNEL = "__global__ void k(const float *in, float *out, int n) { int i = blockIdx.x * 64 + threadIdx.x; BODY }\n"


def found(body: str, key: str | None = None) -> frozenset[int]:
    parsed = parse(Source(Path("/k.cu"), KERNEL.replace("BODY", body)))
    version: Any = SimpleNamespace(parsed=parsed, source=parsed.source, sources=(parsed.source,))
    return block_results(version, key or parsed.kernels[0].key)


@pytest.mark.parametrize(
    "body",
    [
        "if (threadIdx.x == 0) out[blockIdx.x] = in[i];",
        "int block = blockIdx.y * gridDim.x + blockIdx.x; if (threadIdx.x == 0) out[block] = in[i];",
        "out[2 * blockIdx.x] = in[0]; out[2 * blockIdx.x + 1] = in[1];",
        "if (threadIdx.x == 0) *(out + blockIdx.x) = in[i];",
    ],
)
def test_places_that_the_block_alone_decides_are_results_of_blocks(body: str) -> None:
    assert found(body) == {1}


@pytest.mark.parametrize(
    "body",
    [
        "out[i] = in[i];",
        "if (threadIdx.x == 0) out[0] = in[i];",
        "if (threadIdx.x == 0) atomicAdd(&out[blockIdx.x], in[i]);",
        "out[blockIdx.x] = in[i]; out[i] = 0;",
        "if (threadIdx.x == 0) out[blockIdx.x] += in[i];",
        "for (int row = blockIdx.x; row < n; row += gridDim.x) out[row] = in[row];",
        "",
    ],
)
def test_all_other_places_are_not(body: str) -> None:
    assert found(body) == frozenset()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int j = blockIdx.x * blockDim.x + threadIdx.x; if (threadIdx.x == 0) out[blockIdx.x] = in[j];", True),
        ("for (int j = threadIdx.x + blockDim.x * blockIdx.x; j < n; j += blockDim.x * gridDim.x) in[j]; out[blockIdx.x] = 0;", True),
        ("const int EACH = 32 * 2; int j = blockIdx.x * EACH + threadIdx.x; out[blockIdx.x] = in[j];", True),
        ("int j = blockIdx.x * n + threadIdx.x; out[blockIdx.x] = in[j];", False),
        ("out[blockIdx.x] = in[blockIdx.x];", False),
        ("int j = blockIdx.x * 32 + threadIdx.x; out[blockIdx.x] = in[j];", False),
        ("int b = blockIdx.x; out[blockIdx.x] = in[b * blockDim.x];", False),
    ],
)
def test_a_part_of_the_work_is_by_the_blocks_size_where_the_block_is_multiplied_by_it(body: str, expected: bool) -> None:
    parsed = parse(Source(Path("/k.cu"), f"__global__ void k(const float *in, float *out, int n) {{ {body} }}\n"))
    version: Any = SimpleNamespace(parsed=parsed, source=parsed.source, sources=(parsed.source,))
    assert has_part_by_size(version, parsed.kernels[0].key, Dim3(64)) is expected


def test_a_kernel_of_another_file_has_none() -> None:
    assert found("out[blockIdx.x] = in[i];", "other(float *)") == frozenset()
