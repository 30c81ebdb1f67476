"""The library that CUDA's driver loads into a program to record its launches: built once from ``inject/`` and kept.

It needs g++ and CUPTI's headers and library, from the toolkit or from pip's wheel ``nvidia-cuda-cupti``. Example::

    injection_library(toolchain, cache, runner)     # Path('…/capture/4f….so')
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from assistant.device.capture.protocol import CaptureFailed
from assistant.device.process import ToolRunner
from assistant.device.toolchain import INSTALL_GXX, Toolchain, installed_wheel_tree
from assistant.emulator.toolchain import RUNTIME_DIR

__all__ = ["Cupti", "find_cupti", "injection_library", "sources_digest"]

_INJECT_DIR = Path(__file__).parent / "inject"
_SHARED_SOURCES = ("blobs.cpp",)
"""Of the emulator's core: recordings are written alike."""
_SHARED_HEADERS = ("blobs.h", "record_log.h")
_FLAGS = ("-std=c++17", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror")
_INSTALL_CUPTI = "pip install 'kernelopt[cuda]', or install the CUDA toolkit with CUPTI"
_BUILD_TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Cupti:
    """CUPTI's headers (with those of CUDA that go with them) and library."""

    includes: tuple[Path, ...]
    library: Path
    """``libcupti.so.13``"""


def find_cupti(toolchain: Toolchain, wheel_tree: Path | None) -> Cupti | None:
    """Beside the nvcc in use, else in pip's wheels; the two must be of one major version, as CUPTI and the driver must."""
    roots = [Path(toolchain.nvcc.root)] if toolchain.nvcc else []
    roots += [wheel_tree] if wheel_tree else []
    cuda = next((root for root in roots if (root / "include/cuda.h").exists()), None)
    for root in roots:
        for tree in (root, root / "extras/CUPTI", root / "targets/x86_64-linux"):
            library = _library_in(tree)
            if cuda and library and (tree / "include/cupti.h").exists():
                return Cupti(tuple(dict.fromkeys((tree / "include", cuda / "include"))), library)
    return None


def _library_in(tree: Path) -> Path | None:
    found = [path for folder in ("lib64", "lib") for path in sorted((tree / folder).glob("libcupti.so.1[0-9]"))]
    return found[-1] if found else None


def injection_library(toolchain: Toolchain, cache: Path, runner: ToolRunner) -> Path:
    """The built library. Raises CaptureFailed where it cannot be built here."""
    if toolchain.gxx is None:
        raise CaptureFailed("no_compiler", "g++ is missing, which builds what records launches", INSTALL_GXX)
    cupti = find_cupti(toolchain, installed_wheel_tree())
    if cupti is None:
        raise CaptureFailed("no_compiler", "CUPTI is missing, by which launches on a GPU are recorded", _INSTALL_CUPTI)
    folder = cache / "capture"
    built = folder / f"{_key(cupti)}.so"
    if not built.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _build(toolchain.gxx, cupti, built, runner)
    return built


def sources_digest() -> str:
    """Changes with every change of the library's text."""
    digest = hashlib.sha256()
    for path in (*_sources(), *sorted(_INJECT_DIR.glob("*.h")), *(RUNTIME_DIR / name for name in _SHARED_HEADERS)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _sources() -> tuple[Path, ...]:
    return (*sorted(_INJECT_DIR.glob("*.cpp")), *(RUNTIME_DIR / name for name in _SHARED_SOURCES))


def _key(cupti: Cupti) -> str:
    place = f"{os.path.realpath(cupti.library)} {cupti.library.stat().st_size}"
    return hashlib.sha256(f"{sources_digest()} {place} {_FLAGS}".encode()).hexdigest()[:32]


def _build(gxx: str, cupti: Cupti, built: Path, runner: ToolRunner) -> None:
    with tempfile.TemporaryDirectory(prefix="build-", dir=built.parent) as folder:
        staged = Path(folder) / built.name
        includes = tuple(f"-isystem{include}" for include in cupti.includes)
        linked = (f"-L{cupti.library.parent}", f"-l:{cupti.library.name}", f"-Wl,-rpath,{cupti.library.parent}", "-ldl")
        sources = tuple(str(path) for path in _sources())
        command = (gxx, *_FLAGS, f"-I{RUNTIME_DIR}", *includes, "-o", str(staged), *sources, *linked)
        output = runner.run(command, cwd=None, timeout_s=_BUILD_TIMEOUT_S, temporary=Path(folder))
        if output.status != 0:
            tail = "\n".join(output.text.strip().splitlines()[-5:])
            raise CaptureFailed("no_compiler", f"the library that records launches does not build: {tail}", "kernelopt doctor")
        staged.replace(built)
