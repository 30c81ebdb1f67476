"""A loop whose iterations the blocks along one axis of the grid share.

Example::

    dealt_loop(context, loop, "y")   # for (int r = blockIdx.y; r < rows; r += gridDim.y)
    pieces_of_loop(context, function, loop, "y")
    # const int share = (rows + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * share, end = min(rows, begin + share);
    # for (int r = begin; r < end; r++)
"""

from __future__ import annotations

from assistant.cuda.constants import integer_constant
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.functions import Function
from assistant.cuda.names import free_name
from assistant.cuda.syntax import Node
from assistant.cuda.variables import locals_of
from assistant.model.source import TextEdit
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import before_statement
from assistant.plan.expert.writing.style import is_simple_term

__all__ = ["dealt_loop", "pieces_of_loop"]

_COUNTERS = ("int", "unsigned int", "unsigned", "size_t")
"""Of these types a counter starts with a block's index as it is."""
_COMPARED = (*_COUNTERS, "long", "unsigned long", "long long", "unsigned long long")
"""CUDA's `min` takes two of each."""


def dealt_loop(context: TransformationContext, loop: Node, axis: str) -> tuple[TextEdit, ...]:
    """The head of a loop that counts up by ones with a counter of its own, for any number of blocks along ``axis``, which take turns."""
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


def pieces_of_loop(context: TransformationContext, function: Function, loop: Node, axis: str) -> tuple[TextEdit, ...]:
    """The same, where each block takes a piece: nvcc unrolls a loop that goes on by ones, so that several of its loads are under way.

    Blocks take turns where the loop does not begin at zero, or where its end is not of its counter's type.
    """
    tree, header = context.tree, counted_header(context.tree, loop)
    start, condition = (loop.child_by_field_name(field) for field in ("initializer", "condition"))
    assert header is not None and start is not None and condition is not None, "a counted loop has a head"
    kind = start.child_by_field_name("type")
    value = start.children_by_field_name("declarator")[0].child_by_field_name("value")
    counter = "" if kind is None else tree.text(kind)
    if value is None or not _can_be_cut(context, function, header, counter):
        return dealt_loop(context, loop, axis)
    share, begin, end = (
        free_name(tree, function.node, *names)
        for names in (("share", "block_share"), ("begin", "share_begin", "first"), ("end", "share_end", "last"))
    )
    bound = header.bound
    parts = (
        f"{share} = ({bound} + gridDim.{axis} - 1) / gridDim.{axis}",
        f"{begin} = blockIdx.{axis} * {share}",
        f"{end} = min({bound}, {begin} + {share})",
    )
    return (
        *before_statement(tree, loop, f"const {counter} {', '.join(parts)};"),
        TextEdit(tree.span(value), begin),
        TextEdit(tree.span(header.bound_node), end),
    )


def _can_be_cut(context: TransformationContext, function: Function, header: CountedHeader, counter: str) -> bool:
    if header.first != "0" or header.comparison != "<" or header.step != "1" or counter not in _COMPARED:
        return False
    if integer_constant(context.tree, header.bound) is not None:
        return counter == "int"
    found = (function.parameter(header.bound), *locals_of(context.tree, function.body).get(header.bound, ()))
    return {each.type for each in found if each is not None} == {counter}
