"""Flags that a command line keeps in files: ``--options-file includes_CUDA.rsp``, as CMake writes it for nvcc, and ``@includes.rsp``.

Pure: the caller reads. What the files say becomes part of the command line and is checked with it. Example::

    expand(("-O2", "--options-file", "a.rsp"), Path("/p/build"), read)     # ("-O2", "-I/p/include")
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

__all__ = ["ReadText", "expand"]

ReadText = Callable[[Path], str]
"""The text of a file; raises OSError or ValueError for what is none."""

_NAMES = frozenset({"--options-file", "-optf"})
"""nvcc 13.0 manual, "Generic Tool Options"; its value may list files, separated by commas."""
_MOST_FILES = 64
"""Files read for one command line, those that files name included (chosen; CMake writes one for each language)."""


def expand(words: Iterable[str], folder: Path, read: ReadText) -> tuple[str, ...]:
    """The command line with the words of its files in their place; relative names are below ``folder``.

    Raises ValueError for a file that cannot be read, and for files that name each other without an end.
    """
    result: list[str] = []
    waiting = list(reversed(tuple(words)))
    read_count = 0
    while waiting:
        word = waiting.pop()
        if word in _NAMES and waiting:
            names = waiting.pop().split(",")
        elif (named := _named(word)) is not None:
            names = named
        else:
            result.append(word)
            continue
        read_count += len(names)
        if read_count > _MOST_FILES:
            raise ValueError(f"more than {_MOST_FILES} files with flags: {names[0]} and others")
        waiting.extend(reversed([inner for name in names for inner in _words_of(folder / name, read)]))
    return tuple(result)


def _named(word: str) -> list[str] | None:
    """The files that one word names by itself; None for another word."""
    name, equals, value = word.partition("=")
    if equals and name in _NAMES:
        return value.split(",")
    return [word[1:]] if word.startswith("@") and len(word) > 1 else None


def _words_of(path: Path, read: ReadText) -> Iterator[str]:
    try:
        yield from shlex.split(read(path))
    except (OSError, ValueError) as error:
        raise ValueError(f"the flags in {path} cannot be read: {error}") from error
