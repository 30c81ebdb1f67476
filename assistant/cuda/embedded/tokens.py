"""Python text as tokens and statements; any text gives some, half-typed ones too.

Not ``tokenize``: that stops at the first unfinished string or bracket, and how it does so changes between Python versions. A bracket
that nothing closes is ignored here, an unfinished string ends with its line. A quote of its own kind inside the braces of an f-string
(Python 3.12) is not understood; the text after that line is.

Example::

    [t.text for t in tokens_of("k = f('a'  # b")]   # ['k', '=', 'f', '(', "'a'"]
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import NamedTuple

__all__ = ["Kind", "Token", "closing_brackets", "tokens_of"]


class Kind(Enum):
    NAME = auto()
    STRING = auto()
    UNCLOSED_STRING = auto()
    NEWLINE = auto()
    """The end of a line, inside brackets too."""
    OTHER = auto()
    """A number, an operator, or a character that Python does not know."""


class Token(NamedTuple):
    kind: Kind
    text: str
    start: int
    end: int


_TOKEN = re.compile(
    r"""
    (?:[ \t\f\ufeff]+ | \\(?:\r\n?|\n) | \#[^\r\n]*)*+
    (?: (?P<NEWLINE>\r\n?|\n)
      | (?P<STRING>[rRbBuUfFtT]{0,2}(?P<quote>'{3}|"{3}|'|"))
      | (?P<NAME>[^\W\d]\w*)
      | (?P<OTHER>\d[\w.]* | \*\*=? | //=? | >>=? | <<=? | := | -> | [-+*/%@&|^=<>!]= | .) )
    """,
    re.VERBOSE | re.DOTALL,
)
"""Spaces and comments, then one token, or the beginning of a string."""
_REST_OF_STRING = {
    quote: re.compile(
        rf"[^{quote[0]}\\]*(?:(?:\\.|{quote[0]}(?!{quote[0] * 2}))[^{quote[0]}\\]*)*{quote}"
        if len(quote) == 3
        else rf"[^{quote}\\\r\n]*(?:\\(?:\r\n|.)[^{quote}\\\r\n]*)*{quote}",
        re.DOTALL,
    )
    for quote in ("'", '"', "'''", '"""')
}
_LINE_END = re.compile(r"\r\n?|\n|\Z")
_LOOKS_LIKE_AN_OPENING = re.compile(r"[=(,\[]\s*[rRuUbBfF]{0,2}(?:'{3}|\"{3})\Z")
"""What the end of a triple-quoted string looks like where its end is really the beginning of the next one."""
_KINDS = {kind.name: kind for kind in Kind}
_OPENING = {")": "(", "]": "[", "}": "{"}


def tokens_of(text: str) -> tuple[Token, ...]:
    """Tokens in source order, without spaces and comments.

    Where a triple-quoted string has no end, an earlier one may have lost it: then that one is taken to end with its line.
    """
    tokens = _scan(text, frozenset())
    if not tokens or tokens[-1].kind is not Kind.UNCLOSED_STRING or tokens[-1].end != len(text):
        return tokens
    suspects = (t for t in tokens if t.kind is Kind.STRING and _LOOKS_LIKE_AN_OPENING.search(text, max(t.start, t.end - 20), t.end))
    suspect = next(suspects, None)
    return tokens if suspect is None else _scan(text, frozenset({suspect.start}))


def closing_brackets(tokens: Sequence[Token]) -> Mapping[int, int]:
    """The index of the closing bracket by the index of the opening one; brackets without a partner are absent."""
    partners: dict[int, int] = {}
    stack: list[int] = []
    last: dict[str, list[int]] = {"(": [], "[": [], "{": []}
    for index, token in enumerate(tokens):
        if token.kind is not Kind.OTHER:
            continue
        if token.text in last:
            stack.append(index)
            last[token.text].append(index)
        elif token.text in _OPENING and last[_OPENING[token.text]]:
            opening = last[_OPENING[token.text]][-1]
            while opening not in partners:
                dropped = stack.pop()
                last[tokens[dropped].text].pop()
                if dropped == opening:
                    partners[opening] = index
    return partners


def _scan(text: str, unclosed: frozenset[int]) -> tuple[Token, ...]:
    """``unclosed``: offsets of strings that are taken to end with their line."""
    tokens: list[Token] = []
    match = _TOKEN.match(text)
    while match is not None:
        name = match.lastgroup or "OTHER"
        start, end = match.span(name)
        kind = _KINDS[name]
        if kind is Kind.STRING:
            kind, end = _string(text, end, match["quote"], start in unclosed)
        tokens.append(Token(kind, text[start:end], start, end))
        match = _TOKEN.match(text, end)
    return tuple(tokens)


def _string(text: str, start: int, quote: str, is_unclosed: bool) -> tuple[Kind, int]:
    """Kind and end of the string whose content begins at ``start``."""
    found = None if is_unclosed else _REST_OF_STRING[quote].match(text, start)
    if found is not None:
        return Kind.STRING, found.end()
    if len(quote) == 3 and not is_unclosed:
        return Kind.UNCLOSED_STRING, len(text)
    line_end = _LINE_END.search(text, start)
    return Kind.UNCLOSED_STRING, len(text) if line_end is None else line_end.start()
