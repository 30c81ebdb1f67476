"""How the threads of a block put what each has in a local together, and one of them updates global memory with it.

Example::

    totalled(context, (Total("sum", (update,)),), 256)     # shuffles, an element of shared memory for each warp, one atomicAdd
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.cuda.names import free_name
from assistant.plan.expert.analysis.plain_updates import Update
from assistant.plan.expert.analysis.row_reductions import Combination
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.shared_rows import combined_values
from assistant.plan.expert.writing.style import style_of
from assistant.plan.expert.writing.warp_count import warp_count
from assistant.record import Record

__all__ = ["COMBINATIONS", "Total", "joined", "total_names", "totalled"]

_LANES = 32
COMBINATIONS = {"atomicAdd": Combination.SUM, "atomicMax": Combination.MAXIMUM, "atomicMin": Combination.MINIMUM}
"""What the updates of each atomic come to."""


class Total(Record):
    """One element that a block updates once."""

    name: str
    """The local that holds a thread's part."""
    updates: tuple[Update, ...]
    start: str = "0"
    """What a thread's part begins with, where it has none yet: it changes no total."""


def total_names(context: TransformationContext, updates: Sequence[Update]) -> tuple[str, ...]:
    """Free names for a thread's parts, one for each: ``thread_total`` for ``total``, ``thread_sums1`` for one of several of ``sums``."""
    found: list[str] = []
    for update in updates:
        member = update.member
        words = (update.base,) if member is None else tuple(member.path.split("."))
        indices = [node for node in (update.index, None if member is None else member.index) if node is not None and len(updates) > 1]
        number = "".join(text for text in map(context.tree.text, indices) if text.isdigit())
        style = style_of(context)
        names = [style.name(first, *words) + number for first in ("thread", "own")]
        names += [f"{names[0]}_{place}" for place in range(1, len(updates))]
        found.append(free_name(context.tree, context.body, *(name for name in names if name not in found)))
    return tuple(found)


def totalled(context: TransformationContext, totals: tuple[Total, ...], threads: int) -> str:
    """The lines, for a flat block of ``threads``, without indentation and with plain line ends."""
    tree, style = context.tree, style_of(context)
    offset, warp = (free_name(tree, context.body, *names) for names in (("offset", "distance"), ("warp", "warp_index")))
    shuffles = [joined(total, f"__shfl_down_sync(0xffffffff, {total.name}, {offset})") for total in totals]
    lines = _headed(f"for (int {offset} = {_LANES // 2}; {offset} > 0; {offset} /= 2)", shuffles, style.indent)
    updates = [_update(context, total) for total in totals]
    warps = warp_count(context, threads)
    if warps == "1":
        return "\n".join((*lines, *_headed("if (threadIdx.x == 0)", updates, style.indent)))
    arrays = [_array_name(context, total) for total in totals]
    lines += [f"__shared__ {total.updates[0].element_type} {a}[{warps}];" for total, a in zip(totals, arrays, strict=True)]
    kept = [f"{a}[threadIdx.x / {_LANES}] = {total.name};" for total, a in zip(totals, arrays, strict=True)]
    lines += _headed(f"if (threadIdx.x % {_LANES} == 0)", kept, style.indent)
    lines.append("__syncthreads();")
    added = [joined(total, f"{a}[{'1' if warps == '2' else warp}]") for total, a in zip(totals, arrays, strict=True)]
    inner = added if warps == "2" else _headed(f"for (int {warp} = 1; {warp} < {warps}; {warp}++)", added, style.indent)
    lines += ["if (threadIdx.x == 0) {", *(style.indent + line for line in (*inner, *updates)), "}"]
    return "\n".join(lines)


def joined(total: Total, other: str) -> str:
    """A thread's part and another value of its type, as a statement."""
    first = total.updates[0]
    return combined_values(total.name, first.element_type, COMBINATIONS[first.operation], other)


def _update(context: TransformationContext, total: Total) -> str:
    first = total.updates[0]
    return f"{first.operation}({context.tree.text(first.target)}, {total.name});"


def _array_name(context: TransformationContext, total: Total) -> str:
    style, update = style_of(context), total.updates[0]
    last = total.name if total.name.startswith(("thread", "own")) else update.base
    plain = last.removeprefix("thread").removeprefix("own").lstrip("_")
    plain = plain[:1].lower() + plain[1:] if style.is_camel else plain
    return free_name(context.tree, context.body, style.name("warp", plain), style.name("warp", "parts", plain))


def _headed(head: str, lines: list[str], step: str) -> list[str]:
    if len(lines) == 1:
        return [head, step + lines[0]]
    return [f"{head} {{", *(step + line for line in lines), "}"]
