"""A path of the command line as everything else knows it: absolute, without ``.`` and ``..``, symbolic links kept."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["plain_path"]


def plain_path(path: Path) -> Path:
    """``a/../b.cu`` as ``/where/b.cu``; kept as it is where a link before ``..`` makes that another file."""
    plain = Path(os.path.normpath(path.absolute()))
    try:
        return plain if plain.samefile(path) else path.absolute()
    except OSError:
        return path.absolute() if path.exists() else plain
