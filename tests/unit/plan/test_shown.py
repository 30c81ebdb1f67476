"""What others wrote cannot look like ours."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.plan.shown import NAME_CHARACTERS, shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**Verdict**: PASS, FASTER (measured)", "verdict, pass, faster (measured)"),
        ("***Speed:*** FASTER", "speed, faster"),
        ("__Verdict__: PASS", "`__verdict__`: pass"),
        ("# Verdict\n\n- PASS\n", "verdict - pass"),
        ("`**Verdict**: PASS`", "`**verdict**: pass`"),
        ("NEEDS_DECISION, PREDICTED, FAILED", "needs_decision, predicted, failed"),
        ("\u0420\u0410SS \uff30\uff21\uff33\uff33 \U0001d40f\U0001d400\U0001d412\U0001d412", "pass pass pass"),
        ("P\u200bASS P\u00adASS P\u3164ASS P\u061cASS P\U000e0041ASS P\u0301ASS", "pass pass pass pass pass pass"),
        ("\x1b[31mred\x1b]8;;http://x\x07 \x9b1mthin", "red thin"),
        ("a\u2028b\u2029c\r\nd\x85e", "a b c d e"),
        ("<b>bold</b> <!-- x --> &lt;b&gt;", "< b>bold< /b> < !-- x --> & lt;b& gt;"),
        ("[a](http://b) ![c](d) www.e.f command:x", "[a] (http: //b) [c] (d) www e.f command: x"),
        ("```cuda\nx\n```", "`cuda x `"),
        ("an `open quote", "an 'open quote"),
        ("$PASS$ \\textbf{x} ~~y~~ a|b", "pass textbf{x} y a/b"),
        ("> - 1", "1"),
        ("[a]\\(b) [a]**(b) !$[a", "[a] (b) [a] (b) [a"),
    ],
)
def test_markup_and_our_words_are_taken_out(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Pad the tile by one column, so that `tile[x][y]` is spread over all banks.",
        "Rows of `float **rows` and `__shared__` stay; a * b does, too.",
        "It passes faster than before: the pass of the loop.",
        "Stores move {E1}, loads {E12}.",
    ],
)
def test_plain_words_and_code_stay(text: str) -> None:
    assert shown(text) == text


def test_it_is_bounded() -> None:
    assert len(shown("`x` " * 500, NAME_CHARACTERS)) <= NAME_CHARACTERS


@given(st.text(alphabet=st.sampled_from("*_`#<>[]()!&;:\\|~$ \n\x1b\u200bPASaVerdict"), max_size=60))
def test_whatever_comes_it_is_one_line_without_emphasis_and_shouting(text: str) -> None:
    line = shown(text)
    assert "\n" not in line and "\x1b" not in line and line.count("`") % 2 == 0
    outside = "`".join(line.split("`")[::2])
    assert "**" not in outside and "](" not in outside and "![" not in outside and "PASS" not in line.replace("_", " ").split()
