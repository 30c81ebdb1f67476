"""The locals that hold what each thread brings to a reduction: the author's, where nothing else needs its value, or new ones.

Example::

    thread_values(context, total, set(), is_sum=False)      # `sum` of `buf[t] = sum;`; a new `value` for `buf[t] = x[i] * y[i];`
"""

from __future__ import annotations

from assistant.cuda.functions import enclosing_function
from assistant.cuda.names import free_name, mentions
from assistant.cuda.variables import Variable, locals_of
from assistant.plan.expert.analysis.row_reductions import Combination
from assistant.plan.expert.analysis.set_anew import until_set_anew
from assistant.plan.expert.analysis.shared_totals import SharedPart, SharedTotal
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.shared_rows import combined_values
from assistant.plan.expert.writing.style import style_of
from assistant.record import Record

__all__ = ["REDUCED_WORDS", "ThreadValue", "thread_values"]

REDUCED_WORDS = {Combination.SUM: "sum", Combination.PRODUCT: "product", Combination.MAXIMUM: "max", Combination.MINIMUM: "min"}
"""What a local for a part of such a total is called."""


class ThreadValue(Record):
    """What a thread has of one part."""

    part: SharedPart
    name: str
    is_new: bool
    """It is declared where the part was stored."""

    def joined(self, other: str) -> str:
        return combined_values(self.name, self.part.array.element_type, self.part.combination, other)


def thread_values(context: TransformationContext, total: SharedTotal, taken: set[str], *, is_sum: bool) -> tuple[ThreadValue, ...]:
    """``is_sum``: a thread adds up several elements."""
    found: list[ThreadValue] = []
    for part in total.parts:
        names = taken | {value.name for value in found}
        held = part.local or _held(context, part)
        if held is not None and (part.local is not None or held not in names):
            found.append(ThreadValue(part, held, is_new=False))
            continue
        style, word = style_of(context), REDUCED_WORDS[part.combination]
        own = style.name("thread", part.array.name if len(total.parts) > 1 else word)
        plain = () if names or len(total.parts) > 1 else ("sum" if is_sum else "value",)
        wanted = (*plain, own, *(f"{own}{number}" for number in range(2, 2 + len(names))))
        name = free_name(context.tree, context.body, *(name for name in wanted if name not in names))
        found.append(ThreadValue(part, name, is_new=True))
    return tuple(found)


def _held(context: TransformationContext, part: SharedPart) -> str | None:
    """The local that holds a thread's value, where it has the array's type and nothing looks at that value later."""
    if part.value is None:
        return None
    tree, name = context.tree, context.tree.text(part.value)
    variables = locals_of(tree, context.body).get(name, ()) or _parameters(context, name)
    if len(variables) != 1 or variables[0].is_const or variables[0].is_pointer or variables[0].is_array:
        return None
    is_given = variables[0].node.type == "parameter_declaration" and part.store.parent == context.body
    is_whole = variables[0].node.parent == part.store.parent or is_given
    return name if variables[0].type == part.array.element_type and is_whole and _is_done_with(context, part, name) else None


def _is_done_with(context: TransformationContext, part: SharedPart, name: str) -> bool:
    """Nothing looks at the local's value behind the store: it is not used, or is set anew first."""
    later = (n for n in mentions(context.tree, context.body, name) if n.start_byte >= part.store.end_byte)
    return not until_set_anew(context, later)


def _parameters(context: TransformationContext, name: str) -> tuple[Variable, ...]:
    """The parameter of the name that the function around the reduction has for itself."""
    function = enclosing_function(context.tree, context.body)
    return () if function is None else tuple(p for p in function.parameters if p.name == name and not p.is_reference)
