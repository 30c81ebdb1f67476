"""One edit at a time is asked for in a document."""

from __future__ import annotations

import pytest

from assistant.errors import UsageError
from lsp.under_way import Edit, UnderWay

FILE, OTHER = "file:///w/a.cu", "file:///w/b.cu"


def edit(key: str = FILE, *, is_versioned: bool = False) -> Edit:
    return Edit(key, "before", "after", is_versioned)


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_a_second_edit_waits_until_the_first_has_come_back() -> None:
    under_way = UnderWay()
    under_way.begin(FILE, edit())
    with pytest.raises(UsageError, match="still making"):
        under_way.begin(FILE, edit())
    under_way.begin(OTHER, edit(OTHER))
    under_way.seen(FILE, {FILE: "typed meanwhile"})
    with pytest.raises(UsageError):
        under_way.check(FILE)
    under_way.seen(FILE, {FILE: "after"})
    under_way.begin(FILE, edit())


def test_texts_of_one_document_are_edited_one_after_the_other() -> None:
    under_way = UnderWay()
    under_way.begin("file:///w/a.py", edit("file:///w/a.py#first"))
    with pytest.raises(UsageError):
        under_way.begin("file:///w/a.py", edit("file:///w/a.py#second"))


def test_an_edit_that_was_not_made_or_never_answered_is_not_waited_for() -> None:
    clock = Clock()
    under_way = UnderWay(clock)
    under_way.begin(FILE, edit())
    under_way.refused(FILE)
    under_way.begin(FILE, edit())
    clock.now_s += 6
    under_way.check(FILE)


def test_a_text_that_is_gone_is_not_waited_for() -> None:
    under_way = UnderWay()
    under_way.begin(FILE, edit())
    under_way.seen(FILE, {})
    under_way.check(FILE)


def test_an_edit_of_a_version_that_has_passed_is_not_waited_for() -> None:
    under_way = UnderWay()
    under_way.begin(FILE, edit(is_versioned=True))
    under_way.seen(FILE, {FILE: "before"})
    with pytest.raises(UsageError):
        under_way.check(FILE)
    under_way.seen(FILE, {FILE: "before, and typed meanwhile"})
    under_way.check(FILE)
