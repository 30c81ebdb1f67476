"""What stands at file and namespace scope of a text: functions, declarations, macros and other directives, with the names they declare.

Found over tokens, not in a syntax tree: macros and branches of ``#if`` that a grammar cannot follow change nothing here. Where braces do
not balance (``#if`` around half a function) nothing is returned.

Example::

    [(item.kind, *item.names) for item in items("int n; __global__ void k() {}")]   # [(ItemKind.DECLARATION, 'n'), (ItemKind.KERNEL, 'k')]
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum

from assistant.cuda.code_text import blanked
from assistant.cuda.cpp_words import KEYWORDS
from assistant.cuda.directives import Directive, directives_in
from assistant.cuda.tokens import Token, TokenKind, lexed, words_in_code
from assistant.record import Record

__all__ = ["OPERATOR", "Item", "ItemKind", "items"]

_SCOPE = re.compile(r"(?:inline\s+)?(?:namespace\b[^;={}]*|extern\s*\"[^\"]*\"\s*)\{")
_ATTRIBUTE = re.compile(
    r"\b(?:__launch_bounds__|__align__|alignas|__attribute__|__declspec|decltype|__cluster_dims__)\s*\((?:[^()]|\([^()]*\))*\)"
)
_TYPE_NAME = re.compile(r"\b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+([A-Za-z_]\w*)")
_SCOPED_NAMES = re.compile(r"\busing\s+namespace\b|^\s*namespace\s+\w+\s*=")
_FIRST_WORD = re.compile(r"\A\s*(\w+)")
_VARIABLE = re.compile(r"([A-Za-z_]\w*)\s*(?=[=\[;,{(]|$)")
OPERATOR = re.compile(r"\boperator\b")
_NO_NAMES = (KEYWORDS | {"_Static_assert"}) - {"final", "import", "main", "module", "override"}
"""Words that nothing can be called: ``sizeof`` in a ``static_assert`` or behind a constant's ``=`` is none of their names."""


class ItemKind(Enum):
    """What stands at file scope."""

    KERNEL = "kernel"
    DEVICE = "device function"
    HOST = "host function"
    DECLARATION = "declaration"
    MACRO = "macro"
    INCLUDE = "include"
    SCOPE = "directive or using that reaches everything"


class Item(Record):
    """One definition, declaration or directive at file or namespace scope."""

    kind: ItemKind
    names: frozenset[str]
    """What it declares."""
    text: str
    start: int
    end: int

    @property
    def is_everywhere(self) -> bool:
        """Works without being named: an overloaded operator, ``using namespace``, a conditional."""
        return self.kind is ItemKind.SCOPE or (self.kind is not ItemKind.MACRO and bool(OPERATOR.search(self.text.partition("{")[0])))


def items(code: str) -> tuple[Item, ...] | None:
    """Everything at file and namespace scope of code without comments, in order; None where its braces do not balance."""
    cut = lexed(code)
    code = _without_parted_numbers(code, cut.tokens)
    bare = blanked(code)
    lines = {first: (last, directive) for (first, last), directive in zip(cut.directives, directives_in(code), strict=True)}
    found = list[Item]()
    index = 0
    while index < len(cut.tokens):
        token = cut.tokens[index]
        if index in lines:
            index, directive = lines[index]
            found.append(_line(directive, code))
        elif (scope := _SCOPE.match(bare, token.start)) is not None:
            index = next(n for n in range(index, len(cut.tokens)) if cut.tokens[n].end >= scope.end()) + 1
        elif token.kind is TokenKind.COMMENT or token.text in ("}", ";"):
            index += 1
        else:
            last = _last_of_item(bare, cut.tokens, index)
            if last is None:
                return None
            start, end = token.start, cut.tokens[last].end
            found.append(_item(code[start:end], bare[start:end], start))
            index = last + 1
    return tuple(found)


def _without_parted_numbers(code: str, tokens: Sequence[Token]) -> str:
    """``1'000`` as ``1_000``: its quotes look like a character's."""
    if "'" not in code:
        return code
    characters = list(code)
    for token in tokens:
        if token.kind is TokenKind.NUMBER and "'" in token.text:
            characters[token.start : token.end] = code[token.start : token.end].replace("'", "_")
    return "".join(characters)


def _line(directive: Directive, code: str) -> Item:
    text, start, end = code[directive.start : directive.end], directive.start, directive.end
    if directive.word == "define":
        return Item(ItemKind.MACRO, frozenset(_FIRST_WORD.findall(directive.rest)), text, start, end)
    is_plain = directive.word == "include" and "<" in text
    kind = ItemKind.INCLUDE if is_plain or (directive.word == "pragma" and "once" in text) else ItemKind.SCOPE
    return Item(kind, frozenset(), text, start, end)


def _last_of_item(bare: str, tokens: Sequence[Token], first: int) -> int | None:
    """The item's ``;`` or closing ``}``; None where brackets do not balance."""
    depth = 0
    for index in range(first, len(tokens)):
        token = tokens[index]
        if token.kind is not TokenKind.SIGN:
            continue
        if token.text in "({[":
            depth += 1
        elif token.text in ")}]":
            depth -= 1
            if depth < 0:
                return None
            if depth == 0 and token.text == "}" and _is_function(bare[tokens[first].start : token.start]):
                return index
        elif token.text == ";" and depth == 0:
            return index
    return len(tokens) - 1 if depth == 0 else None


def _is_function(text: str) -> bool:
    """Whether the item that ends with this closing brace needs no semicolon: ``f(…) {…``, not ``struct s {…`` or ``int a[] = {…``."""
    head = _ATTRIBUTE.sub(" ", text.partition("{")[0])
    return "(" in head and "=" not in re.sub(r"operator\s*[^\s(]+|<[^<>]*>|\([^()]*\)", " ", head)


def _item(text: str, bare: str, start: int) -> Item:
    """``bare``: the text with the insides of strings blanked."""
    head = _ATTRIBUTE.sub(" ", bare.partition("{")[0])
    end = start + len(text)
    if _SCOPED_NAMES.search(head):
        return Item(ItemKind.SCOPE, frozenset(), text, start, end)
    if bare.endswith("}") and _is_function(bare[:-1]):
        kind = ItemKind.HOST
        if "__global__" in head:
            kind = ItemKind.KERNEL
        elif "__device__" in head or "constexpr" in head:
            kind = ItemKind.DEVICE
        return Item(kind, _function_names(head), text, start, end)
    return Item(ItemKind.DECLARATION, _declared_names(bare), text, start, end)


def _function_names(head: str) -> frozenset[str]:
    """``T ns::f<3>(…)`` declares f."""
    without_template = re.sub(r"\btemplate\s*<[^{}()]*?>(?=\s*[A-Za-z_\[])", " ", head)
    names = re.findall(r"([A-Za-z_]\w*)\s*(?:<[^<>()]*>\s*)?\(", without_template)
    return frozenset(names[:1])


def _declared_names(text: str) -> frozenset[str]:
    """Types, enumerators, variables, aliases; parameters of a declared function too, which does no harm."""
    types = frozenset(_TYPE_NAME.findall(text))
    enumerators = words_in_code(text) if re.match(r"\s*(?:typedef\s+)?enum\b", text) else frozenset[str]()
    outside = re.sub(r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}", " { ", text)
    return (types | enumerators | frozenset(_VARIABLE.findall(outside))) - _NO_NAMES
