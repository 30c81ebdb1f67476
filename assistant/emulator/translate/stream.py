"""A run of tokens with matched brackets: a file's code without directives, or the body of a macro."""

from __future__ import annotations

from collections.abc import Iterable

from assistant.emulator.translate.lexer import Kind, Token, directive_name
from assistant.record import Record

_OPENERS = {"(": ")", "[": "]", "{": "}"}
_CLOSERS = {")", "]", "}"}
_ANGLES = {"<": 1, ">": -1, ">>": -2, ">>>": -3}


class Stream(Record):
    """Tokens and, for each bracket, the index of its partner."""

    tokens: tuple[Token, ...]
    partner: dict[int, int]
    enclosing: tuple[int | None, ...]
    """Per token, the index of the innermost bracket that is open before it; None at the outermost level."""
    alternatives: frozenset[int]
    """Brackets that two branches of one ``#if`` open, closed by a common one behind it."""

    def text(self, index: int) -> str:
        """The token's text; empty beyond either end."""
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def close(self, index: int) -> int:
        """Index of the bracket that closes the one at ``index``; the last token when unbalanced."""
        return self.partner.get(index, len(self.tokens) - 1)

    def close_angle(self, index: int) -> int:
        """Index of the token that closes the ``<`` at ``index``; ``index`` itself when it is a comparison."""
        depth = 0
        i = index
        while i < len(self.tokens):
            text = self.text(i)
            if text in _OPENERS:
                i = self.close(i)
            elif text in _ANGLES:
                depth += _ANGLES[text]
                if depth <= 0:
                    return i
            elif text in (";", "{", "}", ")"):
                return index
            i += 1
        return index

    def open_angle(self, index: int) -> int:
        """Index of the ``<`` that the ``>`` (or ``>>``, ``>>>``) at ``index`` closes; ``index`` when there is none."""
        depth = 0
        i = index
        while i >= 0:
            text = self.text(i)
            if text in _CLOSERS and i in self.partner:
                i = self.partner[i]
            elif text in _ANGLES:
                depth -= _ANGLES[text]
                if depth <= 0:
                    return i
            elif text in (";", "{", "}", "("):
                return index
            i -= 1
        return index

    def arguments(self, opener: int) -> list[range]:
        """Token ranges between the commas of the bracket at ``opener``; angle brackets do not hide commas, as for macros."""
        ranges: list[range] = []
        first = i = opener + 1
        last = self.close(opener)
        while i < last:
            if self.text(i) in _OPENERS:
                i = self.close(i)
            elif self.text(i) == ",":
                ranges.append(range(first, i))
                first = i + 1
            i += 1
        return [*ranges, range(first, last)] if last > opener + 1 else ranges


def stream_of(tokens: Iterable[Token]) -> Stream:
    """Matches brackets. Alternative preprocessor branches each see the brackets that were open at their ``#if``."""
    kept: list[Token] = []
    partner: dict[int, int] = {}
    stack: list[int] = []
    branches: list[tuple[list[int], list[int]]] = []  # open brackets at the `#if`, and those the branch before left open
    twins: dict[int, int] = {}
    enclosing: list[int | None] = []
    for token in tokens:
        if token.kind is Kind.DIRECTIVE:
            name = directive_name(token)
            if name in ("if", "ifdef", "ifndef"):
                branches.append((list(stack), []))
            elif name in ("else", "elif") and branches:
                before, _ = branches[-1]
                branches[-1] = (before, stack[len(before) :])
                stack = list(before)
            elif name == "endif" and branches:
                before, left_open = branches.pop()
                twins.update(zip(stack[len(before) :], left_open, strict=False))
            continue
        index = len(kept)
        kept.append(token)
        enclosing.append(stack[-1] if stack else None)
        if token.kind is not Kind.SYMBOL:
            continue
        if token.text in _OPENERS:
            stack.append(index)
        elif token.text in _CLOSERS:
            while stack and _OPENERS[kept[stack[-1]].text] != token.text:
                stack.pop()
            if stack:
                opener = stack.pop()
                partner.setdefault(opener, index)
                partner[index] = opener
                while opener in twins:
                    opener = twins[opener]
                    partner.setdefault(opener, index)
    return Stream(tuple(kept), partner, tuple(enclosing), frozenset(twins) | frozenset(twins.values()))
