"""A PyTorch extension that a script loads, profiled and edited on a GPU as a person does it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the extension is PyTorch's")
if torch.version.cuda is None:
    pytest.skip("this PyTorch was built for CPUs alone", allow_module_level=True)

ROOT = Path(__file__).parents[2]
RUN = """\
import torch
from torch.utils.cpp_extension import load

ops = load("halve_ops", ["halve.cu"])
x = torch.arange(1 << 14, dtype=torch.float32, device="cuda")
print(ops.halve(x).double().sum().item())
"""
STATEMENT = "y[i] = 0.5f * x[i];"
HALVE = f"""\
#include <torch/extension.h>
__global__ void halve_kernel(float* y, const float* x, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {{ {STATEMENT} }}
}}
torch::Tensor halve(torch::Tensor x) {{
  auto y = torch::empty_like(x);
  int n = x.numel();
  halve_kernel<<<(n + 255) / 256, 256>>>(y.data_ptr<float>(), x.data_ptr<float>(), n);
  return y;
}}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{ m.def("halve", &halve); }}
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


def told(folder: Path, home: Path, *words: str) -> list[dict[str, Any]]:
    """Events of a command on the GPU, in a folder with the extension and the script that loads it."""
    (folder / "run.py").write_text(RUN)
    (folder / "halve.cu").write_text(HALVE)
    (folder / "kernelopt.toml").touch()
    environment = {**os.environ, "KERNELOPT_HOME": str(home), "PYTHONPATH": os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))}
    command = (sys.executable, "-m", "assistant", *words, "--device", "gpu:0", "--json")
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_its_launches_are_profiled(tmp_path: Path, home: Path) -> None:
    profiles = [event for event in told(tmp_path, home, "profile", "halve.cu") if event["event"] == "profile"]
    assert profiles and all("halve_kernel" in event["kernel"] for event in profiles)


@pytest.mark.parametrize(("edit", "outcome"), [("y[i] = x[i] / 2.0f;", "PASS"), ("y[i] = 0.5f * x[i] + (i == 777);", "FAIL")])
def test_an_edit_gets_its_verdict(tmp_path: Path, home: Path, edit: str, outcome: str) -> None:
    (tmp_path / "edited.cu").write_text(HALVE.replace(STATEMENT, edit))
    comparisons = [event for event in told(tmp_path, home, "compare", "halve.cu", "edited.cu") if event["event"] == "comparison"]
    assert comparisons[-1]["verification"]["outcome"] == outcome


INLINE = f"""\
import torch
from torch.utils.cpp_extension import load_inline

source = r'''
{HALVE.partition("PYBIND11_MODULE")[0]}'''
ops = load_inline("halve_inline", cpp_sources="torch::Tensor halve(torch::Tensor x);", cuda_sources=source, functions=["halve"])
x = torch.arange(1 << 14, dtype=torch.float32, device="cuda")
print(ops.halve(x).double().sum().item())
"""


def test_the_text_of_load_inline_is_profiled_by_its_script(tmp_path: Path, home: Path) -> None:
    (tmp_path / "inline.py").write_text(INLINE)
    profiles = [event for event in told(tmp_path, home, "profile", "inline.py") if event["event"] == "profile"]
    assert profiles and all("halve_kernel" in event["kernel"] for event in profiles)


@pytest.mark.parametrize(("edit", "outcome"), [("y[i] = x[i] / 2.0f;", "PASS"), ("y[i] = 0.5f * x[i] + (i == 777);", "FAIL")])
def test_an_edit_of_the_text_of_load_inline_is_built_by_its_script(tmp_path: Path, home: Path, edit: str, outcome: str) -> None:
    (tmp_path / "inline.py").write_text(INLINE)
    (tmp_path / "edited.py").write_text(INLINE.replace(STATEMENT, edit))
    comparisons = [event for event in told(tmp_path, home, "compare", "inline.py", "edited.py") if event["event"] == "comparison"]
    assert comparisons[-1]["verification"]["outcome"] == outcome
    assert (tmp_path / "inline.py").read_text() == INLINE
