"""The text of a Python string expression, as far as the program's text decides it: literals, names, ``+``, ``strip``, ``dedent``.

Everything else is declined with its place; nothing is evaluated by Python.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from assistant.cuda.embedded.bindings import Bindings, TokenRange, UnresolvedName
from assistant.cuda.embedded.statements import Program
from assistant.cuda.embedded.string_literals import UnreadableLiteral, value_of
from assistant.cuda.embedded.text_map import MappedText, dedented, joined, share_a_literal, stripped
from assistant.cuda.embedded.tokens import Kind, Token
from assistant.model.embedded import EmbeddingProblemCode
from assistant.model.source import Span
from assistant.record import Record

__all__ = ["Expressions", "NotText"]

_DEEPEST = 32
"""Parentheses, calls and names followed inside each other; more is not written by people."""
_STRIPS = frozenset({"strip", "lstrip", "rstrip"})
_STARTS_NOTHING = frozenset({"+", "-", "*", "/", "%", ".", "(", "[", "=", "==", "if", "else", "and", "or", "for", "in", "is", "not", ":="})
_Reason = tuple[EmbeddingProblemCode, str]
_NO_STRING: _Reason = (EmbeddingProblemCode.NOT_A_STRING, "the CUDA text is not written here as a string")
_CONDITION: _Reason = (EmbeddingProblemCode.CONDITION, "its text depends on a condition")
_REASONS: dict[str, _Reason] = {
    "%": (EmbeddingProblemCode.FORMATTED, "its text is made with %-formatting when the program runs"),
    "*": (EmbeddingProblemCode.REPEATED, "its text is repeated with `*`"),
    "if": _CONDITION,
    "or": _CONDITION,
    "and": _CONDITION,
    "[": (EmbeddingProblemCode.PART_OF_STRING, "only a part of the string is used"),
    ":=": (EmbeddingProblemCode.ASSIGNED_INSIDE, "the string is assigned inside the expression"),
}
"""By what follows a string or a name."""


class NotText(Record):
    """Why an expression has no known text, and the place that is the reason."""

    code: EmbeddingProblemCode
    span: Span
    reason: str


_Step = tuple[MappedText | NotText, int]
"""A value and the index of the token after its expression."""


@dataclass
class Expressions:
    """Reads the expressions of a program; remembers the literals that it has decoded."""

    program: Program
    bindings: Bindings
    _decoded: dict[int, MappedText | UnreadableLiteral] = field(default_factory=dict[int, "MappedText | UnreadableLiteral"])

    def text_of(self, found: TokenRange, is_cut_short: bool = False, depth: int = 0) -> MappedText | NotText:
        """The text of an expression; what follows on a later line is not its part where ``is_cut_short`` (a call without an end)."""
        value, index = _Reader(self, found).total(self._past_line_ends(found.first, found.end), depth)
        if isinstance(value, NotText):
            return value
        is_next_line = index > 0 and self.program.tokens[index - 1].kind is Kind.NEWLINE
        if index >= found.end or (is_cut_short and is_next_line and self.program.tokens[index].text not in _STARTS_NOTHING):
            return value
        following = self.program.tokens[index]
        code, reason = _REASONS.get(following.text, _NO_STRING)
        return NotText(code, _span(following), reason)

    def items_of(self, found: TokenRange) -> tuple[TokenRange, ...] | None:
        """The items of a list or tuple in brackets, or of the one that a name was given; None where it is something else."""
        first = self._past_line_ends(found.first, found.end)
        if first >= found.end:
            return None
        if self.program.tokens[first].kind is Kind.NAME and self._past_line_ends(first + 1, found.end) >= found.end:
            value = self.bindings.value_of(self.program.tokens[first].text, found.statement)
            if isinstance(value, UnresolvedName) or value.first >= value.end or self.program.tokens[value.first].kind is Kind.NAME:
                return None
            found, first = value, value.first
        closing = self.program.closings.get(first)
        if closing is None or self.program.tokens[first].text not in ("[", "("):
            return None
        if self._past_line_ends(closing + 1, found.end) < found.end:
            return None
        items = arguments(self.program, first + 1, closing, found.statement)
        is_list = self.program.tokens[first].text == "["
        has_comma = bool(items) and items[0].end < closing
        return items if is_list or has_comma else None

    def literal(self, index: int) -> MappedText | NotText:
        token = self.program.tokens[index]
        if index not in self._decoded:
            self._decoded[index] = value_of(token.text, token.start)
        value = self._decoded[index]
        return NotText(value.code, _span(token), value.reason) if isinstance(value, UnreadableLiteral) else value

    def _past_line_ends(self, index: int, end: int) -> int:
        while index < end and self.program.tokens[index].kind is Kind.NEWLINE:
            index += 1
        return index


def arguments(program: Program, first: int, end: int, statement: int) -> tuple[TokenRange, ...]:
    """The token ranges between the commas, empty ones left out."""
    found: list[TokenRange] = []
    start = index = first
    while index < end:
        if program.tokens[index].text == "," and program.tokens[index].kind is Kind.OTHER:
            found.append(TokenRange(start, index, statement))
            start = index + 1
        index = min(program.closings.get(index, index) + 1, end)
    found.append(TokenRange(start, end, statement))
    return tuple(item for item in found if any(t.kind is not Kind.NEWLINE for t in program.tokens[item.first : item.end]))


class _Reader:
    """One expression, read from left to right."""

    def __init__(self, expressions: Expressions, found: TokenRange) -> None:
        self._expressions = expressions
        self._program = expressions.program
        self._statement = found.statement
        self._end = found.end

    def total(self, index: int, depth: int) -> _Step:
        """``a + b + …``"""
        value, index = self._operand(index, depth)
        parts: list[MappedText] = []
        plus = index
        while not isinstance(value, NotText):
            parts.append(value)
            if self._word(index) != "+":
                break
            plus = index
            value, index = self._operand(self._next(index), depth)
        if isinstance(value, NotText) or len(parts) == 1:
            return value, index
        if share_a_literal(parts):
            return self._refused(plus, EmbeddingProblemCode.USED_TWICE, "the same string is used twice in one text"), index
        return joined(parts), index

    def _operand(self, index: int, depth: int) -> _Step:
        value, index = self._atom(index, depth)
        while not isinstance(value, NotText) and self._word(index) == ".":
            value, index = self._method(value, self._next(index))
        return value, index

    def _method(self, value: MappedText, name: int) -> _Step:
        opening = self._next(name)
        word = self._word(name)
        if word in _STRIPS and self._word(opening) == "(" and self._program.closings.get(opening) == self._next(opening):
            return stripped(value, word), self._next(self._next(opening))
        at = min(name, self._end - 1)
        if word == "format":
            return self._refused(at, EmbeddingProblemCode.FORMATTED, "its text is made with `.format()` when the program runs"), self._end
        return self._refused(at, EmbeddingProblemCode.CHANGED, f"the string is changed by `.{word}`"), self._end

    def _atom(self, index: int, depth: int) -> _Step:
        if index >= self._end:
            return self._refused(self._end - 1, EmbeddingProblemCode.UNFINISHED, "the expression is not finished"), self._end
        token = self._program.tokens[index]
        if depth > _DEEPEST:
            return self._refused(index, EmbeddingProblemCode.TOO_DEEP, "the expression is nested too deeply"), self._end
        if token.kind is Kind.STRING:
            return self._adjacent(index)
        if token.kind is Kind.UNCLOSED_STRING:
            quote = Span(token.start, min(token.end, token.start + 3))
            return NotText(EmbeddingProblemCode.UNCLOSED_STRING, quote, "the string has no closing quote"), self._end
        if token.text == "(" and index in self._program.closings:
            return self._inside(index, depth)
        if token.kind is Kind.NAME:
            return self._dedent(index, depth) or self._name(index, depth)
        return self._refused(index, *_NO_STRING), self._end

    def _adjacent(self, index: int) -> _Step:
        """Literals that stand side by side are one."""
        parts: list[MappedText] = []
        while index < self._end and self._program.tokens[index].kind is Kind.STRING:
            if parts and self._is_new_statement(index):
                break
            value = self._expressions.literal(index)
            if isinstance(value, NotText):
                return value, index
            parts.append(value)
            index = self._next(index)
        return joined(parts), index

    def _is_new_statement(self, index: int) -> bool:
        """True where a string stands in another statement than the one that is read, as after a call without an end."""
        statement = self._program.statements[self._statement]
        return index >= statement.end and self._program.tokens[index - 1].kind is Kind.NEWLINE and self._end > statement.end

    def _inside(self, opening: int, depth: int) -> _Step:
        closing = self._program.closings[opening]
        inner = TokenRange(opening + 1, closing, self._statement)
        return self._expressions.text_of(inner, depth=depth + 1), self._next(closing)

    def _dedent(self, index: int, depth: int) -> _Step | None:
        """The value of ``textwrap.dedent(…)``; None where the name is something else."""
        words, opening = self._dotted_name(index)
        origin = self._expressions.bindings.imported(words)
        if self._word(opening) != "(" or (words if origin is None else origin) not in ("textwrap.dedent", "dedent"):
            return None
        closing = self._program.closings.get(opening, self._end)
        found = arguments(self._program, opening + 1, closing, self._statement)
        if len(found) != 1 or closing >= self._end:
            return self._refused(index, EmbeddingProblemCode.DEDENT_ARGUMENT, "`dedent` is not given one string"), self._end
        value = self._expressions.text_of(found[0], depth=depth + 1)
        if isinstance(value, NotText):
            return value, self._end
        result = dedented(value)
        if result is None:
            reason = "what `dedent` removes here depends on the version of Python"
            return self._refused(index, EmbeddingProblemCode.DEDENT_VERSION, reason), self._end
        return result, self._next(closing)

    def _name(self, index: int, depth: int) -> _Step:
        words, after = self._dotted_name(index)
        methods = words.split(".")[1:]
        if self._word(after) == ":=":
            return self._refused(after, *_REASONS[":="]), self._end
        if self._word(after) == "(" and not (methods and methods[-1] in {*_STRIPS, "format"} and len(methods) == 1):
            reason = f"its text is what `{words}()` returns when the program runs"
            return self._refused(index, EmbeddingProblemCode.CALL_RESULT, reason), self._end
        if methods and self._word(after) != "(":
            return self._refused(index, EmbeddingProblemCode.UNKNOWN_ATTRIBUTE, f"the text of `{words}` is not known here"), self._end
        found = self._expressions.bindings.value_of(self._word(index), self._statement)
        if isinstance(found, UnresolvedName):
            return self._refused(index, found.code, found.reason), self._end
        return self._expressions.text_of(found, depth=depth + 1), self._next(index)

    def _dotted_name(self, index: int) -> tuple[str, int]:
        """``a.b.c`` from the name at ``index`` on, and the index after it."""
        words, after = self._word(index), self._next(index)
        while self._word(after) == "." and self._word(name := self._next(after)).isidentifier():
            words, after = f"{words}.{self._word(name)}", self._next(name)
        return words, after

    def _refused(self, index: int, code: EmbeddingProblemCode, reason: str) -> NotText:
        return NotText(code, _span(self._program.tokens[max(index, 0)]), reason)

    def _next(self, index: int) -> int:
        """The index of the next token that is not a line end."""
        index += 1
        while index < self._end and self._program.tokens[index].kind is Kind.NEWLINE:
            index += 1
        return index

    def _word(self, index: int) -> str:
        """The token's text; empty at the end of the expression and for a string."""
        if index >= self._end or self._program.tokens[index].kind in (Kind.STRING, Kind.UNCLOSED_STRING):
            return ""
        return self._program.tokens[index].text


def _span(token: Token) -> Span:
    return Span(token.start, token.end)
