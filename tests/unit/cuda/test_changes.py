"""Edits of several files as one."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.changes import ChangeConflict, RebasedTexts, changes_diff, changes_of, chosen_texts, rebase_texts
from assistant.model.change import FileChange
from assistant.model.source import Source

A, B, C = Path("/p/src/a.cu"), Path("/p/include/b.cuh"), Path("/p/c.cu")


def texts(**given: str) -> tuple[Source, ...]:
    return tuple(Source(path, given[path.stem]) for path in (A, B, C) if path.stem in given)


BEFORE = texts(a="1\n2\n3\n4\n5\n", b="1\n2\n3\n", c="same\n")
AFTER = texts(a="1\ntwo\n3\n4\nfive\n", b="1\ntwo\n3\n", c="same\n")


def test_only_files_that_differ_are_changed_and_their_hunks_are_told_apart() -> None:
    files = changes_of(BEFORE, AFTER)
    assert [change.path for change in files] == [B, A]
    ids = [hunk.id for change in files for hunk in change.hunks]
    assert len(set(ids)) == 3, "the same lines are changed in both files"
    assert changes_of(AFTER, AFTER) == ()
    with pytest.raises(KeyError):
        changes_of(texts(a=""), texts(b=""))


def test_hunks_of_any_file_can_be_left_out() -> None:
    files = changes_of(BEFORE, AFTER)
    (of_b,), (first, last) = (change.hunks for change in files)
    made = {source.path: source.text for source in chosen(files, of_b.id, last.id)}
    assert made == {B: "1\ntwo\n3\n", A: "1\n2\n3\n4\nfive\n"}
    assert chosen(files, first.id)[0] == BEFORE[1]


def test_an_edit_moves_onto_newer_texts_of_all_files_or_of_none() -> None:
    base, edited = BEFORE[:2], AFTER[:2]
    moved = rebase_texts(base, edited, texts(a="0\n1\n2\n3\n4\n5\n", b="1\n2\n3\n4\n"))
    assert moved == RebasedTexts(texts(a="0\n1\ntwo\n3\n4\nfive\n", b="1\ntwo\n3\n4\n"))
    assert rebase_texts(base, edited, texts(a="0\n1\n2\n3\n4\n5\n", b="1\nzwei\n3\n")) == ChangeConflict(B, (2,))


def test_a_moved_edit_keeps_the_ids_of_its_hunks() -> None:
    base, edited, now = BEFORE[:2], AFTER[:2], texts(a="0\n1\n2\n3\n4\n5\n", b="1\n2\n3\n4\n")
    moved = rebase_texts(base, edited, now)
    assert isinstance(moved, RebasedTexts)
    ids = [[hunk.id for change in files for hunk in change.hunks] for files in (changes_of(base, edited), changes_of(now, moved.texts))]
    assert ids[0] == ids[1]


def test_the_diff_of_several_files_names_them_from_the_folder_that_holds_all() -> None:
    files = changes_of(BEFORE, AFTER)
    lines = changes_diff(files).splitlines()
    assert [line for line in lines if line.startswith("+++")] == ["+++ b/include/b.cuh", "+++ b/src/a.cu"]
    assert changes_diff(files[:1]).startswith("--- a/b.cuh\n+++ b/b.cuh\n@@ -1,3 +1,3 @@\n")


def chosen(files: tuple[FileChange, ...], *ids: str) -> tuple[Source, ...]:
    made = chosen_texts(files, frozenset(ids))
    assert isinstance(made, tuple)
    return made
