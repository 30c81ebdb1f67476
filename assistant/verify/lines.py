"""Which line of B is a line of A: through the diff, by equal code wherever it moved, or as the rewritten form of one access.

Example::

    lines = LinePairs((TextPair(Text("/a.cu", before), Text("/b.cu", after)),))
    lines.counterparts("/b.cu", 14)    # (("/a.cu", 12),): what stands there stood on line 12
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from functools import cached_property

from assistant.cuda.code_text import blanked
from assistant.cuda.token_reader import names_reached
from assistant.cuda.tokens import TokenKind, tokens
from assistant.record import Record

__all__ = ["LinePairs", "Place", "Text", "TextPair"]

Place = tuple[str, int]
"""(file, 1-based line)."""


class Text(Record):
    """One version of a compared file."""

    file: str
    """As problems name it."""
    text: str

    @cached_property
    def code(self) -> tuple[str, ...]:
        """The lines without comments and without spaces."""
        return tuple("".join(line.split()) for line in self._blanked)

    def code_at(self, line: int) -> str:
        """One line without comments and the insides of strings; 1-based."""
        return self._blanked[line - 1]

    def words_at(self, line: int) -> tuple[str, ...]:
        """Names and keywords of one line's code; 1-based."""
        return self._words.get(line, ())

    @cached_property
    def _words(self) -> dict[int, tuple[str, ...]]:
        found: dict[int, tuple[str, ...]] = {}
        line = end = 0
        for token in tokens(self.text):
            line, end = line + self.text.count("\n", end, token.start), token.start
            if token.kind is TokenKind.WORD:
                found[line + 1] = (*found.get(line + 1, ()), token.text)
        return found

    @cached_property
    def _blanked(self) -> tuple[str, ...]:
        return tuple(blanked(self.text).split("\n"))


class LinePairs(Record):
    """Lines of both versions that are the same access. Files that are not among these are taken to be the same on both sides."""

    files: tuple[TextPair, ...]

    def counterparts(self, file: str, line: int) -> tuple[Place, ...]:
        """Places in A where the code of B's line stood; empty when A has nothing like it."""
        pair = next((pair for pair in self.files if pair.after.file == file), None)
        return ((file, line),) if pair is None else pair.counterparts(line)


class TextPair(Record):
    """Both versions of a file."""

    before: Text
    after: Text

    def counterparts(self, line: int) -> tuple[Place, ...]:
        """As of ``LinePairs``, for a line of this file."""
        found = [(self.before.file, number) for number in self._old_lines(line)]
        return tuple(dict.fromkeys(found))

    def _old_lines(self, line: int) -> list[int]:
        new = self.after.code
        if not 1 <= line <= len(new):
            return [line]
        moved = [number for number, code in enumerate(self.before.code, 1) if code and code == new[line - 1]]
        for tag, low, high, new_low, new_high in self._differences:
            if new_low < line <= new_high:
                if tag == "equal":
                    return [low + line - new_low, *moved]
                return moved + [old for old in range(low + 1, high + 1) if self._is_rewritten(old, line)]
        return moved

    def _is_rewritten(self, old: int, new: int) -> bool:
        """Whether a replaced line and its replacement reach memory through a name they share."""
        return bool(names_reached(self.before.code[old - 1]) & names_reached(self.after.code[new - 1]))

    @cached_property
    def _differences(self) -> Sequence[tuple[str, int, int, int, int]]:
        return difflib.SequenceMatcher(None, self.before.code, self.after.code, autojunk=False).get_opcodes()
