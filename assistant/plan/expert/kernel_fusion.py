"""Do the work of kernels that are launched one after the other in one kernel, where each thread only reads what it wrote itself.

What the kernels hand over goes through memory still, but a thread finds its own value in a register or in L1, and there is one launch
instead of several. Stores stay, as nothing says that no other code reads them.

Example::

    scale<<<blocks, 256>>>(x, 2.0f, n);          // x[i] *= s
    shift<<<blocks, 256>>>(x, y, 1.0f, n);       // y[i] = x[i] + c
    // becomes
    scale_and_shift<<<blocks, 256>>>(x, 2.0f, n, y, 1.0f);
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.syntax import Node
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.plan.expert.analysis.kernel_launches import by_file, of_program, out_of_sight
from assistant.plan.expert.analysis.launches_in_a_row import LaunchStatement, launches_in_a_row
from assistant.plan.expert.analysis.thread_work import ElementUse, ThreadWork, thread_work
from assistant.plan.expert.analysis.workload_block import declared_shapes, launch_labels
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.fused_kernel_text import FusedPart, fused_edits, fused_name
from assistant.workload.aliasing import arguments_overlap

__all__ = ["KernelFusion"]

_MOST_KERNELS = 6
"""That become one. Our own limit: more arguments than a reader follows."""


class KernelFusion:
    """Several launches in a row → one."""

    technique = "kernel-fusion"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        program = of_program(context)
        first = thread_work(program)
        row = launches_in_a_row(program)
        if isinstance(first, Obstacle) or isinstance(row, Obstacle) or len(row) < 2:
            return ()
        parts = out_of_sight(context) or _parts(program, _own(context, row), first)
        if isinstance(parts, Obstacle):
            return context.decline(self.technique, parts)
        own, in_others = by_file(context, fused_edits(program, parts))
        names = " and ".join(part.launch.kernel.name for part in parts)
        return (
            Rewrite(
                technique=self.technique,
                kernel=context.kernel.key,
                line=context.line,
                edits=own,
                summary=f"Do the work of {names} in one kernel, `{fused_name(program, parts)}`, whose threads read back what they wrote.",
                labels=launch_labels(context, ()),
                in_others=in_others,
            ),
        )


def _own(context: TransformationContext, row: Sequence[LaunchStatement]) -> tuple[LaunchStatement, ...]:
    """Those up to the first whose kernel stands in another file than the one in question, which is the first of the program's text."""
    return tuple(takewhile(lambda each: each.kernel.span.end <= len(context.text), row))


def _parts(context: TransformationContext, row: Sequence[LaunchStatement], first: ThreadWork) -> tuple[FusedPart, ...] | Obstacle:
    """The kernel and as many of those behind it as go with it, or why not even the next one does."""
    if len(row) < 2:
        return Obstacle(DeclineReason.LAUNCH_FORM, f"the kernel launched after {context.kernel.name} would have to be in its file")
    begun = _part(context, row[0], first)
    if isinstance(begun, Obstacle):
        return begun
    parts = [begun]
    for launch in row[1:_MOST_KERNELS]:
        of = replace(context, kernel=launch.kernel)
        work = thread_work(of)
        part = work if isinstance(work, Obstacle) else _part(context, launch, work)
        obstacle = part if isinstance(part, Obstacle) else _hindrance(context, parts, part)
        if obstacle is not None:
            return tuple(parts) if len(parts) > 1 else obstacle
        assert isinstance(part, FusedPart), "an obstacle was met above"
        parts.append(part)
    return tuple(parts)


def _part(context: TransformationContext, launch: LaunchStatement, work: ThreadWork) -> FusedPart | Obstacle:
    kernel, site = launch.kernel, launch.launch.site
    if len(site.arguments) != len(work.function.parameters) or declared_shapes(context):
        words = f"the launch of {kernel.name} would have to stand in the program alone, with every argument"
        return Obstacle(DeclineReason.LAUNCH_FORM, words)
    if kernel.launch_bounds or any(parameter.is_reference for parameter in work.function.parameters):
        return Obstacle(
            DeclineReason.BLOCK_SIZE_MATTERS, f"{kernel.name} would have to be declared without __launch_bounds__ and references"
        )
    if kernel.macro or kernel.namespaces != context.kernel.namespaces:
        return Obstacle(
            DeclineReason.HIDDEN_BY_MACRO, f"{kernel.name} would have to be written out in the namespace of {context.kernel.name}"
        )
    given = site.template_arguments
    if len(given) != len(kernel.template_parameters) or not all(_is_type_name(text) for text in given):
        words = f"the launch would have to name what the template parameters of {kernel.name} stand for, as in `{kernel.name}<float>`"
        return Obstacle(DeclineReason.TYPE_UNKNOWN, words)
    names = (parameter.name for parameter in kernel.template_parameters)
    return FusedPart(launch, work, dict(zip(names, given, strict=True)))


def _is_type_name(text: str) -> bool:
    return text.replace(" ", "").replace("_", "").isalnum()


def _hindrance(context: TransformationContext, parts: Sequence[FusedPart], later: FusedPart) -> Obstacle | None:
    """Why a thread would read or overwrite what another thread of an earlier kernel works on."""
    if later.work.index.type != parts[0].work.index.type:
        words = f"{later.launch.kernel.name} would have to count its elements in the type that {parts[0].launch.kernel.name} counts in"
        return Obstacle(DeclineReason.TYPE_UNKNOWN, words)
    changing = next((p for p in (*parts, later) if _changes_host(context, p)), None)
    if changing is not None:
        words = f"an argument of {changing.launch.kernel.name} changes a variable, and the launches' order would matter"
        return Obstacle(DeclineReason.LAUNCH_FORM, words)
    for part in parts:
        for one in part.work.uses:
            for other in later.work.uses:
                found = _crossed(context, part, one, later, other) if one.is_written or other.is_written else None
                if found is not None:
                    return found
    return None


def _changes_host(context: TransformationContext, part: FusedPart) -> bool:
    tree, site = context.tree, part.launch.launch.site
    nodes = (tree.node_at(argument.span) for argument in site.arguments)
    return any(next(tree.find("assignment_expression", "update_expression", inside=n), None) is not None for n in nodes if n is not None)


def _crossed(context: TransformationContext, part: FusedPart, one: ElementUse, later: FusedPart, other: ElementUse) -> Obstacle | None:
    """Why elements that two kernels touch, and one of them changes, could be those of different threads."""
    first, second = _argument(context, part, one.base), _argument(context, later, other.base)
    if first is None or second is None:
        return Obstacle(DeclineReason.LAUNCH_FORM, f"what the launches pass for `{one.base}` and `{other.base}` could not be read")
    name, later_name = part.launch.kernel.name, later.launch.kernel.name
    if context.tree.text(first) == context.tree.text(second):
        if _type(part, one.base) != _type(later, other.base):
            words = f"`{one.base}` of {name} and `{other.base}` of {later_name} would have to have elements of one type"
            return Obstacle(DeclineReason.TYPE_UNKNOWN, words)
        if one.is_own and other.is_own:
            return None
        who, base = (later_name, other.base) if one.is_own else (name, one.base)
        words = f"{who} would have to touch only the thread's own element of `{base}`, which {name if who != name else later_name}"
        return Obstacle(DeclineReason.ORDER_MATTERS, f"{words} touches, too: other threads may not be as far")
    reason = arguments_overlap(context.tree.program, _caller(context, part), first, second)
    if reason is None:
        return None
    words = f"`{context.tree.text(first)}` of {name} and `{context.tree.text(second)}` of {later_name} would have to be different buffers"
    return Obstacle(DeclineReason.MAY_OVERLAP, f"{words}: {reason}")


def _type(part: FusedPart, base: str) -> str:
    parameter = part.work.function.parameter(base)
    assert parameter is not None, "elements are touched through parameters"
    return part.types.get(parameter.type, parameter.type)


def _argument(context: TransformationContext, part: FusedPart, base: str) -> Node | None:
    names = [parameter.name for parameter in part.work.function.parameters]
    return context.tree.node_at(part.launch.launch.site.arguments[names.index(base)].span) if base in names else None


def _caller(context: TransformationContext, part: FusedPart) -> Function | None:
    return enclosing_function(context.tree, part.launch.statement)
