"""Pointers that an edit newly promises to be apart: ``__restrict__`` that the original had not. Pure, text alone.

Example::

    new_promises(kernel_of_a, kernel_of_b, body_of_b)   # (("y", "x"),) where b writes through y
"""

from __future__ import annotations

from itertools import combinations

from assistant.cuda.accesses import Use, uses_of
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.source import Kernel, Parameter

__all__ = ["new_promises"]


def new_promises(before: Kernel, after: Kernel, tree: SyntaxTree, body: Node) -> tuple[tuple[str, str], ...]:
    """Pairs of B's pointers of which one is newly ``__restrict__`` and one may be written through; ``body``: of B's kernel in ``tree``.

    What is only read may overlap whatever is promised (C11 6.7.3.1; CUDA C++ Programming Guide, "__restrict__").
    """
    is_alike = len(before.parameters) == len(after.parameters)
    old_names = {new.name: old.name for old, new in zip(before.parameters, after.parameters, strict=False)} if is_alike else {}
    promised = {parameter.name for parameter in before.parameters if parameter.is_restrict}
    pointers = [parameter for parameter in after.parameters if parameter.is_pointer and parameter.name]
    found: list[tuple[str, str]] = []
    for first, second in combinations(pointers, 2):
        is_promised = first.is_restrict or second.is_restrict
        was_promised = not promised.isdisjoint(old_names.get(each.name, each.name) for each in (first, second))
        if is_promised and not was_promised and any(_may_write(each, tree, body) for each in (first, second)):
            found.append((first.name, second.name))
    return tuple(found)


def _may_write(parameter: Parameter, tree: SyntaxTree, body: Node) -> bool:
    return not parameter.is_const and any(use.kind is not Use.READ for use in uses_of(tree, body, parameter.name))
