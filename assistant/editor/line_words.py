"""Line numbers in words about a CUDA text, as the document around it numbers its lines. Pure.

A notebook counts the line of the cell's magic, and a Python file all that stands above the string. Example::

    renumbered("race; the other access is on line 6", lambda line: line + 1)     # 'race; the other access is on line 7'
"""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["renumbered"]

_NUMBERS = re.compile(r"(?P<file>\.[a-z]\w*,? )?\b(?:line \d+|lines \d+(?:, \d+)*(?: (?:and|to) \d+)?)\b")
"""``line 6``, ``lines 4, 5 and 7``; behind a file's name the lines are that file's own."""


def renumbered(words: str, line_of: Callable[[int], int]) -> str:
    """``line_of``: what the document calls a line (from 1) of the CUDA text."""

    def said(found: re.Match[str]) -> str:
        if found["file"]:
            return found[0]
        return re.sub(r"\d+", lambda number: str(line_of(int(number[0]))), found[0])

    return _NUMBERS.sub(said, words)
