"""What ``compile_commands.json`` of a workspace says of a file, with the flags that it keeps in files of their own.

Example::

    database_flags(Path("/p/src/k.cu"))     # ("-I/p/include", "-O2"); None: it says nothing, or there is none
"""

from __future__ import annotations

from pathlib import Path

from assistant.build.flags import compile_commands_flags
from assistant.config import find_project

__all__ = ["database_flags"]

_NAME = "compile_commands.json"
_MOST_BYTES = 1 << 20
"""Largest file with flags that is read."""


def database_flags(file: Path) -> tuple[str, ...] | None:
    """Raises OSError where the database cannot be read, ValueError where it, or a file with flags that it names, is none."""
    database = find_project(file) / _NAME
    return compile_commands_flags(database.read_text("utf-8"), file, _flags_text) if database.is_file() else None


def _flags_text(path: Path) -> str:
    """A regular file only: reading a pipe or a device might never end."""
    if not path.is_file():
        raise ValueError("there is no such file (configure the build again)")
    with path.open("rb") as opened:
        content = opened.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise ValueError(f"it is longer than {_MOST_BYTES} bytes")
    return content.decode("utf-8")
