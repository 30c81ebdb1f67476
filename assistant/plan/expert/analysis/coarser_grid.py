"""Launches with fewer blocks, each of which does the work of several: the edits of every grid in the program.

Example::

    coarser_grid(context, {"x": 4, "y": 4})   # (n + 15) / 16 becomes (n + 63) / 64, in x and y
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from assistant.cuda.launch_shape import Launch
from assistant.cuda.syntax import node_text
from assistant.model.plan import DeclineReason
from assistant.model.source import TextEdit
from assistant.plan.expert.analysis.kernel_launches import launches_of, of_program
from assistant.plan.expert.analysis.launch_variables import is_dim3_parameter, is_only_used_here
from assistant.plan.expert.analysis.workload_block import DeclaredShape, declared_shapes
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["coarser_grid"]

_CEILING = re.compile(r"\(\s*(?P<total>.+?)\s*\+\s*(?P<less>\w+)(?P<minus>\s*-\s*1)?\s*\)\s*/\s*(?P<size>\w+)", re.DOTALL)
"""``(n + 15) / 16`` and ``(n + BLOCK - 1) / BLOCK``."""
_SIMPLE = re.compile(r"[\w.]+|\([^()]*\)|\w+\([^()]*\)")


def coarser_grid(context: TransformationContext, factors: Mapping[str, int]) -> tuple[TextEdit, ...] | Obstacle:
    """Edits that divide the grid of every launch by ``factors``, rounded up; why not where a grid is out of sight."""
    program = of_program(context)
    edits: set[TextEdit] = set()
    for launch in launches_of(program):
        found = _launch_edits(program, launch, factors)
        if isinstance(found, Obstacle):
            return found
        edits.update(found)
    for shape in declared_shapes(context):
        found = _declared_edits(shape, factors)
        if isinstance(found, Obstacle):
            return found
        edits.update(found)
    return tuple(sorted(edits))


def _launch_edits(program: TransformationContext, launch: Launch, factors: Mapping[str, int]) -> tuple[TextEdit, ...] | Obstacle:
    tree, shape = program.tree, launch.grid
    is_written_here = shape.variable is None and bool(shape.components)
    if is_written_here or is_only_used_here(program, launch, shape):
        return tuple(
            TextEdit(tree.span(node), _divided(node_text(node), factors[axis]))
            for node, axis in zip(shape.components, "xyz", strict=False)
            if factors.get(axis, 1) > 1
        )
    if shape.variable is None and not is_dim3_parameter(launch, shape):
        place = tree.place(launch.site.span)
        return Obstacle(DeclineReason.LAUNCH_FORM, f"the grid of the launch on {place} is made elsewhere")
    name = node_text(shape.expression)
    parts = [_divided(f"{name}.{axis}", factors[axis]) if factors.get(axis, 1) > 1 else f"{name}.{axis}" for axis in "xyz"]
    return (TextEdit(tree.span(shape.expression), f"dim3({', '.join(parts)})"),)


def _divided(text: str, factor: int) -> str:
    """The number of blocks, each ``factor`` times as large."""
    found = _CEILING.fullmatch(text.strip())
    if found is not None and found["minus"] is None and found["less"].isdigit() and found["size"].isdigit():
        size = int(found["size"])
        if int(found["less"]) == size - 1:
            return f"({found['total']} + {size * factor - 1}) / {size * factor}"
    if found is not None and found["minus"] is not None and found["less"] == found["size"]:
        size = found["size"]
        if size.isdigit():
            return f"({found['total']} + {int(size) * factor - 1}) / {int(size) * factor}"
        return f"({found['total']} + {factor} * {size} - 1) / ({factor} * {size})"
    if text.strip().isdigit():
        return str(-(-int(text) // factor))
    inner = text.strip() if _SIMPLE.fullmatch(text.strip()) else f"({text.strip()})"
    return f"({inner} + {factor - 1}) / {factor}"


def _declared_edits(shape: DeclaredShape, factors: Mapping[str, int]) -> tuple[TextEdit, ...] | Obstacle:
    edits: list[TextEdit] = []
    for item, axis in zip(shape.grid, "xyz", strict=False):
        factor, text = factors.get(axis, 1), item.text
        if factor > 1:
            new = f'"ceil({text[1:-1]} / {factor})"' if text.startswith('"') else str(-(-int(text) // factor)) if text.isdigit() else None
            if new is None:
                return Obstacle(
                    DeclineReason.LAUNCH_FORM, f"the workload {shape.name} declares a grid that is no list of numbers and texts"
                )
            edits.append(TextEdit(item.span, new))
    return tuple(edits) if shape.grid else Obstacle(DeclineReason.LAUNCH_FORM, f"the workload {shape.name} declares no grid in this form")
