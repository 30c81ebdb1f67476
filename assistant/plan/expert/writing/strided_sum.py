"""A thread that adds one element within the bounds becomes one that adds up several, a whole grid apart.

Example::

    strided_lines(context, element, "float", "sum")
    # float sum = 0;
    # for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    #     sum += x[i] * y[i];
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.files import line_end
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.guarded_element import GuardedElement
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import indentation, zero_of
from assistant.plan.expert.writing.style import style_of

__all__ = ["strided_in_place", "strided_lines"]


def strided_lines(context: TransformationContext, element: GuardedElement, kind: str, name: str) -> list[str]:
    """A local of this type and name that gets the thread's sum."""
    added = f"{name} += {context.tree.text(element.element)};"
    return [f"{kind} {name} = {zero_of(context.tree, kind)};", _head(context, element), style_of(context).indent + added]


def strided_in_place(context: TransformationContext, element: GuardedElement) -> Iterator[TextEdit]:
    """The same where the thread's part is in a local of the author's already."""
    tree, local = context.tree, element.local
    assert local is not None, "asked before"
    if element.change is None:
        span = tree.span(element.statement)
        newline = f"{line_end(context.text)}{indentation(context.text, span.start)}"
        yield TextEdit(span, newline.join(strided_lines(context, element, local.type, local.name)))
        return
    start, operator = tree.span(element.statement).start, element.change.child_by_field_name("operator")
    between = context.text[start : tree.span(element.element).start]
    yield TextEdit(Span(start, start + len(between.rstrip())), _head(context, element))
    if operator is not None and tree.text(operator) == "=":
        yield TextEdit(tree.span(operator), "+=")


def _head(context: TransformationContext, element: GuardedElement) -> str:
    tree, space = context.tree, style_of(context).space
    declared = tree.text(element.index.node).rstrip(";").rstrip().removeprefix("const ")
    stride = f"blockDim.x{space}*{space}gridDim.x"
    return f"for ({declared}; {tree.text(element.condition)}; {element.index.name} += {stride})"
