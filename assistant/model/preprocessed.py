"""What a compiler's preprocessor leaves of a program's own files: the sources, and headers that are not the system's."""

from __future__ import annotations

import re

from assistant.record import Record

__all__ = ["MACRO_MARK", "NotPreprocessed", "PreprocessedProgram", "Preprocessings", "Survivor", "marked_names", "unmarked"]

MACRO_MARK = "kernelopt_macro_"
"""Stands before the name of a macro that the program does not define itself."""
_MARKED = re.compile(rf"{MACRO_MARK}(\w+)")


class Survivor(Record):
    """One line that is compiled."""

    file: str
    line: int
    """1-based, in the program's own file."""
    text: str
    """The program's own macros are expanded; of any other stands the name, behind ``MACRO_MARK``."""


class PreprocessedProgram(Record):
    """One compiler's view of a program."""

    lines: tuple[Survivor, ...]
    """In the order in which they are compiled; empty ones are left out."""
    macros: tuple[tuple[str, str], ...]
    """(name, definition) of the marked macros, and of those that their definitions mention; sorted by name."""
    files: tuple[str, ...]
    """What was read in addition to the program's sources and the headers of compiler, toolkit and system; sorted."""


class NotPreprocessed(Record):
    """The preprocessor could not be asked, or refused the text."""

    reason: str
    """Never anything of a file that is not the program's: who reads it may not be allowed to."""
    is_missing: bool = False
    """The compiler is not there."""
    files: tuple[str, ...] = ()
    """As of `PreprocessedProgram`: what was read before it gave up."""
    lacks_header: bool = False
    """A header that the program names is not there."""


class Preprocessings(Record):
    """A program as each compiler sees it."""

    emulator: PreprocessedProgram | NotPreprocessed
    device: PreprocessedProgram | NotPreprocessed
    """As nvcc compiles it for the GPU."""
    host: PreprocessedProgram | NotPreprocessed
    """As nvcc compiles it for the host."""


def marked_names(text: str) -> list[str]:
    """Names of the macros that a line says."""
    return _MARKED.findall(text)


def unmarked(text: str) -> str:
    """The line with its macros' names as they are."""
    return _MARKED.sub(r"\1", text)
