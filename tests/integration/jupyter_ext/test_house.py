"""What the extension may do to a notebook's process."""

import os
import subprocess
import sys
from pathlib import Path

from tests.caches import link_kept_emulator

_CUDA_MODULES = ("torch", "cuda", "pycuda", "cupy", "openai", "pygls")
_PROGRAM = """
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "jupyter_ext")
shell.run_line_magic("kernelopt", "status")
print("loaded", [name for name in {modules!r} if name in sys.modules])
libraries = open("/proc/self/maps").read()
print("mapped", [name for name in ("libcuda.so", "libcudart", "libnvrtc") if name in libraries])
"""


def check(folder: Path) -> list[str]:
    """What a process says that has the extension and its editor session at work."""
    environment = {**os.environ, "KERNELOPT_HOME": str(folder), "IPYTHONDIR": str(folder)}
    command = (sys.executable, "-c", _PROGRAM.format(modules=_CUDA_MODULES))
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment, cwd=folder).stdout.splitlines()


def test_a_notebooks_process_loads_no_cuda_and_no_model_client(tmp_path: Path) -> None:
    assert check(tmp_path) == ["no cell was run with %%kernelopt yet", "loaded []", "mapped []"]


_IN_A_TERMINAL = """
from IPython.terminal.interactiveshell import TerminalInteractiveShell
shell = TerminalInteractiveShell.instance()
shell.run_cell("%load_ext kernelopt\\nimport numpy as np\\nx = np.ones(64, np.float32)")
shell.run_cell('''%%kernelopt --args "x=x,n=64" --grid 1 --block 64 --until check --wait
__global__ void halve(float *x, int n)
{
    if (threadIdx.x <= n) x[threadIdx.x + 1] /= 2.0f;
}
''')
"""


def test_a_terminal_prints_what_came_of_a_cell_once(tmp_path: Path) -> None:
    link_kept_emulator(tmp_path / "cache")
    environment = {**os.environ, "KERNELOPT_HOME": str(tmp_path), "IPYTHONDIR": str(tmp_path)}
    command = (sys.executable, "-c", _IN_A_TERMINAL)
    said = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, cwd=tmp_path).stdout
    assert said.count("✗ check: 2 problems") == 1 and "▶" not in said
    assert said.count("error line 4: out of bounds, block (0, 0, 0), thread (63, 0, 0)") == 2, "a read and a write"
