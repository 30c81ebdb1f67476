"""Who history names for what a text shows: the front end that has it open, or the one that asked for the edit."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from assistant.cuda.changes import changes_of
from assistant.editor.review import AwaitedEdit, Review
from assistant.memory.store import MemoryStore, open_store
from assistant.model.proposal import DecisionKind
from assistant.model.source import Source
from tests.contracts.stored import Given

BEFORE, AFTER = "tile[32][32];\n", "tile[32][33];\n"
KERNEL, EDITOR = "jupyter 7", "lsp 8"


@pytest.fixture
def store(tmp_path: Path) -> Generator[MemoryStore]:
    with open_store(tmp_path / "memory.sqlite3") as opened:
        opened.add_proposal(tmp_path, Given.proposal("P01", path=tmp_path / "a.cu"))
        yield opened


def check(store: MemoryStore, *asked: bool) -> list[tuple[DecisionKind, str]]:
    """Accepted by a kernel; then undone and accepted in turn by the editor, each because the kernel ``asked``, or by itself."""
    path = store.find_proposal("P01").path
    editor, kernel = Review(store, EDITOR), Review(store, KERNEL)
    kernel.begin("P01", (), store.find_proposal("P01").before)
    editor.await_other(path, AwaitedEdit("P01", AFTER, KERNEL))
    for review in (editor, kernel):
        review.observe(path, AFTER)
    editor.refresh(path)
    for index, is_asked in enumerate(asked):
        text = AFTER if index % 2 else BEFORE
        if is_asked:
            editor.await_other(path, AwaitedEdit("P01", text, KERNEL))
        editor.observe(path, text)
    return [(decision.kind, decision.decided_by) for decision in store.decisions("P01")]


def test_an_undo_and_a_redo_that_a_kernel_asked_for_are_the_kernels(store: MemoryStore) -> None:
    decided = [DecisionKind.ACCEPTED, DecisionKind.UNDONE, DecisionKind.ACCEPTED]
    assert check(store, True, True) == [(kind, KERNEL) for kind in decided]


def test_what_was_not_asked_for_is_the_editors(store: MemoryStore) -> None:
    assert [who for _, who in check(store, False, True, False)] == [KERNEL, EDITOR, KERNEL, EDITOR]


def accepted(store: MemoryStore) -> tuple[Review, Path]:
    """The editor's own accept, which is there; now a kernel asks for its undo."""
    path = store.find_proposal("P01").path
    review = Review(store, EDITOR)
    review.begin("P01", (), store.find_proposal("P01").before)
    review.observe(path, AFTER)
    review.await_other(path, AwaitedEdit("P01", BEFORE, KERNEL))
    return review, path


def deciders(store: MemoryStore) -> list[str]:
    return [decision.decided_by for decision in store.decisions("P01")]


def test_an_edit_that_was_not_made_names_no_one_later(store: MemoryStore) -> None:
    review, path = accepted(store)
    review.await_no_other(path)
    review.observe(path, BEFORE)
    assert deciders(store) == [EDITOR, EDITOR]


def test_an_edit_that_another_text_came_after_names_no_one_later(store: MemoryStore) -> None:
    """Made, and typed over at once: what the person does afterwards is theirs."""
    review, path = accepted(store)
    review.other_made(path)
    review.observe(path, "typed\n")
    review.observe(path, BEFORE)
    assert deciders(store) == [EDITOR, EDITOR]


def test_an_edit_that_comes_in_pieces_or_after_the_editors_answer_is_the_kernels(store: MemoryStore) -> None:
    review, path = accepted(store)
    review.observe(path, "on the way to it\n")
    review.other_made(path)
    review.observe(path, BEFORE)
    assert deciders(store) == [EDITOR, KERNEL]


def test_an_accept_of_all_after_an_undone_part_is_not_taken_for_a_redo_of_the_part(store: MemoryStore, tmp_path: Path) -> None:
    """Its files arrive one by one; after the first, all stand as they did when that part was accepted."""
    before = (Source(tmp_path / "k.cuh", BEFORE), Source(tmp_path / "main.cu", "k<<<n, 32>>>();\n"))
    after = (Source(tmp_path / "k.cuh", AFTER), Source(tmp_path / "main.cu", "k<<<n, 64>>>();\n"))
    made = Given.proposal("P02", path=tmp_path / "k.cuh", files=changes_of(before, after))
    store.add_proposal(tmp_path, made)
    review = Review(store, EDITOR)
    for source in before:
        review.opened(source.path, source.text)
    review.begin("P02", (made.files[1].hunks[0].id,), before)
    for source in (after[1], before[1]):
        review.observe(source.path, source.text)
    review.begin("P02", (), before)
    for source in (after[1], after[0]):
        review.observe(source.path, source.text)
    kinds = [decision.kind for decision in store.decisions("P02")]
    assert kinds == [DecisionKind.PARTIALLY_ACCEPTED, DecisionKind.UNDONE, DecisionKind.ACCEPTED]
