"""Edits of several files as one: what each file's lines become, some of it, all of it on newer texts, and as one diff. Pure.

Example::

    files = changes_of((Source(a, "1\\n"), Source(b, "2\\n")), (Source(a, "1\\n"), Source(b, "3\\n")))
    [change.path for change in files]                     # [b]: a stays as it is
    chosen_texts(files, frozenset({files[0].hunks[0].id}))    # (Source(b, "3\\n"),)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from assistant.cuda.embedded.cell_launch import shown_line
from assistant.cuda.hunks import HunkMismatch, apply_hunks, hunks, unified_diff
from assistant.cuda.rebase import Conflict, rebase
from assistant.model.change import FileChange
from assistant.model.source import Hunk, Source
from assistant.record import Record

__all__ = ["ChangeConflict", "RebasedTexts", "changes_diff", "changes_of", "chosen_texts", "rebase_texts", "shown_names"]


class RebasedTexts(Record):
    """The edit fits the files as they are now."""

    texts: tuple[Source, ...]
    """The text of every file of the edit, with the edit made."""


class ChangeConflict(Record):
    """A file changed where the edit changes it, too."""

    path: Path
    lines: tuple[int, ...]
    """First clashing lines of the file as it is now, 1-based."""


def changes_of(before: Iterable[Source], after: Iterable[Source]) -> tuple[FileChange, ...]:
    """What makes of each text of ``before`` the one of ``after`` with its path, by path; nothing of files that stay as they are.

    Raises KeyError for a path of ``after`` that is not among ``before``.
    """
    old = {source.path: source.text for source in before}
    found: list[FileChange] = []
    taken: set[str] = set()
    for source in sorted(after, key=lambda source: source.path):
        if old[source.path] != source.text:
            made = tuple(_distinct(hunk, taken) for hunk in hunks(old[source.path], source.text))
            taken.update(hunk.id for hunk in made)
            found.append(FileChange(source.path, old[source.path], source.text, made))
    return tuple(found)


def chosen_texts(files: Sequence[FileChange], hunk_ids: frozenset[str]) -> tuple[Source, ...] | HunkMismatch:
    """Every file's text with the hunks of these ids made, and no other."""
    made: list[Source] = []
    for change in files:
        taken = [hunk for hunk in change.hunks if hunk.id in hunk_ids]
        text = change.after_text if len(taken) == len(change.hunks) else apply_hunks(change.before_text, taken)
        if isinstance(text, HunkMismatch):
            return text
        made.append(Source(change.path, text))
    return tuple(made)


def rebase_texts(base: Sequence[Source], edited: Sequence[Source], current: Sequence[Source]) -> RebasedTexts | ChangeConflict:
    """The edit from ``base`` to ``edited`` made in ``current``; all three have the same paths in the same order."""
    made: list[Source] = []
    for old, new, now in zip(base, edited, current, strict=True):
        found = rebase(old.text, new.text, now.text)
        if isinstance(found, Conflict):
            return ChangeConflict(now.path, tuple(clash.current_line for clash in found.clashes))
        made.append(Source(now.path, found.text))
    return RebasedTexts(tuple(made))


def changes_diff(files: Sequence[FileChange]) -> str:
    """One diff of all files, as ``git apply`` and ``patch -p1`` read it in the folder that holds them all; a cell's launch as its line."""
    names = shown_names([change.path for change in files])
    return "".join(unified_diff(shown_line(change.before_text), shown_line(change.after_text), names(change.path)) for change in files)


def shown_names(paths: Sequence[Path]) -> Callable[[Path], str]:
    """How an edit's files are called: by name where there is one, else by the path from the folder that holds them all."""
    if len(paths) < 2:
        return lambda path: path.name
    folder = Path(os.path.commonpath([path.parent for path in paths]))
    return lambda path: path.relative_to(folder).as_posix()


def _distinct(hunk: Hunk, taken: set[str]) -> Hunk:
    """The same change in a second file has an id of its own, which depends on the change alone and so survives a rebase."""
    digits = len(hunk.id)
    number = int(hunk.id, 16)
    while f"{number:0{digits}x}" in taken:
        number = (number + 1) % 16**digits
    return replace(hunk, id=f"{number:0{digits}x}")
