"""What changes in a kernel when several threads share a row: where sums start, how parts are put together, and who stores.

Example::

    once_for_row(context, function, stores, "lane == 0", "__syncwarp();")      # `y[i] = sum;` → `if (lane == 0) y[i] = sum;`
    combined(reduction, "other")                           # 'sum += other;'
"""

from __future__ import annotations

from assistant.cuda.accesses import Use
from assistant.cuda.assignments import assignments
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.files import line_end
from assistant.cuda.functions import Function
from assistant.cuda.literals import is_literal_of
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.memory_uses import memory_uses
from assistant.plan.expert.analysis.row_kernel import RowLoop, may_share_bytes
from assistant.plan.expert.analysis.row_reductions import Combination, Reduction
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import after_statement, before_statement, indentation
from assistant.plan.expert.writing.style import Style, style_of

__all__ = ["combined", "combined_values", "combined_with_place", "extreme", "once_for_row", "one_start"]

_IDENTITIES = {Combination.SUM: "0", Combination.PRODUCT: "1"}
"""What a thread starts with where only one may have the value from before the loop. A maximum may have it in every thread."""


def one_start(context: TransformationContext, function: Function, loop: RowLoop, reduction: Reduction, others: str) -> tuple[TextEdit, ...]:
    """Before the loop all but one thread forget what the local held, where that would count once for each of them."""
    identity = _IDENTITIES.get(reduction.combination)
    if identity is None or _starts_with(context, function, loop, reduction, identity):
        return ()
    return before_statement(context.tree, loop.node, f"if ({others}) {reduction.name} = {identity};")


def _starts_with(context: TransformationContext, function: Function, loop: RowLoop, reduction: Reduction, identity: str) -> bool:
    """The local has the identity where the loop begins: it was declared with it, and nothing changed it since."""
    tree, variable = context.tree, reduction.variable
    if variable.value is None or not all(is_literal_of(text, int(identity)) for text in _initial_values(tree, variable.value)):
        return False
    changes = (c for c in assignments(tree, function.body) if tree.text(c.target) in (reduction.name, variable.name))
    return not any(change.node.end_byte <= loop.node.start_byte for change in changes)


def _initial_values(tree: SyntaxTree, value: Node) -> tuple[str, ...]:
    """What a local is declared with; of a list, or of ``make_float3(0, 0, 0)``, each value."""
    parts = value.named_children if value.type == "initializer_list" else ()
    if value.type == "call_expression" and callee_name(tree, value).startswith("make_"):
        parts = given_arguments(value)
    return tuple(tree.text(part) for part in parts) or (tree.text(value),)


def once_for_row(
    context: TransformationContext, function: Function, stores: tuple[Node, ...], condition: str, barrier: str
) -> list[TextEdit]:
    """The statements for the threads of a ``condition`` alone; a ``barrier`` behind those whose results the others read later."""
    edits = list[TextEdit]()
    for group in _neighbours(stores):
        edits.append(_guarded(context, group, condition))
        if _is_read_by_all(context, function, stores, group):
            edits += after_statement(context.tree, group[-1], barrier)
    return edits


def _is_read_by_all(context: TransformationContext, function: Function, stores: tuple[Node, ...], group: list[Node]) -> bool:
    """Whether what the statements store is read behind them by more than the threads that run ``stores``."""
    end = group[-1].end_byte
    for uses in memory_uses(context.tree, function, function.body).values():
        written = [use for use in uses if use.kind is not Use.READ and any(_holds(store, use.node) for store in group)]
        read = [
            use for use in uses if use.kind is not Use.WRITE and use.node.start_byte >= end and not any(_holds(s, use.node) for s in stores)
        ]
        if any(may_share_bytes(context.tree, one, other) for one in written for other in read):
            return True
    return False


def _holds(outer: Node, node: Node) -> bool:
    return outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte


def _neighbours(stores: tuple[Node, ...]) -> list[list[Node]]:
    """The statements in groups that follow each other in the text."""
    groups: list[list[Node]] = []
    for store in stores:
        if groups and groups[-1][-1].next_named_sibling == store:
            groups[-1].append(store)
        else:
            groups.append([store])
    return groups


def _guarded(context: TransformationContext, group: list[Node], condition: str) -> TextEdit:
    """The statements behind a condition, in braces where there are several or one that branches."""
    tree, newline, style = context.tree, line_end(context.text), style_of(context)
    span = Span(tree.span(group[0]).start, tree.span(group[-1]).end)
    text, indent = context.text[span.start : span.end], indentation(context.text, span.start)
    if len(group) == 1 and group[0].type == "expression_statement":
        return TextEdit(Span(span.start, span.start), f"if ({condition}) ")
    lines = [line.rstrip("\r") for line in text.split("\n")]
    moved = [f"{indent}{style.indent}{lines[0]}", *(style.indent + line if line.strip() else line for line in lines[1:])]
    opened = f"{newline}{indent}".join(style.opened(f"if ({condition})"))
    return TextEdit(span, newline.join((opened, *moved, f"{indent}}}")))


def combined(reduction: Reduction, other: str) -> str:
    """One part and another, as a statement."""
    return combined_values(reduction.name, reduction.type, reduction.combination, other)


def combined_with_place(reduction: Reduction, other: str, other_place: str, style: Style) -> tuple[str, ...]:
    """One part and another with the places where they stand, as statements: of equal values that of the earlier place is kept."""
    assert reduction.place is not None, "asked before"
    name, place = reduction.name, reduction.place.name
    better = ">" if reduction.combination is Combination.MAXIMUM else "<"
    asked = f"{other} {better} {name} || ({other} == {name} && {other_place} < {place})"
    return style.headed(f"if ({asked})", (f"{name} = {other};", f"{place} = {other_place};"))


def combined_values(name: str, kind: str, combination: Combination, other: str) -> str:
    """The local ``name`` of type ``kind`` and another part, as a statement."""
    match combination:
        case Combination.SUM:
            return f"{name} += {other};"
        case Combination.PRODUCT:
            return f"{name} *= {other};"
        case Combination.MAXIMUM | Combination.MINIMUM:
            return f"{name} = {extreme(kind, combination, name, other)};"


def extreme(kind: str, combination: Combination, one: str, other: str) -> str:
    """The larger or smaller one of two values of type ``kind``, as an expression."""
    call = {"float": f"f{combination}f", "double": f"f{combination}"}.get(kind, str(combination))
    return f"{call}({one}, {other})"
