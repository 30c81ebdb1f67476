"""A kernel whose threads all get to its end: an early return becomes a branch, or the loop that lets a thread take several elements.

Example::

    int i = blockIdx.x * blockDim.x + threadIdx.x;     // float thread_total = 0;
    if (i >= n) return;                                // for (int i = …; i < n; i += blockDim.x * gridDim.x) {
    atomicAdd(total, x[i]);                            //     thread_total += x[i];
                                                       // }
                                                       // …
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.branches import condition_of
from assistant.cuda.files import line_end
from assistant.cuda.functions import Function
from assistant.cuda.names import mentions
from assistant.cuda.syntax import Node
from assistant.cuda.variables import declared_variables
from assistant.model.plan import DeclineReason
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.thread_index import is_index_in_grid
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import indentation, without_line
from assistant.plan.expert.writing.opened_guard import inside_of
from assistant.plan.expert.writing.style import style_of
from assistant.record import Record

__all__ = ["StridedLoop", "met_at_end", "strided"]


class StridedLoop(Record):
    """A bounds check of the thread's index that can become a loop over indices."""

    index: Node
    """The declaration of the index."""
    guard: Node
    is_around: bool
    head: str
    """``for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)``"""


def strided(context: TransformationContext, function: Function, guard: Node | None) -> StridedLoop | None:
    """The check, where the kernel does nothing outside it: an early return, or an ``if`` around everything behind the index."""
    tree = context.tree
    statements = [n for n in function.body.named_children if n.type != "comment"]
    last = statements[-1] if statements else None
    check = guard or (last if last is not None and last.type == "if_statement" else None)
    if check is None or check.child_by_field_name("alternative") is not None or inside_of(context, check) is None:
        return None
    previous = check.prev_named_sibling
    while previous is not None and previous.type == "comment":
        previous = previous.prev_named_sibling
    variables = () if previous is None or previous.type != "declaration" else tuple(declared_variables(tree, previous))
    if previous is None or len(variables) != 1 or not is_index_in_grid(context, variables[0]):
        return None
    name, value, declared = variables[0].name, variables[0].value, tree.text(previous).rstrip(";").rstrip()
    condition = condition_of(check)
    if value is None or condition is None or not mentions(tree, condition, name):
        return None
    step = style_of(context)
    product = f"blockDim.x{step.space}*{step.space}gridDim.x"
    head = f"for ({declared.removeprefix('const ')}; {inside_of(context, check)}; {name} += {product})"
    return StridedLoop(previous, check, guard is None, head)


def met_at_end(
    context: TransformationContext,
    function: Function,
    guard: Node | None,
    inner: list[TextEdit],
    tail: str,
    loop: StridedLoop | None = None,
) -> tuple[TextEdit, ...] | Obstacle:
    """``inner`` edits, the early return opened (as ``loop``, where given), and ``tail`` as the last lines of the kernel."""
    text, newline = context.text, line_end(context.text)
    stop = context.tree.span(function.body).end - 1
    last_line = text.rfind("\n", 0, stop) + 1
    if text[last_line:stop].strip():
        return Obstacle(DeclineReason.STORE_FORM, "the kernel's closing brace does not stand on a line of its own")
    outer = indentation(text, stop)
    base = outer + style_of(context).indent
    end = "".join(f"{base}{line}{newline}" if line else newline for line in tail.split("\n"))
    if loop is not None and loop.is_around:
        return tuple(sorted([*inner, *_headed(context, loop), TextEdit(Span(last_line, last_line), end)]))
    check = guard if loop is None else loop.guard
    if check is None:
        return tuple(sorted([*inner, TextEdit(Span(last_line, last_line), end)]))
    head = loop.head if loop is not None else f"if ({_holds(context, check)})"
    span = context.tree.span(check)
    start, rest = text.rfind("\n", 0, span.start) + 1, text.find("\n", span.end)
    if text[start : span.start].strip() or text[span.end : rest].strip():
        return Obstacle(DeclineReason.GUARD_FORM, "the early return does not stand on a line of its own")
    opened = [TextEdit(span, f"{head} {{")]
    if loop is not None:
        opened.append(without_line(context.text, context.tree.span(loop.index)))
    moved = [TextEdit(Span(at, at), style_of(context).indent) for at in _lines(text, rest, last_line, inner)]
    return tuple(sorted([*inner, *opened, *moved, TextEdit(Span(last_line, last_line), f"{base}}}{newline}{end}")]))


def _holds(context: TransformationContext, guard: Node) -> str:
    condition = condition_of(guard)
    return inside_of(context, guard) or ("" if condition is None else f"!({context.tree.text(condition)})")


def _headed(context: TransformationContext, loop: StridedLoop) -> Iterator[TextEdit]:
    """``if (i < n)`` → the loop's head; the index is declared there."""
    branch = loop.guard.child_by_field_name("consequence")
    assert branch is not None, "an if has a branch"
    start, stop = context.tree.span(loop.guard).start, context.tree.span(branch).start
    between = context.text[:stop]
    yield TextEdit(Span(start, len(between.rstrip())), loop.head)
    yield without_line(context.text, context.tree.span(loop.index))


def _lines(text: str, start: int, stop: int, edits: list[TextEdit]) -> Iterator[int]:
    """Where the lines of a region begin that are not blank, not for the preprocessor, and not inside an edit."""
    at = text.find("\n", start, stop)
    while 0 <= at < stop - 1:
        line = text[at + 1 : text.find("\n", at + 1)].strip()
        if line and not line.startswith("#") and not any(e.span.start < at + 1 < e.span.end for e in edits):
            yield at + 1
        at = text.find("\n", at + 1, stop)
