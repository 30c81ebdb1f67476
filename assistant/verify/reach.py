"""What a kernel's meaning rests on in its text: its own definition and every helper, constant, type and macro that it names.

Found over text, and wide where text cannot tell: a declaration counts as used when any name it declares is mentioned. Where braces do
not balance (``#if`` around half a function) everything is in reach.

Example::

    reach(items(uncommented(text)), ("blur",))    # the items of blur, of clamp(), which it calls, and of RADIUS
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum

from assistant.record import Record
from assistant.verify.device_words import KEYWORDS
from assistant.verify.text import kept

__all__ = ["Item", "ItemKind", "items", "only", "reach", "words_of"]

_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w+)(?:\\\n|[^\n])*")
_SCOPE = re.compile(r"\s*(?:inline\s+)?(?:namespace\b[^;={}]*|extern\s*\"[^\"]*\"\s*)\{")
_WORD = re.compile(r"[A-Za-z_]\w*")
_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'')
_PARTED_NUMBER = re.compile(r"(?<![\w.'])\.?\d(?:[\w.]|[eEpP][-+])*(?:'[\w.]+)+")
"""``1'000'000``: its quotes begin no literal."""
_ATTRIBUTE = re.compile(
    r"\b(?:__launch_bounds__|__align__|alignas|__attribute__|__declspec|decltype|__cluster_dims__)\s*\((?:[^()]|\([^()]*\))*\)"
)
_TYPE_NAME = re.compile(r"\b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+([A-Za-z_]\w*)")
_SCOPED_NAMES = re.compile(r"\busing\s+namespace\b|^\s*namespace\s+\w+\s*=")
_VARIABLE = re.compile(r"([A-Za-z_]\w*)\s*(?=[=\[;,{(]|$)")
_OPERATOR = re.compile(r"\boperator\b")
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
        return self.kind is ItemKind.SCOPE or (self.kind is not ItemKind.MACRO and bool(_OPERATOR.search(self.text.partition("{")[0])))


def items(code: str) -> tuple[Item, ...] | None:
    """Everything at file and namespace scope of code without comments, in order; None where its braces do not balance."""
    found = list[Item]()
    position = 0
    code = _PARTED_NUMBER.sub(lambda match: match[0].replace("'", "_"), code)
    while True:
        position = _skip_space(code, position)
        if position >= len(code):
            return tuple(found)
        directive = _DIRECTIVE.match(code, position)
        scope = _SCOPE.match(code, position)
        if directive is not None:
            found.append(_directive(directive))
            position = directive.end()
        elif scope is not None:
            position = scope.end()
        elif code[position] in "};":
            position += 1
        else:
            end = _end_of_item(code, position)
            if end is None:
                return None
            found.append(_item(code[position:end], position))
            position = end


def reach(found: Iterable[Item], names: Iterable[str], skipped: frozenset[ItemKind] = frozenset()) -> tuple[Item, ...]:
    """Items that declare one of ``names``, and all that these name in turn; those of the ``skipped`` kinds are not entered."""
    open_items = [item for item in found if item.kind not in skipped]
    waiting = set(names)
    reached = [item for item in open_items if item.is_everywhere]
    waiting |= {word for item in reached for word in words_of(item.text)}
    left = [item for item in open_items if not item.is_everywhere and item.kind is not ItemKind.INCLUDE]
    while waiting:
        hit = [item for item in left if item.names & waiting]
        left = [item for item in left if not item.names & waiting]
        reached += hit
        waiting = {word for item in hit for word in words_of(item.text)}
    return tuple(sorted(reached, key=lambda item: item.start))


def only(code: str, found: Iterable[Item]) -> str:
    """``code`` with everything but the given items as spaces; offsets and lines stay."""
    return kept(code, ((item.start, item.end) for item in found))


def words_of(text: str) -> frozenset[str]:
    """Names in code, not those in strings."""
    return frozenset(_WORD.findall(_LITERAL.sub(" ", text)))


def _skip_space(code: str, position: int) -> int:
    while position < len(code) and code[position].isspace():
        position += 1
    return position


def _directive(match: re.Match[str]) -> Item:
    text, word = match[0], match[1]
    if word == "define":
        name = re.match(r"[ \t]*#[ \t]*define[ \t]+(\w+)", text)
        return Item(ItemKind.MACRO, frozenset(() if name is None else (name[1],)), text, match.start(), match.end())
    is_plain = word == "include" and "<" in text
    kind = ItemKind.INCLUDE if is_plain or (word == "pragma" and "once" in text) else ItemKind.SCOPE
    return Item(kind, frozenset(), text, match.start(), match.end())


def _end_of_item(code: str, start: int) -> int | None:
    """The offset behind the item's ``;`` or closing ``}``; None where brackets do not balance."""
    depth, position, has_body = 0, start, False
    while position < len(code):
        character = code[position]
        if character in "\"'":
            literal = _LITERAL.match(code, position)
            position = position + 1 if literal is None else literal.end()
            continue
        if character in "({[":
            depth += 1
            has_body |= character == "{" and depth == 1
        elif character in ")}]":
            depth -= 1
            if depth < 0:
                return None
            if depth == 0 and character == "}" and _is_function(code[start:position]):
                return position + 1
        elif character == ";" and depth == 0:
            return position + 1
        position += 1
    return len(code) if depth == 0 else None


def _is_function(text: str) -> bool:
    """Whether the item that ends with this closing brace needs no semicolon: ``f(…) {…``, not ``struct s {…`` or ``int a[] = {…``."""
    head = _ATTRIBUTE.sub(" ", text.partition("{")[0])
    return "(" in head and "=" not in re.sub(r"operator\s*[^\s(]+|<[^<>]*>|\([^()]*\)", " ", head)


def _item(text: str, start: int) -> Item:
    head = _ATTRIBUTE.sub(" ", text.partition("{")[0])
    end = start + len(text)
    if _SCOPED_NAMES.search(head):
        return Item(ItemKind.SCOPE, frozenset(), text, start, end)
    if text.endswith("}") and _is_function(text[:-1]):
        kind = ItemKind.HOST
        if "__global__" in head:
            kind = ItemKind.KERNEL
        elif "__device__" in head or "constexpr" in head:
            kind = ItemKind.DEVICE
        return Item(kind, _function_names(head), text, start, end)
    return Item(ItemKind.DECLARATION, _declared_names(text), text, start, end)


def _function_names(head: str) -> frozenset[str]:
    """``T ns::f<3>(…)`` declares f."""
    without_template = re.sub(r"\btemplate\s*<[^{}()]*?>(?=\s*[A-Za-z_\[])", " ", head)
    names = re.findall(r"([A-Za-z_]\w*)\s*(?:<[^<>()]*>\s*)?\(", without_template)
    return frozenset(names[:1])


def _declared_names(text: str) -> frozenset[str]:
    """Types, enumerators, variables, aliases; parameters of a declared function too, which does no harm."""
    types = frozenset(_TYPE_NAME.findall(text))
    enumerators = words_of(text) if re.match(r"\s*(?:typedef\s+)?enum\b", text) else frozenset[str]()
    outside = re.sub(r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}", " { ", text)
    return (types | enumerators | frozenset(_VARIABLE.findall(outside))) - _NO_NAMES
