"""A path of the command line as everything else knows it: absolute, without ``.`` and ``..``, symbolic links kept."""

from __future__ import annotations

import os
from pathlib import Path

from assistant.cli.loading import loading

__all__ = ["plain_path", "text_path"]

_PYTHON = ".py"


def plain_path(path: Path) -> Path:
    """``a/../b.cu`` as ``/where/b.cu``; kept as it is where a link before ``..`` makes that another file."""
    plain = Path(os.path.normpath(path.absolute()))
    try:
        return plain if plain.samefile(path) else path.absolute()
    except OSError:
        return path.absolute() if path.exists() else plain


def text_path(path: Path, kernel: str | None) -> Path:
    """As ``plain_path``; of a Python file that holds CUDA texts, what the one goes by that is meant. Raises UsageError where none is."""
    plain = plain_path(path)
    if plain.suffix != _PYTHON:
        return plain
    with loading():
        from assistant.engine import meant_in
    meant = meant_in(plain, kernel)
    return plain if meant is None else meant.path
