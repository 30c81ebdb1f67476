"""The command ``compare`` on a GPU, as a person runs it: recorded and checked under the emulator, replayed and compared on the GPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
#include <cstdio>
__global__ void scale(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
int main() {
  const int n = 1 << 14;
  static float h[n];
  float *x, *y;
  cudaMalloc(&x, sizeof h);
  cudaMalloc(&y, sizeof h);
  for (int i = 0; i < n; i++) h[i] = i * 0.5f;
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  scale<<<(n + 255) / 256, 256>>>(y, x, n);
  cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
  double sum = 0;
  for (float v : h) sum += v;
  printf("%f\\n", sum);
}
"""


def compared(folder: Path, home: Path, body: str) -> list[dict[str, Any]]:
    """Events of ``compare`` of the program with one whose kernel's statement is ``body``."""
    (folder / "a.cu").write_text(PROGRAM)
    (folder / "b.cu").write_text(PROGRAM.replace("y[i] = 2.0f * x[i];", body))
    environment = {**os.environ, "KERNELOPT_HOME": str(home), "PYTHONPATH": os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))}
    command = (sys.executable, "-m", "assistant", "compare", "a.cu", "b.cu", "--device", "gpu:0", "--json")
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


def verdict(told: list[dict[str, Any]]) -> dict[str, Any]:
    return next(event for event in told if event["event"] == "comparison")


def test_an_honest_edit_passes_and_is_timed_on_the_gpu(tmp_path: Path, home: Path) -> None:
    made = verdict(compared(tmp_path, home, "y[i] = x[i] + x[i];"))
    assert made["verification"]["outcome"] == "PASS"
    assert made["device"]["kind"] == "gpu"
    assert made["speed"]["outcome"] in ("FASTER", "SAME", "SLOWER", "INCONCLUSIVE")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("y[i] = 2.0f * x[i] + (i == 777);", "wrong_value"),
        ("y[i] = 2.0f * x[i]; if (i == n - 1) y[n] = 0;", "out_of_bounds"),
    ],
)
def test_a_wrong_edit_fails_with_the_reason(tmp_path: Path, home: Path, body: str, code: str) -> None:
    made = verdict(compared(tmp_path, home, body))
    assert made["verification"]["outcome"] == "FAIL"
    assert code in {finding["code"] for finding in made["verification"]["findings"]}
