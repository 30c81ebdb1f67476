"""Copy a small table that data index to shared memory, once per block.

Lanes that look up different elements of global memory touch a sector each; in shared memory they wait only where two want the same bank.
The copy stands first in the kernel, where every thread comes by. It pays where a block looks up far more than it copies.

Example::

    for (long i = …; i < n; i += …)
        out[i] = codebook[packed[i] & 15] * scale;
    // becomes
    __shared__ float codebook_table[16];
    if (threadIdx.x < 16) codebook_table[threadIdx.x] = codebook[threadIdx.x];
    __syncthreads();
    for (long i = …; i < n; i += …)
        out[i] = codebook_table[packed[i] & 15] * scale;
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.counted_loops import counted_header
from assistant.cuda.element_size import element_size_bytes
from assistant.cuda.files import line_end
from assistant.cuda.integers import evaluate
from assistant.cuda.loops import loops_around
from assistant.cuda.names import fresh_name
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node
from assistant.model.launch import Dim3
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.profile import LaunchProfile
from assistant.model.source import TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.kernel_launches import launches_of
from assistant.plan.expert.analysis.launch_block import SeenBlock, launched_shape
from assistant.plan.expert.analysis.looked_up import Table, looked_up
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import before_statement, indentation
from assistant.plan.expert.writing.style import style_of
from assistant.plan.expert.writing.warp_count import thread_count
from assistant.record import Record
from assistant.workload.recorded_words import apart_assumption

__all__ = ["SharedTable"]

_LARGEST_BYTES = 8192
"""Of all tables of a kernel: an H100 then still holds 28 blocks on a multiprocessor (227 KiB; CUDA C++ Programming Guide, "Technical
Specifications per Compute Capability"). Our own limit."""
_LEAST_LOOKUPS = 4
"""Lookups of a block for each element that it copies: a copied element costs a load, a store and part of a barrier. Our own limit."""
_USUAL_BLOCK = 256
"""Threads of a block whose size is not known."""
_WARP = 32


class _Copied(Record):
    """A table and the array that takes its place."""

    table: Table
    name: str


class SharedTable:
    """Lookups in global memory → lookups in shared memory."""

    technique = "shared-table"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        tables = looked_up(context)
        if isinstance(tables, Obstacle):
            return context.decline(self.technique, tables)
        if not tables:
            return ()
        seen = launched_shape(context)
        block = seen.block if isinstance(seen, SeenBlock) and not seen.assumptions else None
        obstacle = _unfit(context, tables, block)
        if obstacle is not None:
            return context.decline(self.technique, obstacle)
        return (_rewrite(context, tables, block),)


def _unfit(context: TransformationContext, tables: tuple[Table, ...], block: Dim3 | None) -> Obstacle | None:
    """Why the tables do not fit, or do not pay."""
    static = 0 if context.resources is None else context.resources.static_shared_bytes
    size = static + sum(_bytes(context, table) for table in tables)
    largest = max(tables, key=lambda table: table.size.count)
    if size > _LARGEST_BYTES:
        words = f"the {largest.size.count:,} elements of `{largest.base}` would have to fit in {_LARGEST_BYTES:,} bytes of shared memory"
        return Obstacle(DeclineReason.LIMIT_EXCEEDED, f"{words} with what is there")
    threads = _USUAL_BLOCK if block is None else block.count
    lookups = _lookups_of_thread(context, largest)
    if lookups is not None and lookups * threads < _LEAST_LOOKUPS * largest.size.count:
        number = "one element" if lookups == 1 else f"{lookups:.3g} elements"
        words = f"a thread looks up {number} of `{largest.base}`: its block would have to look up far more than the"
        return Obstacle(DeclineReason.NO_GAIN, f"{words} {largest.size.count:,} elements that it copies, as with fewer blocks that stride")
    return None


def _bytes(context: TransformationContext, table: Table) -> int:
    return table.size.count * (element_size_bytes(context.tree, table.type) or 16)


def _lookups_of_thread(context: TransformationContext, table: Table) -> float | None:
    """As counted, else as far as the loops around them are constants; None where only the run knows."""
    lines = {context.tree.line(load) for load in table.loads}
    for profile in context.profiles[:1]:
        requests = sum(access.requests for access in profile.accesses if access.line in lines and access.op == "global load")
        reads = sum(_reads_on_line(context, line) for line in lines)
        return requests * len(table.loads) / max(1, reads) / _warps(profile)
    counts = [_times(context, load) for load in table.loads]
    return None if None in counts else float(sum(count for count in counts if count is not None))


def _reads_on_line(context: TransformationContext, line: int) -> int:
    """Elements that the text of a line reads or stores to."""
    nodes = context.tree.find("subscript_expression", inside=context.body)
    return sum(context.tree.line(node) == line for node in nodes)


def _warps(profile: LaunchProfile) -> int:
    return profile.config.grid.count * -(-profile.config.block.count // _WARP)


def _times(context: TransformationContext, load: Node) -> int | None:
    times = 1
    for loop in loops_around(context.tree, load):
        header = counted_header(context.tree, loop)
        first = None if header is None or not header.first.isdigit() else int(header.first)
        bound = None if header is None else evaluate(header.bound_node, scope_of(context.tree, context.kernel), {})
        if first is None or bound is None or header is None or header.step != "1":
            return None
        times *= max(0, bound - first)
    return times


def _rewrite(context: TransformationContext, tables: tuple[Table, ...], block: Dim3 | None) -> Rewrite:
    tree, style = context.tree, style_of(context)
    copied = tuple(_Copied(table, fresh_name(tree, style.name(table.base, "table"))) for table in tables)
    first = next(n for n in context.body.named_children if n.type != "comment")
    indent = indentation(context.text, tree.span(first).start)
    lines = _copies(context, copied, block)
    begun = before_statement(tree, first, f"{line_end(context.text)}{indent}".join((*lines, "__syncthreads();")))
    reads = [TextEdit(tree.span(_array_of(load)), each.name) for each in copied for load in each.table.loads]
    pairs = [(pair.first, pair.second) for table in tables for pair in table.apart]
    recorded = (apart_assumption(context.recorded, *pairs),) if pairs and context.recorded is not None else ()
    sized = tuple(table.size.assumption for table in tables if table.size.assumption is not None)
    names = " and ".join(f"`{table.base}`" for table in tables)
    return Rewrite(
        technique=SharedTable.technique,
        kernel=context.kernel.key,
        line=context.line,
        edits=tuple(sorted((*begun, *reads))),
        summary=f"Copy {names} to shared memory once per block, and look elements up there.",
        labels=(Label.ASSUMPTION,) if recorded or sized else (),
        predictions=predicted_values(context, _predicted(context, tables)),
        assumptions=(*recorded, *sized),
    )


def _array_of(load: Node) -> Node:
    base = load.child_by_field_name("argument")
    assert base is not None, "a subscript has an array"
    return base


def _copies(context: TransformationContext, copied: tuple[_Copied, ...], block: Dim3 | None) -> Iterator[str]:
    """The arrays and their filling, those of one size together."""
    for each in copied:
        yield f"__shared__ {each.table.type} {each.name}[{each.table.size.text}];"
    for size in dict.fromkeys(each.table.size.text for each in copied):
        yield from _copy(context, tuple(each for each in copied if each.table.size.text == size), block)


def _copy(context: TransformationContext, copied: tuple[_Copied, ...], block: Dim3 | None) -> tuple[str, ...]:
    """By one element a thread where the block is as large as the tables, and its size has no name that could come to mean less; else by a
    loop."""
    style, size = style_of(context), copied[0].table.size
    if block is not None and block.count >= size.count and _threads(context, block).isdigit():
        stores = [f"{each.name}[{_thread(block)}] = {each.table.base}[{_thread(block)}];" for each in copied]
        asked = f"if ({_thread(block)} < {size.text})"
        if block.count == size.count:
            return tuple(stores)
        return (f"{asked} {stores[0]}",) if len(stores) == 1 else style.headed(asked, stores)
    entry = fresh_name(context.tree, "entry")
    thread, step = _strided(context) if block is None else (_thread(block), _threads(context, block))
    head = f"for (int {entry} = {thread}; {entry} < {size.text}; {entry} += {step})"
    return style.headed(head, [f"{each.name}[{entry}] = {each.table.base}[{entry}];" for each in copied])


def _strided(context: TransformationContext) -> tuple[str, str]:
    """(thread, threads) of a block whose size is not known: in one dimension where every launch says so."""
    launches = launches_of(context)
    if launches and all(len(launch.block.components) == 1 for launch in launches):
        return "threadIdx.x", "blockDim.x"
    return "threadIdx.y * blockDim.x + threadIdx.x", "blockDim.x * blockDim.y"


def _threads(context: TransformationContext, block: Dim3) -> str:
    return thread_count(context, block.x) if block.y * block.z == 1 else str(block.count)


def _thread(block: Dim3) -> str:
    row = f"threadIdx.y * {block.x} + threadIdx.x"
    plane = row if block.z == 1 else f"(threadIdx.z * {block.y} + threadIdx.y) * {block.x} + threadIdx.x"
    return "threadIdx.x" if block.y * block.z == 1 else plane


def _predicted(context: TransformationContext, tables: tuple[Table, ...]) -> dict[str, float]:
    """What is left of the line's sectors, where the lookups are all that it loads."""
    loads = [load for table in tables for load in table.loads if context.tree.line(load) == context.line]
    others = _reads_on_line(context, context.line) - len(loads)
    sectors = next((e.value for e in context.evidence if e.metric == "global_sectors"), None)
    return {} if sectors is None or not loads else {"global_sectors": sectors * others / (others + len(loads))}
