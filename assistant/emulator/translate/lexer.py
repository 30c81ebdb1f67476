"""CUDA C++ text becomes tokens with offsets; knows nothing of grammar.

Comments and blanks are dropped; a preprocessor directive is one token. ``lex("a<<<1, 2>>>(b); // x")`` gives
``a <<< 1 , 2 >>> ( b ) ;``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from assistant.record import Record

_TOKEN = re.compile(
    r"""
  (?P<directive>^[ \t]*\#(?:\\\r?\n|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|//(?:\\\r?\n|[^\n])*|/\*.*?\*/|[^\n\\]|\\)*)
 |(?P<blank>\s+|\\\r?\n|//(?:\\\r?\n|[^\n])*|/\*.*?\*/)
 |(?P<string>(?:u8|[uUL])?R"(?P<fence>[^()\s\\"]{0,16})\(.*?\)(?P=fence)"|(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"
    |(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
 |(?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
 |(?P<name>[^\W\d]\w*)
 |(?P<symbol><<<|>>>|::|\.\.\.|->\*?|<<=|>>=|<=>|\+\+|--|&&|\|\||\#\#|[-+*/%&|^!=<>]=|<<|>>|.)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w+)")
_DEFINE = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)(\(([^)]*)\))?")


class Kind(StrEnum):
    NAME = "name"
    NUMBER = "number"
    STRING = "string"
    """A string or character literal."""
    SYMBOL = "symbol"
    DIRECTIVE = "directive"
    """A whole preprocessor line, continuations included."""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text at ``[start, end)``."""

    kind: Kind
    text: str
    start: int
    end: int


class Macro(Record):
    """One ``#define``: its name, parameters (None for an object-like one) and the tokens of its body."""

    name: str
    parameters: tuple[str, ...] | None
    body: tuple[Token, ...]


def lex(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """The tokens of ``text[start:end]``, in order, offsets counted from the start of ``text``."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        group = match.lastgroup
        if group == "fence":
            group = "string"
        if group != "blank" and group is not None:
            tokens.append(Token(Kind(group), match.group(), match.start(), match.end()))
    return tokens


def directive_name(token: Token) -> str:
    """``include`` of ``#include <x>``; empty for a lone ``#``."""
    match = _DIRECTIVE.match(token.text)
    return match.group(1) if match else ""


def macro_of(token: Token, text: str) -> Macro | None:
    """The macro that a directive defines; None when it is no ``#define``."""
    match = _DEFINE.match(token.text)
    if match is None:
        return None
    body = lex(text, token.start + match.end(), token.end)
    # A body cannot hold directives; a line that begins with the stringising operator lexes as one.
    if any(t.kind is Kind.DIRECTIVE for t in body):
        body = []
    parameters = None
    if match.group(2) is not None:
        names = (p.strip() for p in match.group(3).replace("\\\n", " ").split(","))
        parameters = tuple("__VA_ARGS__" if p == "..." else p.removesuffix("...").strip() for p in names if p)
    return Macro(match.group(1), parameters, tuple(body))


def without_disabled(tokens: list[Token]) -> list[Token]:
    """The tokens less what stands in ``#if 0`` branches; the directives themselves stay."""
    kept: list[Token] = []
    disabled_depth = 0
    depth = 0
    for token in tokens:
        name = directive_name(token) if token.kind is Kind.DIRECTIVE else ""
        if name in ("if", "ifdef", "ifndef"):
            depth += 1
            if not disabled_depth and re.fullmatch(r"[ \t]*#[ \t]*if[ \t]+0\s*(//.*|/\*.*)?", token.text.rstrip(), re.DOTALL):
                disabled_depth = depth
                kept.append(token)
                continue
        ends_branch = disabled_depth == depth and name in ("else", "elif", "endif")
        if name == "endif":
            depth -= 1
        if ends_branch:
            disabled_depth = 0
        if not disabled_depth:
            kept.append(token)
    return kept
