"""Where PyTorch is installed that a project's scripts use, and what it compiles extensions with; found without importing it.

A virtual environment of the project comes first, then ``python`` on PATH, then this process's own. Example::

    found = torch_place(Path("/p"))
    found.python, found.version, found.flags("fused_ops")     # 'python', '2.13.0+cu130', ('-isystem=…/torch/include', …)
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from assistant.record import Record

__all__ = ["TorchPlace", "torch_place"]

_ENVIRONMENTS = (".venv", "venv", "env", ".env")
_PROGRAMS = ("python", "python3")
_LIBRARIES = ("lib/python3*/site-packages/torch", "lib/python3*/dist-packages/torch", "local/lib/python3*/dist-packages/torch")
_INCLUDES = ("include", "include/torch/csrc/api/include")
_HALF_MACROS = (
    "__CUDA_NO_HALF_OPERATORS__",
    "__CUDA_NO_HALF_CONVERSIONS__",
    "__CUDA_NO_BFLOAT16_CONVERSIONS__",
    "__CUDA_NO_HALF2_OPERATORS__",
)
"""As torch.utils.cpp_extension.COMMON_NVCC_FLAGS has them (PyTorch 1.11 to 2.13)."""
_STANDARD = re.compile(r"-std=c\+\+(\d\d)")
_VERSION = re.compile(r"__version__\s*(?::\s*\w+\s*)?=\s*['\"]([^'\"]+)")
_CUDA = re.compile(r"^cuda\b[^=]*=\s*['\"]([^'\"]+)", re.MULTILINE)
_ABI = re.compile(r"-D_GLIBCXX_USE_CXX11_ABI=[01]")
_USUAL_STANDARD = "17"


class TorchPlace(Record):
    """One installed PyTorch."""

    python: str
    """The interpreter that finds it: a word that PATH explains, or an absolute path."""
    folder: Path
    """Folder of the package."""
    version: str
    """Empty where it cannot be read."""
    cuda: str | None
    """The CUDA release that it was built with; None: it was built for CPUs alone."""
    python_include: Path | None
    """Folder of ``Python.h``; None: it is not installed."""

    def flags(self, name: str) -> tuple[str, ...]:
        """What it has nvcc compile the sources of an extension of that name with, one word each."""
        folders = [self.folder / place for place in _INCLUDES] + ([self.python_include] if self.python_include else [])
        return (
            *(f"-isystem={folder}" for folder in folders if folder.is_dir()),
            f"-DTORCH_EXTENSION_NAME={name.rpartition('.')[2]}",
            "-DTORCH_API_INCLUDE_EXTENSION_H",
            *self._abi(),
            *(f"-D{macro}" for macro in _HALF_MACROS),
            "--expt-relaxed-constexpr",
            f"-std=c++{self._standard()}",
        )

    def _standard(self) -> str:
        return max(_STANDARD.findall(_text(self.folder / "utils/cpp_extension.py")), default=_USUAL_STANDARD)

    def _abi(self) -> list[str]:
        return _ABI.findall(_text(self.folder / "share/cmake/Torch/TorchConfig.cmake"))[:1]


def torch_place(workspace: Path) -> TorchPlace | None:
    """The PyTorch that scripts of the workspace use; None where none is installed."""
    for python, folder in _candidates(workspace):
        if (folder / _INCLUDES[0]).is_dir():
            text = _text(folder / "version.py")
            version, cuda = _VERSION.search(text), _CUDA.search(text)
            return TorchPlace(python, folder, version[1] if version else "", cuda[1] if cuda else None, _python_include(folder))
    return None


def _candidates(workspace: Path) -> Iterator[tuple[str, Path]]:
    """(interpreter, folder of the package) in the order in which they are meant."""
    for name in _ENVIRONMENTS:
        for folder in _packages(workspace / name):
            yield str(workspace / name / "bin/python"), folder
    for name in _PROGRAMS:
        program = shutil.which(name)
        if program is not None:
            for prefix in dict.fromkeys((Path(program).parent.parent, Path(program).resolve().parent.parent)):
                yield from ((name, folder) for folder in _packages(prefix))
    own = importlib.util.find_spec("torch")
    if own is not None and own.origin is not None:
        yield sys.executable, Path(own.origin).parent


def _packages(prefix: Path) -> Iterator[Path]:
    for pattern in _LIBRARIES:
        yield from sorted(prefix.glob(pattern))


def _python_include(torch: Path) -> Path | None:
    """Include folder of the Python that the package is installed for (``…/lib/python3.12/site-packages/torch``)."""
    version = torch.parent.parent.name
    own = Path(sysconfig.get_path("include"))
    prefix = torch.parent.parent.parent.parent
    base = _base_prefix(prefix)
    places = (prefix / "include" / version, *([base / "include" / version] if base else []), Path("/usr/include") / version)
    fitting = (own,) if own.name == version else ()
    return next((place for place in (*places, *fitting) if (place / "Python.h").is_file()), None)


def _base_prefix(environment: Path) -> Path | None:
    """The installation that a virtual environment was made from."""
    match = re.search(r"^home\s*=\s*(.+)$", _text(environment / "pyvenv.cfg"), re.MULTILINE)
    return Path(match[1].strip()).parent if match else None


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
