"""The tokens of ugly code, and the plain text that is made of them: what a compiler takes for code is code here, and nothing else is."""

from __future__ import annotations

import pytest

from assistant.cuda.code_text import blanked, emptied, has_blank_splice, has_torn_directive, uncommented, unspliced
from assistant.cuda.directives import condition_at, directives_in, macros_in
from assistant.cuda.items import ItemKind, items
from assistant.cuda.literals import integer_value
from assistant.cuda.tokens import tokens, words_in_code


def spelled(text: str) -> list[str]:
    return [token.text for token in tokens(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sys\\\ntem(1)", ["system", "(", "1", ")"]),
        ("sys\\ \t\r\ntem", ["system"]),
        ("/\\\n/ gone\nleft", ["left"]),
        ("/\\\n* gone *\\\n/left", ["left"]),
        ("// gone \\\n gone\nleft", ["left"]),
        ("// gone \\ \n/* gone\nleft // */", ["left"]),
        ('R"(")" system \'"\' f "\'"', ['R"(")"', "system", "'\"'", "f", '"\'"']),
        ('u8R"x()")x" a', ['u8R"x()")x"', "a"]),
        ('R"X()\\\nX" )X" evil " "', ['R"X()\\\nX" )X"', "evil", '" "']),
        ('fooR"(a)" b', ["fooR", '"(a)"', "b"]),
        ("1'000'000u + 0x1'Fp-2 b'1'", ["1'000'000u", "+", "0x1'Fp-2", "b", "'1'"]),
        ("<% a<:0:> = 1; %>", ["{", "a", "[", "0", "]", "=", "1", ";", "}"]),
        ("v<::std>", ["v", "<", ":", ":", "std", ">"]),
        ("%:define A %:%: b", ["#", "define", "A", "##", "b"]),
        ('"a\\\nb"', ['"ab"']),
        ("it's \"open\nnext", ["it", "'", "s", '"', "open", "next"]),
    ],
)
def test_code_is_taken_apart_as_compilers_do(text: str, expected: list[str]) -> None:
    assert spelled(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        'a\\\nb /* "\n" */ "/*" c // \\\nd\n#define X(a) /*\n\n\n\n\n\n*/ sys\\ \ntem(a) \\\r\n + 1 // e\nf',
        'R"(\\\n)" #x\n#define S R"(\n#undef S\n)" \\\n tail\n%:if <::a:>\n',
        "\\\n\\\n#\\\ndef\\\nine A\\\n\\\n\nint b = 1'0;\ufeff é \\",
    ],
)
def test_plain_text_keeps_its_length_and_its_lines(text: str) -> None:
    for plain in (blanked(text), uncommented(text)):
        assert len(plain) == len(text) and plain.count("\n") == text.count("\n")
        assert uncommented(plain) == plain
    assert emptied(text).count("\n") == unspliced(uncommented(text)).count("\n") == text.count("\n")


def test_a_torn_word_is_whole_and_what_follows_stands_where_it_stood() -> None:
    assert uncommented("ato\\\nmicAdd(x)") == "atomicAdd  \n(x)".replace("  \n", " \n")
    assert blanked('f("a\\\nb", c)') == 'f("  " \n, c)'


def test_a_directive_ends_where_its_logical_line_ends() -> None:
    text = '#define RUN evil() /*\n*/ #undef RUN\nint a;\n#define S R"(\n#undef T\n)" x\n'
    assert [(macro.name, " ".join(macro.body.split())) for macro in macros_in(text)] == [
        ("RUN", "evil() #undef RUN"),
        ("S", 'R"(#undef T)" x'),
    ]
    assert [directive.word for directive in directives_in(text)] == ["define", "define"]
    assert macros_in(text)[0].end == len(text)


def test_what_only_looks_like_a_directive_is_none() -> None:
    text = 'const char *s = R"(\n#undef A\n)";\n/*\n#if 0\n*/\nint a; /*\n*/ #define B 1\n/**/ # /**/ if 1\nint b;\n'
    assert [(d.word, d.rest.strip()) for d in directives_in(text)] == [("if", "1")]
    assert condition_at(text, 10) == "# if 1" and condition_at(text, 7) is None


def test_definitions_are_found_behind_literals_that_hold_brackets_and_quotes() -> None:
    text = "const char open = '{', quote = '\"';\nvoid host(char c = '{') <% run(R\"(\")\"); %>\n__global__ void k() {}\n"
    found = items(uncommented(text))
    assert found is not None
    assert [(item.kind, sorted(item.names)) for item in found] == [
        (ItemKind.DECLARATION, ["open", "quote"]),
        (ItemKind.HOST, ["host"]),
        (ItemKind.KERNEL, ["k"]),
    ]


def test_suffixes_and_digits_are_no_names() -> None:
    assert words_in_code("1.0f + 0xFFu + x1 + L\"a\" + u8'b'") == {"x1"}


def test_lines_whose_end_is_not_clear_are_reported() -> None:
    assert has_blank_splice("a \\ \nb") and not has_blank_splice("a \\\nb")
    assert has_torn_directive('#define A R"(\n)"') and not has_torn_directive('char a[] = R"(\n)";\n#define B R"()"')


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4'096", 4096),
        ("0x1000u", 4096),
        ("0b1'0000", 16),
        ("010000", 4096),
        ("0", 0),
        ("09", None),
        ("1.5", None),
        ("1e3", None),
        ("2z", None),
    ],
)
def test_integers_have_their_value_however_they_are_written(text: str, value: int | None) -> None:
    assert integer_value(text) == value
