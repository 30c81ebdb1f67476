"""NVIDIA's profiling interface (CUPTI), and the small libraries of ours that are built on it: once, with g++, and kept.

Example::

    cupti = find_cupti(toolchain, installed_wheel_tree())
    built_library(CuptiLibrary("capture", sources, (folder,)), toolchain, cache, runner)     # Path('…/capture/4f….so')
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from assistant.device.access import compile_access
from assistant.device.process import ToolRunner
from assistant.device.toolchain import INSTALL_GXX, Toolchain, installed_wheel_tree
from assistant.record import Record
from assistant.worker.readable import NO_FILES

__all__ = ["Cupti", "CuptiLibrary", "LibraryNotBuiltError", "built_library", "find_cupti"]

_FLAGS = ("-std=c++17", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror")
_INSTALL_CUPTI = "pip install 'kernelopt[cuda]', or install the CUDA toolkit with CUPTI"
_BUILD_TIMEOUT_S = 120.0


class LibraryNotBuiltError(Exception):
    """A library that cannot be built here; the message says why."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class Cupti(Record):
    """CUPTI's headers (with those of CUDA that go with them) and library."""

    includes: tuple[Path, ...]
    library: Path
    """``libcupti.so.13``"""


class CuptiLibrary(Record):
    """One of our own."""

    purpose: str
    """What it does, as people read it where it cannot be built (``records launches``)."""
    folder: str
    """Folder in the cache."""
    sources: tuple[Path, ...]
    includes: tuple[Path, ...]
    digest: str
    """Digest of all its text, the headers' included."""


def find_cupti(toolchain: Toolchain, wheel_tree: Path | None) -> Cupti | None:
    """Next to the nvcc in use, else in pip's wheels; the two must be of one major version, as CUPTI and the driver must."""
    roots = [Path(toolchain.nvcc.root)] if toolchain.nvcc else []
    roots += [wheel_tree] if wheel_tree else []
    cuda = next((root for root in roots if (root / "include/cuda.h").exists()), None)
    for root in roots:
        for tree in (root, root / "extras/CUPTI", root / "targets/x86_64-linux"):
            library = _library_in(tree)
            if cuda and library and (tree / "include/cupti.h").exists():
                return Cupti(tuple(dict.fromkeys((tree / "include", cuda / "include"))), library)
    return None


def built_library(library: CuptiLibrary, toolchain: Toolchain, cache: Path, runner: ToolRunner) -> Path:
    """The built library. Raises LibraryNotBuiltError where it cannot be built here."""
    if toolchain.gxx is None:
        raise LibraryNotBuiltError(f"g++ is missing, which builds what {library.purpose}", INSTALL_GXX)
    cupti = find_cupti(toolchain, installed_wheel_tree())
    if cupti is None:
        raise LibraryNotBuiltError(f"CUPTI is missing, on which rests what {library.purpose}", _INSTALL_CUPTI)
    folder = cache / library.folder
    built = folder / f"{_key(library, cupti)}.so"
    if not built.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _build(library, toolchain, cupti, built, runner)
    return built


def _library_in(tree: Path) -> Path | None:
    found = [path for folder in ("lib64", "lib") for path in sorted((tree / folder).glob("libcupti.so.1[0-9]"))]
    return found[-1] if found else None


def _key(library: CuptiLibrary, cupti: Cupti) -> str:
    place = f"{os.path.realpath(cupti.library)} {cupti.library.stat().st_size}"
    return hashlib.sha256(f"{library.digest} {place} {_FLAGS}".encode()).hexdigest()[:32]


def _build(library: CuptiLibrary, toolchain: Toolchain, cupti: Cupti, built: Path, runner: ToolRunner) -> None:
    assert toolchain.gxx is not None, "its absence was reported before"
    with tempfile.TemporaryDirectory(prefix="build-", dir=built.parent) as folder:
        staged = Path(folder) / built.name
        own = tuple(f"-I{include}" for include in library.includes)
        theirs = tuple(f"-isystem{include}" for include in cupti.includes)
        linked = (f"-L{cupti.library.parent}", f"-l:{cupti.library.name}", f"-Wl,-rpath,{cupti.library.parent}", "-ldl")
        command = (toolchain.gxx, *_FLAGS, *own, *theirs, "-o", str(staged), *(str(path) for path in library.sources), *linked)
        own_folders = dict.fromkeys(source.parent for source in library.sources)
        read = (*own_folders, *library.includes, *cupti.includes, cupti.library.parent)
        access = compile_access(NO_FILES, toolchain, runner.environment, Path(folder), read)
        output = runner.run(command, cwd=None, timeout_s=_BUILD_TIMEOUT_S, temporary=Path(folder), access=access)
        if output.status != 0:
            tail = "\n".join(output.text.strip().splitlines()[-5:])
            raise LibraryNotBuiltError(f"what {library.purpose} does not build: {tail}", "kernelopt doctor")
        staged.replace(built)
