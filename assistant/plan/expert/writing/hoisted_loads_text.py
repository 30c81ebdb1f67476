"""The text of loads made once before a loop: a register for each, or one for each iteration of a short loop inside it.

Example::

    edits, names = hoisted_edits(context, function, found)     # …, ('b0', 'b1')
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, count

from assistant.cuda.files import line_end
from assistant.cuda.functions import Function
from assistant.cuda.names import free_name, mentions, names_in
from assistant.cuda.syntax import Node, SyntaxTree, unparenthesized
from assistant.cuda.variables import locals_of
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.hoistable_loads import HoistableLoad, HoistableLoads
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import before_statement, indentation, without_line, zero_of
from assistant.plan.expert.writing.style import Style, style_of

__all__ = ["hoisted_edits"]

_BLOCKS = ("compound_statement", "case_statement", "preproc_if", "preproc_ifdef", "preproc_else")
_MAX_LINE = 100
_UNROLL = "#pragma unroll"


def hoisted_edits(
    context: TransformationContext, function: Function, found: HoistableLoads
) -> tuple[tuple[TextEdit, ...], tuple[str, ...]]:
    """The edits, and the names of the new locals."""
    tree, style = context.tree, style_of(context)
    names = _names(tree, function, style, found.loads)
    edits: list[TextEdit] = []
    for load, name in zip(found.loads, names, strict=True):
        text = _element(load, name)
        edits += [TextEdit(tree.span(node), text) for node in load.nodes if not _is_within_another(node, found.loads)]
    edits += [without_line(tree.source, tree.span(node)) for node in _removed(tree, function, found)]
    for inner in {loop.node.id: loop.node for load in found.loads for loop in load.inner}.values():
        edits += _unrolled(tree, inner)
    edits += _opened(tree, found.loop, _lines(context, function, found, names))
    return tuple(sorted(edits)), tuple(names)


def _names(tree: SyntaxTree, function: Function, style: Style, loads: Sequence[HoistableLoad]) -> list[str]:
    taken = set(names_in(tree, function.node))
    found: list[str] = []
    for load in loads:
        wanted = _wanted(tree, style, load)
        numbered = (f"{wanted[-1]}{number}" for number in count(2))
        name = next(name for name in chain(wanted, numbered) if name not in taken and _is_free(tree, function, name))
        taken.add(name)
        found.append(name)
    return found


def _is_free(tree: SyntaxTree, function: Function, name: str) -> bool:
    """No macro or constant of the program has it; members of that name do not matter."""
    return free_name(tree, function.parameter_list, name) == name


def _wanted(tree: SyntaxTree, style: Style, load: HoistableLoad) -> tuple[str, ...]:
    """``b0`` of ``q.b0``, ``c0`` of ``c[0]``, ``tau_i`` of ``tau[i]``; ``own_alpha`` of a longer index."""
    node = load.nodes[0]
    owner, member, indices = (node.child_by_field_name(field) for field in ("argument", "field", "indices"))
    base = next((tree.text(n) for n in tree.find("identifier", inside=node)), "value")
    own = style.name("own", base)
    pointer = None if owner is None else owner.child_by_field_name("field")
    if pointer is not None and node.type == "subscript_expression":
        return tree.text(pointer), style.name(base, tree.text(pointer))
    if member is not None and owner is not None:
        return tree.text(member), style.name(base, tree.text(member))
    index = None if indices is None else next(iter(indices.named_children), None)
    if index is None or owner is None or unparenthesized(owner).type != "identifier":
        return (own,)
    words = list(dict.fromkeys(tree.text(n) for n in tree.find("identifier", inside=index)))
    if index.type == "number_literal":
        return f"{base}{tree.text(index)}", own
    is_short = (
        not load.inner
        and 0 < len(words) <= 2
        and all(len(word) <= 4 for word in words)
        and not any(w.isupper() and len(w) > 1 for w in words)
    )
    return (style.name(base, *(word.lower() for word in words)), own) if is_short else (own,)


def _is_within_another(node: Node, loads: Sequence[HoistableLoad]) -> bool:
    others = (other for load in loads for other in load.nodes if other != node)
    return any(other.start_byte <= node.start_byte and node.end_byte <= other.end_byte for other in others)


def _removed(tree: SyntaxTree, function: Function, found: HoistableLoads) -> tuple[Node, ...]:
    """Declarations that move before the loop with the loads, and those that nothing in it needs any more."""
    nodes = [node for load in found.loads for node in load.nodes]
    gone = [d for d in _all_declarations(found) if _is_moved(found, d)]
    inside = [d for d in reversed(_all_declarations(found)) if not _is_moved(found, d)]
    for declaration in inside:
        name = _declared(tree, function, declaration)
        places = (*nodes, *gone, declaration)
        if all(any(p.start_byte <= n.start_byte < p.end_byte for p in places) for n in mentions(tree, function.body, name)):
            gone.append(declaration)
    return tuple(gone)


def _all_declarations(found: HoistableLoads) -> list[Node]:
    declared = {node.id: node for load in found.loads for node in load.declarations}
    return sorted(declared.values(), key=lambda node: node.start_byte)


def _is_moved(found: HoistableLoads, declaration: Node) -> bool:
    """It stands in the loop's own block, not in a loop inside."""
    return declaration.parent == found.loop.child_by_field_name("body")


def _declared(tree: SyntaxTree, function: Function, declaration: Node) -> str:
    return next(name for name, variables in locals_of(tree, function.body).items() if any(v.node == declaration for v in variables))


def _unrolled(tree: SyntaxTree, inner: Node) -> tuple[TextEdit, ...]:
    """``#pragma unroll`` before a loop that has none: only then the values are in registers."""
    before = inner.prev_named_sibling
    has_one = before is not None and before.type == "preproc_call" and "unroll" in tree.text(before)
    is_in_block = inner.parent is not None and inner.parent.type in _BLOCKS
    return () if has_one or not is_in_block else before_statement(tree, inner, _UNROLL)


def _opened(tree: SyntaxTree, loop: Node, lines: Sequence[str]) -> tuple[TextEdit, ...]:
    """The lines before the loop; a lone loop of a branch or of another loop becomes a block."""
    newline, span = line_end(tree.source), tree.span(loop)
    indent = indentation(tree.source, span.start)
    parent = loop.parent
    edits = before_statement(tree, loop, f"{newline}{indent}".join(lines))
    if parent is None or parent.type in _BLOCKS:
        return edits
    line = tree.source.rfind("\n", 0, span.start) + 1
    is_behind_another = bool(tree.source[line : span.start].strip())
    closing = " }" if is_behind_another else f"{newline}{indentation(tree.source, tree.span(parent).start)}}}"
    return (*edits, TextEdit(Span(span.end, span.end), closing))


def _lines(context: TransformationContext, function: Function, found: HoistableLoads, names: Sequence[str]) -> list[str]:
    tree = context.tree
    lines = [tree.text(declaration) for declaration in _all_declarations(found) if _is_moved(found, declaration)]
    is_const = any(v.is_const and not v.is_pointer for each in locals_of(tree, function.body).values() for v in each)
    pairs = list(zip(found.loads, names, strict=True))
    lines += [f"{'const ' if is_const else ''}{load.type} {name} = {_value(tree, load)};" for load, name in pairs if not load.inner]
    heads = dict.fromkeys(_heads(tree, load) for load in found.loads if load.inner)
    for each in heads:
        lines += _loading_loops(context, found, each, [(load, name) for load, name in pairs if load.inner and _heads(tree, load) == each])
    return lines


def _value(tree: SyntaxTree, load: HoistableLoad) -> str:
    element = tree.text(load.nodes[0])
    return element if load.guard is None else f"{load.guard} ? {element} : {zero_of(tree, load.type)}"


def _element(load: HoistableLoad, name: str) -> str:
    """``own_alpha[w]``; the plain name where no loop chooses the element."""
    return name + "".join(f"[{loop.header.variable}]" for loop in load.inner)


def _heads(tree: SyntaxTree, load: HoistableLoad) -> tuple[str, ...]:
    """``for (int s = 0; s < SECTIONS; s++)``, outermost first."""
    bodies = ((loop.node, loop.node.child_by_field_name("body")) for loop in load.inner)
    return tuple(tree.source[tree.span(loop).start : tree.span(body).start].rstrip() for loop, body in bodies if body is not None)


def _loading_loops(
    context: TransformationContext, found: HoistableLoads, heads: Sequence[str], pairs: Sequence[tuple[HoistableLoad, str]]
) -> list[str]:
    """The arrays' declarations, and the loops that fill them."""
    tree = context.tree
    arrays: dict[str, list[str]] = {}
    for load, name in pairs:
        arrays.setdefault(load.type, []).append(name + "".join(f"[{loop.header.bound}]" for loop in load.inner))
    lines: list[str] = []
    for kind, declarators in arrays.items():
        joined = f"{kind} {', '.join(declarators)};"
        lines += [joined] if len(joined) <= _MAX_LINE else [f"{kind} {declarator};" for declarator in declarators]
    inside = {node.id: node for load, _ in pairs for node in load.declarations if not _is_moved(found, node)}
    statements = [tree.text(node) for node in sorted(inside.values(), key=lambda node: node.start_byte)]
    statements += [f"{_element(load, name)} = {tree.text(load.nodes[0])};" for load, name in pairs]
    for head in reversed(heads):
        statements = [_UNROLL, *style_of(context).headed(head, statements)]
    return [*lines, *statements]
