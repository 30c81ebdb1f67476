"""Where the lines of an older text are in a newer one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.cuda.linemap import LineMap

_LINES = st.lists(st.sampled_from(["a", "b", "c", "", "  x", "x"]), max_size=12)


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("a\nb\nc\n", "a\nb\nc\n", [1, 2, 3]),
        ("a\nb\nc\n", "new\na\nb\nc\n", [2, 3, 4]),
        ("a\nb\nc\n", "a\nnew\nnew\nb\nc\n", [1, 4, 5]),
        ("a\nb\nc\n", "a\nB\nc\n", [1, None, 3]),
        ("a\nb\nc\n", "a\nc\n", [1, None, 2]),
        ("a\nb\nc\nd\n", "a\nX\nb\nY\nd\n", [1, 3, None, 5]),
        ("a\nb\nc\n", "", [None, None, None]),
        ("a\nb", "a\nb\nc", [1, 2]),
        ("a\r\nb\r\n", "x\r\na\r\nb\r\n", [2, 3]),
        ("same\nsame\n", "same\nsame\nsame\n", [1, 2]),
        ("a = b;\nc\n", "  a = b; // why \n\nc\n", [1, 3]),
        ("// one\na\n", "// two\na\n", [None, 2]),
    ],
)
def test_a_line_is_followed_while_it_stays_as_it_is(before: str, after: str, lines: list[int | None]) -> None:
    moved = LineMap(before, after)
    assert [moved.line(number) for number in range(1, len(lines) + 1)] == lines


def test_no_place_stays_no_place() -> None:
    assert LineMap("a\n", "b\na\n").line(0) == 0


def test_a_text_too_long_to_align_keeps_what_is_the_same_at_both_ends() -> None:
    middle = [f"{number}\n" for number in range(3000)]
    moved = LineMap("".join(["head\n", *middle, "tail\n"]), "".join(["head\n", *reversed(middle), "more\n", "tail\n"]))
    assert (moved.line(1), moved.line(1500), moved.line(3002)) == (1, None, 3003)


@given(_LINES, _LINES)
def test_a_followed_line_has_the_same_words_and_order_is_kept(before: list[str], after: list[str]) -> None:
    old, new = ("".join(f"{line}\n" for line in lines) for lines in (before, after))
    moved = LineMap(old, new)
    found = [(number, moved.line(number)) for number in range(1, len(before) + 1)]
    kept = [(number, now) for number, now in found if now is not None]
    assert all(before[number - 1].strip() == after[now - 1].strip() for number, now in kept)
    assert [now for _, now in kept] == sorted({now for _, now in kept})
