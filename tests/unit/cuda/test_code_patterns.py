"""Patterns over the tokens of code: spacing, comments and continued lines do not matter, places are those of the text."""

from __future__ import annotations

import pytest

from assistant.cuda.code_patterns import CodePattern, Words, quoted, squeezed, words_of


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("int  x = 2 ;", "int x=2;"),
        ("sizeof ( /* of */ long\n double )", "sizeof(long double)"),
        ("sys\\\ntem (x)", "system(x)"),
        ("std :: min < int > ( a , b )", "std::min<int>(a,b)"),
        ("a + ++ b", "a+ ++b"),
        ("a - -b; c = = d; e & &f", "a- -b;c= =d;e& &f"),
        ("a->b; c - > d", "a->b;c- >d"),
        ("v<v<int> > x", "v<v<int> >x"),
        ("f(\"a  b\", 'c')", "f(\"a  b\",'c')"),
        ("%: define N 3\nint x;", "#define N 3\nint x;"),
        ("int a;\n#if N\nint b;\n#endif\nint c;", "int a;\n#if N\nint b;\n#endif\nint c;"),
        ("", ""),
    ],
)
def test_code_has_the_blanks_that_it_needs(code: str, expected: str) -> None:
    assert squeezed(code) == expected
    assert squeezed(expected) == expected


def test_a_match_knows_its_place_and_how_it_is_written() -> None:
    pattern = CodePattern(r"\bconst (\w+\*)")
    found = pattern.search("int x;\n  /* a */ const /* b */\n float  * p;")
    assert found is not None
    assert (found.text, found.written, found.line, found.start) == ("float*", "float *", 2, 17)
    assert (found.before, found.after, found[0]) == ("int x;", "p;", "const float*")


def test_a_match_goes_on_behind_another_one() -> None:
    (first, second) = CodePattern(r"\bshort\b").matches("(short)(w & 7); short x[3];")
    behind = CodePattern(r"\)\((\w+)")
    found = behind.behind(first)
    assert found is not None and found.text == "w" and behind.behind(second) is None


def test_comments_and_literals_are_no_code() -> None:
    pattern = CodePattern(r"\bclock\(")
    assert not pattern.is_in("// clock()\nx = 1; /* clock( */")
    assert pattern.is_in("clo\\\nck ()")
    assert not CodePattern(r"\w+;").is_in('"";')


def test_patterns_of_a_whole_code() -> None:
    pattern = CodePattern(r"dim3 (\w+);")
    found = pattern.whole(" dim3  g ;\n")
    assert found is not None and found.text == "g" and pattern.whole("dim3 g; int x;") is None
    assert pattern.begins("dim3 g; int x;") and not pattern.is_all("dim3 g; int x;")
    assert pattern.replaced("int y; dim3 g;") == "int y; " and pattern.texts("dim3 a; dim3 b;") == ["a", "b"]
    assert CodePattern(quoted("w[0].x")).is_in("w [ 0 ] . x") and not CodePattern(quoted("w.x")).is_in("wax")


def test_words() -> None:
    assert words_of('for (int i = 0x1F; i < n; ++i) puts("a b");') == ["for", "int", "i", "i", "n", "i", "puts"]
    assert "emu_run" in Words(r"emu_\w+") and "my_emu_run" not in Words(r"emu_\w+")
