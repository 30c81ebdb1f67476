"""Kernels with lists of right edits of each, for figures that need more candidates than rules find in one kernel.

All edits of a kernel do the same thing in other ways, so that each is built, run, verified and timed like any candidate.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

__all__ = ["LISTED", "Listed"]


@dataclass(frozen=True)
class Listed:
    """One kernel in a source with its workload, and texts to put in the kernel's place."""

    name: str
    workload: str
    kernel: str
    edits: tuple[str, ...]

    @property
    def source(self) -> str:
        return f"{self.workload}\n{self.kernel}\n"


_TRANSPOSE = """\
__global__ void turn(float *out, const float *in, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    if (x < n && y < n) out[x * n + y] = in[y * n + x];
}"""
_TRANSPOSE_STAGED = """\
__global__ void turn(float *out, const float *in, int n)
{{
    __shared__ float tile[32][{pitch}];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = {read};
    __syncthreads();
    int ox = blockIdx.y * 32 + threadIdx.x;
    int oy = blockIdx.x * 32 + threadIdx.y;
    if (ox < n && oy < n) out[oy * n + ox] = tile[threadIdx.x][threadIdx.y];
}}"""
_ROW_SUM = """\
__global__ void row_sum(float *out, const float *in, int n)
{
    __shared__ float part[256];
    float sum = 0.0f;
    for (int x = threadIdx.x; x < n; x += 256) sum += in[blockIdx.x * n + x];
    part[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float total = 0.0f;
        for (int i = 0; i < 256; i++) total += part[i];
        out[blockIdx.x] = total;
    }
}"""
_ROW_SUM_HALVED = """\
__global__ void row_sum(float *out, const float *in, int n)
{{
    __shared__ float part[256];
    float sum = 0.0f;
#pragma unroll {unroll}
    for (int x = threadIdx.x; x < n; x += 256) sum += {read};
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {{
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }}
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}}"""
_BLUR = """\
__global__ void blur(float *out, const float *in, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0;
    for (int k = -8; k <= 8; k++) {
        int j = i + k;
        if (j >= 0 && j < n) sum += in[j] / 17.0;
    }
    out[i] = sum;
}"""
_BLUR_IN_FLOAT = """\
__global__ void blur(float *out, const float *in, int n)
{{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
#pragma unroll {unroll}
    for (int k = -8; k <= 8; k++) {{
        int j = i + k;
        if (j >= 0 && j < n) sum += {read};
    }}
    out[i] = sum * (1.0f / 17.0f);
}}"""


def _workload(kernel: str, arguments: str, launch: str, shape: str) -> str:
    table = f"[workload.{kernel}]\nargs   = {{ {arguments} }}\n{launch}\n"
    return f"/* kernelopt\n{table}shapes = [{{ {shape} }}]\nsizes  = {{ n = {{ min = 1 }} }}\n*/"


LISTED = (
    Listed(
        name="transpose",
        workload=_workload(
            "turn",
            'out = "empty(n*n)", in = "randn(n*n)", n = "n"',
            'grid   = ["ceil(n/32)", "ceil(n/32)"]\nblock  = [32, 32]',
            "n = 2048",
        ),
        kernel=_TRANSPOSE,
        edits=tuple(
            _TRANSPOSE_STAGED.format(pitch=pitch, read=read)
            for pitch, read in product((33, 34, 35, 37, 39, 41), ("in[y * n + x]", "__ldg(&in[y * n + x])"))
        ),
    ),
    Listed(
        name="row_sum",
        workload=_workload("row_sum", 'out = "empty(1024)", in = "randn(1024*n)", n = "n"', "grid   = [1024]\nblock  = [256]", "n = 4096"),
        kernel=_ROW_SUM,
        edits=tuple(
            _ROW_SUM_HALVED.format(unroll=unroll, read=read)
            for unroll, read in product((1, 2, 3, 4, 6, 8), ("in[blockIdx.x * n + x]", "__ldg(&in[blockIdx.x * n + x])"))
        ),
    ),
    Listed(
        name="blur",
        workload=_workload("blur", 'out = "empty(n)", in = "randn(n)", n = "n"', 'grid   = ["ceil(n/256)"]\nblock  = [256]', "n = 1048576"),
        kernel=_BLUR,
        edits=tuple(
            _BLUR_IN_FLOAT.format(unroll=unroll, read=read) for unroll, read in product((1, 2, 3, 4, 6, 17), ("in[j]", "__ldg(&in[j])"))
        ),
    ),
)
