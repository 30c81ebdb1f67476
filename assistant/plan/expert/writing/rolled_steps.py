"""A reduction whose steps are written out one after the other as the loop that it stands for, for rules that read such loops.

Example::

    if (t < 64) a[t] += a[t + 64];     // for (int s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads();                   //     if (t < s) a[t] += a[t + s];
    if (t < 32) warp_reduce(a, t);     //     __syncthreads();
                                       // }
"""

from __future__ import annotations

from assistant.cuda.files import line_end
from assistant.cuda.functions import functions
from assistant.cuda.names import free_name
from assistant.cuda.shared_arrays import shared_arrays
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.launch_block import launched_block
from assistant.plan.expert.analysis.written_out_steps import WrittenOutSteps, written_out_steps
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.helper_removal import helper_removal
from assistant.plan.expert.writing.layout import indentation
from assistant.plan.expert.writing.shared_rows import combined_values
from assistant.plan.expert.writing.style import style_of
from assistant.record import Record

__all__ = ["RolledSteps", "rolled_steps"]


class RolledSteps(Record):
    """The loop in the place of the steps."""

    edits: tuple[TextEdit, ...]
    """Of the kernel."""
    line: int
    """Where the loop begins then."""
    removals: tuple[TextEdit, ...]
    """Take helpers away that nothing else mentions."""


def rolled_steps(context: TransformationContext) -> RolledSteps | None:
    """None where no reduction at the finding's line is written out."""
    seen = launched_block(context)
    found = None if isinstance(seen, Obstacle) else written_out_steps(context, seen.block)
    if found is None:
        return None
    span = Span(context.tree.span(found.first).start, context.tree.span(found.last).end)
    return RolledSteps((TextEdit(span, _loop(context, found)),), context.tree.line(found.first), tuple(_removals(context, found)))


def _loop(context: TransformationContext, steps: WrittenOutSteps) -> str:
    tree, style, newline = context.tree, style_of(context), line_end(context.text)
    kind = next(array.element_type for array in shared_arrays(tree, context.body) if array.name == steps.array)
    half = free_name(tree, context.body, "s", "half", "distance")
    mine, other = f"{steps.array}[{steps.thread}]", f"{steps.array}[{steps.thread} + {half}]"
    if steps.local is None:
        step = combined_values(mine, kind, steps.combination, other)
    else:
        step = f"{{ {combined_values(steps.local, kind, steps.combination, other)} {mine} = {steps.local}; }}"
    lines = [
        f"for (int {half} = blockDim.x / 2; {half} > 0; {half} /= 2) {{",
        f"{style.indent}if ({steps.thread} < {half}) {step}",
        f"{style.indent}__syncthreads();",
        "}",
    ]
    indent = indentation(context.text, tree.span(steps.first).start)
    if steps.rest is not None:
        old = indentation(context.text, tree.span(steps.rest).start)
        first, *others = tree.text(steps.rest).splitlines()
        lines += [first, *(line.removeprefix(old) for line in others)]
    return f"{newline}{indent}".join(lines)


def _removals(context: TransformationContext, steps: WrittenOutSteps) -> list[TextEdit]:
    """Each helper with its comments, where the program mentions it at its call alone."""
    known = {function.name: function for function in functions(context.tree)}
    edits = (helper_removal(context, known[name])[0] for name in dict.fromkeys(steps.helpers))
    return [edit for edit in edits if edit is not None]
