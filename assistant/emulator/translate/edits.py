"""Text edits applied in place, and the way back from a column of the result to a column of the original."""

from __future__ import annotations

from bisect import bisect_right

from assistant.record import Record


class Edit(Record, order=True):
    """Replace ``[start, end)`` by ``text``. Line ends of the old text that the new one lacks are put behind it, so lines stay."""

    start: int
    end: int
    text: str


class EditedText(Record):
    """Edited text with what is needed to undo a column."""

    text: str
    shifts: dict[int, tuple[tuple[int, int], ...]]
    """Per 1-based line: (column in the result from which the shift holds, columns to subtract), ascending."""

    def original_column(self, line: int, column: int) -> int:
        """The 1-based column in the original text of a 1-based column in the result."""
        shifts = self.shifts.get(line, ())
        index = bisect_right(shifts, (column, 1 << 30)) - 1
        return column if index < 0 else max(1, column - shifts[index][1])


def apply_edits(text: str, edits: list[Edit]) -> EditedText:
    """The edited text. Of two overlapping edits the one that starts first, or else comes first in the list, is kept."""
    parts: list[str] = []
    shifts: dict[int, list[tuple[int, int]]] = {}
    position = 0
    line, line_start, shift = 1, 0, 0
    for edit in sorted(edits, key=lambda e: e.start):
        if edit.start < position:
            continue
        parts.append(text[position : edit.start])
        parts.append(edit.text)
        lost_lines = text.count("\n", edit.start, edit.end) - edit.text.count("\n")
        parts.append(("\\\n" if "\\\n" in text[edit.start : edit.end] else "\n") * lost_lines)
        breaks = text.count("\n", line_start, edit.start)
        if breaks:
            line += breaks
            line_start = text.rfind("\n", 0, edit.start) + 1
            shift = 0
        if "\n" not in text[edit.start : edit.end]:
            shift += len(edit.text) - (edit.end - edit.start)
            column = edit.end - line_start + 1 + shift
            shifts.setdefault(line, []).append((column, shift))
        position = edit.end
    parts.append(text[position:])
    return EditedText("".join(parts), {k: tuple(v) for k, v in shifts.items()})
