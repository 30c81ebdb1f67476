"""Launches with fewer blocks that do more each, or more blocks that do less each: the edits of every grid in the program.

Example::

    deeper_grid(context, "y", 64)             # (n + 255) / 256 becomes dim3((n + 255) / 256, 64)
    thinner_grid(context, "z", "channels", 4) # images * channels becomes images * ((channels + 3) / 4)

    coarser_grid(context, {"x": 4, "y": 4})   # (n + 15) / 16 becomes (n + 63) / 64, in x and y
    finer_grid(context, 32)                   # (n + 255) / 256 becomes (n + 7) / 8
    free_axis(context)                        # "y", along which a flat kernel has one block
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from assistant.cuda.assignments import assignments
from assistant.cuda.launch_shape import Launch
from assistant.cuda.names import names_in
from assistant.cuda.rounded_calls import rounded_call
from assistant.cuda.syntax import Node, SyntaxTree, node_text
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.kernel_launches import launches_of, of_program
from assistant.plan.expert.analysis.launch_variables import is_count_parameter, is_dim3_parameter, is_only_used_here
from assistant.plan.expert.analysis.workload_block import DeclaredShape, declared_shapes
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["GRID_ELSEWHERE", "coarser_grid", "deeper_grid", "finer_grid", "free_axis", "thinner_grid"]

_BUILTINS = ("threadIdx", "blockIdx", "blockDim", "gridDim")

_CEILING = re.compile(r"\(\s*(?P<total>.+?)\s*\+\s*(?P<less>[\w.]+)(?P<minus>\s*-\s*1)?\s*\)\s*/\s*(?P<size>[\w.]+)", re.DOTALL)
"""``(n + 15) / 16``, ``(n + BLOCK - 1) / BLOCK`` and ``(n + block.x - 1) / block.x``."""
_QUOTIENT = re.compile(r"(?:\([\w.+*\- ]+\)|[\w.]+)\s*/\s*[\w.]+")
"""Binds closer than an addition: ``(n - 1) / 16``, ``n / 16``."""
_SIMPLE = re.compile(r"[\w.]+|\([^()]*\)|\w+\([^()]*\)")


GRID_ELSEWHERE = Obstacle(DeclineReason.LAUNCH_UNKNOWN, "the grid is given elsewhere, as by Python, and would have to have fewer blocks")
"""Why threads are not given more elements where no launch is there to be edited: with the same grid each would still have one."""

_Change = Callable[[str, str, str], str | None]
"""(what a grid has along an axis, as written; the axis; what the block has along x) → the new text; None where the axis stays as it is."""


def coarser_grid(context: TransformationContext, factors: Mapping[str, int]) -> tuple[TextEdit, ...] | Obstacle:
    """Edits that divide the grid of every launch by ``factors``, rounded up, or why not; none where no launch is seen."""

    def change(text: str, axis: str, _: str) -> str | None:
        return _divided(text, factors[axis]) if factors.get(axis, 1) > 1 else None

    def declared(text: str, axis: str, _: str) -> str | None:
        factor = factors.get(axis, 1)
        if factor == 1:
            return None
        return str(-(-int(text) // factor)) if text.isdigit() else f"ceil({text} / {factor})"

    return _grid_edits(context, change, declared)


def thinner_grid(context: TransformationContext, axis: str, factor: str, count: int) -> tuple[TextEdit, ...] | Obstacle:
    """Edits that divide one factor of what every grid has along ``axis`` by ``count``, rounded up; why not where it is not there."""
    place = "xyz".index(axis)
    for launch in launches_of(context):
        text = node_text(launch.grid.components[place]) if len(launch.grid.components) > place else ""
        if [part.strip() for part in text.split("*")].count(factor) != 1:
            where = of_program(context).tree.place(launch.site.span)
            words = f"the launch on {where} would have to have a multiple of `{factor}` blocks along {axis}, written as a product"
            return Obstacle(DeclineReason.LAUNCH_FORM, words)

    def change(text: str, along: str, _: str) -> str | None:
        parts = [part.strip() for part in text.split("*")]
        return " * ".join(f"({_divided(part, count)})" if part == factor else part for part in parts) if along == axis else None

    return _grid_edits(context, change, change)


def finer_grid(context: TransformationContext, factor: int, block: Dim3) -> tuple[TextEdit, ...] | Obstacle:
    """Edits that give every launch of ``block`` ``factor`` times as many blocks along x; why not where a grid is out of sight."""
    tree = of_program(context).tree

    def change(text: str, axis: str, size: str) -> str | None:
        return _rounded_finer(tree, text, factor, size, block.x) or _multiplied(text, factor, size, block.x) if axis == "x" else None

    def declared(text: str, axis: str, _: str) -> str | None:
        return (str(int(text) * factor) if text.isdigit() else f"({text}) * {factor}") if axis == "x" else None

    return _grid_edits(context, change, declared)


def deeper_grid(context: TransformationContext, axis: str, count: int) -> tuple[TextEdit, ...] | Obstacle:
    """Edits that give every launch ``count`` blocks along an axis along which it has one; why not where that is not to be seen."""
    program = of_program(context)
    if declared_shapes(context):
        return Obstacle(DeclineReason.LAUNCH_FORM, "a workload block declares the grid, which the edit would have to give another axis")
    edits: set[TextEdit] = set()
    for launch in launches_of(program):
        found = _deeper(program, launch, "xyz".index(axis), count)
        if isinstance(found, Obstacle):
            return found
        edits.add(found)
    return tuple(sorted(edits))


def free_axis(context: TransformationContext) -> str | Obstacle:
    """The first axis that the kernel knows nothing of."""
    text = context.tree.text(context.body)
    free = [axis for axis in "yz" if not any(f"{builtin}.{axis}" in text for builtin in _BUILTINS)]
    return free[0] if free else Obstacle(DeclineReason.GRID_FORM, "the kernel uses all three axes of its grid already")


def _deeper(program: TransformationContext, launch: Launch, index: int, count: int) -> TextEdit | Obstacle:
    tree, grid, block = program.tree, launch.grid, launch.block
    if not grid.components or not block.components or grid.fields:
        return Obstacle(
            DeclineReason.LAUNCH_FORM, f"the grid or the block of the launch on {tree.place(launch.site.span)} is made elsewhere"
        )
    if any(len(shape.components) > index and node_text(shape.components[index]).strip() != "1" for shape in (grid, block)):
        return Obstacle(DeclineReason.GRID_FORM, "the launch has several blocks or threads along the axis that the loop would become")
    parts = [node_text(node) for node in grid.components]
    if grid.variable is not None and not is_only_used_here(program, launch, grid):
        parts = [f"{grid.variable}.{axis}" for axis in "xyz"[: len(parts)]]
        return TextEdit(tree.span(grid.expression), _dim3(parts, index, count))
    text = node_text(grid.expression)
    if grid.variable is None and (len(parts) == 1 and text.strip() == parts[0].strip()):
        return TextEdit(tree.span(grid.expression), _dim3(parts, index, count))
    if len(parts) > index:
        return TextEdit(tree.span(grid.components[index]), str(count))
    last = tree.span(grid.components[-1]).end
    return TextEdit(Span(last, last), "".join(f", {n}" for n in [*["1"] * (index - len(parts)), count]))


def _dim3(parts: list[str], index: int, count: int) -> str:
    ones = ["1"] * (index - len(parts))
    return f"dim3({', '.join([*parts[:index], *ones, str(count)])})"


def _grid_edits(context: TransformationContext, change: _Change, declared: _Change) -> tuple[TextEdit, ...] | Obstacle:
    program = of_program(context)
    edits: set[TextEdit] = set()
    for launch in launches_of(program):
        found = _launch_edits(program, launch, change)
        if isinstance(found, Obstacle):
            return found
        edits.update(found)
    for shape in declared_shapes(context):
        found = _declared_edits(shape, declared)
        if isinstance(found, Obstacle):
            return found
        edits.update(found)
    return tuple(sorted(edits))


def _launch_edits(program: TransformationContext, launch: Launch, change: _Change) -> tuple[TextEdit, ...] | Obstacle:
    tree, shape = program.tree, launch.grid
    size = node_text(launch.block.components[0]) if launch.block.components else ""
    named = size if launch.block.variable is None else f"{launch.block.variable}.x"
    is_written_here = shape.variable is None and bool(shape.components)
    if is_written_here or is_only_used_here(program, launch, shape):
        changed = ((node, change(node_text(node), axis, size)) for node, axis in zip(shape.components, "xyz", strict=False))
        return tuple(TextEdit(tree.span(node), text) for node, text in changed if text is not None)
    if is_count_parameter(launch, shape):
        text = change(node_text(shape.expression), "x", size)
        return () if text is None else (TextEdit(tree.span(shape.expression), text),)
    if shape.variable is None and not is_dim3_parameter(launch, shape):
        place = tree.place(launch.site.span)
        return Obstacle(DeclineReason.LAUNCH_FORM, f"the grid of the launch on {place} is made elsewhere")
    if len(shape.components) == 1 and _is_same_at(program, launch, shape.components[0]):
        written = node_text(shape.components[0])
        own = change(written, "x", named if named in written else size)
        return () if own is None else (TextEdit(tree.span(shape.expression), own),)
    name = node_text(shape.expression)
    parts = [change(f"{name}.{axis}", axis, size) or f"{name}.{axis}" for axis in "xyz"]
    return (TextEdit(tree.span(shape.expression), f"dim3({', '.join(parts)})"),)


def _is_same_at(program: TransformationContext, launch: Launch, node: Node) -> bool:
    """What a grid variable was made from is still the same at the launch, and a rounded division that can be written anew."""
    if launch.function is None or _CEILING.fullmatch(node_text(node).strip()) is None:
        return False
    changed = {program.tree.text(change.target).partition(".")[0] for change in assignments(program.tree, launch.function)}
    return not names_in(program.tree, node) & changed


def _rounded_finer(tree: SyntaxTree, text: str, factor: int, size: str, block_size: int) -> str | None:
    """The same of a call of the program's own rounded-up division."""
    call = rounded_call(tree, text)
    if call is None or call.size not in (size, str(block_size)) or block_size % factor:
        return None
    rest = block_size // factor
    return f"{call.name}({call.total}, {rest})" if rest > 1 else call.total


def _multiplied(text: str, factor: int, size: str, block_size: int) -> str:
    """As many blocks, each for a ``factor``-th of what it did; ``size`` is how the block's is written."""
    found = _CEILING.fullmatch(text.strip())
    rest = block_size // factor
    if found is not None and found["size"] in (size, str(block_size)) and block_size % factor == 0:
        less = found["less"]
        if less == found["size"] if found["minus"] else less == str(block_size - 1):
            return f"({found['total']} + {rest - 1}) / {rest}" if rest > 1 else found["total"]
    if text.strip().isdigit():
        return str(int(text) * factor)
    inner = text.strip() if _SIMPLE.fullmatch(text.strip()) else f"({text.strip()})"
    return f"{inner} * {factor}"


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
    inner = text.strip() if _SIMPLE.fullmatch(text.strip()) or _QUOTIENT.fullmatch(text.strip()) else f"({text.strip()})"
    return f"({inner} + {factor - 1}) / {factor}"


def _declared_edits(shape: DeclaredShape, declared: _Change) -> tuple[TextEdit, ...] | Obstacle:
    edits: list[TextEdit] = []
    for item, axis in zip(shape.grid, "xyz", strict=False):
        is_text = item.text.startswith('"')
        if not is_text and not item.text.isdigit():
            return Obstacle(DeclineReason.LAUNCH_FORM, f"the workload {shape.name} declares a grid that is no list of numbers and texts")
        new = declared(item.text[1:-1] if is_text else item.text, axis, "")
        if new is not None:
            edits.append(TextEdit(item.span, f'"{shape.written(new)}"' if is_text else new))
    return tuple(edits) if shape.grid else Obstacle(DeclineReason.LAUNCH_FORM, f"the workload {shape.name} declares no grid in this form")
