"""The text of a tiled loop: tiles, the cooperative load, the inner loop, and the bounds check moved behind it.

Example::

    edits = tile_edits(context, text)   # text: the TileText of a loop whose loads are known
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.cuda.counted_loops import CountedHeader
from assistant.cuda.files import line_end
from assistant.cuda.names import fresh_name
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.tile_loads import Along, TileLoad
from assistant.plan.expert.analysis.whole_block_guard import Guard
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import body_lines, indentation, zero_of
from assistant.plan.expert.writing.style import style_of
from assistant.record import Record

__all__ = ["TileText", "tile_edits"]


class TileText(Record):
    """All that the new text is made of."""

    loop: Node
    header: CountedHeader
    loads: tuple[TileLoad, ...]
    guard: Guard
    conditions: Mapping[Along, tuple[str, ...]]
    """What must hold for a row or a column to exist."""
    inside: str
    """Condition of the inner loop: what it still reads itself exists only for threads inside; empty when not needed."""
    types: Mapping[str, str]
    """Element type of each pointer."""
    width: int


def tile_edits(context: TransformationContext, text: TileText) -> tuple[TextEdit, ...]:
    """One edit over the bounds check and the loop."""
    tree = context.tree
    statement = text.guard.statement
    newline = line_end(context.text)
    if statement is None:
        indent = indentation(context.text, tree.span(text.loop).start)
        return (TextEdit(tree.span(text.loop), _loop_text(context, text, indent).lstrip()),)
    outer = indentation(context.text, tree.span(statement).start)
    if text.guard.is_around:
        return (TextEdit(tree.span(statement), _opened_guard(context, text, statement, outer).lstrip()),)
    moved = f"{newline}{outer}{tree.text(statement)}"
    line = _whole_line(context.text, tree.span(statement))
    loop = TextEdit(tree.span(text.loop), _loop_text(context, text, outer).lstrip() + moved)
    return (TextEdit(line, ""), *_guarded_loads(tree, text.guard), loop)


def _guarded_loads(tree: SyntaxTree, guard: Guard) -> tuple[TextEdit, ...]:
    """Initial values that only threads inside the bounds may read."""
    return tuple(
        TextEdit(tree.span(value), f"{guard.inside} ? {tree.text(value)} : {zero_of(tree, type_name)}") for value, type_name in guard.loads
    )


def _opened_guard(context: TransformationContext, text: TileText, statement: Node, outer: str) -> str:
    """``if (c) { before; loop; after }`` as ``before; loop; if (c) { after }``."""
    tree, newline = context.tree, line_end(context.text)
    branch = statement.child_by_field_name("consequence")
    assert branch is not None, "a guard around a loop has a body"
    inside, loop = tree.span(branch), tree.span(text.loop)
    piece = context.text[inside.start + 1 : loop.start]
    for edit in reversed(_guarded_loads(tree, text.guard)):
        start, end = edit.span.start - inside.start - 1, edit.span.end - inside.start - 1
        piece = piece[:start] + edit.new_text + piece[end:]
    before = _dedented(context, piece.rstrip(), text.loop, outer)
    after = context.text[loop.end : inside.end - 1].rstrip()
    parts = [before.lstrip("\r\n")] if before.strip() else []
    parts.append(_loop_text(context, text, outer))
    if after.strip():
        head = context.text[tree.span(statement).start : inside.start + 1]
        parts.append(f"{outer}{head}{after}{newline}{outer}}}")
    return newline.join(parts)


def _dedented(context: TransformationContext, piece: str, loop: Node, outer: str) -> str:
    inner = indentation(context.text, context.tree.span(loop).start)
    lines = piece.split("\n")
    return "\n".join(outer + line[len(inner) :] if line.startswith(inner) else line for line in lines)


def _loop_text(context: TransformationContext, text: TileText, indent: str) -> str:
    tree, newline, step = context.tree, line_end(context.text), style_of(context).indent
    start = fresh_name(tree, "tile")
    names = _tile_names(context, text)
    one = indent + step
    lines = [
        f"{indent}__shared__ {text.types[load.base]} {names[_key(tree, load)]}[{text.width}][{text.width}];"
        for load in _distinct(tree, text.loads)
    ]
    lines.append(f"{indent}for (int {start} = 0; {start} < {text.header.bound}; {start} += {text.width}) {{")
    lines += [f"{one}{_fill(tree, text, load, names[_key(tree, load)], start)}" for load in _distinct(tree, text.loads)]
    lines.append(f"{one}__syncthreads();")
    lines += _inner_loop(context, text, names, start, one)
    lines += [f"{one}__syncthreads();", f"{indent}}}"]
    return newline.join(lines)


def _inner_loop(context: TransformationContext, text: TileText, names: Mapping[str, str], start: str, indent: str) -> list[str]:
    """The original loop over one tile."""
    step = style_of(context).indent
    outer = [f"{indent}if ({text.inside})"] if text.inside else []
    inner = indent + step if text.inside else indent
    body = [f"{inner}{step}{line}" for line in _body_lines(context, text, names, start)]
    return [*outer, f"{inner}{_head(context.tree, text, start)} {{", *body, f"{inner}}}"]


def _head(tree: SyntaxTree, text: TileText, start: str) -> str:
    initializer = text.loop.child_by_field_name("initializer")
    assert initializer is not None, "a counted loop has an initializer"
    declared = tree.text(initializer).split("=")[0].rstrip()
    variable = text.header.variable
    update = text.loop.child_by_field_name("update")
    step = f"++{variable}" if update is None else tree.text(update)
    return f"for ({declared} = {start}; {variable} < {start} + {text.width} && {variable} < {text.header.bound}; {step})"


def _fill(tree: SyntaxTree, text: TileText, load: TileLoad, name: str, start: str) -> str:
    """The element that this thread loads for its block."""
    axis = "x" if load.along is Along.ROW else "y"
    place = f"{start} + threadIdx.{axis}"
    conditions = " && ".join((*text.conditions[load.along], f"{place} < {text.header.bound}"))
    span, counter = tree.span(load.node), tree.span(load.counter)
    spelled = place if load.along is Along.ROW else f"({place})"
    element = tree.source[span.start : counter.start] + spelled + tree.source[counter.end : span.end]
    zero = zero_of(tree, text.types[load.base])
    return f"{name}[threadIdx.y][threadIdx.x] = {conditions} ? {element} : {zero};"


def _body_lines(context: TransformationContext, text: TileText, names: Mapping[str, str], start: str) -> list[str]:
    """The loop's statements with each shared load read from its tile."""
    tree, edits = context.tree, list[TextEdit]()
    body = text.loop.child_by_field_name("body")
    assert body is not None, "a counted loop has a body"
    for load in text.loads:
        name, step = names[_key(tree, load)], f"{text.header.variable} - {start}"
        element = f"{name}[threadIdx.y][{step}]" if load.along is Along.ROW else f"{name}[{step}][threadIdx.x]"
        edits.append(TextEdit(tree.span(load.node), element))
    return body_lines(tree, body, edits)


def _distinct(tree: SyntaxTree, loads: tuple[TileLoad, ...]) -> tuple[TileLoad, ...]:
    return tuple({_key(tree, load): load for load in loads}.values())


def _key(tree: SyntaxTree, load: TileLoad) -> str:
    return "".join(tree.text(load.node).split())


def _tile_names(context: TransformationContext, text: TileText) -> dict[str, str]:
    """A fresh name for each distinct load, made from its pointer's name."""
    tree, style = context.tree, style_of(context)
    names: dict[str, str] = {}
    for load in _distinct(tree, text.loads):
        base = load.base.lower() if len(load.base) == 1 else load.base.rstrip("_")
        wanted = fresh_name(tree, style.name(base, "tile"))
        while wanted in names.values():
            wanted = fresh_name(tree, f"{wanted}2")
        names[_key(tree, load)] = wanted
    return names


def _whole_line(text: str, span: Span) -> Span:
    """The statement with the line it stands on, where nothing else stands there."""
    start = text.rfind("\n", 0, span.start) + 1
    stop = text.find("\n", span.end)
    is_alone = not text[start : span.start].strip() and stop >= 0 and not text[span.end : stop].strip()
    return Span(start, stop + 1) if is_alone else span
