"""Whether every launch has a thread for each of the elements that a bounds check lets through.

Example::

    covers(context, bound)    # None for `(cols + 63) / 64` blocks of 64 threads that check `c < cols`
"""

from __future__ import annotations

from assistant.cuda.assignments import changed_names
from assistant.cuda.integers import evaluate
from assistant.cuda.launch_shape import Launch
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.kernel_launches import launches_of, of_program
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["covers"]

_TRIAL_SIZES = (1, 31, 32, 33, 1000, 4097, 65_535)
"""Values tried for what is known only at run time; a rounded division holds for all or fails for one of them."""


def covers(context: TransformationContext, bound: Node) -> Obstacle | None:
    """Why some launch may leave elements below ``bound``, a constant or one of the kernel's parameters, without a thread."""
    program, name = of_program(context), context.tree.text(bound)
    fixed = evaluate(bound, scope_of(context.tree, context.kernel), {})
    places = [each.name for each in context.kernel.parameters]
    if fixed is None and (name not in places or name in changed_names(context.tree, context.body)):
        return Obstacle(DeclineReason.SIZE_UNKNOWN, f"`{name}` is neither a constant nor a parameter that stays as the launch passes it")
    for launch in launches_of(context):
        argument = None if fixed is not None else program.tree.node_at(launch.site.arguments[places.index(name)].span)
        if not _has_threads(program, launch, argument, fixed):
            where = program.tree.place(launch.site.span)
            words = f"the launch on {where} does not surely have a thread for each of `{name}`"
            return Obstacle(DeclineReason.LAUNCH_FORM, f"{words}, and what has none must stay as it is")
    return None


def _has_threads(program: TransformationContext, launch: Launch, argument: Node | None, fixed: int | None) -> bool:
    known = fixed if argument is None else evaluate(argument, launch.scope, {})
    names = frozenset[str]() if argument is None or known is not None else names_in(program.tree, argument)
    if known is None and not names:
        return False
    for size in _TRIAL_SIZES if known is None else (0,):
        values = dict.fromkeys(names, size)
        wanted = known if argument is None else evaluate(argument, launch.scope, values)
        blocks, threads = (_first(launch, shape.components, values) for shape in (launch.grid, launch.block))
        if wanted is None or blocks is None or threads is None or blocks * threads < wanted:
            return False
    return True


def _first(launch: Launch, components: tuple[Node, ...], values: dict[str, int]) -> int | None:
    return evaluate(components[0], launch.scope, values) if components else None
