"""Single declarations among the tokens of code: how far each goes, where its parameters and its body are, and what it names.

Example::

    code = DeclarationTokens(live_code("void ops::dot(int n) { }").tokens)
    head = code.head(0, len(code.tokens))
    code.name_at(head.first, head.groups[0])     # FunctionName('dot', 'ops', …)
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.cuda.cpp_words import KEYWORDS
from assistant.cuda.tokens import Token, TokenKind
from assistant.record import Record

__all__ = ["ATTRIBUTES", "CLASS_KEYS", "MOST_OPEN_ANGLES", "OPENING", "DeclarationTokens", "FunctionName", "Head"]

ATTRIBUTES = frozenset(
    {"__launch_bounds__", "__cluster_dims__", "__block_size__", "__maxnreg__", "__align__", "__attribute__", "__declspec", "alignas"}
    | {"noexcept", "throw", "decltype", "requires", "explicit", "asm", "__asm__"}
)
"""Words whose parentheses hold no parameters."""
CLASS_KEYS = frozenset({"class", "struct", "union", "enum"})
_AFTER_MACRO = frozenset({"namespace", "template", "extern", "static", "__global__", "class", "struct", "typedef", "using", "inline"})
"""What begins the next declaration behind a macro call without a semicolon."""
_MOST_ARGUMENT_TOKENS = 500
"""Between ``<`` and ``>``; without a limit, text that is no code would take the square of its length."""
MOST_OPEN_ANGLES = 20
"""In one declaration that are not closed: more are comparisons."""
OPENING = {"(": ")", "[": "]", "{": "}"}


class FunctionName(Record):
    """The name of a declared function."""

    name: str
    qualifier: str
    first: int
    """Index of its first token, qualifiers included."""
    parameters: int
    """Index of the opening parenthesis."""


class Head(Record):
    """One declaration at file, namespace or class scope, up to its body or semicolon."""

    first: int
    end: int
    """Index behind its last token."""
    groups: tuple[int, ...]
    """Opening parentheses that may hold parameters."""
    equals: int | None
    body: int | None
    """Index of the brace that opens a function's body."""
    class_body: int | None


class DeclarationTokens:
    """The tokens of code without comments and directives."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self._close = _matching(tokens)

    def text(self, index: int) -> str:
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def is_word(self, index: int) -> bool:
        return 0 <= index < len(self.tokens) and self.tokens[index].kind is TokenKind.WORD

    def past(self, opening: int) -> int:
        """Index behind the bracket that closes the one at ``opening``."""
        return self._close.get(opening, len(self.tokens) - 1) + 1

    def head(self, first: int, last: int) -> Head:
        """The extent of a declaration and the brackets in it."""
        groups, equals, has_initializers, class_body, open_angles = list[int](), None, False, None, 0
        index = first
        while index < last:
            text = self.text(index)
            if text == ";":
                return Head(first, index + 1, tuple(groups), equals, None, class_body)
            if text in _AFTER_MACRO and len(groups) == 1 and self._is_macro_call(first, groups[0], index):
                return Head(first, index, (), None, None, None)
            if text == "{":
                if self._is_class(first, index, groups, equals):
                    class_body = index
                elif groups and equals is None and class_body is None:
                    end = self.past(index)
                    if not (has_initializers and self.text(end) in (",", "{")) and self.text(end) != "catch":
                        return Head(first, end, tuple(groups), None, index, None)
                index = self.past(index)
            elif text in OPENING:
                if text == "(" and equals is None and not has_initializers and self.text(index - 1) not in ATTRIBUTES:
                    groups.append(index)
                index = self.past(index)
            elif text == ":" and self.text(index + 1) == ":":
                index += 2
            elif text == "<" and equals is None and self._may_open(index) and open_angles < MOST_OPEN_ANGLES:
                end = self.past_angle(index, last)
                open_angles += end == index + 1
                index = end
            else:
                has_initializers |= text == ":" and bool(groups)
                if text == "=" and equals is None and "operator" not in self.texts(first, index):
                    equals = index
                index += 1
        return Head(first, last, tuple(groups), equals, None, class_body)

    def _may_open(self, angle: int) -> bool:
        """Whether template arguments may begin at a ``<``."""
        return self.is_word(angle - 1) and self.text(angle - 1) != "operator"

    def _is_macro_call(self, first: int, group: int, end: int) -> bool:
        """Whether ``REGISTER(x)`` without a semicolon is all that stands before ``end``."""
        named = self.name_at(first, group)
        return self.past(group) == end and named is not None and named.first == first

    def texts(self, first: int, last: int) -> set[str]:
        return {token.text for token in self.tokens[first:last]}

    def _is_class(self, first: int, brace: int, groups: Sequence[int], equals: int | None) -> bool:
        return equals is None and not groups and not CLASS_KEYS.isdisjoint(self.texts(first, brace))

    def past_angle(self, index: int, last: int) -> int:
        """Index behind the ``>`` that closes the ``<`` at ``index``; the next one where none does."""
        depth, start = 0, index
        last = min(last, index + _MOST_ARGUMENT_TOKENS)
        while index < last and self.text(index) not in (";", "{", "}"):
            text = self.text(index)
            if text in ("(", "["):
                index = self.past(index)
                continue
            depth += (text == "<") - (text == ">")
            index += 1
            if depth == 0:
                return index
        return start + 1

    def before_angle(self, index: int, first: int) -> int:
        """Index before the ``<`` that the ``>`` at ``index`` closes; the same where there is no ``>``."""
        depth = 0
        for place in range(index, max(first, index - _MOST_ARGUMENT_TOKENS) - 1, -1):
            depth += (self.text(place) == ">") - (self.text(place) == "<")
            if depth == 0:
                return place - 1 if place < index else index
        return index

    def name_at(self, first: int, parameters: int) -> FunctionName | None:
        """The function name in front of a parenthesis; None where there is none, or no type before it."""
        place = self.before_angle(parameters - 1, first)
        if place < first or not self.is_word(place) or self.text(place) in KEYWORDS - {"main", "final", "override", "import", "module"}:
            return None
        name, qualifier = self.text(place), ""
        if self.text(place - 1) == "~":
            name, place = f"~{name}", place - 1
        while place - 3 >= first and self.text(place - 1) == self.text(place - 2) == ":":
            place = self.before_angle(place - 3, first)
            qualifier = qualifier or self.text(place)
        return FunctionName(name, qualifier, place, parameters)


def _matching(tokens: Sequence[Token]) -> dict[int, int]:
    """Index of each opening bracket → that of the one that closes it."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind is not TokenKind.SIGN:
            continue
        if token.text in "([{":
            opened.append(index)
        elif token.text in ")]}" and opened and OPENING[tokens[opened[-1]].text] == token.text:
            found[opened.pop()] = index
    return found
