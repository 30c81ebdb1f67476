"""Answers that are changes of lines, as ``diff -u`` and editors write them, as new texts of the parts that they change.

Example::

    patched(region, "@@\\n-    int x = 1;\\n+    int x = 2;\\n")     # [WrittenPart("kernel", "… int x = 2; …")]
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

from assistant.cuda.edits import apply_edits, edits_between
from assistant.cuda.files import line_end
from assistant.model.source import ParsedSource, Span, TextEdit
from assistant.plan.llm.code.parts import Part, PartKind, Region
from assistant.plan.llm.code.unusable import Unusable, UnusableAnswer
from assistant.plan.llm.reading.schemas import WrittenPart

__all__ = ["is_patch", "patched"]

_BLOCK = re.compile(r"^<{5,}[^\n]*\n(?P<old>.*?)^={5,}[ \t]*\n(?P<new>.*?)^>{5,}[^\n]*$", re.MULTILINE | re.DOTALL)
"""As editors with models have it: what is searched, and what takes its place."""
_HUNK = re.compile(r"^@@[^\n]*\n(?P<lines>(?:[ +\-\\][^\n]*\n?|\n)+)", re.MULTILINE)
_OPENING = re.compile(r"^<{5}", re.MULTILINE)
_MOST_BLOCKS = 256
_ADDED = "added_code"
_COMMENT = re.compile(r"//.*|/\*.*?\*/")
_Change = tuple[list[str], list[str]]
"""Lines, and what takes their place."""


def is_patch(code: str) -> bool:
    """Whether a piece of an answer is changes of lines."""
    if len(_OPENING.findall(code)) > _MOST_BLOCKS:
        return False
    return _BLOCK.search(code) is not None or _HUNK.search(code) is not None


def patched(region: Region, code: str) -> list[WrittenPart] | UnusableAnswer:
    """The parts with the changes made, or which change does not fit."""
    edits: dict[Part, list[TextEdit]] = {}
    added: list[str] = []
    for old, new in _changes(code.replace("\r\n", "\n")):
        places = ((file, span) for file in region.files if (span := _place(file.source.text, old)) is not None)
        file, span = next(places, (None, None))
        if file is None or span is None:
            shown = next((line.strip() for line in old if line.strip()), "")[:60]
            return UnusableAnswer(
                Unusable.UNKNOWN_PART, f"its change of `{shown}` does not fit the text; give the whole new text of each part"
            )
        for edit in _narrowed(file, span, (old, new)):
            part = _part_around(region, file, edit.span)
            if part is not None:
                moved = Span(edit.span.start - part.span.start, edit.span.end - part.span.start)
                edits.setdefault(part, []).append(TextEdit(moved, edit.new_text))
            elif file.source.text[edit.span.start : edit.span.end].strip():
                line = file.source.line_of(edit.span.start)
                reason = f"it changes line {line}, which belongs to none of the parts {', '.join(part.id for part in region.parts)}"
                return UnusableAnswer(Unusable.UNKNOWN_PART, reason)
            else:
                added.append(edit.new_text.strip("\n"))
    made = [WrittenPart(part=_ADDED, code="\n\n".join(added))] if any(text.strip() for text in added) else []
    for part, changes in edits.items():
        text = apply_edits(part.text, sorted(changes))
        if not isinstance(text, str):
            return UnusableAnswer(Unusable.OVERLAP, "its changes overlap")
        made.append(WrittenPart(part=part.id, code=text))
    return made


def _changes(code: str) -> Iterator[_Change]:
    for block in _BLOCK.finditer(code):
        yield block["old"].splitlines(), block["new"].splitlines()
    for hunk in _HUNK.finditer(_BLOCK.sub("", code)):
        lines = [line for line in hunk["lines"].splitlines() if not line.startswith(("---", "+++", "\\"))]
        while lines and not lines[-1].strip():
            lines.pop()
        yield [line[1:] for line in lines if not line.startswith("+")], [line[1:] for line in lines if not line.startswith("-")]


def _place(text: str, old: Sequence[str]) -> Span | None:
    """Where the lines stand, however they are indented and whatever is remarked on them; None where they do not, or in two places."""
    lines = text.splitlines(keepends=True)
    for spelled in (str.rstrip, str.strip, _without_comment):
        wanted, have = [spelled(line) for line in old], [spelled(line) for line in lines]
        found = [n for n in range(len(have) - len(wanted) + 1) if any(wanted) and have[n : n + len(wanted)] == wanted]
        if len(found) == 1:
            start = sum(map(len, lines[: found[0]]))
            return Span(start, start + sum(map(len, lines[found[0] : found[0] + len(wanted)])))
    return None


def _without_comment(line: str) -> str:
    return _COMMENT.sub("", line).strip()


def _narrowed(file: ParsedSource, span: Span, change: _Change) -> Iterator[TextEdit]:
    """The change as edits of the file; lines that it keeps stay as the file has them, in their indentation and with their line ends."""
    old, new = change
    before = file.source.text[span.start : span.end]
    kept, end = before.splitlines(keepends=True), line_end(file.source.text)
    lines: list[str] = []
    for what, low, high, new_low, new_high in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        lines += kept[low:high] if what == "equal" else [f"{line}{end}" for line in new[new_low:new_high]]
    after = "".join(lines)
    for edit in edits_between(before, after if before.endswith("\n") else after.removesuffix(end)):
        yield TextEdit(Span(edit.span.start + span.start, edit.span.end + span.start), edit.new_text)


def _part_around(region: Region, file: ParsedSource, span: Span) -> Part | None:
    """The part that holds the place, or ends right in front of it; functions before the launches in them."""
    parts = [part for part in region.parts_of(file) if part.kind is not PartKind.LAUNCH]
    inside = [part for part in parts if part.span.start < span.start < part.span.end or part.span.contains(span)]
    if inside and not (span.start == span.end == inside[0].span.start):
        return inside[0]
    ends = (part for part in parts if part.span.start <= span.start < part.span.end)
    return next(ends, None) if span.end > span.start else None
