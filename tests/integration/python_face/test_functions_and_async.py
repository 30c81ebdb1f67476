"""Kernels in the docstrings of functions, and the same calls in ``async`` code."""

from __future__ import annotations

import asyncio
import time

import numpy as np
import pytest

import kernelopt
from tests.integration.python_face.conftest import TEXT

N = 1000


def arrays() -> tuple[np.ndarray, np.ndarray, int]:
    return np.zeros(N, np.float32), np.arange(N, dtype=np.float32), N


def test_a_function_with_a_kernel_as_its_docstring_is_that_kernel(session: kernelopt.Session) -> None:
    calls: list[int] = []

    def twice(x: np.ndarray) -> np.ndarray:
        calls.append(x.size)
        return 2 * x

    @kernelopt.kernel(ref=twice, grid=4, block=256, session=session)
    def scale(out: np.ndarray, x: np.ndarray, n: int) -> None:
        """__global__ void scale(float *out, const float *x, int n)
        {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) out[i] = 2.0f * x[i];
        }"""

    out, x, n = arrays()
    assert calls == []
    scale(out, x, n)
    assert (out == 2 * x).all() and calls
    checked = len(calls)
    scale[4, 256](out, x, n)
    assert len(calls) == checked, "the first call alone is checked against it"
    assert (scale.name, scale.__name__, scale.parameters) == ("scale", "scale", ("out", "x", "n"))


def test_a_function_that_is_wrong_by_its_reference_changes_nothing(session: kernelopt.Session) -> None:
    @kernelopt.kernel(ref=lambda x: 3 * x, grid=4, block=256, session=session)
    def scale(out: np.ndarray, x: np.ndarray, n: int) -> None:
        """__global__ void scale(float *out, const float *x, int n)
        {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) out[i] = 2.0f * x[i];
        }"""

    out, x, n = arrays()
    for called in (scale, scale[4, 256]):
        with pytest.raises(kernelopt.KernelFault, match="differs from reference"):
            called(out, x, n)
    assert not out.any()
    scale(out, x, n, check=False)
    assert (out == 2 * x).all()
    with pytest.raises(kernelopt.KernelFault, match="differs from reference"):
        scale(out, x, n)


def test_what_is_no_kernel_is_named_by_an_awaited_comparison(session: kernelopt.Session) -> None:
    async def compared() -> None:
        scale = await kernelopt.aio.compile(TEXT, "scale", grid=4, block=256, session=session)
        await kernelopt.aio.compare(scale.sync, TEXT, arrays())  # type: ignore[arg-type]

    with pytest.raises(kernelopt.KernelOptError, match="compare takes two kernels, got str"):
        asyncio.run(compared())


def test_a_function_must_have_the_kernels_parameters(session: kernelopt.Session) -> None:
    @kernelopt.kernel(grid=4, block=256, session=session)
    def scale(x: np.ndarray, out: np.ndarray, n: int) -> None:
        """__global__ void scale(float *out, const float *x, int n) { out[threadIdx.x] = x[threadIdx.x]; }"""

    with pytest.raises(kernelopt.KernelOptError, match=r"scale takes \(x, out, n\), but its kernel takes \(out, x, n\)"):
        scale(*arrays())

    def no_text(out: np.ndarray) -> None:
        """Not CUDA."""

    with pytest.raises(kernelopt.KernelOptError, match="the docstring of no_text holds no __global__ function"):
        kernelopt.kernel(grid=4, block=256)(no_text)


def test_async_calls_do_the_same_and_leave_the_loop_free(session: kernelopt.Session) -> None:
    async def used() -> tuple[np.ndarray, bool, int]:
        scale = await kernelopt.aio.compile(TEXT, "scale", grid=4, block=256, session=session)
        out, x, n = arrays()
        ticks = 0

        async def ticking() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.001)
                ticks += 1

        ticker = asyncio.create_task(ticking())
        await scale[4, 256](out, x, n)
        found = await scale.check((out, x, n), ref=lambda x: 2 * x)
        ticker.cancel()
        profile = await scale.profile((out, x, n))
        assert len(profile.launches) == 1
        return out, found.ok, ticks

    out, is_right, ticks = asyncio.run(used())
    assert (out == 2 * arrays()[1]).all() and is_right and ticks > 1


def test_a_cancelled_call_ends_its_job(session: kernelopt.Session) -> None:
    endless = "__global__ void endless(float *x) { while (x[0] == 0.0f) x[1] += 1.0f; }"

    async def used() -> float:
        kernel = await kernelopt.aio.compile(endless, grid=1, block=1, session=session)
        waiting = asyncio.create_task(kernel.check((np.zeros(2, np.float32),)))
        await asyncio.sleep(0.2)
        started = time.monotonic()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return time.monotonic() - started

    assert asyncio.run(used()) < 60, "its limit is longer"
