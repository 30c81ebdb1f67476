"""A loop in which each thread of a flat block handles several rows of a square tile: ``for (j = 0; j < 32; j += 8)``.

Example::

    match row_loop_of(context, loop, block):
        case RowLoop(counter=counter): ...   # 'j'
        case Obstacle(): ...                 # the loop does something else
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.cuda.counted_loops import counted_header
from assistant.cuda.integers import evaluate
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, binary_parts, node_text
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.memory_accesses import unknown_sizes
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["RowLoop", "compared_parts", "row_loop_of", "sees_rows_alike"]


_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})


class RowLoop(Record):
    """The loop's counter and head."""

    counter: str
    head: str
    """``for (…)`` as written."""


def row_loop_of(context: TransformationContext, loop: Node, block: Dim3) -> RowLoop | Obstacle:
    """The loop as a walk over the rows of a tile as wide as the block; a sentence where it is something else."""
    why = Obstacle(DeclineReason.LOOP_FORM, "the loop around this store does not walk over the rows of a tile as wide as the block")
    header = counted_header(context.tree, loop)
    start, update, body = (loop.child_by_field_name(field) for field in ("initializer", "update", "body"))
    if header is None or start is None or update is None or body is None or start.type != "declaration":
        return why
    operator, step = update.child_by_field_name("operator"), update.child_by_field_name("right")
    if operator is None or step is None or (header.first, header.comparison, node_text(operator)) != ("0", "<", "+="):
        return why
    scope = scope_of(context.tree, context.kernel)
    sizes = {**unknown_sizes(context), "blockDim.x": block.x, "blockDim.y": block.y}
    if (evaluate(header.bound_node, scope, sizes), evaluate(step, scope, sizes)) != (block.x, block.y) or block.x % block.y:
        return why
    whole = node_text(loop)
    head = whole[: len(whole) - len(node_text(body))].rstrip()
    return RowLoop(header.variable, head)


def sees_rows_alike(context: TransformationContext, expressions: Sequence[Node], counter: str, block: Dim3) -> bool:
    """True when the expressions depend on ``threadIdx.y`` and the counter only through their sum, as tried with numbers."""
    scope = scope_of(context.tree, context.kernel)
    for lane, row in _places(context, block):
        for expression in expressions:
            here = evaluate(expression, scope, {**lane, counter: row})
            there = evaluate(expression, scope, {**lane, "threadIdx.y": lane["threadIdx.y"] + row, counter: 0})
            if here is None or here != there:
                return False
    return True


def compared_parts(condition: Node) -> Iterator[Node]:
    """Both sides of each comparison in a condition; the condition itself where it compares nothing."""
    found = False
    stack = [condition]
    while stack:
        node = stack.pop()
        parts = binary_parts(node)
        if parts is not None and parts[0] in _COMPARISONS:
            found = True
            yield from parts[1:]
            continue
        stack.extend(reversed(node.named_children))
    if not found:
        yield condition


def _places(context: TransformationContext, block: Dim3) -> Iterator[tuple[dict[str, int], int]]:
    sizes = {f"blockDim.{axis}": getattr(block, axis) for axis in "xyz"} | {"blockIdx.x": 2, "blockIdx.y": 3, "blockIdx.z": 0}
    for scale in (1, 50):
        unknown = {name: value // scale for name, value in unknown_sizes(context).items()}
        for x in (0, block.x - 1):
            for y in (0, block.y - 1):
                for row in range(0, block.x, block.y):
                    yield {**unknown, **sizes, "threadIdx.x": x, "threadIdx.y": y, "threadIdx.z": 0}, row
