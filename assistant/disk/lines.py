"""Files of lines that are only added to, by processes that may be killed: a line is there whole, or not at all.

Example::

    append_line(path, '{"call": 1}')
    whole_lines(path)       # ('{"call": 1}',)
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["append_line", "whole_lines"]


def append_line(path: Path, line: str) -> None:
    """Add a line, which outlasts the process; half a line that a kill left before it is removed. Raises OSError."""
    with path.open("ab+") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(0, end - 1))
        if end and file.read(1) != b"\n":
            file.seek(0)
            file.truncate(file.read().rfind(b"\n") + 1)
        file.write(line.encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def whole_lines(path: Path) -> tuple[str, ...]:
    """Without half a line at the end; none where there is no file. Raises OSError."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return ()
    return tuple(line.decode() for line in text[: text.rfind(b"\n") + 1].split(b"\n") if line)
