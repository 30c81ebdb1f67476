"""Edits, hunks, diffs and rebases of text: what is applied, refused, and kept byte for byte."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.cuda.edits import EditOutOfRange, OverlappingEdits, apply_edits, edits_between, lines_of
from assistant.cuda.hunks import HunkMismatch, apply_hunks, hunks, patched, unified_diff
from assistant.cuda.rebase import Conflict, RebasedChange, rebase
from assistant.model.source import Hunk, Span, TextEdit

LINES: st.SearchStrategy[str] = st.sampled_from(["", "a", "b", "\tc", "  d  ", "µ → é", "x\u2028y", "\x0c", "}"])
ENDS: st.SearchStrategy[str] = st.sampled_from(["\n", "\r\n"])
PAIRS: st.SearchStrategy[list[tuple[str, str]]] = st.lists(st.tuples(LINES, ENDS), max_size=12)


def text_of(lines: list[tuple[str, str]], last: str) -> str:
    return "".join(line + end for line, end in lines) + last


TEXTS: st.SearchStrategy[str] = st.builds(text_of, PAIRS, LINES)


@given(TEXTS, TEXTS)
def test_all_hunks_lead_to_the_new_text(before: str, after: str) -> None:
    assert apply_hunks(before, hunks(before, after)) == after


@given(TEXTS, TEXTS, st.data())
def test_any_subset_keeps_every_line_whole(before: str, after: str, data: st.DataObject) -> None:
    found = hunks(before, after)
    chosen = data.draw(st.lists(st.sampled_from(found), unique=True)) if found else []
    result = apply_hunks(before, chosen)
    assert isinstance(result, str)
    assert set(lines_of(result)) <= set(lines_of(before)) | set(lines_of(after))


@given(TEXTS, TEXTS)
def test_hunk_ids_are_distinct_and_a_function_of_the_texts(before: str, after: str) -> None:
    found = hunks(before, after)
    assert len({hunk.id for hunk in found}) == len(found)
    assert all(len(hunk.id) == 12 and set(hunk.id) <= set(string.hexdigits) for hunk in found)
    assert hunks(before, after) == found


@given(TEXTS, TEXTS)
def test_edits_between_two_texts_lead_from_one_to_the_other(before: str, after: str) -> None:
    assert apply_edits(before, edits_between(before, after)) == after


@given(TEXTS, TEXTS)
def test_a_rebase_onto_the_base_is_the_change_itself(base: str, edited: str) -> None:
    assert rebase(base, edited, base) == RebasedChange(edited, hunks(base, edited))


@given(TEXTS, TEXTS)
def test_a_rebase_onto_a_text_that_has_the_change_changes_nothing(base: str, edited: str) -> None:
    assert rebase(base, edited, edited) == RebasedChange(edited, ())


@given(st.integers(5, 12), st.data(), ENDS)
def test_a_rebase_onto_an_unrelated_edit_keeps_both(line_count: int, data: st.DataObject, end: str) -> None:
    lines = [f"line {i} é\t" for i in range(line_count)]
    mine = data.draw(st.integers(0, line_count - 4))
    theirs = data.draw(st.integers(mine + 2, line_count - 2))
    edited = [*lines[:mine], *data.draw(st.lists(st.just("mine"), max_size=2)), *lines[mine + 1 :]]
    current = [*lines[:theirs], *data.draw(st.lists(st.just("theirs"), max_size=2)), *lines[theirs + 1 :]]
    offset = len(edited) - line_count
    both = [*edited[: theirs + offset], *current[theirs : theirs + 1 + len(current) - line_count], *lines[theirs + 1 :]]
    rebased = rebase(end.join(lines), end.join(edited), end.join(current))
    assert isinstance(rebased, RebasedChange)
    assert rebased.text == end.join(both)
    assert apply_hunks(end.join(current), rebased.hunks) == rebased.text


def test_hunk_ids_survive_a_rebase() -> None:
    base, edited, current = "a\nb\nc\nd\n", "a\nb\nc\nD\n", "new\na\nb\nc\nd\n"
    rebased = rebase(base, edited, current)
    assert isinstance(rebased, RebasedChange)
    assert [hunk.id for hunk in rebased.hunks] == [hunk.id for hunk in hunks(base, edited)]
    assert rebased.hunks[0].before_line == 5


def test_the_same_line_changed_on_both_sides_is_a_conflict() -> None:
    conflict = rebase("a\nb\nc\n", "a\nmine\nc\n", "x\na\ntheirs\nc\n")
    assert isinstance(conflict, Conflict)
    clash = conflict.clashes[0]
    assert (clash.current_line, clash.base, clash.edited, clash.current) == (3, ("b\n",), ("mine\n",), ("theirs\n",))


def test_overlapping_edits_are_refused() -> None:
    first, second = TextEdit(Span(0, 3), "x"), TextEdit(Span(2, 4), "y")
    assert apply_edits("abcdef", [second, first]) == OverlappingEdits(first, second)
    inside = TextEdit(Span(1, 1), "z")
    assert apply_edits("abcdef", [inside, first]) == OverlappingEdits(first, inside)


def test_touching_edits_and_insertions_at_one_place_apply_in_order() -> None:
    edits = [TextEdit(Span(1, 1), "1"), TextEdit(Span(1, 1), "2"), TextEdit(Span(1, 2), "B"), TextEdit(Span(2, 3), "C")]
    assert apply_edits("abc", edits) == "a12BC"


@pytest.mark.parametrize("span", [Span(0, 9), Span(-1, 0), Span(2, 1)])
def test_edits_outside_the_text_are_refused(span: Span) -> None:
    assert apply_edits("abc", [TextEdit(span, "")]) == EditOutOfRange(TextEdit(span, ""), 3)


def test_a_hunk_of_another_text_is_refused() -> None:
    hunk = Hunk("0" * 12, 2, ("b\n",), ("B\n",))
    assert apply_hunks("a\nc\n", [hunk]) == HunkMismatch(hunk)
    assert apply_hunks("a\nb\n", [hunk, hunk]) == HunkMismatch(hunk)


def test_an_insertion_beyond_the_end_is_refused() -> None:
    hunk = Hunk("0" * 12, 9, (), ("B\n",))
    assert apply_hunks("a\n", [hunk]) == HunkMismatch(hunk)


def test_a_diff_marks_a_missing_final_newline_on_both_sides() -> None:
    assert unified_diff("a\nb", "a\nc", "k.cu") == (
        "--- a/k.cu\n+++ b/k.cu\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"
    )


def test_a_diff_that_only_adds_the_final_newline_says_so() -> None:
    expected = "--- a/k.cu\n+++ b/k.cu\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"
    assert unified_diff("a", "a\n", "k.cu") == expected


def test_a_diff_keeps_carriage_returns() -> None:
    assert unified_diff("a\r\nb\r\n", "a\r\nB\r\n", "k.cu").endswith("@@ -1,2 +1,2 @@\n a\r\n-b\r\n+B\r\n")


def test_a_diff_from_nothing_starts_at_line_zero() -> None:
    assert "@@ -0,0 +1,2 @@\n+a\n+b\n" in unified_diff("", "a\nb\n", "k.cu")


def test_equal_texts_have_an_empty_diff_and_no_hunks() -> None:
    assert unified_diff("a\n", "a\n", "k.cu") == ""
    assert hunks("a\n", "a\n") == ()


@given(TEXTS, TEXTS)
def test_a_diff_makes_of_its_text_the_other_one_and_of_another_text_none(before: str, after: str) -> None:
    diff = unified_diff(before, after, "k.cu")
    assert patched(before, diff) == after
    if any(line[0] in "- " for line in lines_of(diff)[2:]):
        assert patched("", diff) is None
