"""String literals: their text is Python's own, and every character of it stands where the map says."""

from __future__ import annotations

import ast
import textwrap
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.cuda.embedded.find import find_embedded
from assistant.cuda.embedded.string_literals import UnreadableLiteral, value_of
from assistant.cuda.embedded.tokens import tokens_of
from assistant.model.embedded import Container, EmbeddedText, EmbeddingProblemCode
from assistant.model.source import Span

C = EmbeddingProblemCode
ESCAPES = ["\\n", "\\\\", "\\x41", "\\u00e9", "\\N{GREEK SMALL LETTER MU}", "\\U0001F600", "\\101", "\\0", "\\d", "\\\n", "\\'", '\\"']
CHARACTERS = ["'", '"', "\n", "\r\n", "\r", "\t", "a", "7", "é", "😀", "計", "\\", "\\x4", "\\u12", "\\N{no such}", " ", "\\ud83d"]


def spelled(prefix: str, quote: str, bits: list[str]) -> str:
    return f"{prefix}{quote}{''.join(bits)}{quote}"


LITERALS: st.SearchStrategy[str] = st.builds(
    spelled,
    st.sampled_from(["", "r", "R", "u", "U"]),
    st.sampled_from(["'", '"', "'''", '"""']),
    st.lists(st.sampled_from([*ESCAPES, *CHARACTERS]), max_size=12),
)


def meant(expression: str) -> str | None:
    """What Python makes of it; None where it refuses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = ast.literal_eval(expression)
        except (SyntaxError, ValueError):
            return None
    return value if isinstance(value, str) else None


def only(text: str) -> EmbeddedText:
    (found,) = find_embedded(text, Container.PYTHON_FILE)
    assert isinstance(found, EmbeddedText), found
    return found


def check_map(found: EmbeddedText) -> None:
    """Both directions agree, are total and grow."""
    places = [found.to_container(offset) for offset in range(len(found.text) + 1)]
    assert places == sorted(places)
    assert [found.to_embedded(place) for place in places[:-1]] == list(range(len(found.text)))
    for literal in found.literals:
        back = [found.to_embedded(place) for place in range(literal.content.start, literal.content.end + 1)]
        numbers = [offset for offset in back if offset is not None]
        assert len(numbers) == len(back)
        assert numbers == sorted(numbers)
        assert numbers[0] == literal.embedded.start
        assert numbers[-1] == literal.embedded.end


@given(LITERALS)
def test_a_literal_says_what_python_reads(literal: str) -> None:
    text = meant(literal)
    if text is None or len(tokens_of(literal)) > 1:
        return
    found = only_text(literal)
    if any("\ud800" <= character <= "\udfff" for character in text):
        assert found is None
    else:
        assert found == text


def only_text(literal: str) -> str | None:
    value = value_of(literal, 0)
    return None if isinstance(value, UnreadableLiteral) else value.text


@given(st.lists(LITERALS, min_size=1, max_size=4))
def test_adjacent_literals_are_one_text_with_an_exact_map(literals: list[str]) -> None:
    expression = "(" + "  # note\n  ".join(literals) + "\n)"
    text = meant(expression)
    if text is None or any("\ud800" <= character <= "\udfff" for character in text):
        return
    found = only(f"RawKernel({expression}, 'k')")
    assert found.text == text
    check_map(found)


@given(st.lists(st.sampled_from(["    a", "      b", "\tc", "", "  ", "   ", "    計 😀", "d"]), min_size=1, max_size=8), st.booleans())
def test_dedent_and_strip_do_what_python_does(lines: list[str], is_crlf: bool) -> None:
    body = "\n".join(lines)
    stored = body.replace("\n", "\r\n") if is_crlf else body
    found = only(f'import textwrap\nRawKernel(textwrap.dedent("""{stored}""").strip(), "k")')
    assert found.text == textwrap.dedent(body).strip()
    check_map(found)
    for offset, character in enumerate(found.text):
        span = found.span_to_container(Span(offset, offset + 1))
        assert found.container_text[span.start : span.end].replace("\r\n", "\n") == character


@pytest.mark.parametrize(
    ("literal", "code"),
    [
        ('f"a{b}"', C.F_STRING),
        ('rb"a"', C.BYTES),
        (r'"\x4"', C.UNKNOWN_ESCAPE),
        (r'"\N{no such name}"', C.UNKNOWN_ESCAPE),
        (r'"\U00110000"', C.UNKNOWN_ESCAPE),
        (r'"\ud83d"', C.SURROGATE),
    ],
)
def test_a_literal_without_a_plain_text_says_why(literal: str, code: EmbeddingProblemCode) -> None:
    value = value_of(literal, 0)
    assert isinstance(value, UnreadableLiteral)
    assert value.code is code


def test_an_unknown_escape_is_named() -> None:
    value = value_of(r'"\N{no such name}"', 0)
    assert isinstance(value, UnreadableLiteral)
    assert value.reason == r"Python does not know the escape \N{no such name}"


def test_an_escape_is_one_character_of_the_cuda_text() -> None:
    container = r'RawKernel("a\n\x41b", "k")'
    found = only(container)
    assert found.text == "a\nAb"
    assert [found.to_container(offset) for offset in range(5)] == [11, 12, 14, 18, 19]
    assert [found.to_embedded(offset) for offset in (10, 11, 12, 13, 14, 15, 17, 18, 19, 20)] == [None, 0, 1, 1, 2, 2, 2, 3, 4, None]
    span = found.span_to_container(Span(1, 3))
    assert container[span.start : span.end] == r"\n\x41"
