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
    (?P<space>[ \t\f\ufeff]+ | \\(?:\r\n?|\n) | \#[^\r\n]*)
  | (?P<newline>\r\n?|\n)
  | (?P<prefix>[rRbBuUfFtT]{0,2})(?P<quote>'{3}|"{3}|'|")
  | (?P<name>[^\W\d]\w*)
  | (?P<other>\d[\w.]* | \*\*=? | //=? | >>=? | <<=? | := | -> | [-+*/%@&|^=<>!]= | .)
    """,
    re.VERBOSE | re.DOTALL,
)
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
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            break
        kind, end = Kind.OTHER, match.end()
        if match["quote"] is not None:
            kind, end = _string(text, match, match.start() in unclosed)
        elif match["name"] is not None:
            kind = Kind.NAME
        elif match["newline"] is not None:
            kind = Kind.NEWLINE
        if match["space"] is None:
            tokens.append(Token(kind, text[position:end], position, end))
        position = end
    return tuple(tokens)


def _string(text: str, opening: re.Match[str], is_unclosed: bool) -> tuple[Kind, int]:
    """Kind and end of the string that begins with ``opening``."""
    found = None if is_unclosed else _REST_OF_STRING[opening["quote"]].match(text, opening.end())
    if found is not None:
        return Kind.STRING, found.end()
    if len(opening["quote"]) == 3 and not is_unclosed:
        return Kind.UNCLOSED_STRING, len(text)
    line_end = _LINE_END.search(text, opening.end())
    return Kind.UNCLOSED_STRING, len(text) if line_end is None else line_end.start()
