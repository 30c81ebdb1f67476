"""How many elements the launches of a kernel have threads for along an axis, as the kernel itself can say it.

Example::

    launched_extent(context, "y", 16)    # 'n / TILE * TILE' for `dim3 grid(m / TILE, n / TILE)`, or why that is not known
"""

from __future__ import annotations

from assistant.cuda.assignments import assignments, changed_names
from assistant.cuda.constants import integer_constant
from assistant.cuda.integers import evaluate
from assistant.cuda.launch_shape import Launch
from assistant.cuda.names import names_in, words_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, binary_parts, node_text, unparenthesized
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.kernel_launches import launches_of, of_program
from assistant.plan.expert.analysis.parameter_numbers import parameter_numbers
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["Division", "constant_arguments", "division_of", "launched_extent"]


class Division(Record):
    """A number of blocks or of tiles: ``n / TILE``, or ``(n + TILE - 1) / TILE``."""

    total: Node
    size: Node
    is_rounded_up: bool


def launched_extent(context: TransformationContext, axis: str, size: int) -> str | Obstacle:
    """In terms of the kernel's parameters and of constants; ``size``: threads of a block along the axis."""
    launches = launches_of(context)
    extents = {_extent(context, launch, axis, size) for launch in launches}
    extent = extents.pop() if len(extents) == 1 else None
    if extent is not None and extent.isdigit():
        extent = _only_parameter(context, launches, int(extent)) or extent
    word = "rows" if axis == "y" else "columns"
    words = f"the kernel checks no bounds, and how many {word} its launches have threads for does not follow from its parameters"
    return extent or Obstacle(DeclineReason.NO_BOUNDS_CHECK, words)


def _extent(context: TransformationContext, launch: Launch, axis: str, size: int) -> str | None:
    place = "xyz".index(axis)
    if len(launch.grid.components) <= place:
        return str(size) if launch.grid.components else None
    blocks = launch.grid.components[place]
    if size == 1 and _is_kept(context, launch, blocks) and (name := _name_in_kernel(context, launch, blocks)) is not None:
        return name
    division = division_of(blocks)
    if division is not None and _value(launch, division.size, axis) == size and _is_kept(context, launch, blocks):
        total = _name_in_kernel(context, launch, division.total)
        if total is not None:
            return _whole_blocks(context, launch, division, total, size)
    count = evaluate(blocks, launch.scope, {})
    return None if count is None else str(count * size)


def _only_parameter(context: TransformationContext, launches: tuple[Launch, ...], value: int) -> str | None:
    """The one parameter that has this value at every launch."""
    changed = changed_names(context.tree, context.body)
    names = [
        parameter.name
        for place, parameter in enumerate(context.kernel.parameters)
        if parameter.name not in changed and all(_passed(context, launch, place) == value for launch in launches)
    ]
    return names[0] if len(names) == 1 else None


def constant_arguments(context: TransformationContext) -> dict[str, int]:
    """Parameters that all launches of the text give one and the same number, and that the kernel does not change."""
    launches, changed = launches_of(context), changed_names(context.tree, context.body)
    found: dict[str, int] = {}
    for place, parameter in enumerate(context.kernel.parameters if launches else ()):
        values = {_passed(context, launch, place) for launch in launches}
        value = values.pop() if len(values) == 1 and not parameter.is_pointer and parameter.name not in changed else None
        if value is not None:
            found[parameter.name] = value
    return found


def _passed(context: TransformationContext, launch: Launch, place: int) -> int | None:
    argument = of_program(context).tree.node_at(launch.site.arguments[place].span) if place < len(launch.site.arguments) else None
    return None if argument is None else evaluate(argument, launch.scope, {})


def _whole_blocks(context: TransformationContext, launch: Launch, division: Division, total: str, size: int) -> str:
    """Elements that whole blocks have threads for. Where the number of blocks is rounded up, a kernel without a bounds check can only be
    right for whole blocks."""
    known = evaluate(division.total, launch.scope, {})
    if division.is_rounded_up or (known is not None and known % size == 0):
        return total
    written = node_text(division.size)
    spelled = written if integer_constant(context.tree, written) == size else str(size)
    return f"{total} / {spelled} * {spelled}"


def division_of(blocks: Node) -> Division | None:
    """The parts of such a number; None for any other expression."""
    parts = binary_parts(unparenthesized(blocks))
    if parts is None or parts[0] != "/":
        return None
    dividend, size = unparenthesized(parts[1]), unparenthesized(parts[2])
    total = _rounded_up(dividend, node_text(size))
    return Division(dividend if total is None else total, size, total is not None)


def _rounded_up(dividend: Node, size: str) -> Node | None:
    """``n`` of ``n + TILE - 1`` and of ``n + 15``; None for any other sum."""
    parts = binary_parts(dividend)
    if parts is not None and parts[0] == "-" and node_text(parts[2]) == "1":
        sides = binary_parts(unparenthesized(parts[1]))
        return sides[1] if sides is not None and sides[0] == "+" and node_text(sides[2]) == size else None
    is_filled = parts is not None and parts[0] == "+" and size.isdigit() and node_text(parts[2]) == str(int(size) - 1)
    return parts[1] if parts is not None and is_filled else None


def _value(launch: Launch, node: Node, axis: str) -> int | None:
    """Of a constant, or of ``block.x`` where the launch's block is a variable."""
    if launch.block.variable is not None and node_text(node) == f"{launch.block.variable}.{axis}":
        place = "xyz".index(axis)
        return evaluate(launch.block.components[place], launch.scope, {}) if len(launch.block.components) > place else 1
    return evaluate(node, launch.scope, {})


def _is_kept(context: TransformationContext, launch: Launch, blocks: Node) -> bool:
    """What the number of blocks was made from is still the same when the kernel is launched."""
    tree = of_program(context).tree
    later = assignments(tree, launch.function) if launch.function is not None else ()
    names = names_in(tree, blocks)
    return not any(change.node.start_byte > blocks.start_byte and names_in(tree, change.target) & names for change in later)


def _name_in_kernel(context: TransformationContext, launch: Launch, total: Node) -> str | None:
    """The parameter by which the kernel gets the number; a constant's name where the kernel's file has it, too."""
    text, changed = node_text(unparenthesized(total)), changed_names(context.tree, context.body)
    for parameter, argument in zip(context.kernel.parameters, launch.site.arguments, strict=False):
        if argument.text.strip() == text and not parameter.is_pointer and parameter.name not in changed:
            return parameter.name
    owner, _, member = text.partition(".")
    for parameter, argument in zip(context.kernel.parameters, launch.site.arguments, strict=False):
        if argument.text.strip() == owner and f"{parameter.name}.{member}" in parameter_numbers(context.tree, context.kernel):
            return f"{parameter.name}.{member}"
    constants = scope_of(context.tree, context.kernel).constants
    is_constant = bool(words_in(text)) and words_in(text) <= constants.keys() and total.type == "identifier"
    return text if is_constant else None
