"""Syntax trees of a text whose brackets do not match, cut so that an unfinished function does not hide the next one.

A function definition cannot start inside another one, so where ``__global__ void`` comes while a body is still open,
the text is cut, and each piece is parsed alone, with the rest blanked and its brackets closed. Knows nothing of kernels.

Example::

    recover("__global__ void a() { if (x) {\\n__global__ void b() {}").trees   # two trees, one function in each
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assistant.cuda.reading import Reading, blank, read
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.source import ParseProblem, Span
from assistant.record import Record

__all__ = ["RecoveredTrees", "located", "recover"]

_BRACKET = re.compile(r"[()\[\]{}]")
_CLOSERS = {"(": ")", "[": "]", "{": ";};"}
_OPENERS = {")": "(", "]": "[", "}": "{"}
_SCOPE = re.compile(r"(?:(?:inline\s+)?namespace\b[\w\s:]*|extern\s+|\b(?:struct|class|union|enum)\b[^;{}()=]*)\Z")
_DECLARATION_PART = re.compile(r"[;{}()]")
_BEFORE_MARK = re.compile(r"[\s\w<>,=:]*\Z")
_HOST_FUNCTION = re.compile(
    r"^(?!(?:else|return|case|if|for|while|do|switch|namespace|struct|class|using|template)\b)"
    r"[A-Za-z_][\w:<>,*& \t]*[\s*&][A-Za-z_]\w*[ \t]*\([^;{}()]*(?:\([^()]*\)[^;{}()]*)*\)\s*\{",
    re.MULTILINE,
)
_SCOPE_HEAD_CHARACTERS = 200
"""How far back the words before a brace are looked at."""


class RecoveredTrees(Record):
    """Trees that together hold every definition, and what had to be assumed to get them."""

    trees: tuple[SyntaxTree, ...]
    problems: tuple[ParseProblem, ...]


class _Bracket(Record):
    character: str
    offset: int
    scope: Span | None
    """For a brace that may hold definitions (namespace, class): from its first word to the brace."""


class _Piece(Record):
    kept: tuple[Span, ...]
    """Open scopes' heads, then the piece itself."""
    open: tuple[_Bracket, ...]
    """Brackets that the piece leaves open."""
    is_last: bool


def recover(text: str, before: Sequence[SyntaxTree] = ()) -> RecoveredTrees:
    """One tree when brackets match, else one per run of text between the places where they must have ended.

    ``before``: trees of an earlier text; a single one saves reading anew what both texts have.
    """
    reading = read(text)
    if _is_balanced(reading.code):
        whole = SyntaxTree(text, reading, before=before[0] if len(before) == 1 else None)
        if not whole.root.has_error:
            return RecoveredTrees((whole,), ())
    pieces = tuple(_pieces(reading))
    if len(pieces) == 1 and not pieces[0].open:
        return RecoveredTrees((SyntaxTree(text, reading),), ())
    trees = tuple(_tree(text, reading, piece) for piece in pieces)
    return RecoveredTrees(trees, tuple(problem for piece in pieces for problem in _unclosed(text, piece)))


def located(trees: tuple[SyntaxTree, ...], span: Span) -> tuple[SyntaxTree, Node]:
    """The node that covers just ``span``, which is that of a node in one of ``trees``, with its tree."""
    return next((tree, node) for tree in trees if (node := tree.node_at(span)) is not None and tree.span(node) == span)


def _is_balanced(code: str) -> bool:
    """As many brackets close as open; where not, a parse of the whole text would fail, slowly."""
    return all(code.count(opener) == code.count(closer) for closer, opener in _OPENERS.items())


def _pieces(reading: Reading) -> Iterator[_Piece]:
    code = blank(reading.code, reading.blanked)
    start = 0
    scopes: tuple[_Bracket, ...] = ()
    stack: list[_Bracket] = []
    position = 0
    for head in (*_heads(reading, code), None):
        end = len(code) if head is None else head
        _follow_brackets(code, position, end, stack)
        position = end
        is_unfinished = any(bracket.scope is None for bracket in stack) or _ends_open(code, start, end)
        if head is not None and not is_unfinished:
            continue
        kept = (*(bracket.scope for bracket in scopes if bracket.scope is not None), Span(start, end))
        yield _Piece(kept, tuple(stack), head is None)
        stack = [bracket for bracket in stack if bracket.scope is not None]
        scopes = tuple(stack)
        start = end


def _ends_open(code: str, start: int, end: int) -> bool:
    """Does the text stop in the middle of a declaration?"""
    before = code[start:end].rstrip()
    return bool(before) and before[-1] not in ";{}:>"


def _heads(reading: Reading, code: str) -> list[int]:
    """Starts of lines that can only begin a function definition."""
    marks = sorted((*reading.kernel_marks, *reading.device_marks))
    heads = {match.start() for match in _HOST_FUNCTION.finditer(code) if not _is_marked(code, marks, match.start())}
    for mark in marks:
        line = code.rfind("\n", 0, mark) + 1
        if _BEFORE_MARK.match(code, line, mark):
            heads.add(_with_lines_before(reading.code, code, line))
    return sorted(heads)


def _is_marked(code: str, marks: list[int], start: int) -> bool:
    """Does the declaration at ``start`` begin on an earlier line, with ``__global__`` or ``__device__``?"""
    index = bisect_left(marks, start)
    return index > 0 and _DECLARATION_PART.search(code, marks[index - 1], start) is None


def _with_lines_before(original: str, code: str, line: int) -> int:
    """``line`` moved up over template heads, ``extern`` and blanked attributes on lines of their own."""
    while line > 0:
        start = code.rfind("\n", 0, line - 1) + 1
        words = code[start : line - 1].strip()
        is_blanked = not words and bool(original[start : line - 1].strip())
        if not (is_blanked or words.startswith("template") or words in ("extern", "static", "inline")):
            break
        line = start
    return line


def _follow_brackets(code: str, start: int, end: int, stack: list[_Bracket]) -> None:
    """Push and pop ``stack`` for the brackets between two offsets; a closing brace closes all that is open inside."""
    for match in _BRACKET.finditer(code, start, end):
        character = match[0]
        if character in _CLOSERS:
            stack.append(_Bracket(character, match.start(), _scope(code, match.start()) if character == "{" else None))
            continue
        opener = _OPENERS[character]
        if stack and stack[-1].character == opener:
            stack.pop()
        elif character == "}" and any(bracket.character == "{" for bracket in stack):
            while stack.pop().character != "{":
                pass


def _scope(code: str, brace: int) -> Span | None:
    before = code[max(0, brace - _SCOPE_HEAD_CHARACTERS) : brace]
    match = _SCOPE.search(before)
    return None if match is None else Span(brace - len(before) + match.start(), brace + 1)


def _tree(text: str, reading: Reading, piece: _Piece) -> SyntaxTree:
    readable = reading.readable
    gaps: list[Span] = []
    position = 0
    for span in piece.kept:
        gaps.append(Span(position, span.start))
        position = span.end
    closers = "".join(_CLOSERS[bracket.character] for bracket in reversed(piece.open))
    end = piece.kept[-1].start + len(text[piece.kept[-1].start : position].rstrip())
    alone = blank(readable[:end], tuple(gaps)) + closers
    return SyntaxTree(text[:end], replace(reading, readable=alone))


def _unclosed(text: str, piece: _Piece) -> Iterator[ParseProblem]:
    where = "the end" if piece.is_last else "the next function"
    for bracket in piece.open:
        if bracket.scope is None or piece.is_last:
            line = text.count("\n", 0, bracket.offset) + 1
            span = Span(bracket.offset, bracket.offset + 1)
            yield ParseProblem(line, span, f"`{bracket.character}` is not closed before {where}")
