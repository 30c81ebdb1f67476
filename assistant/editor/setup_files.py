"""Which files say how sources are compiled and judged. Pure."""

from __future__ import annotations

from pathlib import PurePath

from assistant.config.paths import RECORDS_NAME

__all__ = ["is_choice", "is_setup"]

_NAMES = frozenset({"kernelopt.toml", "pyproject.toml", "compile_commands.json"})
_OWN_FOLDER = ".kernelopt"
_CHOICES = frozenset({"programs.json", RECORDS_NAME})
"""Which programs people chose, and which builds they recorded, as the command line and editors keep it."""
_CMAKE_REPLY = "index-"
"""Prefix of the last file that CMake's File API writes."""
_RESPONSE_SUFFIX = ".rsp"
"""Files with flags that ``compile_commands.json`` names, as CMake writes them."""


def is_setup(path: PurePath) -> bool:
    """Whether a change of the file may change how every source of its workspace is compiled or judged."""
    return path.name in _NAMES or path.suffix == _RESPONSE_SUFFIX


def is_choice(path: PurePath) -> bool:
    """Whether the file says which programs run a file's kernels: a person's choice, or a build that was recorded or configured."""
    if path.name.startswith(_CMAKE_REPLY):
        return _OWN_FOLDER in path.parts
    return path.parent.name == _OWN_FOLDER and path.name in _CHOICES
