"""A loop whose iterations the blocks along one axis of the grid take in turns.

Example::

    dealt_loop(context, loop, "y")   # for (int r = blockIdx.y; r < rows; r += gridDim.y)
"""

from __future__ import annotations

from assistant.cuda.counted_loops import counted_header
from assistant.cuda.syntax import Node
from assistant.model.source import TextEdit
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.style import is_simple_term

__all__ = ["dealt_loop"]

_COUNTERS = ("int", "unsigned int", "unsigned", "size_t")
"""Of these types a counter starts with a block's index as it is."""


def dealt_loop(context: TransformationContext, loop: Node, axis: str) -> tuple[TextEdit, ...]:
    """The head of a loop that counts up by ones with a counter of its own, for any number of blocks along ``axis``."""
    tree, header = context.tree, counted_header(context.tree, loop)
    start, update = (loop.child_by_field_name(field) for field in ("initializer", "update"))
    kind = None if start is None else start.child_by_field_name("type")
    assert header is not None and start is not None and update is not None and kind is not None, "a counted loop has a head"
    first = start.children_by_field_name("declarator")[0].child_by_field_name("value")
    assert first is not None, "a counted loop starts somewhere"
    counter = tree.text(kind)
    block = f"blockIdx.{axis}" if counter in _COUNTERS else f"({counter})blockIdx.{axis}"
    begin = tree.text(first) if is_simple_term(header.first) or "?" not in header.first else f"({tree.text(first)})"
    begins = block if header.first == "0" else f"{begin} + {block}"
    return TextEdit(tree.span(first), begins), TextEdit(tree.span(update), f"{header.variable} += gridDim.{axis}")
