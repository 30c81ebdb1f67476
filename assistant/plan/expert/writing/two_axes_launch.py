"""Launches of one row a thread, written again for a thread for each element: block and grid in two dimensions.

Where the block and the grid stand in variables of their own, these are declared anew; else both are written at the launch.

Example::

    int threads = 256;                                // dim3 threads(16, 16);
    int blocks = (n + threads - 1) / threads;         // dim3 blocks((m + 15) / 16, (n + 15) / 16);
    k<<<blocks, threads>>>(a, n, m);
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from assistant.cuda.assignments import assignments, changed_names
from assistant.cuda.functions import Function
from assistant.cuda.integers import evaluate
from assistant.cuda.launch_shape import Launch, Shape
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, node_text
from assistant.cuda.variables import declared_variables, locals_of
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.model.source import TextEdit
from assistant.plan.expert.analysis.kernel_launches import launches_of, of_program
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.style import is_simple_term
from assistant.record import Record

__all__ = ["Extent", "two_axes_launches"]

_ONE_EACH: Mapping[str, int] = MappingProxyType({"x": 1, "y": 1})
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_CHANGES = re.compile(r"\+\+|--|(?<![=<>!])=(?!=)")


class Extent(Record):
    """How many elements there are along an axis."""

    bound: Node
    """As the kernel has it, made of its parameters and of constants."""
    is_inclusive: bool
    """The bound itself is the last element."""


def two_axes_launches(
    context: TransformationContext, function: Function, extents: Mapping[str, Extent], block: Dim3, factors: Mapping[str, int] = _ONE_EACH
) -> tuple[TextEdit, ...] | Obstacle:
    """Edits of every launch of the program, which are places in `of_program`'s text; ``factors``: elements of a thread along each axis."""
    program = of_program(context)
    edits: set[TextEdit] = set()
    for launch in launches_of(context):
        counts: list[str] = []
        for axis, size in (("x", block.x * factors["x"]), ("y", block.y * factors["y"])):
            count = _count(context, function, launch, extents[axis])
            if isinstance(count, Obstacle):
                return count
            counts.append(f"({count} + {size - 1}) / {size}")
        edits.update(_launch_edits(program, launch, ", ".join(counts), f"{block.x}, {block.y}"))
    return tuple(sorted(edits)) or Obstacle(
        DeclineReason.LAUNCH_UNKNOWN, "no launch in the program's text could get another grid and block"
    )


def _count(context: TransformationContext, function: Function, launch: Launch, extent: Extent) -> str | Obstacle:
    """The extent with what the launch passes in the place of the kernel's parameters."""
    text = context.tree.text(extent.bound)
    names = {p.name: place for place, p in enumerate(context.kernel.parameters)}
    used = names_in(context.tree, extent.bound)
    is_own = of_program(context).tree.file_at(launch.site.span)[0] is None
    why = Obstacle(DeclineReason.SIZE_UNKNOWN, f"`{text}` would have to follow from what the launch passes, as the grid has to")
    if used & changed_names(context.tree, function.body):
        return why
    if not used & names.keys():
        number = evaluate(extent.bound, scope_of(context.tree, context.kernel), {})
        if number is None:
            return why
        return _more(text if is_own else str(number), extent)
    if any(name not in names for name in _WORD.findall(text)):
        return why
    arguments = {name: launch.site.arguments[names[name]].text.strip() for name in used}
    if any(_CHANGES.search(argument) for argument in arguments.values()):
        return why
    is_whole = text in names
    return _more(_WORD.sub(lambda word: _term(arguments[word[0]], is_whole), text), extent)


def _term(argument: str, is_whole: bool) -> str:
    """Parenthesised where something else than ``+ 15`` comes next to it."""
    return argument if is_simple_term(argument) or (is_whole and re.fullmatch(r"[\w.()>\-\s+*/]+", argument)) else f"({argument})"


def _more(text: str, extent: Extent) -> str:
    return f"{text} + 1" if extent.is_inclusive else text


def _launch_edits(program: TransformationContext, launch: Launch, grid: str, block: str) -> set[TextEdit]:
    new = {_name(launch.grid): grid, _name(launch.block): block}
    declared = _own_declarations(program, launch, frozenset(_WORD.findall(grid)))
    edits = {
        TextEdit(program.tree.span(shape.expression), f"dim3({text})")
        for shape, text in ((launch.grid, grid), (launch.block, block))
        if _name(shape) not in declared
    }
    for declaration in {node.id: node for node in declared.values()}.values():
        parts = ", ".join(f"{v.name}({new[v.name]})" for v in declared_variables(program.tree, declaration))
        is_const = re.match(r"(?:const|constexpr)\b", node_text(declaration)) is not None
        edits.add(TextEdit(program.tree.span(declaration), f"{'const ' if is_const else ''}dim3 {parts};"))
    return edits


def _name(shape: Shape) -> str:
    text = node_text(shape.expression).strip()
    return text if _WORD.fullmatch(text) else ""


def _own_declarations(program: TransformationContext, launch: Launch, used: frozenset[str]) -> dict[str, Node]:
    """Names of the grid and the block that are declared for this launch alone, behind all that the new grid is made of."""
    body = launch.function
    if body is None:
        return {}
    variables = locals_of(program.tree, body)
    call = next((a for a in program.tree.ancestors(launch.grid.expression) if a.type == "kernel_call_syntax"), None)
    found: dict[str, Node] = {}
    for shape in (launch.grid, launch.block):
        named = variables.get(_name(shape), ())
        places = [node for node in (call, *(v.node for v in named), *found.values()) if node is not None]
        if len(named) == 1 and not named[0].is_reference and _is_mentioned_only(program, body, _name(shape), places):
            found[_name(shape)] = named[0].node
    is_shared = {name for name, node in found.items() if any(v.name not in found for v in declared_variables(program.tree, node))}
    grid = found.get(_name(launch.grid))
    is_early = grid is not None and not _is_known_at(program, body, used, grid, launch)
    if is_shared or is_early:
        return {}
    return found


def _is_mentioned_only(program: TransformationContext, body: Node, name: str, places: list[Node]) -> bool:
    mentions = [n for n in program.tree.find("identifier", "type_identifier", inside=body) if node_text(n) == name]
    return all(any(place.start_byte <= n.start_byte < place.end_byte for place in places) for n in mentions)


def _is_known_at(program: TransformationContext, body: Node, used: frozenset[str], place: Node, launch: Launch) -> bool:
    """What the grid is made of has its value already where the grid is declared, in the block that launches."""
    tree, variables = program.tree, locals_of(program.tree, body)
    nearest = next((a for a in tree.ancestors(launch.grid.expression) if a.type == "compound_statement"), None)
    between = (c for c in assignments(tree, body) if place.end_byte <= c.node.start_byte < launch.grid.expression.start_byte)
    is_kept = not any(names_in(tree, change.target) & used for change in between)
    is_fixed = place.parent == nearest or not used & changed_names(tree, body)
    return is_kept and is_fixed and all(v.node.start_byte < place.start_byte for name in used for v in variables.get(name, ()))
