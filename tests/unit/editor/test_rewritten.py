"""A file that another program wrote while it was open: its new text counts as saved, whichever news comes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.editor.rewritten import RewrittenFiles
from assistant.editor.staging import Trigger


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.cu"
    path.write_text("before", "utf-8")
    return path


@pytest.fixture
def rewritten(source: Path) -> RewrittenFiles:
    files = RewrittenFiles()
    assert files.trigger(source, "before", Trigger.OPENED) is Trigger.OPENED
    return files


def test_a_text_that_the_editor_took_up_first_is_known_with_the_news_of_the_file(rewritten: RewrittenFiles, source: Path) -> None:
    source.write_text("after", "utf-8")
    assert rewritten.trigger(source, "after", Trigger.TYPED) is Trigger.TYPED, "so far it may be typed"
    assert rewritten.is_reloaded(source, "after", (source,))
    assert not rewritten.is_reloaded(source, "after", (source,)), "once"


def test_a_text_that_the_editor_takes_up_later_is_known_then(rewritten: RewrittenFiles, source: Path) -> None:
    source.write_text("after", "utf-8")
    assert not rewritten.is_reloaded(source, "before", (source,))
    assert rewritten.trigger(source, "after", Trigger.TYPED) is Trigger.CHANGED_ON_DISK
    assert rewritten.trigger(source, "after!", Trigger.TYPED) is Trigger.TYPED


def test_what_is_typed_over_a_file_that_was_rewritten_stays_typed(rewritten: RewrittenFiles, source: Path) -> None:
    source.write_text("after", "utf-8")
    assert not rewritten.is_reloaded(source, "before, typed in", (source,))
    assert rewritten.trigger(source, "before, typed in more", Trigger.TYPED) is Trigger.TYPED


def test_a_save_of_the_editor_itself_is_no_news(rewritten: RewrittenFiles, source: Path) -> None:
    source.write_text("typed", "utf-8")
    assert rewritten.trigger(source, "typed", Trigger.SAVED) is Trigger.SAVED
    assert not rewritten.is_reloaded(source, "typed", (source,))


def test_other_files_and_deleted_ones_are_no_news(rewritten: RewrittenFiles, source: Path) -> None:
    assert not rewritten.is_reloaded(source, "before", (source.with_name("b.cu"),))
    source.unlink()
    assert not rewritten.is_reloaded(source, "before", (source,))
