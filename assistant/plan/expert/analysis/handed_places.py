"""Places of a kernel that a call lets a helper change: by reference, or by the address of a variable.

Example::

    __device__ void add(float &sum, float *most, float x);      // called by add(total[k], &top, x[i])

    [tree.text(given) for given in referred(tree, helper, call)]                # ['total[k]']
    pointee(tree, kernel, helper, most, given)                                  # 'top', where it is used as `*most` and `most->` alone
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.calls import given_arguments
from assistant.cuda.functions import Function
from assistant.cuda.names import mentions, names_in
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import Variable, locals_of
from assistant.model.source import Span

__all__ = ["is_changeable", "is_steady", "pointee", "pointee_text", "referred"]

_PLACES = ("subscript_expression", "field_expression")
_NO_PLACES = ("call_expression", "update_expression", "assignment_expression", "pointer_expression")
_BUILT_IN = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
_CONST = re.compile(r"\bconst\b")


def is_changeable(tree: SyntaxTree, parameter: Variable) -> bool:
    """``float &sum``, which is another name of what it is given."""
    return parameter.is_reference and not _CONST.search(tree.text(parameter.node))


def referred(tree: SyntaxTree, helper: Function, call: Node) -> Iterator[Node]:
    """The arguments that the helper may change by reference."""
    for parameter, given in zip(helper.parameters, given_arguments(call), strict=True):
        if is_changeable(tree, parameter):
            yield given


def is_steady(tree: SyntaxTree, kernel: Function, helper: Function, call: Node, given: Node) -> bool:
    """The same text names the same place for as long as the helper runs: a variable, or an element at variables that it cannot change."""
    if given.type == "identifier":
        return True
    if given.type not in _PLACES or any(tree.find(*_NO_PLACES, inside=given)):
        return False
    names, own = names_in(tree, given), {parameter.name for parameter in kernel.parameters} | locals_of(tree, kernel.body).keys()
    changed = {tree.text(other) for other in referred(tree, helper, call) if other.type == "identifier"}
    return names <= own | _BUILT_IN and not names & (changed | _addressed(tree, kernel))


def pointee(tree: SyntaxTree, kernel: Function, helper: Function, parameter: Variable, given: Node) -> str | None:
    """``sum`` of ``&sum`` for a pointer by which the helper reaches that variable alone; None for all else."""
    inner = given.child_by_field_name("argument") if given.type == "pointer_expression" and tree.text(given).startswith("&") else None
    if inner is None or inner.type != "identifier" or parameter.indirection != 1 or parameter.is_volatile:
        return None
    declared = locals_of(tree, kernel.body).get(tree.text(inner), ())
    is_one = len(declared) == 1 and declared[0].type == parameter.type and declared[0].indirection == 0 and not declared[0].is_array
    is_local = is_one and not declared[0].is_shared and not declared[0].is_reference
    uses = mentions(tree, helper.body, parameter.name)
    is_only = all(use.parent is not None and _is_followed(tree, use) for use in uses)
    return tree.text(inner) if is_local and is_only and parameter.name not in locals_of(tree, helper.body) else None


def pointee_text(tree: SyntaxTree, use: Node, place: str) -> tuple[Span, str]:
    """What is replaced around the mention ``most``, and by what: ``*most`` with the parentheses that only ``*`` needs, ``most->``."""
    arrow = _arrow(use)
    if arrow is not None:
        return Span(tree.span(use).start, tree.span(arrow).end), f"{place}."
    around = use.parent or use
    above = around.parent
    is_wrapped = above is not None and above.type == "parenthesized_expression" and _is_base(above)
    return tree.span(above if is_wrapped and above is not None else around), place


def _is_base(node: Node) -> bool:
    """``(*p)`` of ``(*p).x`` and ``(*p)++``."""
    return node.parent is not None and node.parent.type in ("field_expression", "update_expression")


def _arrow(use: Node) -> Node | None:
    """That of ``p->x`` at its ``p``."""
    parent = use.parent
    if parent is None or parent.type != "field_expression" or parent.child_by_field_name("argument") != use:
        return None
    return next((child for child in parent.children if child.type == "->"), None)


def _is_followed(tree: SyntaxTree, use: Node) -> bool:
    if _arrow(use) is not None:
        return True
    return use.parent is not None and use.parent.type == "pointer_expression" and tree.text(use.parent).startswith("*")


def _addressed(tree: SyntaxTree, function: Function) -> frozenset[str]:
    """Variables whose address is taken somewhere."""
    taken = (each.child_by_field_name("argument") for each in tree.find("pointer_expression", inside=function.body))
    named = (each for each in taken if each is not None and each.type == "identifier")
    return frozenset(tree.text(each) for each in named if each.parent is not None and tree.text(each.parent).startswith("&"))
