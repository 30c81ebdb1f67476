"""A kernel whose pointers into an array are written out as indices of the array, for rules that read those.

Example::

    const int *above = score + (i - 1) * w;      //
    best = above[j - 1];                         // best = score[(i - 1) * w + j - 1];
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.accesses import array_accesses
from assistant.cuda.assignments import changed_names
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.names import mentions
from assistant.cuda.syntax import binary_parts, unparenthesized
from assistant.cuda.variables import Variable, declared_variables, locals_of
from assistant.model.source import TextEdit
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import without_line

__all__ = ["written_rows"]

_SUM = re.compile(r"[\w\s.+*/()-]*")
"""What another number can be added to without parentheses."""


def written_rows(context: TransformationContext) -> tuple[TextEdit, ...]:
    """Edits of the kernel; none where it has no pointer that only ever points to one place of an array it is passed."""
    function = enclosing_function(context.tree, context.body)
    if function is None:
        return ()
    changed = changed_names(context.tree, context.body)
    found = [each[0] for each in locals_of(context.tree, context.body).values() if len(each) == 1 and each[0].name not in changed]
    return tuple(sorted(edit for variable in found for edit in _edits(context, function, variable)))


def _edits(context: TransformationContext, function: Function, variable: Variable) -> Iterator[TextEdit]:
    tree, body = context.tree, context.body
    place = _place(context, function, variable)
    is_alone = len(tuple(declared_variables(tree, variable.node))) == 1
    if place is None or not is_alone:
        return
    array, offset = place
    accesses = [a for a in array_accesses(tree, body) if a.base == variable.name and len(a.indices) == 1]
    mentioned = [node for node in mentions(tree, body, variable.name) if node.parent is not None]
    if len(accesses) != sum("declarator" not in node.parent.type for node in mentioned if node.parent is not None):
        return
    yield without_line(context.text, tree.span(variable.node))
    for access in accesses:
        terms = (offset, tree.text(access.indices[0]))
        index = " + ".join(term if _SUM.fullmatch(term) else f"({term})" for term in terms)
        yield TextEdit(tree.span(access.node), f"{array}[{index}]")


def _place(context: TransformationContext, function: Function, variable: Variable) -> tuple[str, str] | None:
    """(array, index) of the ``array + index`` or ``&array[index]`` that a pointer is declared as."""
    tree = context.tree
    value = None if variable.value is None or variable.indirection != 1 else unparenthesized(variable.value)
    if value is None:
        return None
    if value.type == "pointer_expression" and tree.text(value).startswith("&"):
        access = next(iter(array_accesses(tree, value)), None)
        is_plain = access is not None and len(access.indices) == 1 and _is_passed(function, access.base)
        return (access.base, tree.text(access.indices[0])) if access is not None and is_plain else None
    parts, first = binary_parts(value), value
    while parts is not None and parts[0] in ("+", "-") and (inner := binary_parts(parts[1])) is not None:
        parts, first = inner, parts[1]
    if parts is None or parts[0] != "+" or not _is_passed(function, tree.text(parts[1])):
        return None
    start = tree.span(parts[2]).start if first == value or tree.span(first).start == tree.span(value).start else None
    return None if start is None else (tree.text(parts[1]), context.text[start : tree.span(value).end])


def _is_passed(function: Function, name: str) -> bool:
    parameter = function.parameter(name)
    return parameter is not None and parameter.indirection == 1
