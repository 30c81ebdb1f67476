"""One edit at a time is asked for in a document."""

from __future__ import annotations

import pytest

from assistant.errors import UsageError
from lsp.pending_edits import Edit, PendingEdits

FILE, OTHER = "file:///w/a.cu", "file:///w/b.cu"


def edit(key: str = FILE, *, is_versioned: bool = False) -> Edit:
    return Edit(key, "before", "after", is_versioned)


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_a_second_edit_waits_until_the_first_has_come_back() -> None:
    pending = PendingEdits()
    pending.begin(FILE, edit())
    with pytest.raises(UsageError, match="still making"):
        pending.begin(FILE, edit())
    pending.begin(OTHER, edit(OTHER))
    pending.seen(FILE, {FILE: "typed meanwhile"})
    with pytest.raises(UsageError):
        pending.check(FILE)
    pending.seen(FILE, {FILE: "after"})
    pending.begin(FILE, edit())


def test_texts_of_the_same_document_are_edited_in_turn() -> None:
    pending = PendingEdits()
    pending.begin("file:///w/a.py", edit("file:///w/a.py#first"))
    with pytest.raises(UsageError):
        pending.begin("file:///w/a.py", edit("file:///w/a.py#second"))


def test_an_edit_that_was_not_made_or_never_answered_is_not_waited_for() -> None:
    clock = Clock()
    pending = PendingEdits(clock)
    pending.begin(FILE, edit())
    pending.refused(FILE)
    pending.begin(FILE, edit())
    clock.now_s += 6
    pending.check(FILE)


def test_a_text_that_is_gone_is_not_waited_for() -> None:
    pending = PendingEdits()
    pending.begin(FILE, edit())
    pending.seen(FILE, {})
    pending.check(FILE)


def test_an_edit_of_a_version_that_has_passed_is_not_waited_for() -> None:
    pending = PendingEdits()
    pending.begin(FILE, edit(is_versioned=True))
    pending.seen(FILE, {FILE: "before"})
    with pytest.raises(UsageError):
        pending.check(FILE)
    pending.seen(FILE, {FILE: "before, and typed meanwhile"})
    pending.check(FILE)
