"""A Python program as a flat list of statements, each with its block and its function.

Example::

    program = program_of("if a:\\n    b = 1\\n")
    [s.indent for s in program.statements]   # [0, 4]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assistant.cuda.embedded.tokens import Kind, Token, closing_brackets, tokens_of
from assistant.record import Record

__all__ = ["Program", "Scope", "Statement", "program_of"]

_TAB_WIDTH = 8
"""Columns to which Python takes a tab (language reference, "Indentation")."""
_COMPOUND = frozenset({"if", "elif", "else", "for", "while", "with", "try", "except", "finally", "def", "class", "async", "match", "case"})
_STATEMENT_END = frozenset({"\n", "\r", "\r\n", ";"})


class Scope(Record):
    """The module, a function or a class."""

    outer: Scope | None
    """None for the module."""
    is_class: bool
    head: int
    """Index of the statement that opens it, in the program; 0 for the module."""


class Statement(Record):
    """One simple statement, or the head of a compound one."""

    first: int
    """Index of its first token."""
    end: int
    """Index after its last token."""
    indent: int
    """Columns; what follows a head on its own line counts as one column deeper."""
    scope: Scope


class Program(Record):
    """One Python text, read."""

    text: str
    tokens: tuple[Token, ...]
    closings: Mapping[int, int]
    """Index of the closing bracket by that of the opening one."""
    statements: tuple[Statement, ...]

    def is_block_open(self, of: int, at: int) -> bool:
        """True where nothing between the two statements, ``at`` included, stands outside the block of statement ``of``."""
        indent = self.statements[of].indent
        return all(statement.indent >= indent for statement in self.statements[of : at + 1])


def program_of(text: str) -> Program:
    tokens = tokens_of(text)
    closings = closing_brackets(tokens)
    scopes: list[tuple[int, Scope]] = [(-1, Scope(None, False, 0))]
    statements: list[Statement] = []
    for first, end, indent in _pieces(text, tokens, closings):
        while len(scopes) > 1 and scopes[-1][0] >= indent:
            scopes.pop()
        statements.append(Statement(first, end, indent, scopes[-1][1]))
        words = {token.text for token in tokens[first : min(first + 2, end)] if token.kind is Kind.NAME}
        if tokens[first].text in ("def", "class") or {"async", "def"} <= words:
            scopes.append((indent, Scope(scopes[-1][1], tokens[first].text == "class", len(statements) - 1)))
    return Program(text, tokens, closings, tuple(statements))


def _pieces(text: str, tokens: tuple[Token, ...], closings: Mapping[int, int]) -> Iterator[tuple[int, int, int]]:
    """(first token, token after the last, indent) of every statement."""
    index, indent, is_line_start = 0, 0, True
    while index < len(tokens):
        if tokens[index].text in _STATEMENT_END:
            is_line_start = is_line_start or tokens[index].kind is Kind.NEWLINE
            index += 1
            continue
        if is_line_start:
            indent, is_line_start = _indent_of(text, tokens[index].start), False
        end, is_head = _end_of_piece(tokens, closings, index)
        yield index, end, indent
        indent += is_head
        index = end


def _end_of_piece(tokens: tuple[Token, ...], closings: Mapping[int, int], first: int) -> tuple[int, bool]:
    """Index after the statement that begins at ``first``, and whether it is the head of statements that may follow on its line."""
    is_compound = tokens[first].text in _COMPOUND and tokens[first].kind is Kind.NAME
    index = first
    while index < len(tokens) and tokens[index].text not in _STATEMENT_END:
        if is_compound and tokens[index].text == ":" and tokens[index].kind is Kind.OTHER:
            return index + 1, True
        index = closings.get(index, index) + 1
    return index, False


def _indent_of(text: str, offset: int) -> int:
    start = text.rfind("\n", 0, offset) + 1
    start = text.rfind("\r", start, offset) + 1 or start
    return len(text[start:offset].expandtabs(_TAB_WIDTH))
