"""What ``pip install 'kernelopt[EXTRA]'`` brings, installed into an environment of its own and used there."""

from __future__ import annotations

import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.cli.harness import ROOT, Cli

pytestmark = pytest.mark.thorough

_INSTALL_DEADLINE_S = 1800.0
"""Of gigabytes at worst; pycuda is compiled for two minutes."""
_USE_DEADLINE_S = 300.0
TORCH = "torch==2.13.0+cpu"
"""The build for CPUs alone: without its name ``pip`` takes the one with gigabytes of CUDA."""
TEXT = """\
TEXT = "__global__ void scale(float *out, const float *x, int n) { int i = threadIdx.x; if (i < n) out[i] = 2.0f * x[i]; }"
"""
KERNEL = f"""\
import numpy as np, kernelopt
{TEXT}scale = kernelopt.compile(TEXT, grid=1, block=256, device="cpu")
x = np.arange(200, dtype=np.float32)
out = np.zeros_like(x)
"""
NUMPY = KERNEL + "scale(out, x, 200)\nassert (out == 2 * x).all()\n"
PLOT = """\
profile = scale.profile((out, x, 200))
table = profile.lines.to_dataframe()
assert list(table["line"]) == [1, 1] and table["sectors"].sum() == 50, table
"""
ROOFLINE = 'profile.plot_roofline().savefig("roofline.png")\n'
NO_ROOFLINE = """\
from kernelopt.plots import roofline_figure
roofline_figure(profile.launches[0].roofline).savefig("ceilings.png")
try:
    profile.plot_roofline()
except kernelopt.JobFailed as refused:
    assert "kernelopt[cuda]" in refused.remedy
"""
WITH_TORCH = """\
import torch
given, left = torch.arange(200.0), torch.zeros(200)
scale(left, given, 200)
assert torch.equal(left, 2 * given)
assert scale.check((left, given, 200), ref=lambda x: 2 * x).ok
"""
NOTEBOOK = """\
from IPython.core.interactiveshell import InteractiveShell
import ipywidgets, jupyter_server, torch
shell = InteractiveShell.instance()
shell.user_ns.update(out=torch.zeros(200), x=torch.arange(200.0), n=200)
shell.run_line_magic("load_ext", "kernelopt")
shell.run_cell_magic("kernelopt", "--grid 1 --block 256 --until check --wait", TEXT)
shell.run_line_magic("kernelopt", "doctor")
assert shell.run_line_magic("kernelopt", "wait").ok
"""
CELLS = """\
import json, sys
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(kernel_name="python3")
def run(code):
    said = []
    reply = client.execute_interactive(code, timeout=240, output_hook=lambda message: said.append(json.dumps(message["content"])))
    assert reply["content"]["status"] == "ok", reply["content"]
    return "".join(said)
run("%load_ext kernelopt")
run("import numpy as np; x = np.arange(200, dtype=np.float32); out = np.zeros_like(x); n = 200")
shown = run("%%kernelopt --grid 1 --block 256 --until check --wait\\n" + TEXT)
run("scale(); assert (out == 2 * x).all()")
assert "no problem found" in shown and "application/vnd.jupyter.widget-view+json" in shown, shown
client.stop_channels()
manager.shutdown_kernel()
"""
WITHOUT_DRIVER = """\
import pycuda, pycuda.compiler
try:
    import pycuda.driver
except ImportError as refused:
    print(f"no driver: {refused}")
"""


@dataclass(frozen=True)
class Environment:
    """Python with what was installed, for a user whose home this is."""

    python: Path
    cli: Cli

    def install(self, *requirements: str, home: Path | None = None) -> str | None:
        """None, or what ``pip`` said where it did not."""
        variables = self.cli.environment() | {"PYTHONPATH": ""} | ({} if home is None else {"HOME": str(home)})
        command = (str(self.python), "-m", "pip", "install", "--quiet", *requirements)
        ended = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=_INSTALL_DEADLINE_S, check=False)
        return None if ended.returncode == 0 else ended.stdout + ended.stderr

    def run(self, *command: str) -> str:
        """What it prints, where it works far from this tree."""
        ended = subprocess.run(
            (str(self.python), *command),
            cwd=self.cli.folder,
            env=self.cli.environment() | {"PYTHONPATH": "", "MPLBACKEND": "agg"},
            capture_output=True,
            text=True,
            timeout=_USE_DEADLINE_S,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT))
    subprocess.run(command, check=True, timeout=_USE_DEADLINE_S)
    (made,) = folder.iterdir()
    return made


@pytest.fixture
def environment(cli: Cli, tmp_path: Path) -> Environment:
    venv.create(tmp_path / "environment", with_pip=True, symlinks=True)
    return Environment(tmp_path / "environment" / "bin" / "python", cli)


def test_plot_draws_and_gives_tables(environment: Environment, wheel: Path) -> None:
    assert environment.install(f"{wheel}[plot]") is None
    environment.run("-c", NUMPY + PLOT + NO_ROOFLINE)
    assert (environment.cli.folder / "ceilings.png").read_bytes().startswith(b"\x89PNG")


def test_torch_gives_tensors_to_kernels(environment: Environment, wheel: Path) -> None:
    install_with_torch(environment, f"{wheel}[torch]")
    environment.run("-c", KERNEL + WITH_TORCH)


def test_jupyter_is_enough_for_a_notebook(environment: Environment, wheel: Path) -> None:
    """Next to a JupyterLab of somebody's own nothing but its pages is missing."""
    assert environment.install(f"{wheel}[jupyter]") is None
    environment.run("-c", TEXT + CELLS)
    assert "jupyter_ext" in environment.run("-m", "jupyter", "server", "extension", "list")
    assert (environment.python.parents[1] / "share" / "jupyter" / "labextensions" / "kernelopt" / "package.json").is_file()


def test_all_is_enough_for_scripts_and_notebooks(environment: Environment, wheel: Path) -> None:
    install_with_torch(environment, f"{wheel}[all]")
    environment.run("-c", KERNEL + PLOT + ROOFLINE + WITH_TORCH)
    assert "✓ check: no problem found" in environment.run("-c", KERNEL + NOTEBOOK)
    assert "jupyter_ext" in environment.run("-m", "jupyter", "server", "extension", "list")


def install_with_torch(environment: Environment, requirement: str) -> None:
    refused = environment.install(requirement, TORCH)
    if refused is not None and "No matching distribution found for torch" in refused:
        pytest.skip(f"the package index does not have {TORCH} here")
    assert refused is None, refused


def test_pycuda_is_built_on_the_wheels_of_nvidias_headers(environment: Environment, wheel: Path, tmp_path: Path) -> None:
    """As the page on Python says; the driver's library is a stand-in where the machine has none: nothing is called in it."""
    assert environment.install("nvidia-cuda-runtime", "nvidia-cuda-profiler-api") is None
    headers = environment.run("-c", "import nvidia.cu13; print(nvidia.cu13.__path__[0])").strip()
    settings = f"CUDA_ROOT = {headers!r}\nCUDA_ENABLE_CURAND = False\nCUDADRV_LIB_DIR = [{str(driver_library(tmp_path))!r}]\n"
    (tmp_path / ".aksetup-defaults.py").write_text(settings, "utf-8")
    refused = environment.install(f"{wheel}[pycuda]", home=tmp_path)
    assert refused is None, refused
    environment.run("-c", NUMPY + WITHOUT_DRIVER)
    environment.run("-m", "kernelopt", "doctor")


def driver_library(folder: Path) -> Path:
    """A folder with a ``libcuda.so`` to link against."""
    command = ("g++", "-shared", "-Wl,-soname,libcuda.so.1", "-x", "c", "/dev/null", "-o", str(folder / "libcuda.so"))
    subprocess.run(command, check=True, timeout=_USE_DEADLINE_S)
    return folder
