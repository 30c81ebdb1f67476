"""What the extension may do to a notebook's process."""

import os
import subprocess
import sys
from pathlib import Path

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
