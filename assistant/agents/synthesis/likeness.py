"""How alike two Python texts are by their syntax trees, and which drawn operators are too near to a benchmark's. Pure.

Example::

    likeness("y = torch.exp(x)", "z = torch.exp(a)")     # 1.0: names of values do not count
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher

from assistant.python_text import parse_module
from assistant.record import Record

__all__ = ["MOST_LIKENESS", "TooLike", "likeness", "too_like"]

MOST_LIKENESS = 0.9
"""Above it, an operator counts as the benchmark's (chosen: a chain that differs in one function of five is below)."""
_FORWARD = "forward"


class TooLike(Record):
    """A drawn operator that is left out."""

    name: str
    other: str
    ratio: float


def likeness(text: str, other: str) -> float:
    """0..1, of what ``forward`` does, or of the whole text where neither has one."""
    return _ratio(_words(text), _words(other))


def too_like(name: str, text: str, others: Mapping[str, str]) -> TooLike | None:
    """The most alike of the others, where that is more than `MOST_LIKENESS` or has the same name; None: there is none."""
    if name in others:
        return TooLike(name, name, 1.0)
    words = _words(text)
    ranked = [(_ratio(words, _words(other)), title) for title, other in others.items()]
    ratio, title = max(ranked, default=(0.0, ""))
    return TooLike(name, title, round(ratio, 3)) if ratio > MOST_LIKENESS else None


def _ratio(words: list[str], others: list[str]) -> float:
    matcher = SequenceMatcher(None, words, others, autojunk=False)
    return 0.0 if matcher.real_quick_ratio() <= MOST_LIKENESS / 2 else matcher.ratio()


def _words(text: str) -> list[str]:
    try:
        tree = parse_module(text)
    except (SyntaxError, ValueError):
        return []
    forwards = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == _FORWARD]
    return [word for node in forwards or [tree] for word in _of(node)]


def _of(node: ast.AST) -> Iterator[str]:
    """Kinds of nodes in order, with names of functions and attributes, without names of values."""
    if isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Constant):
        yield type(node.value).__name__
    elif not isinstance(node, ast.Load | ast.Store | ast.Name | ast.arg):
        yield type(node).__name__
    for child in ast.iter_child_nodes(node):
        yield from _of(child)
