"""Lines that somebody may take for a directive."""

from __future__ import annotations

import pytest

from assistant.cuda.possible_directives import LineDirective, line_directive, odd_directives, plain_macro


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x[i] += 2; // see #3", None),
        ("#define TILE 32 // threads", LineDirective("TILE")),
        ("# undef TILE", LineDirective("TILE")),
        ("#pragma unroll 4", LineDirective(is_hint=True)),
        ("#pragma once", LineDirective()),
        ("#define CAT(a, b) a##b", LineDirective()),
        ('puts("#if");', LineDirective()),
        ("x = 1; \\", LineDirective()),
    ],
)
def test_a_line(line: str, expected: LineDirective | None) -> None:
    assert line_directive(line) == expected


def test_plain_macros() -> None:
    assert plain_macro("#define F(a) a * N") == ("F", frozenset({"a", "N"}))
    assert plain_macro("#undef F") is None and plain_macro("#define _F 1") is None


def test_odd_directives_count_in_comments_too() -> None:
    assert odd_directives('/*\n#line 3 "a.cu"\n*/\n%:define N 3\n# 7\n') == {"line": 2, "digraph": 1}
