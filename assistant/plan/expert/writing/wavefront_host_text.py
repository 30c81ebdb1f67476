"""The text of a host loop that launches a kernel once for each diagonal of tiles.

Example::

    host_edits(context, loop, wave, TileLaunch("TILE", 4, 5))     # for (int d = 0; d < 2 * tiles - 1; d++) { … }
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assistant.cuda.files import line_end
from assistant.cuda.names import free_name, names_in, words_in
from assistant.cuda.syntax import Node, without_comments
from assistant.cuda.variables import locals_of
from assistant.model.source import TextEdit
from assistant.plan.expert.analysis.diagonal_loop import DiagonalLoop
from assistant.plan.expert.analysis.wavefront import Extent, Wavefront
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import indentation, without_line
from assistant.plan.expert.writing.style import style_of
from assistant.record import Record

__all__ = ["TileLaunch", "host_edits"]

_DECLARED = re.compile(r"(?:const(?:expr)?\s+)?(?:int|unsigned|size_t|auto|dim3)\s+(?:const\s+)?(?P<name>\w+)\s*[=({](?P<value>[^;=?]*);")
"""A declaration of a number or a shape, with what it is made from."""
_KEPT = 2
"""Parameters that differ from launch to launch, with which their names stay."""
_SUM = re.compile(r"[\w.]+(?:\s*[-+*]\s*[\w.]+)*")
"""To which a number can be added without parentheses."""


class TileLaunch(Record):
    """How tiles are launched."""

    tile: str
    """What their edge is called."""
    diagonal: int
    """The place of the diagonal's number among the arguments."""
    first: int
    """The place of the first tile's row; the diagonal's own where it follows that as a new argument."""


def host_edits(context: TransformationContext, loop: DiagonalLoop, wave: Wavefront, tiles: TileLaunch) -> Iterator[TextEdit]:
    """The new loop in the place of the old one; of a ``while`` without the declaration of its variable."""
    tree, text = context.tree, context.text
    style, span = style_of(context), tree.span(loop.loop)
    indent, newline = indentation(text, span.start), line_end(text)
    lines = _lines(context, loop, wave, tiles)
    parent = loop.loop.parent
    if parent is None or parent.type != "compound_statement":
        lines = ["{", *(style.indent + line for line in lines), "}"]
    if loop.declared is not None:
        yield without_line(text, tree.span(loop.declared))
    yield from (without_line(text, tree.span(node)) for node in _idle(context, loop))
    yield TextEdit(span, f"{newline}{indent}".join(lines))


def _idle(context: TransformationContext, loop: DiagonalLoop) -> tuple[Node, ...]:
    """Declarations of the host that only the old launch's grid and block were made from."""
    tree, gone = context.tree, [loop.loop]
    asked = {name for shape in (loop.launch.grid, loop.launch.block) for name in names_in(tree, shape.expression)}
    for statement in reversed(without_comments(loop.loop.parent or loop.loop)):
        declared = _DECLARED.fullmatch(tree.text(statement))
        if statement.type == "declaration" and declared is not None and declared["name"] in asked and _is_alone(statement):
            left = _without(context, loop.caller.body, (*gone, statement))
            if declared["name"] not in words_in(left):
                gone.append(statement)
                asked |= words_in(declared["value"])
    return tuple(gone[1:])


def _is_alone(declaration: Node) -> bool:
    return len(declaration.children_by_field_name("declarator")) == 1


def _without(context: TransformationContext, body: Node, gone: Sequence[Node]) -> str:
    """The text of a function's body without some of its statements."""
    text, at = "", context.tree.span(body).start
    for span in sorted(context.tree.span(node) for node in gone):
        text, at = text + context.text[at : span.start], span.end
    return text + context.text[at : context.tree.span(body).end]


def _lines(context: TransformationContext, loop: DiagonalLoop, wave: Wavefront, tiles: TileLaunch) -> list[str]:
    tree, style, site = context.tree, style_of(context), loop.launch.site
    caller = loop.caller.node
    rows, columns = (_count(context, loop, extent, tiles.tile) for extent in (wave.rows, wave.columns))
    kind, d = "const int" if wave.row.is_const else "int", loop.variable
    first, last = _own(context, loop, _author_first(context, loop, tiles)), _own(context, loop, "last")
    if rows == columns:
        down = across = free_name(tree, caller, "tiles", style.name("tile", "count"))
        lines, count = [f"{kind} {down} = {rows};"], f"2 * {down} - 1"
    else:
        down, across = (free_name(tree, caller, style.name("tile", each)) for each in ("rows", "columns"))
        lines, count = [f"{kind} {down} = {rows};", f"{kind} {across} = {columns};"], f"{down} + {across} - 1"
    arguments = list[str]()
    for place, argument in enumerate(site.arguments):
        if context.kernel.parameters[place].name not in loop.given:
            arguments.append(argument.text.strip())
        arguments += [d] if place == tiles.diagonal else []
        arguments += [first] if place == tiles.first else []
    written = context.text[site.span.start : site.span.end]
    stream = f", 0, {site.stream.text.strip()}" if site.stream is not None else ""
    inner = [
        f"{kind} {first} = {d} < {across} ? 0 : {d} - {across} + 1;",
        f"{kind} {last} = {d} < {down} ? {d} : {down} - 1;",
        *((f"if ({last} < {first}) continue;  // no rows or no columns",) if rows != columns and loop.may_be_empty() else ()),
        f"{written[: written.index('<<<')]}<<<{last} - {first} + 1, {tiles.tile}{stream}>>>({', '.join(arguments)});",
        *(tree.text(check) for check in loop.checks if tree.text(check) != ";"),
    ]
    step = tree.text(loop.loop.child_by_field_name("update") or loop.loop)
    update = f"++{d}" if step.startswith("++") or f"++{d}" in step else f"{d}++"
    head = f"for (int {d} = 0; {d} < {count}; {update})"
    return [*lines, *style.opened(head), *(style.indent + line for line in inner), "}"]


def _author_first(context: TransformationContext, loop: DiagonalLoop, tiles: TileLaunch) -> str:
    """What the author calls the first row of a diagonal, where that is a local of the loop."""
    text = loop.launch.site.arguments[tiles.first].text.strip()
    body = loop.loop.child_by_field_name("body")
    declared = () if body is None else locals_of(context.tree, body)
    return text if text in declared and tiles.first != tiles.diagonal and len(loop.given) <= _KEPT else "first"


def _own(context: TransformationContext, loop: DiagonalLoop, name: str) -> str:
    """A name that the host uses in the old loop alone, if at all."""
    tree, span = context.tree, context.tree.span(loop.loop)
    used = [n for n in tree.find("identifier", inside=loop.caller.body) if tree.text(n) == name]
    if all(span.contains(tree.span(n)) for n in used):
        return name
    return free_name(tree, loop.caller.node, f"{name.rstrip('_')}_tile")


def _count(context: TransformationContext, loop: DiagonalLoop, extent: Extent, tile: str) -> str:
    """Tiles that cover the rows or the columns, as the host says it."""
    node = loop.passed.get(extent.last)
    last = extent.last if node is None else context.tree.text(node)
    last = last if _SUM.fullmatch(last) else f"({last})"
    past = extent.beyond - extent.first + 1
    if past > 0:
        return f"({last} + {tile}{f' + {past - 1}' if past > 1 else ''}) / {tile}"
    return f"({last}{f' - {-past}' if past else ''} + {tile} - 1) / {tile}"
