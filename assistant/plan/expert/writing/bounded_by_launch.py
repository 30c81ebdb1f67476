"""A kernel that checks no bounds, with the check that lets through just what its launches have threads for.

An edit that gives threads more elements needs it, as blocks no longer end where the elements do. Example::

    bounded_by_launch(context, block)   # … if (row >= n / TILE * TILE || col >= n / TILE * TILE) return; …
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from assistant.cuda.files import line_end
from assistant.cuda.functions import enclosing_function
from assistant.cuda.names import free_name
from assistant.cuda.syntax import Node
from assistant.cuda.variables import declared_variables
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.element_kernel import Position, position_of
from assistant.plan.expert.analysis.launched_extents import launched_extent
from assistant.plan.expert.analysis.thread_dependence import thread_axes
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.style import style_of
from assistant.plan.expert.writing.untiled import with_body

__all__ = ["bounded_by_launch"]

_WORD = re.compile(r"\w+")


def bounded_by_launch(context: TransformationContext, block: Dim3) -> TransformationContext | Obstacle:
    """The same question about the kernel with a bounds check behind the declarations of row and column."""
    positions: dict[str, Position] = {}
    place: Node | None = None
    for statement in (n for n in context.body.named_children if n.type == "declaration"):
        for position in _positions(context, block, statement):
            positions.setdefault(position.axis, position)
            place = statement
    unknown = Obstacle(DeclineReason.NO_BOUNDS_CHECK, "the kernel compares neither its row nor its column with a bound")
    if place is None or positions.keys() != {"x", "y"}:
        return unknown
    extents: dict[str, str] = {}
    for axis, size in (("y", block.y), ("x", block.x)):
        extent = launched_extent(context, axis, size)
        if isinstance(extent, Obstacle):
            return extent
        extents[axis] = extent
    body = _checked(context, positions, extents, context.tree.span(place).end)
    added = body.count("\n") - context.tree.text(context.body).count("\n")
    return with_body(context, body, context.line + added) or unknown


def _checked(context: TransformationContext, positions: Mapping[str, Position], extents: Mapping[str, str], place: int) -> str:
    """The kernel's body with the check, and with names for what is more than one word."""
    body = context.tree.span(context.body)
    line = line_end(context.text) + style_of(context).indent
    rest = context.text[place : body.end]
    names, added = dict[str, str](), ""
    for axis, word in (("y", "rows"), ("x", "columns")):
        extent = extents[axis]
        if extent not in names and _WORD.fullmatch(extent) is None:
            wanted = ("whole",) if len({*extents.values()}) == 1 else (f"whole_{word}",)
            names[extent] = free_name(context.tree, context.body, *wanted)
            added += f"{line}const {positions[axis].type} {names[extent]} = {extent};"
            rest = rest.replace(extent, names[extent])
    leaving = " || ".join(f"{positions[axis].name} >= {names.get(extents[axis], extents[axis])}" for axis in "yx")
    return f"{context.text[body.start : place]}{added}{line}if ({leaving}) return;{rest}"


def _positions(context: TransformationContext, block: Dim3, declaration: Node) -> list[Position]:
    function = enclosing_function(context.tree, declaration)
    if function is None:
        return []
    variables = [v for v in declared_variables(context.tree, declaration) if v.value is not None]
    found = (position_of(context, block, v, thread_axes(context.tree, function, v.value)) for v in variables if v.value is not None)
    return [position for position in found if position is not None]
