"""Finds CUDA compilers: the user's toolkit first, then pip's wheels; says for each one missing how to get it.

The toolkit's headers, binaries and nvvm folder must come from one tree, so that everything hangs on where nvcc is.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from assistant.device.process import ToolRunner, tool_environment
from assistant.device.protocol import Tool, ToolchainReply
from assistant.record import Record

__all__ = ["INSTALL_CUDA", "INSTALL_GXX", "RENAME_PATH", "Nvcc", "Toolchain", "find_toolchain"]

INSTALL_CUDA = "pip install 'kernelopt[cuda]'"
INSTALL_GXX = "install g++ 11 or newer (Debian, Ubuntu: apt-get install g++)"
RENAME_PATH = "rename it, or move it: nvcc takes letters, digits, spaces and the like in a path"
_SYSTEM_NVCC = Path("/usr/local/cuda/bin/nvcc")
_VERSION = re.compile(r"release [\d.]+, V([\d.]+)")
_TOP = re.compile(r"^#\$ TOP=(.*)$", re.MULTILINE)
_PROBE_TIMEOUT_S = 20.0


class Nvcc(Record):
    """An nvcc that answered."""

    path: str
    version: str
    """``13.0.88``"""
    root: str
    """Real path of its tree (with ``bin`` and ``nvvm``)."""
    origin: str


class Toolchain(Record):
    """Every tool that was found; None stands for one that was not."""

    nvcc: Nvcc | None
    nvrtc_version: str | None
    nvdisasm: str | None
    cuobjdump: str | None
    gxx: str | None
    include_directory: str | None
    """The toolkit's headers, for NVRTC."""
    system_directories: tuple[str, ...]
    """Files below these are not the user's."""
    origins: tuple[tuple[str, str], ...]
    """(tool, where it comes from)."""

    def describe(self) -> ToolchainReply:
        origin = dict(self.origins)
        nvcc = Tool(
            "nvcc",
            self.nvcc.version if self.nvcc else None,
            self.nvcc.path if self.nvcc else None,
            self.nvcc.origin if self.nvcc else "missing",
            "" if self.nvcc else INSTALL_CUDA,
        )
        nvrtc = Tool("nvrtc", self.nvrtc_version, None, "wheel" if self.nvrtc_version else "missing",
                     "" if self.nvrtc_version else INSTALL_CUDA)  # fmt: skip
        others = (
            _tool("nvdisasm", self.nvdisasm, origin, INSTALL_CUDA),
            _tool("cuobjdump", self.cuobjdump, origin, INSTALL_CUDA),
            _tool("g++", self.gxx, origin, INSTALL_GXX),
        )
        return ToolchainReply((nvrtc, nvcc, *others))


def _tool(name: str, path: str | None, origin: dict[str, str], remedy: str) -> Tool:
    return Tool(name, None, path, origin.get(name, "missing"), "" if path else remedy)


def find_toolchain(
    environment: Mapping[str, str], wheel_tree: Path | None, system_nvcc: Path = _SYSTEM_NVCC, runner: ToolRunner | None = None
) -> Toolchain:
    """Look in ``environment``'s CUDA_HOME, CUDA_PATH and PATH, for ``system_nvcc``, then in ``wheel_tree``.

    ``runner``: asks what is found; None for one of its own.
    """
    asking = runner or ToolRunner(tool_environment(environment))
    places = _nvcc_places(environment, wheel_tree, system_nvcc)
    nvcc = next((found for path, origin in places if (found := _probe(path, origin, asking))), None)
    trees = [Path(nvcc.root)] if nvcc else []
    if wheel_tree is not None:
        trees.append(wheel_tree)
    binaries = {name: _find_binary(name, trees, wheel_tree, environment) for name in ("nvdisasm", "cuobjdump")}
    gxx = shutil.which("g++", path=environment.get("PATH"))
    include = next((str(tree / "include") for tree in trees if (tree / "include" / "cuda_runtime.h").exists()), None)
    origins = [(name, found[1]) for name, found in binaries.items() if found]
    if gxx:
        origins.append(("g++", "PATH"))
    return Toolchain(
        nvcc=nvcc,
        nvrtc_version=_nvrtc_version(),
        nvdisasm=binaries["nvdisasm"][0] if binaries["nvdisasm"] else None,
        cuobjdump=binaries["cuobjdump"][0] if binaries["cuobjdump"] else None,
        gxx=gxx,
        include_directory=include,
        system_directories=(*_spellings(trees, nvcc), "/usr/include", "/usr/lib/gcc"),
        origins=tuple(origins),
    )


def _spellings(trees: Sequence[Path], nvcc: Nvcc | None) -> tuple[str, ...]:
    """Paths of toolkits: nvcc names its headers in machine code by the path that it was called with, perhaps through a link."""
    called = None if nvcc is None else os.path.dirname(os.path.dirname(nvcc.path))  # noqa: PTH120 - no link is followed
    linked = () if called is None or nvcc is None or os.path.realpath(called) != nvcc.root else (called,)
    return tuple(dict.fromkeys((*map(str, trees), *linked)))


def installed_wheel_tree() -> Path | None:
    """Where pip's nvcc wheel of CUDA 13 put its tree; None if it is not installed."""
    spec = importlib.util.find_spec("nvidia")
    for place in spec.submodule_search_locations or () if spec else ():
        tree = Path(place) / "cu13"
        if (tree / "bin").is_dir():
            return tree
    return None


def _nvcc_places(environment: Mapping[str, str], wheel_tree: Path | None, system_nvcc: Path) -> list[tuple[Path, str]]:
    places: list[tuple[Path, str]] = []
    for name in ("CUDA_HOME", "CUDA_PATH"):
        if environment.get(name):
            places.append((Path(environment[name]) / "bin" / "nvcc", name))
    on_path = shutil.which("nvcc", path=environment.get("PATH"))
    if on_path:
        is_wheel = wheel_tree is not None and Path(on_path) == wheel_tree / "bin" / "nvcc"
        places.append((Path(on_path), "wheel" if is_wheel else "PATH"))
    places.append((system_nvcc, "system"))
    if wheel_tree is not None:
        places.append((wheel_tree / "bin" / "nvcc", "wheel"))
    return [(path, origin) for path, origin in places if os.access(path, os.X_OK)]


def _probe(path: Path, origin: str, runner: ToolRunner) -> Nvcc | None:
    try:
        version = runner.run((str(path), "--version"), cwd=None, timeout_s=_PROBE_TIMEOUT_S)
        layout = runner.run((str(path), "--dryrun", "-x", "cu", "-E", os.devnull), cwd=None, timeout_s=_PROBE_TIMEOUT_S)
    except OSError:
        return None
    found_version, found_top = _VERSION.search(version.text), _TOP.search(layout.text)
    if found_version is None or found_top is None:
        return None
    return Nvcc(str(path), found_version[1], os.path.realpath(found_top[1]), origin)


def _find_binary(name: str, trees: list[Path], wheel_tree: Path | None, environment: Mapping[str, str]) -> tuple[str, str] | None:
    for tree in trees:
        path = tree / "bin" / name
        if os.access(path, os.X_OK):
            return str(path), "wheel" if tree == wheel_tree else "toolkit"
    on_path = shutil.which(name, path=environment.get("PATH"))
    return (on_path, "PATH") if on_path else None


def _nvrtc_version() -> str | None:
    """Version of NVRTC's wheel; None unless it and the bindings are both there. Nothing is imported."""
    if importlib.util.find_spec("cuda") is None:
        return None
    for distribution in ("nvidia-cuda-nvrtc", "nvidia-cuda-nvrtc-cu12"):
        try:
            importlib.metadata.version("cuda-bindings")
            return importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
    return None
