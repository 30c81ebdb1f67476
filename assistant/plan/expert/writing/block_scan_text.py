"""A block's prefix sums with shuffles: each warp makes those of its lanes, and what the warps before have together is added to them.

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
from assistant.plan.expert.writing.style import style_of
from assistant.plan.expert.writing.warp_count import divided_by_warp, warp_count
from assistant.record import Record

__all__ = ["ScanNames", "row_of_warps", "scan_lines", "scan_names"]

_LANES = 32
_ADDED_BY_ALL = 8
"""Warps whose totals each thread may well go through: more take longer than a scan of the totals in one warp, which costs a barrier."""
_LOOSE = ("conditional_expression", "assignment_expression", "comma_expression")
"""What binds less than ``a ? b : c`` does."""
_WORDS = {Combination.SUM: "sum", Combination.PRODUCT: "product", Combination.MAXIMUM: "highest", Combination.MINIMUM: "lowest"}


class ScanNames(Record):
    """What the new text calls the parts."""

    own: str
    """What the threads up to this one bring."""
    is_new: bool
    """It has to be declared: no local of the author's holds the thread's value and is done with."""
    before: str
    total: str

    def of(self, part: Part) -> str:
        return {Part.UP_TO_IT: self.own, Part.BEFORE_IT: self.before, Part.ALL: self.total}[part]


def scan_names(context: TransformationContext, scan: SharedScan, block: Dim3) -> ScanNames:
    tree, body, word = context.tree, context.body, _WORDS[scan.combination]
    held = _held(context, scan)
    before, total = (free_name(tree, body, *names) for names in (("before", f"{word}_before"), ("total", "of_all")))
    if block.x // _LANES > _ADDED_BY_ALL:
        total = f"{scan.array.name}[{_last_of(row_of_warps(context, scan.array, block))}]"
    return ScanNames(held or free_name(tree, body, word, style_of(context).name("running", word)), held is None, before, total)


def _held(context: TransformationContext, scan: SharedScan) -> str | None:
    """The local that is stored as the thread's value, and is used for nothing else."""
    name, variables = context.tree.text(scan.fill.value), locals_of(context.tree, context.body)
    found = variables.get(name, ()) if scan.fill.condition is None else ()
    if len(found) != 1 or found[0].type != scan.array.element_type or found[0].is_const or found[0].is_pointer or found[0].is_array:
        return None
    gone = (*((read.node.start_byte, read.node.end_byte) for read in scan.reads), (scan.fill.statement.start_byte, scan.last.end_byte))
    used = [n for n in mentions(context.tree, context.body, name) if n.start_byte >= scan.fill.statement.start_byte]
    is_done_with = all(any(start <= n.start_byte < end for start, end in gone) for n in used)
    return name if found[0].node.parent == context.body and is_done_with and name != scan.thread else None


def scan_lines(context: TransformationContext, scan: SharedScan, names: ScanNames, block: Dim3, *, waits_again: bool) -> list[str]:
    """The statements, without indentation. ``waits_again``: the array may be filled again right behind them."""
    step, thread, array = style_of(context).indent, scan.thread, scan.array.name
    kind, parts = scan.array.element_type, {read.part for read in scan.reads}
    lines = [f"{kind} {names.own} = {_value(context, scan)};"] if names.is_new else []
    lines += _in_a_warp(context, scan, names.own, f"{thread} % {_LANES}")
    if Part.BEFORE_IT in parts:
        lines += [
            f"{kind} {names.before} = __shfl_up_sync(0xffffffff, {names.own}, 1);",
            f"if ({thread} % {_LANES} == 0)",
            f"{step}{names.before} = {_nothing(context, scan)};",
        ]
    lines += [f"if ({thread} % {_LANES} == {_LANES - 1})", f"{step}{array}[{thread} / {_LANES}] = {names.own};", "__syncthreads();"]
    earlier = [names.of(part) for part in (Part.UP_TO_IT, Part.BEFORE_IT) if part in parts]
    if block.x // _LANES > _ADDED_BY_ALL:
        lines += _scanned_warps(context, scan, earlier, block)
    else:
        lines += _added_warps(context, scan, earlier)
        lines += _total(context, scan, names.total, block) if Part.ALL in parts else []
    return [*lines, "__syncthreads();"] if waits_again else lines


def _in_a_warp(context: TransformationContext, scan: SharedScan, name: str, lane: str) -> list[str]:
    """Each lane gets what the lanes up to it have."""
    step = style_of(context).indent
    offset, left = (free_name(context.tree, context.body, *each) for each in (("offset", "distance"), ("left", "neighbour")))
    return [
        f"for (int {offset} = 1; {offset} < {_LANES}; {offset} *= 2) {{",
        f"{step}{scan.array.element_type} {left} = __shfl_up_sync(0xffffffff, {name}, {offset});",
        f"{step}if ({lane} >= {offset})",
        f"{step}{step}{_joined(scan, name, left)}",
        "}",
    ]


def _added_warps(context: TransformationContext, scan: SharedScan, earlier: list[str]) -> list[str]:
    """Each thread goes through the totals of the warps before its own."""
    step, warp = style_of(context).indent, _warp_name(context)
    added = [step + _joined(scan, name, f"{scan.array.name}[{warp}]") for name in earlier]
    head = f"for (int {warp} = 0; {warp} < {scan.thread} / {_LANES}; {warp}++)"
    return [f"{head} {{", *added, "}"] if len(added) > 1 else [head, *added] if added else []


def _total(context: TransformationContext, scan: SharedScan, name: str, block: Dim3) -> list[str]:
    array, warp = scan.array.name, _warp_name(context)
    return [
        f"{scan.array.element_type} {name} = {array}[0];",
        f"for (int {warp} = 1; {warp} < {row_of_warps(context, scan.array, block)}; {warp}++)",
        f"{style_of(context).indent}{_joined(scan, name, f'{array}[{warp}]')}",
    ]


def _scanned_warps(context: TransformationContext, scan: SharedScan, earlier: list[str], block: Dim3) -> list[str]:
    """The first warp scans the totals of all warps, and each thread takes one of them."""
    step, thread, array = style_of(context).indent, scan.thread, scan.array.name
    name = free_name(context.tree, context.body, "warps", style_of(context).name("of", "warps"))
    count = row_of_warps(context, scan.array, block)
    is_full = block.x // _LANES == _LANES
    held = f"{array}[{thread}]" if is_full else _known_total(context, scan, count)
    inner = [
        f"{scan.array.element_type} {name} = {held};",
        *_in_a_warp(context, scan, name, thread),
        *([] if is_full else [f"if ({thread} < {count})"]),
        f"{'' if is_full else step}{array}[{thread}] = {name};",
    ]
    added = [step + _joined(scan, each, f"{array}[{thread} / {_LANES} - 1]") for each in earlier]
    head = f"if ({thread} >= {_LANES})"
    taken = [f"{head} {{", *added, "}"] if len(added) > 1 else [head, *added] if added else []
    return [f"if ({thread} < {_LANES}) {{", *(step + line for line in inner), "}", "__syncthreads();", *taken]


def _known_total(context: TransformationContext, scan: SharedScan, count: str) -> str:
    """A lane beyond the last warp has nothing, or where that is no number of the type the first total: no other lane looks at it."""
    thread, array = scan.thread, scan.array.name
    if scan.combination in (Combination.SUM, Combination.PRODUCT):
        return f"{thread} < {count} ? {array}[{thread}] : {_nothing(context, scan)}"
    return f"{array}[{thread} < {count} ? {thread} : 0]"


def _warp_name(context: TransformationContext) -> str:
    return free_name(context.tree, context.body, "warp", "warp_index")


def _last_of(count: str) -> str:
    return str(int(count) - 1) if count.isdigit() else f"{count} - 1"


def _value(context: TransformationContext, scan: SharedScan) -> str:
    fill, text = scan.fill, context.tree.text
    if fill.condition is None:
        return text(fill.value)
    asked = f"({text(fill.condition)})" if fill.condition.type in _LOOSE else text(fill.condition)
    otherwise = _nothing(context, scan) if fill.otherwise is None else text(fill.otherwise)
    return f"{asked} ? {text(fill.value)} : {otherwise}"


def _nothing(context: TransformationContext, scan: SharedScan) -> str:
    """What does not change a sum, or a product."""
    return zero_of(context.tree, scan.array.element_type) if scan.combination is Combination.SUM else "1"


def _joined(scan: SharedScan, name: str, other: str) -> str:
    return combined_values(name, scan.array.element_type, scan.combination, other)


def row_of_warps(context: TransformationContext, array: SharedArray, block: Dim3) -> str:
    """An element for each warp, as the array's size names the block's where it does."""
    named = next((size for size in array.sizes if size is not None and _is_block(context, size, block)), None)
    text = "" if named is None else context.tree.text(named)
    return divided_by_warp(text) if text else warp_count(context, block.x)


def _is_block(context: TransformationContext, size: Node, block: Dim3) -> bool:
    return evaluate(size, scope_of(context.tree, context.kernel).fixed(), flat_sizes(context, block)) == block.x
