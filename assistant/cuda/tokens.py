"""The tokens of CUDA C++ text, as compilers take them: comments, literals, numbers, words and signs, each with the place where it stands.

What a text may hide is undone here, once: lines that a backslash continues are joined first, inside words too; raw strings stay as they are
written; digraphs are what they stand for; quotes in ``1'000`` begin nothing. A directive is one line, however many lines it is written on.

Example::

    [token.text for token in tokens("sys\\\\\\ntem(R\\"(\\")\\")")]     # ['system', '(', 'R"(")"', ')']
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from assistant.record import Record

__all__ = ["KEPT_TEXTS", "SPLICE", "Token", "TokenKind", "TokenizedText", "lexed", "line_tokens", "tokens", "words_in_code"]

KEPT_TEXTS = 64
"""Texts whose tokens are kept: the same few are asked about again and again."""
SPLICE = re.compile(r"\\[ \t\f\v]*\r?\n")
"""The end of a line that the next one continues; g++ lets blanks stand behind the backslash."""
_TOKEN = re.compile(
    r"""(?P<newline>\n)
    |(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<raw>(?:u8|[uUL])?R")
    |(?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\[^\n])*")
    |(?P<character>(?:u8|[uUL])?'(?:[^'\\\n]|\\[^\n])+')
    |(?P<number>\.?\d(?:[eEpP][-+]|'\w|[\w.])*)
    |(?P<word>[^\W\d]\w*)
    |(?P<sign>%:%:|%:|\?\?=|<%|%>|<:(?!:(?![:>]))|:>|\S)""",
    re.VERBOSE | re.DOTALL,
)
_RAW_START = 'R"'
_RAW_REST = re.compile(r'"(?P<mark>[^\s()\\"]{0,16})\(.*?\)(?P=mark)"', re.DOTALL)
_DIGRAPHS = {"%:": "#", "??=": "#", "%:%:": "##", "<%": "{", "%>": "}", "<:": "[", ":>": "]"}


class TokenKind(Enum):
    COMMENT = "comment"
    STRING = "string"
    """With its prefix and quotes, raw or not."""
    CHARACTER = "character"
    NUMBER = "number"
    WORD = "word"
    SIGN = "sign"
    """One character, or what a digraph stands for."""


_KINDS = {kind.value: kind for kind in TokenKind}


class Token(NamedTuple):
    """One token, comments included; a tuple, as texts have thousands."""

    kind: TokenKind
    text: str
    """As compilers read it: on one line but for comments and raw strings, digraphs replaced."""
    start: int
    end: int
    """Offsets in the text as it is written."""


class TokenizedText(Record):
    """A text, taken apart."""

    tokens: tuple[Token, ...]
    directives: tuple[tuple[int, int], ...]
    """(first, last + 1) among the tokens of each line for the preprocessor, from its ``#`` on."""


def tokens(text: str) -> tuple[Token, ...]:
    """All tokens but comments, in order; those of directives too."""
    return tuple(token for token in lexed(text).tokens if token.kind is not TokenKind.COMMENT)


def line_tokens(line: str) -> tuple[Token, ...]:
    """Those of one of many lines that are read one by one; not kept, which would cost whole texts theirs."""
    return tuple(token for token in _scanned(line) if token is not None and token.kind is not TokenKind.COMMENT)


def words_in_code(text: str) -> frozenset[str]:
    """Names and keywords in code; not what stands in comments, literals and numbers."""
    return frozenset(token.text for token in lexed(text).tokens if token.kind is TokenKind.WORD)


@lru_cache(maxsize=KEPT_TEXTS)
def lexed(text: str) -> TokenizedText:
    """The tokens, comments included, and which of them are directives; what is not finished ends with its line or the text."""
    found: list[Token] = []
    directives: list[tuple[int, int]] = []
    first: int | None = None
    is_line_empty = True
    for token in _scanned(text):
        if token is None:
            if first is not None:
                directives.append((first, len(found)))
            first, is_line_empty = None, True
            continue
        if is_line_empty and token.kind is TokenKind.SIGN and token.text == "#":
            first = len(found)
        is_line_empty &= token.kind is TokenKind.COMMENT
        found.append(token)
    if first is not None:
        directives.append((first, len(found)))
    return TokenizedText(tuple(found), tuple(directives))


def _scanned(text: str) -> Iterator[Token | None]:
    """The tokens; None for the end of each line that is none inside a comment or a raw string."""
    joined, offsets = _joined(text)
    if offsets is None and _RAW_START not in text:
        yield from _plainly_scanned(text)
        return
    position = 0
    while (match := _TOKEN.search(joined, position)) is not None:
        kind, position = match.lastgroup or "", match.end()
        start, end = _place(offsets, match.start()), _place(offsets, match.end() - 1) + 1
        if kind == "newline":
            yield None
            continue
        spelled = match[0]
        if kind == "raw":
            rest = _RAW_REST.match(text, end - 1)
            if rest is None:
                yield Token(TokenKind.WORD, spelled[:-1], start, end - 1)
                position = match.end() - 1
                continue
            kind, end, spelled = "string", rest.end(), spelled[:-1] + rest[0]
            position = end if offsets is None else bisect_left(offsets, end)
        yield Token(_KINDS[kind], _DIGRAPHS.get(spelled, spelled), start, end)


def _plainly_scanned(text: str) -> Iterator[Token | None]:
    """The same for most texts, in half of the time: no line is continued and no string is raw."""
    for match in _TOKEN.finditer(text):
        kind, spelled = match.lastgroup or "", match[0]
        if kind == "newline":
            yield None
        else:
            start, end = match.span()
            # as Token(…) does, without a call in Python for each of the million tokens of a large project
            values = (_KINDS[kind], _DIGRAPHS.get(spelled, spelled), start, end)
            yield tuple.__new__(Token, values)  # pyright: ignore[reportUnknownMemberType] - tuple's own, of any contents


def _place(offsets: list[int] | None, position: int) -> int:
    return position if offsets is None else offsets[position]


def _joined(text: str) -> tuple[str, list[int] | None]:
    """The text with its continued lines joined, and where each character of it stands; None where nothing is to join."""
    if SPLICE.search(text) is None:
        return text, None
    offsets: list[int] = []
    position = 0
    for match in SPLICE.finditer(text):
        offsets.extend(range(position, match.start()))
        position = match.end()
    offsets.extend(range(position, len(text)))
    return "".join(text[offset] for offset in offsets), offsets
