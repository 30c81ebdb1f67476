"""One session of this process on the emulator, and kernels of one text, compiled once."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path

import pytest

import kernelopt
from tests.caches import shared_cache

TEXT = """\
#include <cstdio>
#include <cassert>
__global__ void scale(float *out, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * x[i];
}
__global__ void shift(float *out, const float *x, int n, int by)
{
    int i = threadIdx.x;
    if (i < n) out[i] = x[i + by];
}
__global__ void neighbours(float *out, const float *x, int n)
{
    __shared__ float tile[256];
    tile[threadIdx.x] = x[threadIdx.x];
    out[threadIdx.x] = tile[(threadIdx.x + 32) % 256];
}
__global__ void sum_of_all(float *out, const float *x, int n)
{
    if (threadIdx.x < n) out[0] += x[threadIdx.x];
}
__global__ void unset(float *out, const float *x, int n)
{
    __shared__ float tile[256];
    if (threadIdx.x < 128) tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}
__global__ void half_a_barrier(float *out, const float *x, int n)
{
    if (threadIdx.x < n) __syncthreads();
    out[threadIdx.x] = x[threadIdx.x];
}
__global__ void asserting(float *out, const float *x, int n)
{
    assert(n < 100);
    out[threadIdx.x] = x[threadIdx.x];
}
__global__ void wild(float *out, const float *x, int n)
{
    float *far = (float *)(size_t)n;
    far[threadIdx.x] = x[threadIdx.x];
}
__global__ void misaligned(float *out, const float *x, int n)
{
    ((float2 *)(out + 1))[threadIdx.x] = make_float2(x[0], x[1]);
}
__global__ void divided(int *out, const int *x, int n)
{
    out[threadIdx.x] = x[threadIdx.x] / n;
}
__global__ void talking(float *out, const float *x, int n)
{
    if (threadIdx.x == 0) printf("n is %d\\n", n);
    out[threadIdx.x] = x[threadIdx.x];
}
template <typename T>
__global__ void twice(T *out, const T *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] + x[i];
}
__global__ void counted(float *out, const float *x, int n)
{
    __shared__ int bins[4];
    if (threadIdx.x < 4) bins[threadIdx.x] = 0;
    __syncthreads();
    bins[threadIdx.x % 4] += 1;
    __syncthreads();
    out[threadIdx.x] = bins[threadIdx.x % 4] + x[threadIdx.x];
}
__global__ void shared_beyond(float *out, const float *x, int n)
{
    __shared__ float tile[128];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x % 128];
}
__global__ void dynamic_shared(float *out, const float *x, int n)
{
    extern __shared__ float kept[];
    kept[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = kept[threadIdx.x];
}
__global__ void null_pointer(float *out, const float *x, int n)
{
    float *none = n > 0 ? nullptr : out;
    none[threadIdx.x] = x[threadIdx.x];
}
__global__ void trapped(float *out, const float *x, int n)
{
    if (threadIdx.x == 3) __trap();
    out[threadIdx.x] = x[threadIdx.x];
}
__global__ void half_a_warp(float *out, const float *x, int n)
{
    float v = x[threadIdx.x];
    if (threadIdx.x % 32 < 16) v += __shfl_down_sync(0xffffffff, v, 8);
    out[threadIdx.x] = v;
}
__global__ void of_every_block(float *out, const float *x, int n)
{
    out[threadIdx.x] = x[threadIdx.x] + blockIdx.x;
}
__global__ void writes_const(float *out, const float *x, int n)
{
    ((float *)x)[threadIdx.x + 1] = 1.0f;
}
__global__ void atomics(float *out, const float *x, int n)
{
    atomicAdd(&out[threadIdx.x + 100], x[threadIdx.x]);
}
__global__ void fours(float *out, const float *x, int n)
{
    ((float4 *)out)[threadIdx.x] = make_float4(x[0], x[1], x[2], x[3]);
}
__global__ void some_misaligned(float *out, const float *x, int n)
{
    *(int *)((char *)out + threadIdx.x) = 1;
}
"""


@pytest.fixture(scope="package", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Generator[Path]:
    """A user's folder of these tests; what is built is shared with all tests."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "cache").symlink_to(shared_cache())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KERNELOPT_HOME", str(folder))
        yield folder


@pytest.fixture(scope="package")
def session(home: Path) -> Generator[kernelopt.Session]:
    with kernelopt.Session("cpu") as opened:
        yield opened


@pytest.fixture(scope="package")
def kernel(session: kernelopt.Session) -> Callable[[str], kernelopt.Kernel]:
    """A kernel of the text by its name, with one block of 256 threads."""
    made: dict[str, kernelopt.Kernel] = {}

    def compiled(name: str) -> kernelopt.Kernel:
        if name not in made:
            made[name] = kernelopt.compile(TEXT, name, grid=1, block=256, session=session)
        return made[name]

    return compiled
