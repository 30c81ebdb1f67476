"""A project's own suite: its kernels against NumPy, on the CPU or, with --kernelopt-device=gpu, on a GPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernelopt.testing import assert_kernel

KERNELS = Path(__file__).parents[1] / "kernels"


def rmsnorm(x: np.ndarray, weight: np.ndarray, eps: float) -> np.ndarray:
    return x / np.sqrt((x**2).mean(axis=1, keepdims=True) + eps) * weight


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (7, 33), (16, 128)])
def test_rmsnorm(kernelopt_compile: Any, rows: int, cols: int) -> None:
    kernel = kernelopt_compile(KERNELS / "rmsnorm.cu", grid=lambda rows: (rows + 3) // 4, block=128)
    rng = np.random.default_rng(rows)
    x, weight = rng.standard_normal((rows, cols)).astype(np.float32), rng.standard_normal(cols).astype(np.float32)
    assert_kernel(kernel, (np.empty_like(x), x, weight, rows, cols, 1e-6), ref=rmsnorm)


def test_clip_counts_what_it_clips(kernelopt_compile: Any) -> None:
    clip = kernelopt_compile(KERNELS / "clip.cu", "clip<float>")
    x = np.linspace(-2, 2, 1000, dtype=np.float32)
    clipped, counts = x.copy(), np.zeros(4, np.uint32)
    clip[4, 256](clipped, counts, x.size, -1.0, 1.0)
    assert (clipped == x.clip(-1, 1)).all()
    assert counts.sum() == (np.abs(x) > 1).sum()
