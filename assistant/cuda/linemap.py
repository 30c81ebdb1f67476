"""Where the lines of an older text are in a newer one: what was reported of a line stays with it while somebody types above it.

Example::

    LineMap("a\\nb\\n", "a\\nnew\\nb\\n").line(2)    # 3
    LineMap("a\\nb\\n", "a\\nB\\n").line(2)          # None: that line was changed
    LineMap("a\\nb\\n", "a\\n b // c\\n").line(2)    # 2: it is the same code
"""

from __future__ import annotations

import difflib

from assistant.cuda.edits import lines_of
from assistant.cuda.same_code import code_of_line

__all__ = ["LineMap"]

_ALIGNED_LINES = 2_000
"""Longer changed regions are not aligned line by line (difflib is quadratic at worst); their lines count as changed."""


class LineMap:
    """Maps 1-based lines, spacing and comments aside; both directions of editing cost nothing where the texts agree at both ends."""

    def __init__(self, before: str, after: str) -> None:
        self._moved: dict[int, int] = {}
        if before == after:
            self._head, self._tail_start, self._shift = 1 << 62, 1 << 62, 0
            return
        old, new = lines_of(before), lines_of(after)
        head = 0
        while head < min(len(old), len(new)) and old[head] == new[head]:
            head += 1
        tail = 0
        while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
            tail += 1
        self._head = head
        self._tail_start = len(old) - tail
        self._shift = len(new) - len(old)
        middle_old, middle_new = ([*map(code_of_line, lines[head : len(lines) - tail])] for lines in (old, new))
        if 0 < len(middle_old) <= _ALIGNED_LINES and 0 < len(middle_new) <= _ALIGNED_LINES:
            matcher = difflib.SequenceMatcher(None, middle_old, middle_new, autojunk=False)
            for old_at, new_at, count in matcher.get_matching_blocks():
                self._moved.update({head + old_at + i + 1: head + new_at + i + 1 for i in range(count)})

    def line(self, line: int) -> int | None:
        """Where the older text's line is now; None when it was changed or removed, 0 (no place) stays 0."""
        if line <= self._head:
            return line
        if line > self._tail_start:
            return line + self._shift
        return self._moved.get(line)
