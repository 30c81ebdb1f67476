"""A kernel whose loops say in their heads how they count, for rules that read it there.

Example::

    long i = threadIdx.x;                                     //
    while (i < n) { sum += x[i]; i += blockDim.x; }           // for (long i = threadIdx.x; i < n; i += blockDim.x) { sum += x[i]; }
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.counting_loops import CountingLoop, counting_loop
from assistant.cuda.syntax import Node
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import without_line

__all__ = ["counting_heads"]


def counting_heads(context: TransformationContext) -> tuple[TextEdit, ...]:
    """Edits of the kernel; none where every loop that counts says so."""
    tree = context.tree
    loops = [(node, counting_loop(tree, node)) for node in tree.find("while_statement", "for_statement", inside=context.body)]
    return tuple(sorted(edit for node, found in loops if found is not None for edit in _edits(context, node, found)))


def _edits(context: TransformationContext, loop: Node, found: CountingLoop) -> Iterator[TextEdit]:
    tree, text = context.tree, context.text
    declared = " ".join(tree.text(found.declaration).rstrip(";").split())
    yield without_line(text, tree.span(found.declaration))
    start = tree.span(loop).start
    if found.step is None:
        opened = text.index("(", start) + 1
        yield TextEdit(Span(opened, text.index(";", opened)), declared)
        return
    asked, step = loop.child_by_field_name("condition"), found.step.node
    assert asked is not None, "a while asks something"
    yield TextEdit(Span(start, tree.span(asked).end), f"for ({declared}; {tree.text(found.condition)}; {tree.text(step)})")
    statement = step.parent
    assert statement is not None, "the step is a statement"
    yield without_line(text, tree.span(statement))
