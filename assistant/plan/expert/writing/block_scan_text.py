"""A block's prefix sums with shuffles: each warp makes those of its lanes, and each thread adds the totals of the warps before its own.

Example::

    scan_lines(context, scan, names, 256, waits_again=False)
    # for (int offset = 1; offset < 32; offset *= 2) { float left = __shfl_up_sync(0xffffffff, sum, offset); … }
"""

from __future__ import annotations

from assistant.cuda.integers import evaluate
from assistant.cuda.names import free_name, mentions
from assistant.cuda.scopes import scope_of
from assistant.cuda.shared_arrays import SharedArray
from assistant.cuda.syntax import Node
from assistant.cuda.variables import locals_of
from assistant.model.launch import Dim3
from assistant.plan.expert.analysis.block_steps import flat_sizes
from assistant.plan.expert.analysis.row_reductions import Combination
from assistant.plan.expert.analysis.shared_scan import Part, SharedScan
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import zero_of
from assistant.plan.expert.writing.shared_rows import combined_values
from assistant.plan.expert.writing.style import is_simple_term, style_of
from assistant.record import Record

__all__ = ["ScanNames", "row_of_warps", "scan_lines", "scan_names"]

_LANES = 32
_WORDS = {Combination.SUM: "sum", Combination.PRODUCT: "product", Combination.MAXIMUM: "highest", Combination.MINIMUM: "lowest"}


class ScanNames(Record):
    """Locals of the new text."""

    own: str
    """What the threads up to this one bring."""
    is_new: bool
    """It has to be declared: no local of the author's holds the thread's value and is done with."""
    before: str
    total: str

    def of(self, part: Part) -> str:
        return {Part.UP_TO_IT: self.own, Part.BEFORE_IT: self.before, Part.ALL: self.total}[part]


def scan_names(context: TransformationContext, scan: SharedScan) -> ScanNames:
    tree, body, word = context.tree, context.body, _WORDS[scan.combination]
    held = _held(context, scan)
    before, total = (free_name(tree, body, *names) for names in (("before", f"{word}_before"), ("total", "of_all")))
    return ScanNames(held or free_name(tree, body, word, style_of(context).name("running", word)), held is None, before, total)


def _held(context: TransformationContext, scan: SharedScan) -> str | None:
    """The local that is stored as the thread's value, and is used for nothing else."""
    name, variables = context.tree.text(scan.fill.value), locals_of(context.tree, context.body)
    found = variables.get(name, ()) if scan.fill.condition is None else ()
    if len(found) != 1 or found[0].type != scan.array.element_type or found[0].is_const or found[0].is_pointer or found[0].is_array:
        return None
    used = [n for n in mentions(context.tree, context.body, name) if n.start_byte >= scan.fill.statement.start_byte]
    return name if found[0].node.parent == context.body and len(used) == 1 else None


def scan_lines(context: TransformationContext, scan: SharedScan, names: ScanNames, block: Dim3, *, waits_again: bool) -> list[str]:
    """The statements, without indentation. ``waits_again``: the array may be filled again right behind them."""
    tree, step, thread, array = context.tree, style_of(context).indent, scan.thread, scan.array
    kind, parts = array.element_type, {read.part for read in scan.reads}
    offset, left, warp = (
        free_name(tree, context.body, *each) for each in (("offset", "distance"), ("left", "neighbour"), ("warp", "warp_index"))
    )
    lines = [f"{kind} {names.own} = {_value(context, scan)};"] if names.is_new else []
    lines += [
        f"for (int {offset} = 1; {offset} < {_LANES}; {offset} *= 2) {{",
        f"{step}{kind} {left} = __shfl_up_sync(0xffffffff, {names.own}, {offset});",
        f"{step}if ({thread} % {_LANES} >= {offset})",
        f"{step}{step}{_joined(scan, names.own, left)}",
        "}",
    ]
    if Part.BEFORE_IT in parts:
        lines += [
            f"{kind} {names.before} = __shfl_up_sync(0xffffffff, {names.own}, 1);",
            f"if ({thread} % {_LANES} == 0)",
            f"{step}{names.before} = {_nothing(context, scan)};",
        ]
    lines += [f"if ({thread} % {_LANES} == {_LANES - 1})", f"{step}{array.name}[{thread} / {_LANES}] = {names.own};", "__syncthreads();"]
    earlier = [names.of(part) for part in (Part.UP_TO_IT, Part.BEFORE_IT) if part in parts]
    added = [step + _joined(scan, name, f"{array.name}[{warp}]") for name in earlier]
    head = f"for (int {warp} = 0; {warp} < {thread} / {_LANES}; {warp}++)"
    lines += [f"{head} {{", *added, "}"] if len(added) > 1 else [head, *added] if added else []
    if Part.ALL in parts:
        lines += [
            f"{kind} {names.total} = {array.name}[0];",
            f"for (int {warp} = 1; {warp} < {row_of_warps(context, array, block)}; {warp}++)",
            f"{step}{_joined(scan, names.total, f'{array.name}[{warp}]')}",
        ]
    return [*lines, "__syncthreads();"] if waits_again else lines


def _value(context: TransformationContext, scan: SharedScan) -> str:
    fill, text = scan.fill, context.tree.text
    if fill.condition is None:
        return text(fill.value)
    otherwise = _nothing(context, scan) if fill.otherwise is None else text(fill.otherwise)
    return f"{text(fill.condition)} ? {text(fill.value)} : {otherwise}"


def _nothing(context: TransformationContext, scan: SharedScan) -> str:
    return zero_of(context.tree, scan.array.element_type) if scan.combination is Combination.SUM else "1"


def _joined(scan: SharedScan, name: str, other: str) -> str:
    return combined_values(name, scan.array.element_type, scan.combination, other)


def row_of_warps(context: TransformationContext, array: SharedArray, block: Dim3) -> str:
    """An element for each warp, as the array's size names the block's where it does."""
    named = next((size for size in array.sizes if size is not None and _is_block(context, size, block)), None)
    text = "" if named is None else context.tree.text(named)
    if not text or text.isdigit():
        return str(block.x // _LANES)
    return f"{text} / {_LANES}" if is_simple_term(text) else f"({text}) / {_LANES}"


def _is_block(context: TransformationContext, size: Node, block: Dim3) -> bool:
    return evaluate(size, scope_of(context.tree, context.kernel).fixed(), flat_sizes(context, block)) == block.x
