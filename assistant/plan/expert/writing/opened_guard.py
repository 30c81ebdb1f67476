"""A kernel that all threads run to its end: the bounds check goes, and what touches memory asks for itself.

A barrier may only stand where every thread of the block gets to. Example::

    if (c >= n) return;                 //
    float best = a[c];                  // float best = c < n ? a[c] : 0;
    for (int r = 0; r < rows; r++) …;   // if (c < n)
                                        //     for (int r = 0; r < rows; r++) …;

A loop is asked around it, not in its head: nvcc unrolls a loop that counts to one bound, so that several loads are under way, and none
that asks for something else, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.branches import condition_of
from assistant.cuda.builtins import is_pure
from assistant.cuda.calls import callee_name
from assistant.cuda.comparisons import OPPOSITE_ORDER
from assistant.cuda.files import line_end
from assistant.cuda.loops import LOOPS
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, joined
from assistant.cuda.variables import declared_variables, locals_of
from assistant.model.plan import DeclineReason
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.row_kernel import RowKernel
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import indentation, moved_right, with_pragmas, zero_of
from assistant.plan.expert.writing.style import style_of

__all__ = ["asked_statement", "guarded_statements", "inside_of", "touches_memory", "unguardable", "without_guard"]

_MEMORY = ("subscript_expression", "pointer_expression")


def inside_of(context: TransformationContext, guard: Node) -> str | None:
    """What holds for a thread inside the bounds, as one expression; None where the check is no plain comparison."""
    condition, is_around = condition_of(guard), _is_around(context, guard)
    found: list[str] = []
    for node in () if condition is None else joined(condition, "&&" if is_around else "||"):
        parts = binary_parts(node)
        if parts is None or parts[0] not in OPPOSITE_ORDER:
            return None
        operator = parts[0] if is_around else OPPOSITE_ORDER[parts[0]]
        found.append(f"{context.tree.text(parts[1])} {operator} {context.tree.text(parts[2])}")
    return " && ".join(found) or None


def unguardable(context: TransformationContext, kernel: RowKernel) -> Obstacle | None:
    """Why a statement cannot ask for the bounds itself."""
    for statement in kernel.statements:
        if statement.type in LOOPS or statement in kernel.stores or not touches_memory(context, statement):
            continue
        variables = tuple(declared_variables(context.tree, statement)) if statement.type == "declaration" else ()
        is_plain = len(variables) == 1 and not variables[0].is_pointer and not variables[0].is_reference
        if not is_plain and not _is_address(context, statement) and statement.type != "expression_statement":
            line = context.tree.line(statement)
            return Obstacle(DeclineReason.GUARD_FORM, f"line {line} reads memory in a way that threads outside the bounds cannot skip")
    return None


def guarded_statements(context: TransformationContext, kernel: RowKernel, inside: str) -> Iterator[TextEdit]:
    """Edits of the loops, and of statements between them that read memory; stores ask elsewhere."""
    for statement in kernel.statements:
        if statement.type in LOOPS:
            yield from _behind_check(context, statement, inside)
        elif statement not in kernel.stores and touches_memory(context, statement) and not _is_address(context, statement):
            yield from asked_statement(context, statement, inside)


def _behind_check(context: TransformationContext, loop: Node, inside: str) -> Iterator[TextEdit]:
    """The loop as the branch of an ``if``, a step further to the right than what stands beside it."""
    text, step, span = context.text, style_of(context).indent, with_pragmas(context.tree, loop)
    indent = indentation(text, span.start)
    yield TextEdit(Span(span.start, span.start), f"if ({inside}){line_end(text)}{indent}{step}")
    rest = Span(text.find("\n", span.start) + 1, span.end)
    if 0 < rest.start < rest.end:
        yield from moved_right(context.text, rest, [], step)


def asked_statement(context: TransformationContext, statement: Node, inside: str) -> Iterator[TextEdit]:
    """A declaration of variables, or an expression, that touches memory only inside the bounds."""
    tree = context.tree
    if statement.type == "declaration":
        for variable in declared_variables(tree, statement):
            if variable.value is not None and touches_memory(context, variable.value):
                yield TextEdit(tree.span(variable.value), _inside_or_zero(tree, variable.value, inside, zero_of(tree, variable.type)))
        return
    start = tree.span(statement).start
    yield TextEdit(Span(start, start), f"if ({inside}) ")


def _inside_or_zero(tree: SyntaxTree, value: Node, inside: str, zero: str) -> str:
    """``value`` inside the bounds, else zero; a value that asks for something and is zero otherwise asks for both."""
    asked, then, otherwise = (value.child_by_field_name(field) for field in ("condition", "consequence", "alternative"))
    is_asked = value.type == "conditional_expression" and otherwise is not None and tree.text(otherwise) == zero
    if is_asked and asked is not None and then is not None and "||" not in tree.text(asked):
        return f"{inside} && {tree.text(asked)} ? {tree.text(then)} : {zero}"
    return f"{inside} ? {tree.text(value)} : {zero}"


def without_guard(context: TransformationContext, guard: Node, edits: list[TextEdit]) -> list[TextEdit]:
    """The edits and those that take the check away; what stood inside it moves to the left."""
    tree, text, step = context.tree, context.text, style_of(context).indent
    whole = tree.span(guard)
    line_start, line_end = text.rfind("\n", 0, whole.start) + 1, text.find("\n", whole.end) + 1
    branch = guard.child_by_field_name("consequence")
    if branch is None or not _is_around(context, guard):
        is_alone = not text[line_start : whole.start].strip() and not text[whole.end : line_end].strip()
        return [*edits, TextEdit(Span(line_start, line_end) if is_alone else whole, "")]
    inside = tree.span(branch)
    first_line, last_line = text.find("\n", inside.start) + 1, text.rfind("\n", 0, inside.end - 1)
    found = [TextEdit(Span(line_start, first_line), ""), TextEdit(Span(last_line, inside.end), "")]
    for edit in edits:
        is_inside = first_line <= edit.span.start and edit.span.end <= last_line
        found.append(_moved_left(context, edit, step) if is_inside else edit)
    for start in _line_starts(text, first_line - 1, last_line):
        is_replaced = any(edit.span.start <= start < edit.span.end for edit in edits)
        if text.startswith(step, start) and not is_replaced:
            found.append(TextEdit(Span(start, start + len(step)), ""))
    return found


def _is_around(context: TransformationContext, guard: Node) -> bool:
    return next(context.tree.find("return_statement", inside=guard), None) is None


def touches_memory(context: TransformationContext, statement: Node) -> bool:
    """It reads or stores an element that is not the thread's own, or calls something that may."""
    calls = context.tree.find("call_expression", inside=statement)
    reads = next((n for n in context.tree.find(*_MEMORY, inside=statement) if not _is_of_local_array(context, n)), None)
    return reads is not None or not all(is_pure(callee_name(context.tree, call)) for call in calls)


def _is_of_local_array(context: TransformationContext, element: Node) -> bool:
    """The element is in an array that each thread has for itself."""
    base = element
    while base.type == "subscript_expression" and (inner := base.child_by_field_name("argument")) is not None:
        base = inner
    found = locals_of(context.tree, context.body).get(context.tree.text(base), ()) if base.type == "identifier" else ()
    return bool(found) and all(v.is_array and not v.is_shared and not v.is_pointer for v in found)


def _is_address(context: TransformationContext, statement: Node) -> bool:
    """A declaration of a pointer from which nothing is read yet."""
    variables = tuple(declared_variables(context.tree, statement)) if statement.type == "declaration" else ()
    reads = next(context.tree.find("subscript_expression", "call_expression", inside=statement), None)
    return bool(variables) and all(v.is_pointer for v in variables) and reads is None


def _moved_left(context: TransformationContext, edit: TextEdit, step: str) -> TextEdit:
    text = edit.new_text.replace(f"\n{step}", "\n")
    begins_line = context.text[edit.span.start - 1] == "\n"
    return TextEdit(edit.span, text.removeprefix(step) if begins_line else text)


def _line_starts(text: str, start: int, end: int) -> Iterator[int]:
    position = text.find("\n", start, end)
    while position >= 0:
        yield position + 1
        position = text.find("\n", position + 1, end)
