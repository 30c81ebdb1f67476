"""Outputs that hold a result of each block."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.cuda.parse import parse
from assistant.engine.judge.block_results import block_results
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


def test_a_kernel_of_another_file_has_none() -> None:
    assert found("out[blockIdx.x] = in[i];", "other(float *)") == frozenset()
