"""What changed in a text since others that were looked at: where their lines are now, and which kernels are not as they were. Pure.

Example::

    ChangesSince(parsed).is_touched(kernel, text_that_was_profiled)     # True: its numbers are of another kernel, or of another launch
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property

from assistant.cuda.edit_reach import reached_kernels
from assistant.cuda.edits import lines_of
from assistant.cuda.linemap import LineMap
from assistant.cuda.same_code import is_same_code
from assistant.model.source import Kernel, ParsedSource, Span

__all__ = ["ChangesSince"]


class ChangesSince:
    """Of the text as it stands."""

    def __init__(self, parsed: ParsedSource) -> None:
        self._parsed = parsed
        self._maps: dict[str, LineMap] = {}
        self._changed: dict[str, tuple[tuple[int, int], ...]] = {}
        self._reached: dict[str, frozenset[str] | None] = {}

    def lines(self, text: str) -> LineMap:
        """Where the lines of ``text`` are now."""
        if text not in self._maps:
            self._maps[text] = LineMap(text, self._parsed.source.text)
        return self._maps[text]

    def is_touched(self, kernel: Kernel, text: str) -> bool:
        """Whether the kernel, what its code uses or how it is launched may be another than in ``text``; spacing and comments aside."""
        own = self.ranges[kernel.span]
        inside = [self.around(first, last) for first, last in self._changes(text)]
        return own in inside or (None in inside and self._is_reached(kernel, text))

    def is_untouched(self, kernel: Kernel, text: str) -> bool:
        """Whether the kernel's own text is in the text that was looked at."""
        span = kernel.span
        return self._parsed.source.text[span.start : span.end] in text

    def around(self, first: int, last: int) -> tuple[int, int] | None:
        """The lines of the kernel that holds these lines; None where they are not one kernel's."""
        return next(((a, b) for a, b in self.ranges.values() if a <= first and last <= b), None)

    @cached_property
    def ranges(self) -> dict[Span, tuple[int, int]]:
        """First and last line of each kernel."""
        ends = [match.start() for match in re.finditer("\n", self._parsed.source.text)]
        return {k.span: (bisect_left(ends, k.span.start) + 1, bisect_left(ends, k.span.end) + 1) for k in self._parsed.kernels}

    def _is_reached(self, kernel: Kernel, text: str) -> bool:
        """Whether an edit outside of the kernel may change it."""
        if text not in self._reached:
            self._reached[text] = reached_kernels(text, self._parsed.source.text)
        reached = self._reached[text]
        return reached is None or kernel.name in reached

    def _changes(self, text: str) -> tuple[tuple[int, int], ...]:
        """(first, last) line of each change since ``text``, as of now; of a removal the lines around it."""
        if text not in self._changed:
            now = self._parsed.source.text
            changes = () if is_same_code(text, now) else self._changes_between(lines_of(text), lines_of(now), self.lines(text))
            self._changed[text] = tuple(changes)
        return self._changed[text]

    def _changes_between(self, old: Sequence[str], new: Sequence[str], lines: LineMap) -> Iterator[tuple[int, int]]:
        now = [lines.line(number) for number in range(1, len(old) + 1)]
        kept = {line for line in now if line is not None}
        yield from ((n, n) for n, line in enumerate(new, start=1) if n not in kept and not is_same_code(line, ""))
        before, is_removing = 0, False
        for text, line in zip((*old, ""), (*now, len(new) + 1), strict=True):
            if line is None:
                is_removing = is_removing or not is_same_code(text, "")
                continue
            if is_removing:
                yield (before + 1, line - 1) if line - before > 1 else (before, line)
            before, is_removing = line, False
