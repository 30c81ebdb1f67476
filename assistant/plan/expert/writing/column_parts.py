"""How the threads of a column put their parts of a sum or a maximum together, in one order.

Example::

    gathered(context, [Parts(reduction, "sum_parts")], Dim3(32, 16))   # lines, the first `__shared__ float sum_parts[16][32];`
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.cuda.names import free_name
from assistant.model.launch import Dim3
from assistant.plan.expert.analysis.row_reductions import Reduction
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.shared_rows import combined, combined_values
from assistant.plan.expert.writing.style import style_of
from assistant.record import Record

__all__ = ["Parts", "gathered"]

_MOST_IN_A_ROW = 16
"""Parts that each thread adds by itself; more are halved step by step."""


class Parts(Record):
    """A reduction, and the shared array for its parts."""

    reduction: Reduction
    array: str


def gathered(context: TransformationContext, parts: Sequence[Parts], block: Dim3) -> list[str]:
    """The lines after a loop of which ``block.y`` threads did a part each, for ``block.x`` columns."""
    lines = [f"__shared__ {each.reduction.type} {each.array}[{block.y}][{block.x}];" for each in parts]
    lines += [f"{each.array}[threadIdx.y][threadIdx.x] = {each.reduction.name};" for each in parts]
    lines.append("__syncthreads();")
    whole = [f"{each.reduction.name} = {each.array}[0][threadIdx.x];" for each in parts]
    if block.y <= _MOST_IN_A_ROW:
        return [*lines, *whole, *_in_a_row(context, parts, block)]
    return [*lines, *_halved(context, parts, block), *whole]


def _in_a_row(context: TransformationContext, parts: Sequence[Parts], block: Dim3) -> list[str]:
    part = free_name(context.tree, context.body, "part", "other_part")
    added = [combined(each.reduction, f"{each.array}[{part}][threadIdx.x]") for each in parts]
    head = f"for (int {part} = 1; {part} < {block.y}; {part}++)"
    return [f"{head} {added[0]}"] if len(added) == 1 else [f"{head} {{", *(style_of(context).indent + line for line in added), "}"]


def _halved(context: TransformationContext, parts: Sequence[Parts], block: Dim3) -> list[str]:
    half, step = free_name(context.tree, context.body, "half", "half_parts"), style_of(context).indent
    added = [_joined(each, half) for each in parts]
    branch = f"if (threadIdx.y < {half})"
    inner = [f"{branch} {added[0]}"] if len(added) == 1 else [f"{branch} {{", *(step + line for line in added), "}"]
    head = f"for (int {half} = {block.y // 2}; {half} > 0; {half} /= 2) {{"
    return [head, *(step + line for line in (*inner, "__syncthreads();")), "}"]


def _joined(parts: Parts, half: str) -> str:
    mine, other = f"{parts.array}[threadIdx.y][threadIdx.x]", f"{parts.array}[threadIdx.y + {half}][threadIdx.x]"
    return combined_values(mine, parts.reduction.type, parts.reduction.combination, other)
