"""Addresses and conditions of one thread's row, written for the row of another thread of the block.

Example::

    rows = other_rows(context, function, ("ch * samples + t", "ch < channels"), "t", "r")
    rows.declared             # ('const int otherCh = blockIdx.x * blockDim.x + r;',)
    rows.text("ch * samples + t", {"t": "at"})     # 'otherCh * samples + at'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from assistant.cuda.assignments import changed_names
from assistant.cuda.functions import Function
from assistant.cuda.names import free_name, names_in
from assistant.cuda.variables import Variable, locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.block_values import is_alike_in_block
from assistant.plan.expert.analysis.thread_dependence import thread_axes
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.style import style_of
from assistant.record import Record

__all__ = ["OtherRows", "other_rows"]

_THREAD = re.compile(r"\bthreadIdx\s*\.\s*x\b")
_NAME = re.compile(r"(?<![\w.])(?<!->)[A-Za-z_]\w*")
"""Of a variable, not of a member."""
_MEMORY = ("subscript_expression", "pointer_expression", "call_expression", "assignment_expression", "update_expression")
_MAX_DEPTH = 8
"""Deepest chain of definitions that is followed."""


class OtherRows(Record):
    """How expressions of the kernel read for another thread."""

    thread: str
    """The other thread's place in the block."""
    values: Mapping[str, str]
    """Locals that depend on the thread, as the expression that they are for the other one."""
    steps: Mapping[str, str]
    """Locals that depend on the loop's counter, too, as what they are made from."""
    declared: tuple[str, ...]
    """Declarations of what the other thread has in these locals; none where its place in the block is enough."""

    def text(self, spelled: str, further: Mapping[str, str]) -> str:
        """``further``: what else is called otherwise there, such as the counter."""
        for _ in range(_MAX_DEPTH):
            spelled = self.steps.get(spelled.strip(), _replaced(spelled, {name: f"({made})" for name, made in self.steps.items()}))
        return _THREAD.sub(self.thread, _replaced(spelled, {**self.values, **further}))


def other_rows(
    context: TransformationContext, function: Function, spelled: Iterable[str], counter: str, thread: str
) -> OtherRows | Obstacle:
    """For these expressions, in a loop with this ``counter``; what would have to hold where a local in them is not made of indices."""
    values, found, steps = dict[str, str](), dict[str, Variable](), dict[str, str]()
    for text in spelled:
        obstacle = _collect(context, function, text, counter, found, steps, 0)
        if obstacle is not None:
            return obstacle
    declared = list[str]()
    for name, variable in sorted(found.items(), key=lambda each: each[1].node.start_byte):
        value = "" if variable.value is None else context.tree.text(variable.value)
        values[name] = other = _THREAD.sub(thread, _replaced(value, values))
        if other != thread:
            values[name] = free_name(context.tree, context.body, style_of(context).name("other", name.rstrip("_")))
            declared.append(f"const {variable.type} {values[name]} = {other};")
    return OtherRows(thread, values, steps, tuple(declared))


def _collect(
    context: TransformationContext,
    function: Function,
    text: str,
    counter: str,
    found: dict[str, Variable],
    steps: dict[str, str],
    depth: int,
) -> Obstacle | None:
    """All locals that depend on the thread or the counter, and what they are made from."""
    tree = context.tree
    declared, changed = locals_of(tree, function.body), changed_names(tree, function.body)
    for name in sorted(set(_NAME.findall(text)) & declared.keys() - found.keys() - steps.keys() - {counter}):
        variables = declared[name]
        value = variables[0].value if len(variables) == 1 and name not in changed and not variables[0].is_pointer else None
        if value is not None and is_alike_in_block(context, function, value):
            continue
        is_step = value is not None and counter in names_in(tree, value) and not any(tree.find(*_MEMORY, inside=value))
        if value is None or depth > _MAX_DEPTH or not (is_step or thread_axes(tree, function, value)):
            words = f"where the row of another thread lies would have to follow from indices and sizes alone, and `{name}` does not"
            return Obstacle(DeclineReason.NOT_RECOMPUTABLE, words)
        if is_step:
            steps[name] = tree.text(value)
        else:
            found[name] = variables[0]
        obstacle = _collect(context, function, tree.text(value), counter, found, steps, depth + 1)
        if obstacle is not None:
            return obstacle
    return None


def _replaced(text: str, names: Mapping[str, str]) -> str:
    if not names:
        return text
    known = "|".join(map(re.escape, names))
    return re.sub(rf"(?<![\w.])(?<!->)({known})\b", lambda found: names[found[1]], text)
