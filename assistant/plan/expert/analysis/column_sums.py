"""Kernels in which each thread adds up one long column and stores what it makes of the sums in elements of its own.

Blocks can share such a column, each adding its part, where everything that is stored is a sum of parts again.

Example::

    match column_sums(context, block):
        case ColumnSums(results=results): ...    # `mean[c] = sum / rows;`, to which blocks could add
        case Obstacle(): ...                     # why other blocks cannot take some of the rows
"""

from __future__ import annotations

from assistant.cuda.accesses import Use, canonical, uses_of
from assistant.cuda.assignments import changed_names
from assistant.cuda.syntax import Node, unparenthesized
from assistant.cuda.variables import Variable
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.linear_sums import FLOATING, made_of_sums
from assistant.plan.expert.analysis.one_block_kernel import ADDED_TYPES
from assistant.plan.expert.analysis.pointer_roots import apart_from_others, global_pointers, unclear_access
from assistant.plan.expert.analysis.row_kernel import RowKernel, RowLoop, row_kernel
from assistant.plan.expert.analysis.row_reductions import Combination, Reduction
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record
from assistant.workload.aliasing import ApartAsRecorded

__all__ = ["ColumnSums", "Result", "column_sums"]


class Result(Record):
    """The one element behind a pointer that a thread stores."""

    base: str
    kind: str
    """Its type, aliases followed."""
    spelled: str
    """Its type as the text has it."""
    change: Node
    """The assignment."""
    target: Node
    operator: str
    """``=``, ``+=`` or ``-=``."""
    value: Node
    start: Variable | None
    """The local that the element is loaded into before the loop and stored from after it; None where the element is only stored."""


class ColumnSums(Record):
    """The parts of such a kernel."""

    kernel: RowKernel
    loop: RowLoop
    results: tuple[Result, ...]
    apart: tuple[ApartAsRecorded, ...]
    """Pointers that only recorded launches show to be apart."""


def column_sums(context: TransformationContext, block: Dim3) -> ColumnSums | Obstacle:
    """The kernel's parts, or why other blocks cannot take some of a column's rows."""
    kernel = row_kernel(context, block)
    if isinstance(kernel, Obstacle):
        return kernel
    loop = _only_loop(context, kernel)
    if isinstance(loop, Obstacle):
        return loop
    results = _results(context, kernel)
    if isinstance(results, Obstacle):
        return results
    linear = made_of_sums(context.tree, kernel.function, loop.node, frozenset(reduction.name for reduction in loop.reductions))
    if isinstance(linear, Obstacle):
        return linear
    obstacle = next((each for result in results if (each := _unfit(context, loop, result, linear)) is not None), None)
    if obstacle is not None:
        return obstacle
    apart = apart_from_others(context.tree, kernel.function, {result.base for result in results}, context.recorded)
    return apart if isinstance(apart, Obstacle) else ColumnSums(kernel, loop, results, apart)


def _only_loop(context: TransformationContext, kernel: RowKernel) -> RowLoop | Obstacle:
    tree, function = context.tree, kernel.function
    if kernel.only_for_warps is not None:
        return kernel.only_for_warps
    unclear = unclear_access(tree, function, function.body)
    if unclear is not None:
        return Obstacle(DeclineReason.POINTER_UNCLEAR, f"which element `{unclear}` is does not follow from an index")
    if len(kernel.loops) != 1:
        return Obstacle(DeclineReason.LOOP_FORM, "the kernel has several loops, and the later ones would need whole sums")
    loop = kernel.loops[0]
    other = next((each for each in loop.reductions if each.combination is not Combination.SUM), None)
    if other is not None or not loop.reductions or any("." in each.name for each in loop.reductions):
        what = f"`{other.name}` is no sum" if other is not None else "the loop adds nothing up in plain locals"
        return Obstacle(DeclineReason.NOTHING_TO_CHANGE, f"{what}, and blocks can only add to what others have")
    for name in sorted(global_pointers(tree, function, loop.node)):
        if any(use.kind is not Use.READ for use in uses_of(tree, loop.node, name)):
            return Obstacle(DeclineReason.LOOP_HAS_EFFECTS, f"the loop changes `{name}` or passes it on")
    return loop


def _results(context: TransformationContext, kernel: RowKernel) -> tuple[Result, ...] | Obstacle:
    found: list[Result] = []
    for statement in kernel.stores:
        result = _result(context, kernel, statement)
        if isinstance(result, Obstacle):
            return result
        found.append(result)
    for result in found:
        obstacle = _used_besides(context, kernel, result)
        if obstacle is not None:
            return obstacle
    return tuple(found) or Obstacle(DeclineReason.NOTHING_TO_CHANGE, "the kernel stores nothing that blocks could add to")


def _result(context: TransformationContext, kernel: RowKernel, statement: Node) -> Result | Obstacle:
    tree, change = context.tree, statement.named_children[0]
    why = Obstacle(
        DeclineReason.STORE_FORM,
        f"line {tree.line(statement)} is no plain store to the thread's own element of an array, which `atomicAdd` could take over",
    )
    target, value, operator = (change.child_by_field_name(field) for field in ("left", "right", "operator"))
    is_plain = statement.type == "expression_statement" and change.type == "assignment_expression"
    if not is_plain or target is None or value is None or operator is None or tree.text(operator) not in ("=", "+=", "-="):
        return why
    base = canonical(tree, target).partition("[")[0]
    parameter = kernel.function.parameter(base)
    if parameter is None or parameter.indirection != 1 or parameter.is_volatile:
        return why
    kind = plain_type(tree, parameter.type)
    if canonical(tree, target) != f"{base}[{kernel.row.name}]" or kind not in ADDED_TYPES:
        return why
    start = _start(context, kernel, canonical(tree, target), value) if tree.text(operator) == "=" else None
    return Result(base, kind, parameter.type.removeprefix("const ").strip(), change, target, tree.text(operator), value, start)


def _start(context: TransformationContext, kernel: RowKernel, element: str, value: Node) -> Variable | None:
    """``float s = y[j];`` of ``y[j] = s;``."""
    name = context.tree.text(unparenthesized(value))
    reductions: tuple[Reduction, ...] = tuple(each for loop in kernel.loops for each in loop.reductions)
    found = next((each.variable for each in reductions if each.name == name), None)
    is_own = found is not None and found.value is not None and canonical(context.tree, unparenthesized(found.value)) == element
    return found if is_own else None


def _used_besides(context: TransformationContext, kernel: RowKernel, result: Result) -> Obstacle | None:
    """Something else than its one store, and the load that it starts with, touches what the result is stored to."""
    start = None if result.start is None else result.start.value
    for use in uses_of(context.tree, kernel.function.body, result.base):
        is_load = start is not None and start.start_byte <= use.node.start_byte < start.end_byte
        if use.node != result.target and not is_load:
            line = context.tree.line(use.node)
            return Obstacle(
                DeclineReason.ORDER_MATTERS,
                f"line {line} reads or stores `{result.base}` as well, which other blocks would change meanwhile",
            )
    return None


def _unfit(context: TransformationContext, loop: RowLoop, result: Result, linear: frozenset[str]) -> Obstacle | None:
    tree = context.tree
    if result.base not in linear:
        what = f"line {tree.line(result.change)} stores what is no sum of the rows"
        return Obstacle(DeclineReason.RESULT_WOULD_CHANGE, f"{what}, and every block would add it to `{result.base}`")
    if any((plain_type(tree, each.type) in FLOATING) != (result.kind in FLOATING) for each in loop.reductions):
        words = f"`{result.base}` is of another kind of number than the sums, so that each block would round its part"
        return Obstacle(DeclineReason.RESULT_WOULD_CHANGE, words)
    changed = changed_names(tree, loop.node)
    if result.start is not None and result.start.name not in changed:
        return Obstacle(DeclineReason.NOTHING_TO_CHANGE, f"the loop leaves `{result.start.name}` as it was")
    return None
