"""A GPU that was asked for and is not there is told with each way out once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_what_can_be_done_without_a_gpu_is_said_once(tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_text("__global__ void k(float *x) { *x = 1.0f; }\n")
    environment = {**os.environ, "KERNELOPT_HOME": str(tmp_path / "home"), "CUDA_VISIBLE_DEVICES": ""}
    command = (sys.executable, "-m", "assistant", "check", str(source), "--device", "gpu:7")
    said = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert said.returncode == 3, said
    assert said.stderr.count("--device cpu") == 1, said.stderr
