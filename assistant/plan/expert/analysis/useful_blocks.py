"""How many blocks have something to do where a kernel's loops go along the elements by strides of the whole grid.

Example::

    # for (int u = blockIdx.x * blockDim.x + threadIdx.x; u < units; u += gridDim.x * blockDim.x), in blocks of 64 threads
    useful_blocks(context, "", 2)      # 4, where the recorded launches had 256 units
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.cuda.counted_loops import counted_header
from assistant.cuda.integers import evaluate
from assistant.cuda.names import mentions
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, node_text
from assistant.cuda.thread_loops import start_of, stride_of
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["useful_blocks"]


def useful_blocks(context: TransformationContext, name: str, blocks: int) -> int | None:
    """Blocks that have an element in the longest loop, by the numbers that launches were recorded with.

    ``name`` is what the text calls the number of ``blocks``, where it has a name. None where a number is not known, or the kernel asks how
    many blocks there are for something else than such strides.
    """
    if context.recorded is None or not context.launches:
        return None
    block = context.launches[0].block
    sizes = {"blockDim.x": block.x, "blockDim.y": block.y, "blockDim.z": block.z, "gridDim.x": blocks, "gridDim.y": 1, "gridDim.z": 1}
    known = {**sizes, **{each.name: int(each.highest) for each in context.recorded.scalars if isinstance(each.highest, int)}}
    counts = {loop: _blocks_of(context, loop, known, blocks) for loop in context.tree.find("for_statement", inside=context.body)}
    strided = {loop: count for loop, count in counts.items() if count is not None}
    asked = [node for word in ("gridDim", name) if word for node in mentions(context.tree, context.body, word)]
    helpers = (one.body for one in context.parsed.device_functions if one.name in context.kernel.device_functions)
    is_asked_elsewhere = any(word in context.text[span.start : span.end] for span in helpers for word in ("gridDim", name) if word)
    if is_asked_elsewhere or not all(_is_of_stride(context, node, tuple(strided)) for node in asked):
        return None
    return max(strided.values(), default=None)


def _blocks_of(context: TransformationContext, loop: Node, known: Mapping[str, int], blocks: int) -> int | None:
    """Blocks with an element, where the first is another one in each block and the next lies behind those of all blocks."""
    header, first, step = counted_header(context.tree, loop), start_of(loop), stride_of(context.tree, loop)
    if header is None or header.comparison not in ("<", "<=") or first is None or step is None:
        return None
    scope = scope_of(context.tree, context.kernel).fixed()
    start, second = (evaluate(first, scope, {**known, **_place(block)}) for block in (0, 1))
    bound, stride = (evaluate(node, scope, known) for node in (header.bound_node, step))
    if bound is None or stride is None or start is None or second is None or second <= start or stride != (second - start) * blocks:
        return None
    return max(0, -(-(bound - start + (header.comparison == "<=")) // (second - start)))


def _place(block: int) -> dict[str, int]:
    """The first thread of a block along the grid's first axis."""
    return {"blockIdx.x": block, "blockIdx.y": 0, "blockIdx.z": 0, "threadIdx.x": 0, "threadIdx.y": 0, "threadIdx.z": 0}


def _is_of_stride(context: TransformationContext, node: Node, loops: tuple[Node, ...]) -> bool:
    """It stands in the head of one of the loops, or in what a local is made of that stands nowhere else."""
    if any(_is_in_head(loop, node) for loop in loops):
        return True
    declarator = next((a for a in context.tree.ancestors(node) if a.type == "init_declarator"), None)
    label = None if declarator is None else declarator.child_by_field_name("declarator")
    if label is None or label.type != "identifier":
        return False
    uses = [each for each in mentions(context.tree, context.body, node_text(label)) if each != label]
    return all(any(_is_in_head(loop, each) for loop in loops) for each in uses)


def _is_in_head(loop: Node, node: Node) -> bool:
    body = loop.child_by_field_name("body")
    return body is not None and loop.start_byte <= node.start_byte < body.start_byte
