"""A script that works with pycuda: kernels of ours on its arrays, in its context, in order with its own work, checked on request."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.caches import shared_cache

pytestmark = pytest.mark.skipif(importlib.util.find_spec("pycuda") is None, reason="pycuda is optional and not installed here")

SCRIPT = """
import numpy as np
import pycuda.driver as cuda
import {context}
from pycuda import gpuarray
import kernelopt

TEXT = '''
__global__ void scale(float *out, const float *x, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * x[i];
}}
'''
scale = kernelopt.compile(TEXT, grid=lambda n: (n + 255) // 256, block=256)
host = np.arange(1000, dtype=np.float32)
allocation = cuda.mem_alloc(host.nbytes)
x = gpuarray.GPUArray((1000,), np.float32, gpudata=allocation)
out = gpuarray.zeros(1000, np.float32)
before = cuda.Context.get_current()
cuda.memcpy_htod_async(allocation, host)          # on the stream that pycuda works on unless told otherwise
scale(out, x, 1000)
cuda.memcpy_dtod_async(int(allocation), int(out.gpudata), host.nbytes)
print("launched", bool((x.get() == 2 * host).all()))
print("context", cuda.Context.get_current() == before)
found = scale.check((out, x, 1000), ref=lambda x: 2 * x)
print("checked", found.ok)
short = gpuarray.zeros(10, np.float32)
found = scale.check((short, x, 1000))
print("short", found.ok, [problem.kind for problem in found.problems][:1], bool((short.get() == 0).all()))
try:
    scale(allocation, x, 1000)
except kernelopt.BindingError as refused:
    print("refused", refused.message)
"""


@pytest.mark.parametrize("context", ["pycuda.autoprimaryctx", "pycuda.autoinit"])
def test_a_kernel_works_on_pycudas_arrays(context: str, tmp_path: Path) -> None:
    (tmp_path / "cache").symlink_to(shared_cache())
    environment = os.environ | {"KERNELOPT_HOME": str(tmp_path)}
    command = (sys.executable, "-c", SCRIPT.format(context=context))
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.splitlines() == [
        "launched True",
        "context True",
        "checked True",
        "short False ['out_of_bounds'] True",
        "refused out: expected an array for `float *out`, got DeviceAllocation",
    ]
