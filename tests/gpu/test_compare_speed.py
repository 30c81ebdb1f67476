"""``kernelopt compare`` on a GPU: measured words with an interval, in the user's own process tree."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """
#include <cstdio>
#include <vector>
KERNEL
int main() {
  const int n = 1024;
  std::vector<float> host(n * n);
  for (int i = 0; i < n * n; ++i) host[i] = float(i % 977) * 0.25f;
  float *in, *out;
  cudaMalloc(&in, n * n * 4);
  cudaMalloc(&out, n * n * 4);
  cudaMemcpy(in, host.data(), n * n * 4, cudaMemcpyHostToDevice);
  transpose<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in, out, n);
  cudaMemcpy(host.data(), out, n * n * 4, cudaMemcpyDeviceToHost);
  printf("%g\\n", host[n + 3]);
}
"""
NAIVE = """
__global__ void transpose(const float* in, float* out, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) out[x * n + y + k] = in[(y + k) * n + x];
}
"""
TILED = """
__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}
"""


def compare(folder: Path, a: str, b: str) -> tuple[dict[str, Any], int]:
    """The comparison event and the exit status."""
    for name, kernel in (("a.cu", a), ("b.cu", b)):
        (folder / name).write_text(PROGRAM.replace("KERNEL", kernel))
    command = (sys.executable, "-m", "assistant", "compare", "a.cu", "b.cu", "--device", "gpu:0", "--json")
    environment = {**os.environ, "KERNELOPT_HOME": str(folder / "home")}
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False)
    found = [event for line in run.stdout.splitlines() if (event := json.loads(line))["event"] == "comparison"]
    assert found, run.stdout + run.stderr
    return found[-1], run.returncode


@pytest.fixture(scope="module")
def tiled(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], int]:
    return compare(tmp_path_factory.mktemp("tiled"), NAIVE, TILED)


def test_an_honest_gain_passes_and_is_faster_with_an_interval(tiled: tuple[dict[str, Any], int]) -> None:
    event, status = tiled
    assert event["verification"]["outcome"] == "PASS"
    speed = event["speed"]
    assert speed["outcome"] == "FASTER"
    assert 1.0 + speed["margin"] < speed["low"] <= speed["ratio"] <= speed["high"]
    assert event["confirmed"] and status == 0


def test_a_measured_speed_says_on_what_and_how_it_was_taken(tiled: tuple[dict[str, Any], int]) -> None:
    event, _ = tiled
    assert event["device"]["kind"] == "gpu"
    for part in ("ABBA", "blocking kernel", "empty kernel", "driver", "nvcc"):
        assert part in event["speed"]["method"]
    assert all(case["before_s"] > case["after_s"] > 0 for case in event["speed"]["cases"])


def test_a_file_against_itself_is_the_same(tmp_path: Path) -> None:
    event, status = compare(tmp_path, TILED, TILED)
    assert (event["speed"]["outcome"], status) == ("SAME", 0)


def test_an_edit_that_is_right_but_slower_is_no(tmp_path: Path) -> None:
    event, status = compare(tmp_path, TILED, NAIVE)
    assert event["verification"]["outcome"] == "PASS"
    assert (event["speed"]["outcome"], status) == ("SLOWER", 1)
