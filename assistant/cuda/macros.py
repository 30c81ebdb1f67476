"""Macros of a text and what they hide: names, assignments and jumps that the syntax tree of a use does not show.

Example::

    hidden_names(tree, loop)     # {'j', 'n'} for `c[AT(i)]` with `#define AT(x) ((x) * n + j)`
    hidden_effect(tree, loop)    # 'BAIL' with `#define BAIL return`
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from assistant.cuda.builtins import is_pure
from assistant.cuda.syntax import Node, SyntaxTree, kept

__all__ = [
    "changes_something",
    "conditional_macros",
    "hidden_effect",
    "hidden_names",
    "is_guard",
    "macro_of_another_file",
    "macro_text",
    "macro_texts",
]

_CHANGES = re.compile(r"(?<![=<>!])=(?!=)|\+\+|--|;|<<=|>>=|\b(?:return|goto|break|continue|asm|for|while|if)\b")
_WORD = re.compile(r"[A-Za-z_]\w*")
_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(")


@kept
def macro_texts(tree: SyntaxTree) -> Mapping[str, tuple[str, ...]]:
    """Replacement texts of every macro, function-like ones and those of `SyntaxTree.outer` included; several where it is defined more
    than once."""
    found = {} if tree.outer is None else dict(macro_texts(tree.outer))
    for node in tree.find("preproc_def", "preproc_function_def"):
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is not None:
            text = "" if value is None else tree.text(value).strip()
            found[tree.text(name)] = (*found.get(tree.text(name), ()), text)
    return found


def macro_text(tree: SyntaxTree, name: str) -> str | None:
    """Replacement text of a macro that is defined exactly once; None for any other name."""
    texts = macro_texts(tree).get(name, ())
    return texts[0] if len(texts) == 1 else None


def macro_of_another_file(tree: SyntaxTree, line: int) -> str | None:
    """The first word of a line (1-based) that only another file of the program defines as a macro, and of which it is not certain what it
    stands for; None where there is none, or no line."""
    own, everywhere = macro_texts(tree), macro_texts(tree.program)
    words = (word for text in tree.source.split("\n")[line - 1 : line] for word in _WORD.findall(text))
    outer = frozenset[str]() if tree.outer is None else macro_texts(tree.outer).keys()
    return next((w for w in words if w in everywhere and (w not in own or (w in outer and macro_text(tree, w) is None))), None)


@kept
def conditional_macros(tree: SyntaxTree) -> frozenset[str]:
    """Macros defined under ``#if`` or ``#ifndef``, a header's guard apart: the compiler's command line may give them another value."""
    branches = ("preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif")
    found = set[str]() if tree.outer is None else set(conditional_macros(tree.outer))
    for node in tree.find("preproc_def", "preproc_function_def"):
        name = node.child_by_field_name("name")
        if name is not None and any(a.type in branches and not is_guard(tree, a) for a in tree.ancestors(node)):
            found.add(tree.text(name))
    return frozenset(found)


def is_guard(tree: SyntaxTree, condition: Node) -> bool:
    """Whether it is ``#ifndef NAME`` with ``#define NAME`` on the next line."""
    asked, first = condition.child_by_field_name("name"), next(iter(condition.named_children[1:]), None)
    if asked is None or first is None or first.type != "preproc_def" or first.child_by_field_name("value") is not None:
        return False
    name = first.child_by_field_name("name")
    return name is not None and tree.text(name) == tree.text(asked) and not tree.text(condition).startswith("#ifdef")


def changes_something(text: str) -> bool:
    """A replacement text that assigns, steps, jumps, or is made of statements."""
    return _CHANGES.search(text) is not None


def hidden_names(tree: SyntaxTree, region: Node) -> frozenset[str]:
    """Names in the replacement texts of the macros that ``region`` uses, directly or through others."""
    texts = macro_texts(tree)
    used = _used(tree, region, texts)
    return frozenset(word for name in used for text in texts[name] for word in _WORD.findall(text))


def hidden_effect(tree: SyntaxTree, region: Node) -> str | None:
    """A macro used in ``region`` that may do more than compute a value; None if there is none."""
    texts = macro_texts(tree)
    for name in sorted(_used(tree, region, texts)):
        for text in texts[name]:
            calls = (c for c in _CALL.findall(text) if c not in texts and c != "sizeof")
            if changes_something(text) or not all(is_pure(c) for c in calls):
                return name
    return None


def _used(tree: SyntaxTree, region: Node, texts: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    used: set[str] = set()
    kinds = ("identifier", "type_identifier", "field_identifier")
    waiting = [tree.text(n) for n in tree.find(*kinds, inside=region)]
    while waiting:
        name = waiting.pop()
        if name in texts and name not in used:
            used.add(name)
            waiting += [word for text in texts[name] for word in _WORD.findall(text)]
    return frozenset(used)
