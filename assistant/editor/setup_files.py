"""Which files say how sources are compiled and judged. Pure."""

from __future__ import annotations

from pathlib import PurePath

__all__ = ["is_choice", "is_setup"]

_NAMES = frozenset({"kernelopt.toml", "pyproject.toml", "compile_commands.json"})
_CHOICES = (".kernelopt", "programs.json")
"""Which programs people chose, as the command line and editors keep it."""
_RESPONSE_SUFFIX = ".rsp"
"""Files with flags that ``compile_commands.json`` names, as CMake writes them."""


def is_setup(path: PurePath) -> bool:
    """Whether a change of the file may change how every source of its workspace is compiled or judged."""
    return path.name in _NAMES or path.suffix == _RESPONSE_SUFFIX


def is_choice(path: PurePath) -> bool:
    """Whether the file says which of several programs runs a file's kernels."""
    return path.parts[-2:] == _CHOICES
