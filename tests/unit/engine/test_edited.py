"""What a rewrite makes of several files, and what tells one candidate from another."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from assistant.cuda.edits import EditOutOfRange
from assistant.engine.search.edited import EditedTexts, edited_texts
from assistant.engine.search.trials import SearchNode
from assistant.model.plan import FileEdits, Rewrite
from assistant.model.source import Source, Span, TextEdit

HEADER, RUN, MAIN = Source(Path("/p/k.cuh"), "kernel 32\n"), Source(Path("/p/run.cu"), "launch 32\n"), Source(Path("/p/main.cu"), "main\n")


def node(*sources: Source, others: tuple[Source, ...] = ()) -> SearchNode:
    version = SimpleNamespace(source=sources[0], sources=sources)
    return SearchNode(cast("Any", SimpleNamespace(version=version)), others=others)


def rewrite(own: str = "", **others: str) -> Rewrite:
    """Appends to the texts of files."""
    files = {path.stem: source for source in (RUN, MAIN) for path in (source.path,)}
    edits = tuple(FileEdits(files[name].path, (_appended(files[name], text),)) for name, text in others.items())
    return Rewrite("t", "k", 1, (_appended(HEADER, own),) if own else (), "", (), in_others=edits)


def _appended(source: Source, text: str) -> TextEdit:
    return TextEdit(Span(len(source.text), len(source.text)), text)


def test_edits_of_other_files_make_another_candidate_of_the_same_text() -> None:
    start = node(HEADER, RUN, MAIN)
    made = [edited_texts(start, each) for each in (rewrite(run="a\n"), rewrite(run="b\n"), rewrite("x\n", run="a\n"), rewrite("x\n"))]
    assert all(isinstance(each, EditedTexts) for each in made)
    keys = {each.key for each in made if isinstance(each, EditedTexts)}
    assert len(keys) == 4 and start.key == HEADER.text
    assert [each.text for each in made if isinstance(each, EditedTexts)] == [HEADER.text] * 2 + [HEADER.text + "x\n"] * 2


def test_what_earlier_steps_changed_in_other_files_stays() -> None:
    edited_run = Source(RUN.path, RUN.text + "a\n")
    made = edited_texts(node(HEADER, edited_run, MAIN, others=(edited_run,)), rewrite(main="m\n"))
    assert isinstance(made, EditedTexts)
    assert made.others == (Source(MAIN.path, "main\nm\n"), edited_run)


def test_edits_that_do_not_fit_are_no_candidate() -> None:
    far = Rewrite("t", "k", 1, (), "", (), in_others=(FileEdits(RUN.path, (TextEdit(Span(99, 99), ""),)),))
    assert isinstance(edited_texts(node(HEADER, RUN), far), EditOutOfRange)
