"""The user's files that a build reads, within the rule that compilers are held to (``readable``), and the messages about others.

Example::

    load = Loader(((Path("/p/a.cu"), text),), (), files)
    load(Path("/p/a.h"))        # its text; None where it is not there, or not for this program
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path

from assistant.disk.texts import UnfitFileError, read_bytes
from assistant.emulator.toolchain import INCLUDE_DIR
from assistant.model.build import Diagnostic, DiagnosticSeverity
from assistant.worker.readable import ProgramFiles

__all__ = ["Loader"]

_MOST_BYTES = 16 << 20
"""Largest header that is read; a larger one is left to the compiler."""


class Loader:
    """Calling it gives a file's text; None when there is no such file, or when it is not the program's."""

    def __init__(self, sources: Sequence[tuple[Path, str]], include_dirs: tuple[Path, ...], files: ProgramFiles) -> None:
        """``sources``: texts that stand for what the disk holds."""
        self._texts = dict(sources)
        self._main = sources[0][0]
        self._include_dirs = include_dirs
        self.files = files
        self._own = {str(path.relative_to(INCLUDE_DIR)) for path in INCLUDE_DIR.rglob("*") if path.is_file()}
        self._unfit: dict[Path, Diagnostic] = {}

    @property
    def unfit(self) -> tuple[Diagnostic, ...]:
        """What is named as a header and is no file: a compiler would wait for it."""
        return tuple(self._unfit.values())

    def __call__(self, path: Path) -> str | None:
        if path in self._texts:
            return self._texts[path]
        if any(str(path.relative_to(folder)) in self._own for folder in self._include_dirs if path.is_relative_to(folder)):
            return None
        try:
            data = read_bytes(path, _MOST_BYTES)
        except UnfitFileError as error:
            if error.errno == errno.EINVAL and not path.is_dir():
                message = f"{path} cannot be included: {error.strerror}"
                self._unfit[path] = Diagnostic(str(self._main), 0, 0, DiagnosticSeverity.ERROR, message, compiler="g++")
            return None
        except OSError:
            return None
        return data.decode("utf-8", "surrogateescape") if self.files.holds(path) else None
