"""The structs that a file's kernels may be passed, wherever in the program they are declared.

Example::

    with_structs_of(kernels, (types_header, main))     # the text of kernels.cu, and after it those that declare further structs
"""

from __future__ import annotations

from functools import lru_cache

from assistant.cuda.structs import PACKING, struct_names
from assistant.cuda.syntax import KEPT_ANSWERS, SyntaxTree

__all__ = ["with_structs_of"]

_KINDS = ("struct_specifier", "class_specifier")


@lru_cache(maxsize=KEPT_ANSWERS)
def with_structs_of(text: str, others: tuple[str, ...]) -> str:
    """``text`` and those of ``others`` that declare structs whose names it does not have: its own are the ones that it means.

    A text that packs structs is left out: how it does so shows nowhere but around them.
    """
    known, parts = set(_declared(text)), [text]
    for other in others:
        names = _declared(other)
        if names and not names & known and PACKING.search(other) is None:
            known |= names
            parts.append(other)
    return "\n".join(parts)


@lru_cache(maxsize=KEPT_ANSWERS)
def _declared(text: str) -> frozenset[str]:
    """Names of the structs that a text lays out; templates by theirs."""
    if "struct" not in text and "class" not in text:
        return frozenset()
    tree = SyntaxTree(text)
    found = [node for node in tree.find(*_KINDS) if node.child_by_field_name("body") is not None]
    tags = (tree.text(tag) for node in found if (tag := node.child_by_field_name("name")) is not None)
    return frozenset((*tags, *(name for node in found for name in struct_names(node))))
