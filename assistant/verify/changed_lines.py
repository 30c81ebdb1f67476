"""Which lines of B are the edit's, and where the others stood in A: by the text as it is, comments and all.

Example::

    changed = ChangedLines(Text("/a.cu", before), Text("/b.cu", after))
    changed.origin(7)     # 5: B's line 7 is A's line 5; None for a line of the edit
"""

from __future__ import annotations

import difflib
from functools import cached_property

from assistant.record import Record
from assistant.verify.lines import Text

__all__ = ["ChangedLines"]


class ChangedLines(Record):
    """The main source of both versions."""

    before: Text
    after: Text

    def origin(self, line: int) -> int | None:
        return self._origins.get(line)

    @cached_property
    def added(self) -> tuple[int, ...]:
        """Lines of B that are the edit's."""
        return tuple(line for line in range(1, len(_lines(self.after)) + 1) if line not in self._origins)

    @cached_property
    def removed(self) -> tuple[int, ...]:
        """Lines of A that are not in B."""
        kept = frozenset(self._origins.values())
        return tuple(line for line in range(1, len(_lines(self.before)) + 1) if line not in kept)

    @cached_property
    def _origins(self) -> dict[int, int]:
        matcher = difflib.SequenceMatcher(None, _lines(self.before), _lines(self.after), autojunk=False)
        return {new + i + 1: old + i + 1 for old, new, size in matcher.get_matching_blocks() for i in range(size)}


def _lines(text: Text) -> list[str]:
    return [line.rstrip() for line in text.text.split("\n")]
