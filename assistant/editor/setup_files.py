"""Which files say how sources are compiled and judged. Pure."""

from __future__ import annotations

from pathlib import PurePath

__all__ = ["is_setup"]

_NAMES = frozenset({"kernelopt.toml", "pyproject.toml", "compile_commands.json"})
_RESPONSE_SUFFIX = ".rsp"
"""Files with flags that ``compile_commands.json`` names, as CMake writes them."""


def is_setup(path: PurePath) -> bool:
    """Whether a change of the file may change how every source of its workspace is compiled or judged."""
    return path.name in _NAMES or path.suffix == _RESPONSE_SUFFIX
