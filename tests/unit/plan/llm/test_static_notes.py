"""Loops and arrays in words."""

from __future__ import annotations

from pathlib import Path

from assistant.cuda.parse import parse
from assistant.model.source import Source
from assistant.plan.llm.static_notes import array_notes, loop_notes

TEXT = """\
#define TILE 16
__device__ float sum(const float *v, int n)
{
    float s = 0.0f;
    for (int i = 0; i < n; ++i) s += v[i];
    return s;
}
__global__ void k(float *__restrict__ out, const float *in, int *count, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    for (int i = 0; i < 8; i += 2) {
        while (n > 0) { tile[0][i] = in[i]; break; }
    }
    out[0] += tile[0][0] + sum(in, n);
    atomicAdd(&count[0], 1);
}
"""


def test_loops_show_how_often_they_run_where_the_text_says_so() -> None:
    parsed = parse(Source(Path("/k.cu"), TEXT))
    assert loop_notes(parsed, parsed.kernels[0]) == (
        "line 11: counts i by 2; 4 iterations",
        "line 12: counts in a way that the text does not show; inside 1 other loop",
        "line 5: counts i by 1; iterations known at run time only",
    )


def test_arrays_show_where_they_are_read_and_written() -> None:
    parsed = parse(Source(Path("/k.cu"), TEXT))
    assert array_notes(parsed, parsed.kernels[0]) == (
        "out: updated in place at line 14",
        "in: read at line 12",
        "count: updated atomically at line 15",
        "tile: __shared__, written at line 12, read at line 14",
    )


def test_an_array_that_is_used_through_another_pointer_says_which() -> None:
    text = """
__global__ void k(float *out, const float *in, const float *raw, float *idle, int n)
{
    const float *x = in + blockIdx.x * n;
    const float4 *v = reinterpret_cast<const float4 *>(raw);
    out[threadIdx.x] = x[threadIdx.x] + v[0].x;
}
"""
    parsed = parse(Source(Path("/k.cu"), text))
    assert array_notes(parsed, parsed.kernels[0]) == (
        "out: written at line 6",
        "in: through `x`: read at line 6",
        "raw: through `v`: read at line 6",
        "idle: never used through its subscripts",
    )
