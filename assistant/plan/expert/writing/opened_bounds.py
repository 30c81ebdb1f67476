"""A bounds check that threads outside it pass, too: a flag remembers what it asked, for whatever touches memory behind it.

A barrier in a loop may only stand where every thread of the block comes by, in every iteration. Example::

    if (x >= w || y >= h) return;        // const bool is_inside = x < w && y < h;
    float acc = bias[k];                 // float acc = is_inside ? bias[k] : 0.0f;
    for (int c = 0; c < channels; c++)   // for (int c = 0; c < channels; c++)
        …                                //     … (all threads fill a tile; the loops over it ask `if (is_inside)`)
    out[y * w + x] = acc;                // if (is_inside) out[y * w + x] = acc;
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.files import line_end
from assistant.cuda.names import fresh_name
from assistant.cuda.syntax import Node
from assistant.cuda.variables import declared_variables
from assistant.model.plan import DeclineReason
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import indentation, moved_right, with_pragmas
from assistant.plan.expert.writing.opened_guard import asked_statement, inside_of, touches_memory, without_guard
from assistant.plan.expert.writing.style import style_of
from assistant.record import Record

__all__ = ["OpenedBounds", "opened_bounds", "with_opened_bounds"]


class OpenedBounds(Record):
    """Such checks."""

    checks: tuple[Node, ...]
    flag: str
    inside: str
    """What the flag says: ``x < w && y < h``."""
    edits: tuple[TextEdit, ...]
    """Of the statements behind the checks."""


def opened_bounds(
    context: TransformationContext, checks: tuple[Node, ...], loops: tuple[Node, ...], further: tuple[Node, ...] = ()
) -> OpenedBounds | Obstacle:
    """The checks, opened; ``loops``: nested in one another, outermost last, of which the innermost asks for the flag by itself, as
    ``further`` statements behind the checks do."""
    tree, text = context.tree, context.text
    asked = [inside_of(context, check) for check in checks]
    around = [check for check in checks if check.start_byte < loops[0].start_byte < check.end_byte]
    spans = [tree.span(check) for check in checks]
    is_alone = all(not text[text.rfind("\n", 0, s.start) + 1 : s.start].strip() for s in spans)
    if None in asked or not is_alone or (around and len(checks) > 1):
        words = "the bounds would have to be checked once, by plain comparisons: `if (x >= w || y >= h) return;` on a line of its own"
        return Obstacle(DeclineReason.GUARD_FORM, words)
    flag = fresh_name(tree, style_of(context).name("is", "inside"))
    edits, last = list[TextEdit](), max(check.start_byte for check in checks)
    branch = around[0].child_by_field_name("consequence") if around else None
    behind = tuple(each for each in _behind(context, checks, branch) if each not in further)
    for statements in _in_rows(context, behind):
        statement = statements[0]
        if touches_memory(context, statement) and statement.start_byte < last:
            return Obstacle(DeclineReason.GUARD_FORM, f"line {tree.line(statement)} reads memory between two bounds checks")
        edit = _asked(context, statement, flag, loops) if len(statements) == 1 else _asked_together(context, statements, flag)
        if isinstance(edit, Obstacle):
            return edit
        edits += edit
    return OpenedBounds(checks, flag, " && ".join(each for each in asked if each is not None), tuple(edits))


def with_opened_bounds(context: TransformationContext, opened: OpenedBounds | None, edits: list[TextEdit]) -> tuple[TextEdit, ...]:
    """All edits of the kernel, with the flag in place of the checks."""
    if opened is None:
        return tuple(edits)
    edits = [*edits, *opened.edits]
    for check in opened.checks:
        edits = without_guard(context, check, edits)
    start = context.tree.span(opened.checks[-1]).start
    line, indent = context.text.rfind("\n", 0, start) + 1, indentation(context.text, start)
    declared = f"{indent}const bool {opened.flag} = {opened.inside};{line_end(context.text)}"
    return tuple(sorted([*edits, TextEdit(Span(line, line), declared)]))


def _behind(context: TransformationContext, checks: tuple[Node, ...], branch: Node | None) -> Iterator[Node]:
    """Statements that follow the first check, or stand inside the one that is around them."""
    within = context.body if branch is None else branch
    if within.type != "compound_statement":
        yield within
        return
    for statement in within.named_children:
        is_behind = branch is not None or statement.start_byte > checks[0].start_byte
        if is_behind and statement not in checks and statement.type not in ("comment", "preproc_call"):
            yield statement


def _in_rows(context: TransformationContext, statements: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    """Assignments that follow each other and touch memory, as those that store a thread's results; every other statement by itself."""
    row: list[Node] = []
    for statement in statements:
        if statement.type == "expression_statement" and touches_memory(context, statement) and _begins_line(context, statement):
            row.append(statement)
            continue
        if row:
            yield tuple(row)
        row = []
        yield (statement,)
    if row:
        yield tuple(row)


def _begins_line(context: TransformationContext, statement: Node) -> bool:
    start = context.tree.span(statement).start
    return not context.text[context.text.rfind("\n", 0, start) + 1 : start].strip()


def _asked(context: TransformationContext, statement: Node, flag: str, loops: tuple[Node, ...]) -> list[TextEdit] | Obstacle:
    """The statement, asking for the flag where it touches memory."""
    if statement == loops[0] or not touches_memory(context, statement):
        return []
    if statement in loops:
        body = statement.child_by_field_name("body")
        inner = () if body is None else body.named_children if body.type == "compound_statement" else (body,)
        found = [_asked(context, each, flag, loops) for each in inner if each.type not in ("comment", "preproc_call")]
        obstacle = next((each for each in found if isinstance(each, Obstacle)), None)
        return obstacle or [edit for each in found if not isinstance(each, Obstacle) for edit in each]
    return _asked_alone(context, statement, flag)


def _asked_alone(context: TransformationContext, statement: Node, flag: str) -> list[TextEdit] | Obstacle:
    tree = context.tree
    if statement.type == "declaration":
        variables = tuple(declared_variables(tree, statement))
        if not variables or any(each.is_pointer or each.is_reference or each.is_array for each in variables):
            line = tree.line(statement)
            return Obstacle(DeclineReason.GUARD_FORM, f"line {line} reads memory in a way that threads outside the bounds cannot skip")
        return list(asked_statement(context, statement, flag))
    if statement.type == "expression_statement":
        return list(asked_statement(context, statement, flag))
    return _in_branch(context, with_pragmas(tree, statement), flag)


def _asked_together(context: TransformationContext, statements: tuple[Node, ...], flag: str) -> list[TextEdit]:
    """Statements in a row in one branch."""
    first, last = (context.tree.span(each) for each in (statements[0], statements[-1]))
    return _in_branch(context, Span(first.start, last.end), flag)


def _in_branch(context: TransformationContext, span: Span, flag: str) -> list[TextEdit]:
    newline, step = line_end(context.text), style_of(context).indent
    indent = indentation(context.text, span.start)
    head = f"{newline}{indent}".join((*style_of(context).opened(f"if ({flag})"), step))
    rest = Span(context.text.find("\n", span.start) + 1, span.end)
    return [
        TextEdit(Span(span.start, span.start), head),
        *(moved_right(context.text, rest, [], step) if rest.start < rest.end else ()),
        TextEdit(Span(span.end, span.end), f"{newline}{indent}}}"),
    ]
