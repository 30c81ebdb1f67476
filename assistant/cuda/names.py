"""Names in a piece of code: where one is mentioned, which there are, which are still free.

Example::

    [tree.line(node) for node in mentions(tree, loop, "acc")]   # [12, 14]
    fresh_name(tree, "acc")                                     # 'acc2'
"""

from __future__ import annotations

import re

from assistant.cuda.definition_search import defined_names
from assistant.cuda.macros import macro_texts
from assistant.cuda.syntax import Node, SyntaxTree

__all__ = ["free_name", "fresh_name", "mentions", "names_in", "words_in"]

_WORD = re.compile(r"[A-Za-z_]\w*")


def mentions(tree: SyntaxTree, inside: Node, name: str) -> tuple[Node, ...]:
    """Every identifier ``name`` inside a node, its declaration included; members of that name are not."""
    return tuple(node for node in tree.find("identifier", inside=inside) if tree.text(node) == name)


def names_in(tree: SyntaxTree, inside: Node) -> frozenset[str]:
    """Identifiers that a node mentions, field names excluded."""
    return frozenset(tree.text(node) for node in tree.find("identifier", inside=inside))


def words_in(text: str) -> frozenset[str]:
    """Every word of a piece of source text that may be a name, comments included."""
    return frozenset(_WORD.findall(text))


def fresh_name(tree: SyntaxTree, wanted: str) -> str:
    """``wanted``, or ``wanted2``, ``wanted3``, …: the first that stands nowhere in the text and is no macro of the program."""
    taken = words_in(tree.source) | words_in(tree.outer_text) | _defined_elsewhere(tree)
    number, name = 1, wanted
    while name in taken:
        number += 1
        name = f"{wanted}{number}"
    return name


def free_name(tree: SyntaxTree, inside: Node, *wanted: str) -> str:
    """The first of ``wanted`` that a function does not use, nor a macro of the program has; the last with a number where all are taken."""
    taken = words_in(tree.text(inside)) | macro_texts(tree).keys() | _defined_elsewhere(tree)
    free = [name for name in wanted if name not in taken]
    number = 2
    while not free:
        free = [name for name in (f"{wanted[-1]}{number}",) if name not in taken]
        number += 1
    return free[0]


def _defined_elsewhere(tree: SyntaxTree) -> frozenset[str]:
    """Macros and constants of the program's other files, whether this one includes them or not."""
    return frozenset(name for other in tree.others for name in defined_names(other.text))
