"""Which folders and files flags name for compilers to read.

Example::

    include_places(("-O3", "-I../inc", "-Xcompiler=-isystem,/opt/x"), Path("/p/src"))     # (Path("/p/inc"), Path("/opt/x"))
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

__all__ = ["environment_places", "include_places"]

_NAMING = (*("--include-path", "--pre-include", "--system-include", "-idirafter", "-imacros", "-include", "-iquote", "-isystem", "-I"),)
"""Options of nvcc (13.0 manual, "File and Path Specifications") and of g++ (GCC 15 manual, "Directory Options"); longer ones first."""
_LISTS_OF_FOLDERS = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")
"""GCC 15 manual, "Environment Variables"."""
_FLAGS = ("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS")
_TO_HOST = ("--compiler-options", "-Xcompiler")
_SEPARATOR = re.compile(r"[,\s\"']+")


def include_places(arguments: Iterable[str], folder: Path) -> tuple[Path, ...]:
    """Absolute, in order; relative ones are below ``folder``. They need not exist."""
    return tuple(dict.fromkeys(Path(os.path.normpath(folder / named)) for named in _named(iter(arguments))))


def environment_places(environment: Mapping[str, str], folder: Path) -> tuple[Path, ...]:
    """The same of what an environment adds to every call of a compiler."""
    listed = (place for name in _LISTS_OF_FOLDERS for place in environment.get(name, "").split(os.pathsep) if place)
    flags = (word for name in _FLAGS for word in _words(environment.get(name, "")))
    return (*include_places(flags, folder), *(folder / place for place in listed))


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return []


def _named(words: Iterator[str]) -> Iterator[str]:
    for word in words:
        host = next((name for name in _TO_HOST if word == name or word.startswith(f"{name}=")), None)
        if host is not None:
            value = next(words, "") if word == host else word[len(host) + 1 :]
            yield from _named(filter(None, _SEPARATOR.split(value)))
            continue
        name = next((name for name in _NAMING if word.startswith(name)), None)
        if name is not None:
            value = next(words, "") if word == name else word[len(name) :].removeprefix("=")
            yield from filter(None, value.split(","))
