"""An edit made in another spelling of the code that it was made for: spaces, blank lines and comments that a person changed stay.

Example::

    respelled(change, "int a; \n")      # the change from "int a;\n", made there; None where the code is another one
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from assistant.cuda.edits import lines_of
from assistant.cuda.hunks import apply_hunks, hunks
from assistant.cuda.same_code import code_of_line, comments_of, is_same_code
from assistant.model.change import FileChange
from assistant.model.source import Hunk, Source

__all__ = ["respelled", "respelled_texts"]

_PYTHON = ".py"
"""There, spacing is code."""


def respelled_texts(before: Sequence[Source], after: Sequence[Source], now: Sequence[Source]) -> tuple[Source, ...] | None:
    """What the edit from ``before`` to ``after`` makes of ``now``; None where that is other code than ``before``.

    All three have the same paths in the same order.
    """
    made: list[Source] = []
    for old, new, current in zip(before, after, now, strict=True):
        found = respelled(FileChange(old.path, old.text, new.text, hunks(old.text, new.text)), current.text)
        if found is None:
            return None
        made.append(found.after)
    return tuple(made)


def respelled(change: FileChange, now: str) -> FileChange | None:
    """The same change of ``now``, its hunks with their ids; None where that is other code than the change was made for."""
    if change.before_text == now:
        return change
    if change.path.suffix == _PYTHON or not is_same_code(change.before_text, now):
        return None
    old, current = lines_of(change.before_text), lines_of(now)
    lines = dict(_aligned(old, current))
    moved = tuple(_moved(hunk, lines, len(old), current) for hunk in change.hunks)
    text = apply_hunks(now, moved)
    return FileChange(change.path, now, text, moved) if isinstance(text, str) and is_same_code(text, change.after_text) else None


def _aligned(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """1-based pairs of lines with the same code; between them, of lines without code and the same words, in order."""
    coded = [[index for index, line in enumerate(lines) if not is_same_code(line, "")] for lines in (old, new)]
    words = [[code_of_line(line) for line in lines] for lines in (old, new)]
    code = [[said[at] for at in places] for said, places in zip(words, coded, strict=True)]
    matcher = difflib.SequenceMatcher(None, code[0], code[1], autojunk=False)
    last = (-1, -1)
    for first, second, count in matcher.get_matching_blocks():
        anchors = [*zip(coded[0][first : first + count], coded[1][second : second + count], strict=True)]
        for anchor in anchors or [(len(old), len(new))]:
            at = last[1] + 1
            for index in range(last[0] + 1, anchor[0]):
                if words[0][index] in words[1][at : anchor[1]]:
                    at = words[1].index(words[0][index], at) + 1
                    yield index + 1, at
            if anchors:
                yield anchor[0] + 1, anchor[1] + 1
            last = anchor


def _moved(hunk: Hunk, lines: Mapping[int, int], line_count: int, current: Sequence[str]) -> Hunk:
    """The hunk where its lines are now; comments that a person wrote on them and between them stay, above the new lines."""
    old = range(hunk.before_line, hunk.before_line + len(hunk.before))
    found = [now for line in old if (now := lines.get(line)) is not None]
    if not found:  # it inserts, or what it removes are comments and blank lines that are gone
        following = (now for line in range(hunk.before_line, line_count + 1) if (now := lines.get(line)) is not None)
        return replace(hunk, before_line=next(following, len(current) + 1), before=())
    place = range(found[0], found[-1] + 1)
    kept = tuple(kept for line in place for kept in _kept(current[line - 1], line in found, hunk))
    return replace(hunk, before_line=place.start, before=tuple(current[line - 1] for line in place), after=kept + hunk.after)


def _kept(line: str, is_replaced: bool, hunk: Hunk) -> Iterator[str]:
    """What stays of a line that the hunk takes away: the whole of one that it does not know, else comments that it does not know."""
    if not is_replaced:
        yield from (line,) if line.strip() else ()
        return
    indent = line[: len(line) - len(line.lstrip())]
    yield from (f"{indent}{comment.rstrip()}\n" for comment in comments_of(line) if comment.strip() not in "".join(hunk.before))
