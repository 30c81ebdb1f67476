"""Edits of one text: apply them, and find those that lead from one text to another.

Example::

    apply_edits("int n = 4;", [TextEdit(Span(8, 9), "8")])   # 'int n = 8;'
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from assistant.model.source import Span, TextEdit
from assistant.record import Record

__all__ = ["EditFailure", "EditOutOfRange", "OverlappingEdits", "apply_edits", "edits_between", "lines_of"]


class OverlappingEdits(Record):
    """Two edits of a set change the same characters, so their order would decide."""

    first: TextEdit
    second: TextEdit


class EditOutOfRange(Record):
    """An edit reaches beyond the text, or its span ends before it starts."""

    edit: TextEdit
    text_length: int


EditFailure = OverlappingEdits | EditOutOfRange


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str | EditFailure:
    """The text with all edits made; insertions at one place come in the order given."""
    ordered = sorted(edits, key=lambda edit: edit.span)
    parts: list[str] = []
    position = 0
    previous: TextEdit | None = None
    for edit in ordered:
        if not 0 <= edit.span.start <= edit.span.end <= len(text):
            return EditOutOfRange(edit, len(text))
        if previous is not None and edit.span.start < position:
            return OverlappingEdits(previous, edit)
        parts.append(text[position : edit.span.start])
        parts.append(edit.new_text)
        position = edit.span.end
        previous = edit
    return "".join(parts) + text[position:]


def edits_between(before: str, after: str) -> tuple[TextEdit, ...]:
    """Edits that turn ``before`` into ``after``: one per run of changed lines, cut to the characters that differ."""
    before_lines, after_lines = lines_of(before), lines_of(after)
    edits: list[TextEdit] = []
    starts = _line_starts(before_lines)
    matcher = difflib.SequenceMatcher(None, before_lines, after_lines, autojunk=False)
    for tag, low, high, after_low, after_high in matcher.get_opcodes():
        if tag != "equal":
            new_text = "".join(after_lines[after_low:after_high])
            edits.append(_shortest(before, Span(starts[low], starts[high]), new_text))
    return tuple(edits)


def lines_of(text: str) -> list[str]:
    """Lines with their ends; only ``\\n`` ends a line, as in compilers and in diffs."""
    lines = text.split("\n")
    ended = [line + "\n" for line in lines[:-1]]
    return [*ended, lines[-1]] if lines[-1] else ended


def _line_starts(lines: list[str]) -> list[int]:
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    return starts


def _shortest(text: str, span: Span, new_text: str) -> TextEdit:
    """The edit without the characters that it leaves as they are at both ends."""
    old = text[span.start : span.end]
    shorter = min(len(old), len(new_text))
    prefix = next((i for i in range(shorter) if old[i] != new_text[i]), shorter)
    room = shorter - prefix
    suffix = next((i for i in range(room) if old[-1 - i] != new_text[-1 - i]), room)
    return TextEdit(Span(span.start + prefix, span.end - suffix), new_text[prefix : len(new_text) - suffix])
