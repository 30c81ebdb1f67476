"""Whether every launch has a thread for each of the elements that a bounds check lets through, and no block without any.

Example::

    covers(context, bound)             # None for `(cols + 63) / 64` blocks of 64 threads that check `c < cols`
    has_idle_blocks(context, bound)    # False for these; True for `cols / 64 + 1`
"""

from __future__ import annotations

from collections.abc import Callable

from assistant.cuda.assignments import assignments, changed_names
from assistant.cuda.integers import evaluate
from assistant.cuda.launch_shape import Launch
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.kernel_launches import launches_of, of_program
from assistant.plan.expert.analysis.parameter_numbers import parameter_numbers
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["covers", "has_idle_blocks"]

_TRIAL_SIZES = (1, 31, 32, 33, 1000, 1024, 4097, 65_535, 65_536)
"""Values tried for what is known only at run time; a rounded division holds for all or fails for one of them."""


Asked = Callable[[int, int, int], bool]
"""(blocks, threads of each, elements) → whether that will do."""


def covers(context: TransformationContext, bound: Node) -> Obstacle | None:
    """Why some launch may leave elements below ``bound``, made of constants and the kernel's parameters, without a thread."""
    text, places = context.tree.text(bound), _passed(context, bound)
    if places is None:
        return Obstacle(DeclineReason.SIZE_UNKNOWN, f"`{text}` is not made of constants and parameters that stay as the launch passes them")
    for launch in launches_of(context):
        if not _holds(context, launch, bound, places, lambda blocks, threads, wanted: blocks * threads >= wanted):
            where = of_program(context).tree.place(launch.site.span)
            words = f"the launch on {where} does not surely have a thread for each of `{text}`"
            return Obstacle(DeclineReason.LAUNCH_FORM, f"{words}, and what has none must stay as it is")
    return None


def has_idle_blocks(context: TransformationContext, bound: Node) -> bool:
    """A launch may have a block of which all threads are beyond ``bound``; also where no launch is seen."""
    places, launches = _passed(context, bound), launches_of(context)
    if places is None or not launches:
        return True
    return not all(
        _holds(context, each, bound, places, lambda blocks, threads, wanted: (blocks - 1) * threads < wanted) for each in launches
    )


def _passed(context: TransformationContext, bound: Node) -> dict[str, int] | None:
    """The parameters that the bound is made of, by their places; None where it is made of anything else."""
    places = {each.name: place for place, each in enumerate(context.kernel.parameters)}
    used = names_in(context.tree, bound) & places.keys()
    if used & changed_names(context.tree, context.body) or not (used or evaluate(bound, scope_of(context.tree, context.kernel), {})):
        return None
    return {name: places[name] for name in used}


def _holds(context: TransformationContext, launch: Launch, bound: Node, places: dict[str, int], asked: Asked) -> bool:
    """The launch's blocks and threads will do for all sizes that are tried."""
    tree, scope = of_program(context).tree, scope_of(context.tree, context.kernel)
    found = {name: tree.node_at(launch.site.arguments[place].span) for name, place in places.items()}
    arguments = {name: node for name, node in found.items() if node is not None}
    names = sorted({name for node in arguments.values() if evaluate(node, launch.scope, {}) is None for name in names_in(tree, node)})
    members = {name: f"{tree.text(arguments[owner])}.{path}" for name, owner, path in _members(context, bound) if owner in arguments}
    if any(_is_set_late(context, launch, member) for member in members.values()):
        return False
    names += sorted(members.values())
    for size in _TRIAL_SIZES:
        for is_odd_larger in (False, True):
            values = {name: 2 * size + 3 if place % 2 == is_odd_larger else size for place, name in enumerate(names)}
            passed = {name: evaluate(node, launch.scope, values) for name, node in arguments.items()}
            passed |= {name: values[member] for name, member in members.items()}
            wanted = evaluate(bound, scope, {name: value for name, value in passed.items() if value is not None})
            blocks, threads = (_first(launch, shape.components, values) for shape in (launch.grid, launch.block))
            if wanted is None or blocks is None or threads is None or not asked(blocks, threads, wanted):
                return False
    return True


def _members(context: TransformationContext, bound: Node) -> tuple[tuple[str, str, str], ...]:
    """(``box.nx``, ``box``, ``nx``) of each member of a struct that the bound is made of, which stays as the launch passes it."""
    known = parameter_numbers(context.tree, context.kernel)
    texts = {context.tree.text(node).replace(" ", "") for node in context.tree.find("field_expression", inside=bound)}
    found = ((text, *text.partition(".")) for text in sorted(texts) if text in known)
    return tuple((text, owner, path) for text, owner, dot, path in found if dot)


def _is_set_late(context: TransformationContext, launch: Launch, member: str) -> bool:
    """The launching function sets the member, or the whole struct, behind where it made the number of blocks."""
    tree, made = of_program(context).tree, min((node.start_byte for node in launch.grid.components), default=0)
    owner = member.partition(".")[0]
    changes = assignments(tree, launch.function) if launch.function is not None else ()
    return any(change.node.start_byte > made and tree.text(change.target).replace(" ", "") in (owner, member) for change in changes)


def _first(launch: Launch, components: tuple[Node, ...], values: dict[str, int]) -> int | None:
    return evaluate(components[0], launch.scope, values) if components else None
