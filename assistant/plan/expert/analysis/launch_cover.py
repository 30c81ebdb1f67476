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
    """Why some launch may leave elements below ``bound``, made of constants and the kernel's parameters, without a thread."""
    program, text = of_program(context), context.tree.text(bound)
    places = {each.name: place for place, each in enumerate(context.kernel.parameters)}
    used = names_in(context.tree, bound) & places.keys()
    if used & changed_names(context.tree, context.body) or not (used or evaluate(bound, scope_of(context.tree, context.kernel), {})):
        return Obstacle(DeclineReason.SIZE_UNKNOWN, f"`{text}` is not made of constants and parameters that stay as the launch passes them")
    for launch in launches_of(context):
        arguments = {name: program.tree.node_at(launch.site.arguments[places[name]].span) for name in used}
        if not _has_threads(context, launch, bound, {name: node for name, node in arguments.items() if node is not None}):
            where = program.tree.place(launch.site.span)
            words = f"the launch on {where} does not surely have a thread for each of `{text}`"
            return Obstacle(DeclineReason.LAUNCH_FORM, f"{words}, and what has none must stay as it is")
    return None


def _has_threads(context: TransformationContext, launch: Launch, bound: Node, arguments: dict[str, Node]) -> bool:
    tree, scope = of_program(context).tree, scope_of(context.tree, context.kernel)
    names = sorted({name for node in arguments.values() if evaluate(node, launch.scope, {}) is None for name in names_in(tree, node)})
    for size in _TRIAL_SIZES:
        for is_odd_larger in (False, True):
            values = {name: 2 * size + 3 if place % 2 == is_odd_larger else size for place, name in enumerate(names)}
            passed = {name: evaluate(node, launch.scope, values) for name, node in arguments.items()}
            wanted = evaluate(bound, scope, {name: value for name, value in passed.items() if value is not None})
            blocks, threads = (_first(launch, shape.components, values) for shape in (launch.grid, launch.block))
            if wanted is None or blocks is None or threads is None or blocks * threads < wanted:
                return False
    return True


def _first(launch: Launch, components: tuple[Node, ...], values: dict[str, int]) -> int | None:
    return evaluate(components[0], launch.scope, values) if components else None
