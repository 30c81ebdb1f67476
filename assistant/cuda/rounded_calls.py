"""Calls of a program's own rounded-up division: a macro or a function of the program that does what ``(n + size - 1) / size`` does.

Example::

    rounded_call(tree, "DIVUP(rows, 48)")      # RoundedCall("DIVUP", "rows", "48") with `#define DIVUP(a, b) (((a) + (b) - 1) / (b))`
"""

from __future__ import annotations

import re

from assistant.cuda.functions import functions
from assistant.cuda.macro_expansion import expanded, macro_table
from assistant.cuda.macros import conditional_macros, macro_text
from assistant.cuda.reading import matching_close, split_arguments
from assistant.cuda.syntax import SyntaxTree
from assistant.record import Record

__all__ = ["RoundedCall", "rounded_call"]

_CALL = re.compile(r"([A-Za-z_]\w*)\s*\(")
_TOTAL, _SIZE = "total_", "size_"
_ROUNDED = frozenset({f"({_TOTAL}+{_SIZE}-1)/{_SIZE}", f"({_TOTAL}+({_SIZE}-1))/{_SIZE}", f"({_TOTAL}-1)/{_SIZE}+1"})
_NEEDLESS = re.compile(r"(?<!\w)\((\w+)\)")
_RETURNED = re.compile(r"\{\s*return\b(.+?);\s*\}", re.DOTALL)


class RoundedCall(Record):
    """What such a call is given."""

    name: str
    total: str
    size: str


def rounded_call(tree: SyntaxTree, text: str) -> RoundedCall | None:
    """None where the text is anything else than one such call."""
    text = text.strip()
    found = _CALL.match(text)
    if found is None or matching_close(text, found.end() - 1) != len(text) - 1:
        return None
    given = tuple(each.strip() for each in split_arguments(text[found.end() : -1]))
    if len(given) != 2 or _plain(_definition(tree, found[1])) not in _ROUNDED:
        return None
    return RoundedCall(found[1], *given)


def _definition(tree: SyntaxTree, name: str) -> str:
    """What it makes of `_TOTAL` and `_SIZE`; empty where the text does not say."""
    macros = macro_table(tree.outer_text, tree.source)
    if name in macros:
        is_certain = macro_text(tree, name) is not None and name not in conditional_macros(tree)
        return expanded(f"{name}({_TOTAL}, {_SIZE})", macros) if is_certain else ""
    named = [each for each in functions(tree) if each.name == name]
    returned = _RETURNED.fullmatch(tree.text(named[0].body)) if len(named) == 1 else None
    if returned is None or len(named[0].parameters) != 2:
        return ""
    words = {parameter.name: word for parameter, word in zip(named[0].parameters, (_TOTAL, _SIZE), strict=True)}
    return re.sub(r"[A-Za-z_]\w*", lambda word: words.get(word[0], word[0]), returned[1])


def _plain(text: str) -> str:
    """Without blanks, and parentheses that change nothing."""
    text = "".join(text.split())
    while (less := _NEEDLESS.sub(r"\1", text)) != text:
        text = less
    while text.startswith("(") and matching_close(text, 0) == len(text) - 1:
        text = text[1:-1]
    return text
