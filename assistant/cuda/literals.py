"""Number literals: which are double, and where they stand in a text or a tree.

Example::

    [tree.text(node) for node in double_literals(tree, body)]   # ['2.0', '1e-3']
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.tokens import tokens

__all__ = [
    "double_literals",
    "floating_value",
    "integer_value",
    "is_double_literal",
    "is_literal",
    "is_literal_of",
    "is_made_of_numbers",
    "numbers_in",
]

_DOUBLE = re.compile(r"[-+]?(?:\d[\d']*\.[\d']*|\.\d[\d']*|\d[\d']*(?=[eE]))(?:[eE][-+]?\d+)?")
"""A decimal floating literal without ``f``, ``l`` or another suffix has type double (C++17, [lex.fcon])."""
_NUMBER = re.compile(r"(?<![\w.])(?:\d[\w.']*(?:(?<=[eE])[-+]\d+)?|\.\d[\w']*(?:(?<=[eE])[-+]\d+)?)")
_INTEGER = re.compile(r"([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9]\d*)(?:[uU]?[lL]{0,2}|[lL]{1,2}[uU])", re.ASCII)
_FLOATING = re.compile(r"(\d+\.\d*|\.\d+|\d+(?=[fF]))[fFlL]?")
_FLOATING_VALUE = re.compile(r"([-+]?(?:\d[\d']*\.[\d']*|\.\d[\d']*|\d[\d']*(?=[eE]))(?:[eE][-+]?\d+)?)[fFlL]?")
_LETTER = re.compile(r"[A-Za-z_]")


def is_double_literal(text: str) -> bool:
    """True for ``0.5``, ``1.``, ``2e-3``; false for ``0.5f``, ``3``, ``1.0L``."""
    return _DOUBLE.fullmatch(text) is not None


def is_literal(text: str) -> bool:
    """True for a number, ``true`` or ``false``, perhaps with a sign and a cast: ``-1.0f``, ``(half)0``."""
    found = [token.text for token in tokens(text)]
    first = int(found[:1] in (["-"], ["+"]))
    first += 3 if found[first : first + 1] == ["("] and found[first + 2 : first + 3] == [")"] else 0
    return len(found) == first + 1 and (found[first] in ("true", "false") or found[first].lstrip(".")[:1].isdigit())


def is_literal_of(text: str, value: int) -> bool:
    """True where the text is a literal of this integer value, floating ones included: ``0``, ``0.f``, ``0u`` for 0."""
    floating = _FLOATING.fullmatch(text.strip())
    return integer_value(text.strip()) == value or (floating is not None and float(floating[1]) == value)


def integer_value(text: str) -> int | None:
    """The value of an integer literal, digit separators and suffix included, perhaps with a sign; None for anything else."""
    match = _INTEGER.fullmatch(text.replace("'", ""))
    if match is None:
        return None
    digits = match[2]
    is_octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
    value = int(digits, 8) if is_octal else int(digits, 0)
    return -value if match[1] == "-" else value


def floating_value(text: str) -> float | None:
    """The value of a floating literal in decimal, perhaps with a sign: 0.5 of ``0.5f``; None for anything else."""
    match = _FLOATING_VALUE.fullmatch(text.strip())
    return None if match is None else float(match[1].replace("'", ""))


def double_literals(tree: SyntaxTree, inside: Node) -> tuple[Node, ...]:
    """Literals of type double, in source order."""
    return tuple(node for node in tree.find("number_literal", inside=inside) if is_double_literal(tree.text(node)))


def numbers_in(text: str, start: int = 0, end: int | None = None) -> Iterator[re.Match[str]]:
    """The number literals of a piece of source text, in order."""
    return _NUMBER.finditer(text, start, len(text) if end is None else end)


def is_made_of_numbers(text: str) -> bool:
    """Only numbers, operators and parentheses, and at least one number."""
    return _NUMBER.search(text) is not None and _LETTER.search(_NUMBER.sub("", text)) is None
