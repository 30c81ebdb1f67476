"""The code of a text that a compiler may see: its tokens and directives without comments and without what ``#if 0`` leaves out.

Conditions on macros are not decided here, both branches count; where that leaves braces open, the first branch of each condition does.

Example::

    live = live_code("#if 0\\nint a;\\n#else\\nint b;\\n#endif")
    [token.text for token in live.tokens]     # ['int', 'b', ';']
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from assistant.cuda.tokens import Token, TokenizedText, TokenKind, lexed
from assistant.record import Record

__all__ = ["Condition", "LiveCode", "LiveDirective", "live_code"]

_FALSE = (("0",), ("false",))
_TRUE = (("1",), ("true",))


class Condition(Record):
    """What one ``#if`` around a piece of code asks of macros, as far as it is that simple."""

    needs: str = ""
    """The macro that must be defined; empty: none, or more than one word says."""
    forbids: str = ""
    """The macro that must not be defined; likewise."""


class LiveDirective(Record):
    """One line for the preprocessor that is in force."""

    word: str
    rest: tuple[Token, ...]
    """What follows the word."""


class LiveCode(Record):
    """A text without what no compiler sees."""

    tokens: tuple[Token, ...]
    """In order, without comments and directives."""
    directives: tuple[LiveDirective, ...]
    changes: tuple[tuple[int, tuple[Condition, ...]], ...]
    """(offset, the conditions around what follows it), in order."""

    def conditions_at(self, offset: int) -> tuple[Condition, ...]:
        """The conditions that a piece of code stands in, outermost first."""
        index = bisect_right(self.changes, offset, key=lambda change: change[0])
        return self.changes[index - 1][1] if index else ()


class _Branch(Record):
    """One branch of a condition, while the text is read."""

    condition: Condition
    is_dead: bool
    is_decided: bool
    """No later branch of the same condition is compiled."""


def live_code(text: str) -> LiveCode:
    """The tokens and directives in force."""
    cut = lexed(text)
    every = _Reader(cut, is_first_only=False).read()
    return every if _is_balanced(every.tokens) else _Reader(cut, is_first_only=True).read()


class _Reader:
    """Goes through a text, condition by condition."""

    def __init__(self, cut: TokenizedText, is_first_only: bool) -> None:
        self._cut = cut
        self._is_first_only = is_first_only
        self._branches = list[_Branch]()
        self._tokens = list[Token]()
        self._directives = list[LiveDirective]()
        self._changes = list[tuple[int, tuple[Condition, ...]]]()

    def read(self) -> LiveCode:
        position = 0
        for first, last in self._cut.directives:
            self._take(position, first)
            position = last
            inside = [token for token in self._cut.tokens[first + 1 : last] if token.kind is not TokenKind.COMMENT]
            if inside:
                self._directive(inside[0].text, tuple(inside[1:]), self._cut.tokens[last - 1].end)
        self._take(position, len(self._cut.tokens))
        return LiveCode(tuple(self._tokens), tuple(self._directives), tuple(self._changes))

    @property
    def _is_live(self) -> bool:
        return not any(branch.is_dead for branch in self._branches)

    def _take(self, first: int, last: int) -> None:
        if self._is_live:
            self._tokens.extend(token for token in self._cut.tokens[first:last] if token.kind is not TokenKind.COMMENT)

    def _directive(self, word: str, rest: tuple[Token, ...], end: int) -> None:
        words = tuple(token.text for token in rest)
        if word in ("if", "ifdef", "ifndef"):
            self._branches.append(self._opened(word, words))
        elif word in ("elif", "elifdef", "elifndef", "else") and self._branches:
            self._branches.append(self._next(self._branches.pop(), word, words))
        elif word == "endif" and self._branches:
            self._branches.pop()
        elif self._is_live:
            self._directives.append(LiveDirective(word, rest))
            return
        self._changes.append((end, tuple(branch.condition for branch in self._branches)))

    def _opened(self, word: str, words: tuple[str, ...]) -> _Branch:
        is_dead = word == "if" and words in _FALSE
        is_decided = (word == "if" and words in _TRUE) or (self._is_first_only and not is_dead)
        return _Branch(_condition(word, words), is_dead, is_decided)

    def _next(self, before: _Branch, word: str, words: tuple[str, ...]) -> _Branch:
        is_dead = before.is_decided or (word == "elif" and words in _FALSE)
        is_decided = before.is_decided or (word == "elif" and words in _TRUE) or (self._is_first_only and not is_dead)
        if word == "else":
            condition = Condition(before.condition.forbids, before.condition.needs)
        else:
            condition = _condition(word.removeprefix("el"), words)
        return _Branch(condition, is_dead, is_decided)


def _condition(word: str, words: tuple[str, ...]) -> Condition:
    match word, words:
        case "ifdef", (name, *_):
            return Condition(needs=name)
        case "ifndef", (name, *_):
            return Condition(forbids=name)
        case "if", ("defined", "(", name, ")") | ("defined", name):
            return Condition(needs=name)
        case "if", ("!", "defined", "(", name, ")") | ("!", "defined", name):
            return Condition(forbids=name)
        case "if", (name,) if not name[:1].isdigit():
            return Condition(needs=name)
        case _:
            return Condition()


def _is_balanced(tokens: Sequence[Token]) -> bool:
    depth = 0
    for token in tokens:
        if token.kind is TokenKind.SIGN and token.text in "{}":
            depth += 1 if token.text == "{" else -1
            if depth < 0:
                return False
    return depth == 0
