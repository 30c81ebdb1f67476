"""A kernel that works on tiles in shared memory, written again as a plain loop over all elements.

Each element of a sum stays the same and comes in the same order, so that larger tiles can be made of the plain loop.

Example::

    untiled(context, block)   # the context of `for (int k = 0; k < n; k++) sum += A[row * n + k] * B[k * n + col];`, or None
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from assistant.cuda.constants import integer_constant
from assistant.cuda.edits import apply_edits
from assistant.cuda.files import line_end
from assistant.cuda.integers import evaluate
from assistant.cuda.names import names_in, words_in
from assistant.cuda.parse import parse
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, joined, unparenthesized, without_comments
from assistant.cuda.variables import declared_variables
from assistant.model.launch import Dim3
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.kernel_launches import template_environment
from assistant.plan.expert.analysis.launched_extents import division_of
from assistant.plan.expert.analysis.thread_dependence import thread_axes
from assistant.plan.expert.analysis.tiled_loop import Tile, TiledLoop, tiled_loop
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.style import style_of
from assistant.record import Record

__all__ = ["untiled", "with_body", "with_edits_of"]

_INDEX = re.compile(r"(?:threadIdx|blockIdx)\.[xyz]")


def untiled(context: TransformationContext, block: Dim3) -> TransformationContext | None:
    """The same question about the kernel as a plain loop; None where it has no tiles of that form."""
    loop = tiled_loop(context, block)
    text = None if loop is None else _body(context, loop)
    if text is None:
        return None
    start = context.tree.line(context.body)
    return with_body(context, text, start + text[: text.index("for (")].count("\n"))


def with_body(context: TransformationContext, body: str, line: int) -> TransformationContext | None:
    """The same question about a line of the kernel with another text of its body; None where that cannot be read."""
    span = context.tree.span(context.body)
    whole = context.text[: span.start] + body + context.text[span.end :]
    parsed = parse(replace(context.parsed.source, text=whole))
    kernel = next((k for k in parsed.kernels if k.key == context.kernel.key), None)
    if kernel is None:
        return None
    tree = SyntaxTree(whole, others=context.tree.others, outer=context.tree.outer_text)
    return replace(context, parsed=parsed, tree=tree, kernel=kernel, finding=replace(context.finding, line=line))


def with_edits_of(context: TransformationContext, plain: TransformationContext, edits: tuple[TextEdit, ...]) -> tuple[TextEdit, ...]:
    """Edits of the plain text as edits of the author's: that of the kernel's body as a whole, others where they stand."""
    own, other = context.tree.span(context.body), plain.tree.span(plain.body)
    shift = own.end - other.end
    found: list[TextEdit] = []
    for edit in edits:
        if other.start < edit.span.start and edit.span.end < other.end:
            found.append(TextEdit(Span(own.start + 1, own.end - 1), edit.new_text))
        elif edit.span.start >= other.end:
            found.append(TextEdit(Span(edit.span.start + shift, edit.span.end + shift), edit.new_text))
        else:
            found.append(edit)
    return tuple(found)


def _body(context: TransformationContext, loop: TiledLoop) -> str | None:
    """The kernel's body as a plain loop inside its bounds check."""
    tree = context.tree
    outer = without_comments(context.body)
    before = [n for n in outer if n.end_byte <= loop.rounds.start_byte and not tree.text(n).startswith("__shared__")]
    after = [n for n in outer if n.start_byte >= loop.rounds.end_byte]
    end = _end_of(after)
    inside = set[str]() if end is None or end.condition is None else {_plain(tree, part) for part in joined(end.condition, "&&")}
    bound = None if end is None else _bound(context, loop, inside)
    statement = None if bound is None else _statement(tree, loop)
    if end is None or bound is None or statement is None:
        return None
    counter = loop.step_header.variable
    aliases = _aliases(tree, before)
    head = f"for (int {counter} = 0; {counter} < {bound}; ++{counter})"
    step, newline = style_of(context).indent, line_end(context.text)
    computed = [head, statement, *(tree.text(n) for n in end.stores)]
    if end.condition is not None:
        computed = [f"if ({tree.text(end.condition)}) {{", *(step + line for line in computed), "}"]
    declared = " ".join(filter(None, (_without(tree, n, aliases) for n in _used(tree, before, " ".join(computed)))))
    text = newline.join(("{", *(step + line for line in (declared, *computed)), "}"))
    for name, value in aliases.items():
        text = re.sub(rf"(?<![\w.]){name}\b", value, text)
    return text


class _End(Record):
    """What the kernel does after its loop."""

    condition: Node | None
    """The bounds check; None where every thread stores."""
    stores: tuple[Node, ...]


def _end_of(after: list[Node]) -> _End | None:
    """None where it is neither plain stores nor one bounds check around them."""
    if after and all(n.type == "expression_statement" for n in after):
        return _End(None, tuple(after))
    guard = after[0] if len(after) == 1 and after[0].type == "if_statement" else None
    condition, then = (None if guard is None else guard.child_by_field_name(f) for f in ("condition", "consequence"))
    if guard is None or condition is None or then is None or guard.child_by_field_name("alternative") is not None:
        return None
    return _End(condition.named_children[0], without_comments(then) if then.type == "compound_statement" else (then,))


def _used(tree: SyntaxTree, declarations: list[Node], text: str) -> list[Node]:
    """Declarations of which something is used further down: not those of how many tiles there are."""
    kept: list[Node] = []
    words = words_in(text)
    for declaration in reversed(declarations):
        names = {variable.name for variable in declared_variables(tree, declaration)}
        if declaration.type != "declaration" or names & words:
            kept.insert(0, declaration)
            words |= words_in(tree.text(declaration))
    return kept


def _aliases(tree: SyntaxTree, declarations: list[Node]) -> dict[str, str]:
    """Locals that are an index of the thread or block under another name: ``tx`` of ``int tx = threadIdx.x``."""
    found: dict[str, str] = {}
    for declarator in (d for n in declarations if n.type == "declaration" for d in n.children_by_field_name("declarator")):
        name, value = declarator.child_by_field_name("declarator"), declarator.child_by_field_name("value")
        text = "" if value is None else tree.text(value).replace(" ", "")
        if name is not None and _INDEX.fullmatch(text):
            found[tree.text(name)] = text
    return found


def _without(tree: SyntaxTree, declaration: Node, aliases: Mapping[str, str]) -> str:
    """The declaration without what is an alias."""
    declarators = declaration.children_by_field_name("declarator")
    kept = [d for d in declarators if (name := d.child_by_field_name("declarator")) is None or tree.text(name) not in aliases]
    if len(kept) == len(declarators) or not declarators:
        return tree.text(declaration)
    head = tree.source[tree.span(declaration).start : tree.span(declarators[0]).start]
    return f"{head}{', '.join(tree.text(d) for d in kept)};" if kept else ""


def _plain(tree: SyntaxTree, node: Node) -> str:
    return "".join(tree.text(unparenthesized(node)).split())


def _bound(context: TransformationContext, loop: TiledLoop, inside: set[str]) -> str | None:
    """How far the sums go: to where loads become zeros; where none do, to the end of the last tile."""
    tree, bounds = context.tree, set[str]()
    for tile in loop.tiles:
        ends = [part for part in tile.conditions if _plain(tree, part) not in inside]
        compared = [binary_parts(unparenthesized(part)) for part in ends]
        if len(ends) > 1:
            return None
        for parts in compared:
            if parts is None or parts[0] != "<" or _spelled(tree, loop, tile, parts[1]) != loop.step_header.variable:
                return None
            bounds.add(tree.text(parts[2]))
        if not ends:
            bounds.add("")
    if bounds == {""}:
        return _end_of_tiles(context, loop)
    return bounds.pop() if len(bounds) == 1 else None


def _end_of_tiles(context: TransformationContext, loop: TiledLoop) -> str:
    """Where the last tile ends. Where the number of tiles is rounded up, a kernel that checks no load can only be right for whole tiles."""
    header, width = loop.header, loop.width
    division = None if header.step != "1" else division_of(header.bound_node)
    if header.step != "1":
        return header.bound
    scope, known = scope_of(context.tree, context.kernel), template_environment(context)
    if division is None or evaluate(division.size, scope, known) != width:
        return f"{header.bound if header.bound.isidentifier() else f'({header.bound})'} * {width}"
    total, size = context.tree.text(division.total), context.tree.text(division.size)
    count = integer_constant(context.tree, total)
    is_whole = division.is_rounded_up or (count is not None and count % width == 0)
    return total if is_whole else f"{total} / {size} * {size}"


def _statement(tree: SyntaxTree, loop: TiledLoop) -> str | None:
    """What the inner loop does, with elements in the place of the tiles'."""
    body = loop.steps.child_by_field_name("body")
    if body is None:
        return None
    base, edits = tree.span(body).start, list[TextEdit]()
    for tile in loop.tiles:
        element = _spelled(tree, loop, tile, tile.element)
        if element is None or loop.header.variable in words_in(element):
            return None
        for node in tree.find("subscript_expression", inside=body):
            if tree.text(node).startswith(f"{tile.name}[") and (node.parent is None or node.parent.type != "subscript_expression"):
                span = tree.span(node)
                edits.append(TextEdit(Span(span.start - base, span.end - base), element))
    for node in tree.find("binary_expression", inside=body):
        operator, *sides = binary_parts(node) or ("",)
        counted = [side for side in sides if tree.text(unparenthesized(side)) == loop.step_header.variable]
        if operator == "+" and len(counted) == 1 and any(_is_round(tree, loop, _value(tree, loop, side)) for side in sides):
            is_alone = node.parent is not None and node.parent.type == "parenthesized_expression"
            span = tree.span(node.parent if is_alone and node.parent is not None else node)
            edits.append(TextEdit(Span(span.start - base, span.end - base), loop.step_header.variable))
    text = apply_edits(tree.text(body), edits)
    return text if isinstance(text, str) and loop.header.variable not in words_in(text) else None


def _spelled(tree: SyntaxTree, loop: TiledLoop, tile: Tile, node: Node) -> str | None:
    """The node's text with the loop's counter in the place of ``t + tx``; None where the thread's index stands anywhere else."""
    value = _value(tree, loop, node)
    if value != node:
        text = _spelled(tree, loop, tile, value)
        return text if text is None or text.isidentifier() else f"({text})"
    terms = [_value(tree, loop, term) for term in joined(node, "+")] if binary_parts(unparenthesized(node)) is not None else []
    round_term = next((t for t in terms if _is_round(tree, loop, t)), None)
    thread_term = next((t for t in terms if _is_index(tree, loop, t, tile.along)), None)
    if round_term is not None and thread_term is not None:
        rest = [_spelled(tree, loop, tile, t) for t in terms if t not in (round_term, thread_term)]
        whole = " + ".join((*filter(None, rest), loop.step_header.variable))
        return None if None in rest else f"({whole})" if node.type == "parenthesized_expression" and rest else whole
    if node.type in ("identifier", "field_expression") and tile.along in (thread_axes(tree, loop.function, node) or ()):
        return None
    if not node.children:
        return tree.text(node)
    parts: list[str] = []
    position = node.start_byte
    for child in node.children:
        inner = _spelled(tree, loop, tile, child)
        if inner is None:
            return None
        parts += [_between(node, position, child.start_byte), inner]
        position = child.end_byte
    text = "".join(parts) + _between(node, position, node.end_byte)
    return text[1:-1] if node.type == "parenthesized_expression" and text[1:-1].isidentifier() else text


def _value(tree: SyntaxTree, loop: TiledLoop, node: Node) -> Node:
    """What a local of the round stands for; any other expression itself."""
    while (value := loop.locals.get(tree.text(unparenthesized(node)))) is not None:
        node = value
    return node


def _between(node: Node, start: int, end: int) -> str:
    text = node.text
    return "" if text is None else text[start - node.start_byte : end - node.start_byte].decode()


def _is_round(tree: SyntaxTree, loop: TiledLoop, term: Node) -> bool:
    """``t`` where the loop steps by the tile's width, ``t * TILE`` where it counts tiles."""
    variable = loop.header.variable
    if loop.header.step != "1":
        return tree.text(unparenthesized(term)) == variable
    parts = binary_parts(unparenthesized(term))
    if parts is None or parts[0] != "*":
        return False
    sides = [tree.text(unparenthesized(side)) for side in parts[1:]]
    other = sides[1] if sides[0] == variable else sides[0] if sides[1] == variable else ""
    return bool(other) and (other == str(loop.width) or other in {tree.text(loop.step_header.bound_node), "blockDim.x", "blockDim.y"})


def _is_index(tree: SyntaxTree, loop: TiledLoop, term: Node, axis: str) -> bool:
    """``tx`` or ``threadIdx.x`` alone, not a column that follows from it."""
    text = tree.text(unparenthesized(term)).replace(" ", "")
    if text == f"threadIdx.{axis}":
        return True
    declared = next(
        (n for n in tree.find("init_declarator", inside=loop.function.body) if tree.text(n).split("=")[0].strip() == text), None
    )
    value = None if declared is None else declared.child_by_field_name("value")
    return value is not None and tree.text(value).replace(" ", "") == f"threadIdx.{axis}" and text in names_in(tree, term)
