"""Three-way merges of lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.cuda.merge import Region, merge

LINES = st.lists(st.sampled_from("abc{}"), max_size=12)


@given(LINES, LINES, LINES)
def test_every_line_of_each_text_is_in_one_part(base: list[str], first: list[str], second: list[str]) -> None:
    parts = merge(base, first, second)
    assert [line for part in parts for line in part.base] == base
    assert [line for part in parts for line in part.first] == first
    assert [line for part in parts for line in part.second] == second
    assert [part.second_line for part in parts] == [sum(len(one.second) for one in parts[:i]) for i in range(len(parts))]


@given(LINES, LINES, LINES)
def test_the_kind_says_who_changed_the_base(base: list[str], first: list[str], second: list[str]) -> None:
    for part in merge(base, first, second):
        told = {
            "unchanged": part.base == part.first == part.second,
            "first": part.second == part.base != part.first,
            "second": part.first == part.base != part.second,
            "both": part.first == part.second != part.base,
            "clash": part.first != part.second and part.base not in (part.first, part.second),
        }
        assert told[part.kind]


@given(LINES, LINES)
def test_a_text_that_is_still_the_base_clashes_with_nothing(base: list[str], other: list[str]) -> None:
    assert {part.kind for part in merge(base, other, base)} <= {"unchanged", "first"}
    assert {part.kind for part in merge(base, base, other)} <= {"unchanged", "second"}
    assert {part.kind for part in merge(base, other, other)} <= {"unchanged", "both"}


@given(LINES, LINES, LINES)
def test_who_comes_first_changes_only_the_names(base: list[str], first: list[str], second: list[str]) -> None:
    other_name = {"first": "second", "second": "first"}
    parts, turned = merge(base, first, second), merge(base, second, first)
    assert [(other_name.get(part.kind, part.kind), part.base, part.second, part.first) for part in parts] == [
        (part.kind, part.base, part.first, part.second) for part in turned
    ]


@pytest.mark.parametrize(
    ("base", "first", "second", "kinds"),
    [
        ("abc", "Abc", "abC", ["first", "unchanged", "second"]),
        ("abc", "Abc", "Xbc", ["clash", "unchanged"]),
        ("abc", "xabc", "abcy", ["first", "unchanged", "second"]),
        ("ab", "axb", "ayb", ["unchanged", "clash", "unchanged"]),
        ("ab", "axb", "axb", ["unchanged", "both", "unchanged"]),
        ("", "a", "", ["first"]),
        ("", "", "", []),
    ],
)
def test_parts_of_small_texts(base: str, first: str, second: str, kinds: list[str]) -> None:
    assert [part.kind for part in merge(list(base), list(first), list(second))] == kinds


def test_a_clash_says_where_it_is_in_the_second_text() -> None:
    *_, last = merge(list("ab"), list("aX"), list("zaY"))
    assert last == Region("clash", ("b",), ("X",), ("Y",), 2)
