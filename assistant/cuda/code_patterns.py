"""Patterns over the tokens of CUDA text: regular expressions on code that is written with as few blanks as it can be.

Comments are gone, torn words are whole, ``""`` is all of a literal that the text holds blanked; a blank stands only between two words and
between two signs that would be another one together, a line break only around a directive. So an expression says nothing of spacing.
Example::

    pattern = CodePattern(r"\\bsizeof\\((\\w+)\\)")
    pattern.search("n * sizeof ( /* one */ x )").text     # 'x'
    "emu_barrier" in Words(r"emu_\\w+")                    # True
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property, lru_cache

from assistant.cuda.tokens import KEPT_TEXTS, Token, TokenKind, lexed, line_tokens, tokens
from assistant.record import Record

__all__ = ["CodeMatch", "CodePattern", "Words", "quoted", "squeezed", "words_of"]

_SHORT = 4_000
"""Characters of code that is cheaply taken apart again: its tokens are not kept, which would cost whole texts theirs."""
_DIRECTIVE_SIGNS = ("#", "%:", "??=")
_PAIRS = frozenset(["++", "--", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"])
"""Signs that are another one where nothing parts them."""


class Words:
    """A vocabulary: all words that an expression matches as a whole."""

    def __init__(self, expression: str) -> None:
        self._text = expression

    def __contains__(self, word: str) -> bool:
        return self._expression.fullmatch(word) is not None

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        return re.compile(self._text)


class CodeMatch(Record):
    """A pattern found in code."""

    found: re.Match[str]
    """In the squeezed code."""
    code: str
    """As it is written."""

    @property
    def text(self) -> str:
        """Its first group, or the whole where the pattern has none."""
        return _text(self.found)

    @property
    def written(self) -> str:
        """``text`` as it is written, on one line."""
        first, last = self.found.span(1 if self.found.re.groups else 0)
        return " ".join(self.code[_offset(self.code, first) : _offset(self.code, last - 1) + 1].split())

    @property
    def start(self) -> int:
        """Where it begins in the code as it is written."""
        return _offset(self.code, self.found.start())

    @property
    def line(self) -> int:
        """1-based."""
        return self.code.count("\n", 0, self.start) + 1

    @property
    def before(self) -> str:
        """The code in front of it, squeezed."""
        return self.found.string[: self.found.start()]

    @property
    def token_before(self) -> str:
        """The word, or the last sign, in front of it; empty at the beginning."""
        before = self.before.rstrip()
        start = len(before)
        while start and (before[start - 1].isalnum() or before[start - 1] == "_"):
            start -= 1
        return before[start:] or before[-1:]

    @property
    def is_member(self) -> bool:
        """Whether ``.`` or ``->`` stands in front of it."""
        return self.before.rstrip().removesuffix("template").rstrip().endswith((".", "->"))

    @property
    def after(self) -> str:
        return self.found.string[self.found.end() :]

    def __getitem__(self, group: int | str) -> str:
        """A group; empty where it has no part in the match."""
        return self.found[group] or ""


class CodePattern:
    """An expression that is looked for in squeezed code."""

    def __init__(self, expression: str) -> None:
        self._text = expression

    def is_in(self, code: str) -> bool:
        """Whether it is found anywhere."""
        return self._expression.search(squeezed(code)) is not None

    def begins(self, code: str) -> bool:
        """Whether the code begins with it."""
        return self._expression.match(squeezed(code)) is not None

    def is_all(self, code: str) -> bool:
        """Whether it matches the code as a whole."""
        return self._expression.fullmatch(squeezed(code)) is not None

    def search(self, code: str) -> CodeMatch | None:
        """The first match."""
        return next(self.matches(code), None)

    def matches(self, code: str) -> Iterator[CodeMatch]:
        """Every match, in order."""
        return (CodeMatch(found, code) for found in self._expression.finditer(squeezed(code)))

    def whole(self, code: str) -> CodeMatch | None:
        """The match of the code as a whole."""
        found = self._expression.fullmatch(squeezed(code))
        return None if found is None else CodeMatch(found, code)

    def behind(self, match: CodeMatch) -> CodeMatch | None:
        """The match that begins where another one ends."""
        found = self._expression.match(match.found.string, match.found.end())
        return None if found is None else CodeMatch(found, match.code)

    def texts(self, code: str) -> list[str]:
        """The first group of every match, or the whole where there is none."""
        return [_text(found) for found in self._expression.finditer(squeezed(code))]

    def replaced(self, code: str, by: str = " ") -> str:
        """The squeezed code with ``by`` for every match."""
        return self._expression.sub(by, squeezed(code))

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        return re.compile(self._text)


def squeezed(code: str) -> str:
    """The code's tokens with the blanks alone that they need."""
    return _squeezed(code)[0]


def words_of(code: str) -> list[str]:
    """Names and keywords in order; not what stands in comments, literals and numbers."""
    return [token.text for token in lexed(code).tokens if token.kind is TokenKind.WORD]


def quoted(text: str) -> str:
    """Squeezed code as an expression that matches it alone."""
    return re.escape(text)


def _text(found: re.Match[str]) -> str:
    return (found[1] or "") if found.re.groups else found[0]


def _offset(code: str, position: int) -> int:
    """Where a character of squeezed code stands in the code as it is written."""
    _, starts, every = _squeezed(code)
    index = max(0, bisect_right(starts, position) - 1)
    return min(every[index].start + max(0, position - starts[index]), every[index].end) if every else len(code)


@lru_cache(maxsize=KEPT_TEXTS)
def _squeezed(code: str) -> tuple[str, list[int], tuple[Token, ...]]:
    """The text, and where each of its tokens begins in it."""
    is_short = len(code) < _SHORT and not any(sign in code for sign in _DIRECTIVE_SIGNS)
    every = line_tokens(code) if is_short else tokens(code)
    edges = frozenset[int]() if is_short else _directive_edges(code)
    parts, starts = list[str](), list[int]()
    length, before = 0, None
    for token in every:
        blank = "" if before is None else _blank(before, token, edges)
        starts.append(length + len(blank))
        parts += (blank, token.text)
        length += len(blank) + len(token.text)
        before = token
    return "".join(parts), starts, every


def _directive_edges(code: str) -> frozenset[int]:
    """Where a directive begins, and where it ends."""
    cut = lexed(code)
    return frozenset(place for first, last in cut.directives for place in (cut.tokens[first].start, cut.tokens[last - 1].end))


def _blank(before: Token, token: Token, edges: frozenset[int]) -> str:
    if edges and (before.end in edges or token.start in edges):
        return "\n"
    if before.kind is TokenKind.SIGN or token.kind is TokenKind.SIGN:
        return " " if before.end != token.start and before.text + token.text in _PAIRS else ""
    return " "
