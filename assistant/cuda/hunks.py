"""Hunks: the runs of changed lines between two texts, each of which can be taken alone; and unified diffs.

Example::

    h = hunks("a\\nb\\nc\\n", "A\\nb\\nC\\n")
    apply_hunks("a\\nb\\nc\\n", h[1:])   # 'a\\nb\\nC\\n'
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from assistant.cuda.edits import lines_of
from assistant.model.source import Hunk
from assistant.record import Record

__all__ = ["HunkMismatch", "apply_hunks", "hunks", "patched", "unified_diff"]

_ID_DIGITS = 12
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+")
_NO_NEWLINE = "\\ No newline at end of file\n"
"""As GNU diff and git write it after a last line without a line end."""


class HunkMismatch(Record):
    """The text does not have the hunk's old lines where the hunk says, or another hunk has taken them."""

    hunk: Hunk


def hunks(before: str, after: str) -> tuple[Hunk, ...]:
    """The changed runs of lines, in order; their ids differ even where the same change is made twice."""
    before_lines, after_lines = lines_of(before), lines_of(after)
    found: list[Hunk] = []
    seen: Counter[str] = Counter()
    for tag, low, high, after_low, after_high in _matcher(before_lines, after_lines).get_opcodes():
        if tag == "equal":
            continue
        old, new = tuple(before_lines[low:high]), tuple(after_lines[after_low:after_high])
        content = "".join(old) + "\0" + "".join(new)
        found.append(Hunk(_id(content, seen[content]), low + 1, old, new))
        seen[content] += 1
    return tuple(found)


def apply_hunks(before: str, chosen: Iterable[Hunk]) -> str | HunkMismatch:
    """The text with some hunks of ``hunks(before, …)`` made."""
    lines = lines_of(before)
    result: list[str] = []
    position = 0
    for hunk in sorted(chosen, key=lambda hunk: hunk.before_line):
        start = hunk.before_line - 1
        end = start + len(hunk.before)
        if start < position or tuple(lines[start:end]) != hunk.before or end > len(lines):
            return HunkMismatch(hunk)
        result.extend(lines[position:start])
        result.extend(hunk.after)
        position = end
    return "".join(result + lines[position:])


def unified_diff(before: str, after: str, name: str, context_lines: int = 3) -> str:
    """The change as ``git apply`` and ``patch -p1`` read it; empty when nothing changed. Line ends are kept."""
    before_lines, after_lines = lines_of(before), lines_of(after)
    groups = _matcher(before_lines, after_lines).get_grouped_opcodes(context_lines) if before != after else ()
    body = [line for group in groups for line in _diff_group(before_lines, after_lines, group)]
    return "".join((f"--- a/{name}\n", f"+++ b/{name}\n", *body)) if body else ""


def patched(before: str, diff: str) -> str | None:
    """The text whose `unified_diff` from ``before`` this is; None where it is the change of another text."""
    old, new, at, mark = lines_of(before), list[str](), 0, ""
    for line in lines_of(diff)[2:]:
        found = _HUNK.match(line)
        if found is not None:
            first = int(found[1]) - (found[2] != "0")
            new, at = new + old[at:first], first
        elif line == _NO_NEWLINE:
            new = [*new[:-1], new[-1].removesuffix("\n")] if mark == "+" else new
        elif line[0] == "+":
            new.append(line[1:])
        elif at < len(old) and old[at].removesuffix("\n") == line[1:].removesuffix("\n"):
            new, at = new + ([old[at]] if line[0] == " " else []), at + 1
        else:
            return None
        mark = line[0]
    return "".join(new + old[at:])


def _matcher(before_lines: list[str], after_lines: list[str]) -> difflib.SequenceMatcher[str]:
    return difflib.SequenceMatcher(None, before_lines, after_lines, autojunk=False)


def _id(content: str, earlier_count: int) -> str:
    distinct = content if earlier_count == 0 else f"{content}\0{earlier_count}"
    return hashlib.sha256(distinct.encode("utf-8", "surrogateescape")).hexdigest()[:_ID_DIGITS]


def _diff_group(before_lines: list[str], after_lines: list[str], group: Sequence[tuple[str, int, int, int, int]]) -> Iterator[str]:
    yield f"@@ -{_range(group[0][1], group[-1][2])} +{_range(group[0][3], group[-1][4])} @@\n"
    for tag, low, high, after_low, after_high in group:
        if tag == "equal":
            yield from (_diff_line(" ", line) for line in before_lines[low:high])
        else:
            yield from (_diff_line("-", line) for line in before_lines[low:high])
            yield from (_diff_line("+", line) for line in after_lines[after_low:after_high])


def _range(low: int, high: int) -> str:
    """Start and length of lines ``low`` to ``high`` (0-based, half open); an empty range names the line before it."""
    count = high - low
    if count == 1:
        return str(low + 1)
    return f"{low + 1 if count else low},{count}"


def _diff_line(mark: str, line: str) -> str:
    return mark + line if line.endswith("\n") else f"{mark}{line}\n{_NO_NEWLINE}"
