"""Loads of an element kernel's loop that a block can bring to shared memory together: those that a row or a column alone decides.

Example::

    staged_loads(context, kernel)    # (StagedLoad('A', 'y', …), StagedLoad('B', 'x', …))
"""

from __future__ import annotations

from assistant.cuda.accesses import Use, uses_of
from assistant.cuda.integers import evaluate
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.element_kernel import ElementKernel
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.memory_accesses import unknown_sizes
from assistant.plan.expert.analysis.pointer_roots import Root, element_type, global_pointers, root_of, unclear_access
from assistant.plan.expert.analysis.tile_loads import is_unconditional
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["StagedLoad", "staged_loads"]

_WHOLE_NUMBERS = (
    "int",
    "unsigned",
    "unsigned int",
    "long",
    "long long",
    "unsigned long",
    "short",
    "unsigned short",
    "char",
    "unsigned char",
)
_SIZED_NUMBERS = tuple(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64))
_NUMBERS = frozenset(("float", "double", "half", "__half", "size_t", *_WHOLE_NUMBERS, *_SIZED_NUMBERS))
"""Element types that a zero can be written of."""


class StagedLoad(Record):
    """One load that becomes an element of a tile."""

    base: str
    axis: str
    """``y`` where the row decides the element, ``x`` where the column does."""
    node: Node
    element: Node
    """The load alone, where ``node`` is a product of it and factors that all threads share (``scaled_loads``); else ``node``."""
    type: str
    walks_along_loop: bool
    """Neighbours in memory follow each other along the loop; along the rows or columns otherwise."""

    def key(self, tree: SyntaxTree) -> str:
        return "".join(tree.text(self.node).split())


def staged_loads(context: TransformationContext, kernel: ElementKernel) -> tuple[StagedLoad, ...] | Obstacle:
    """The loads in source order, at least one; or why the loop cannot run on tiles."""
    tree, function, loop = context.tree, kernel.function, kernel.loop
    body = loop.child_by_field_name("body")
    assert body is not None, "a counted loop has a body"
    pointers = global_pointers(tree, function, body)
    obstacle = _pointer_obstacle(tree, kernel, pointers)
    if obstacle is not None:
        return obstacle
    found: list[StagedLoad] = []
    inside = locals_of(tree, body).keys()
    for node in tree.find("subscript_expression", inside=body):
        base = tree.text(node.named_children[0])
        if base not in pointers:
            continue
        axes = _axes(tree, kernel, node)
        if axes is None or len(axes) > 1 or names_in(tree, node) & inside or hidden_names(tree, node) & {kernel.header.variable}:
            return Obstacle(
                DeclineReason.ADDRESS_UNKNOWN, f"`{tree.text(node)}` is decided by more than the row or the column and the loop's counter"
            )
        if not axes:
            continue
        if kernel.header.variable not in names_in(tree, node) or not is_unconditional(tree, node, loop):
            return Obstacle(DeclineReason.CONDITIONAL, f"`{tree.text(node)}` is not loaded anew in every iteration")
        kind = element_type(tree, function, base) or "auto"
        if not _is_number(context, kind):
            return Obstacle(DeclineReason.TYPE_UNKNOWN, f"the elements of `{base}` are no plain numbers")
        found.append(StagedLoad(base, next(iter(axes)), node, node, kind, _walks_along_loop(context, kernel, node)))
    if not found:
        return Obstacle(DeclineReason.NOTHING_TO_CHANGE, "no load of the loop is decided by the row or the column and the loop's counter")
    return tuple(found)


def _is_number(context: TransformationContext, kind: str) -> bool:
    if kind in {p.name for p in context.kernel.template_parameters}:
        return True
    return plain_type(context.tree, kind) in _NUMBERS


def _pointer_obstacle(tree: SyntaxTree, kernel: ElementKernel, pointers: frozenset[str]) -> Obstacle | None:
    function, loop = kernel.function, kernel.loop
    for name in sorted(pointers):
        kinds = {use.kind for use in uses_of(tree, loop, name)}
        if kinds & {Use.WRITE, Use.UPDATE, Use.ATOMIC}:
            return Obstacle(
                DeclineReason.OTHER_TECHNIQUE_FIRST, f"the loop stores through `{name}`: keep the running value in a register first"
            )
        if Use.ESCAPE in kinds or not isinstance(root_of(tree, function, name), Root):
            return Obstacle(DeclineReason.POINTER_UNCLEAR, f"where `{name}` points, or what reads it, is not clear")
    unclear = unclear_access(tree, function, loop)
    if unclear is None:
        unclear = next((tree.text(n) for n in tree.find("pointer_expression", inside=loop)), None)
    return (
        None if unclear is None else Obstacle(DeclineReason.POINTER_UNCLEAR, f"which element `{unclear}` is does not follow from an index")
    )


def _axes(tree: SyntaxTree, kernel: ElementKernel, node: Node) -> frozenset[str] | None:
    """Thread axes that decide the element, those of a pointer to a row included; None where something else than indices does."""
    axes: frozenset[str] = frozenset()
    for name in names_in(tree, node) - {kernel.header.variable}:
        inner = kernel.axes_of(tree, name)
        if inner is None:
            return None
        axes |= inner
    return axes if not any(tree.find("call_expression", "pointer_expression", inside=node)) else None


def _walks_along_loop(context: TransformationContext, kernel: ElementKernel, node: Node) -> bool:
    """Neighbouring iterations read neighbouring elements; also where nothing is known of the index."""
    indices = node.child_by_field_name("indices")
    scope, counter = scope_of(context.tree, context.kernel), kernel.header.variable
    if indices is None or len(indices.named_children) != 1:
        return True
    sizes = {**unknown_sizes(context), kernel.rows.name: 3, kernel.columns.name: 5}
    here, next_one = (evaluate(indices.named_children[0], scope, {**sizes, counter: value}) for value in (7, 8))
    return here is None or next_one is None or abs(next_one - here) == 1
