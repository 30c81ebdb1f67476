"""A parameter that a kernel could get for the number of elements of an array, which its launches know and it does not.

Example::

    count_parameter(context, "clusters", "Cluster<D>")     # CountParameter('int', 'k', ('k',)): every launch would pass its `k`
"""

from __future__ import annotations

from assistant.cuda.names import free_name, mentions
from assistant.plan.expert.analysis.kernel_launches import launches_of, of_program
from assistant.plan.expert.analysis.size_parameters import counting_variables
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["CountParameter", "count_parameter"]

_COUNTS = ("int", "unsigned", "unsigned int", "size_t", "std::size_t", "long")


class CountParameter(Record):
    """One more parameter of the kernel, behind the others."""

    type: str
    name: str
    arguments: tuple[str, ...]
    """What each launch passes, in the order of the text."""


def count_parameter(context: TransformationContext, base: str, pointed_type: str) -> CountParameter | None:
    """The parameter; None where a launch does not know the number, or where the kernel is named other than in launches."""
    program, tree, kernel = of_program(context), context.tree, context.kernel
    variables, launches = counting_variables(context, base, pointed_type), launches_of(context)
    is_launched_alone = len(mentions(program.tree, program.tree.root, kernel.name)) == len(launches) + 1
    if variables is None or not is_launched_alone or context.elsewhere or not kernel.parameters:
        return None
    kind = variables[0].type
    if kind not in _COUNTS or any(variable.type != kind for variable in variables):
        return None
    used = {*(each.name for each in kernel.parameters), *(each.name for each in kernel.template_parameters)}
    name = variables[0].name
    is_free = name not in used and not mentions(tree, context.body, name)
    return CountParameter(
        kind, name if is_free else free_name(tree, context.body, f"{base.rstrip('_')}_count"), tuple(v.name for v in variables)
    )
