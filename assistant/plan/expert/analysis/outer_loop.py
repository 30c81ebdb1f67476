"""The only outermost loop of a kernel, whose iterations other threads or blocks may run, and what the kernel stores outside it.

Example::

    function, loop = outer_loop(context)          # for (int b = a + 1; b < n; b++) { … }
    stores_outside(context, function, loop)       # (`corr[a * n + a] = 1.0f;`,): one thread alone has to run it
"""

from __future__ import annotations

from assistant.cuda.accesses import Use, array_accesses
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.loops import LOOPS
from assistant.cuda.syntax import Node
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.independent_loop import IndependentLoop, independent_loop
from assistant.plan.expert.analysis.pointer_roots import global_pointers, may_overlap
from assistant.plan.expert.analysis.thread_exchange import hidden_builtin, unseen_launch, warp_dependence
from assistant.plan.expert.analysis.workload_block import guessed_launch
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["outer_loop", "stores_outside"]


def outer_loop(context: TransformationContext) -> tuple[Function, IndependentLoop] | Obstacle:
    """The only outermost loop of the kernel, if its iterations are independent."""
    tree = context.tree
    obstacle = warp_dependence(context) or hidden_builtin(context) or unseen_launch(context) or guessed_launch(context)
    if obstacle is not None:
        return obstacle
    outermost = [n for n in tree.find(*LOOPS, inside=context.body) if not _is_inside_loop(context, n)]
    function = enclosing_function(tree, outermost[0]) if outermost else None
    if function is None or len(outermost) != 1:
        several = "the kernel has several loops one after another" if outermost else "there is no loop in the kernel's own body"
        return Obstacle(DeclineReason.NOTHING_TO_CHANGE, f"{several}, and it takes one whose iterations other blocks can run")
    if any("sync" in tree.text(call) for call in tree.find("call_expression", inside=context.body)) or "__shared__" in tree.text(
        context.body
    ):
        return Obstacle(DeclineReason.SYNCHRONIZES, "the threads of a block work together in shared memory or wait for each other")
    loop = independent_loop(context, function, outermost[0])
    if isinstance(loop, Obstacle):
        return loop
    if not _holds_work(context, loop):
        return Obstacle(
            DeclineReason.NO_GAIN, "an iteration has neither a loop nor several elements to load, so there is little to deal out"
        )
    return function, loop


def _is_inside_loop(context: TransformationContext, node: Node) -> bool:
    return any(ancestor.type in LOOPS for ancestor in context.tree.ancestors(node))


def _holds_work(context: TransformationContext, loop: IndependentLoop) -> bool:
    tree = context.tree
    body = loop.node.child_by_field_name("body")
    has_loop = any(tree.find(*LOOPS, inside=body))
    return has_loop or sum(a.kind is Use.READ for a in array_accesses(tree, loop.node)) > 1


def stores_outside(context: TransformationContext, function: Function, loop: IndependentLoop) -> tuple[Node, ...] | Obstacle:
    """Statements outside the loop that store, each a plain one of something that the kernel does not read."""
    tree = context.tree
    accesses = [a for a in array_accesses(tree, context.body) if a.base in global_pointers(tree, function, a.node)]
    outside = [a for a in accesses if not loop.node.start_byte <= a.node.start_byte < loop.node.end_byte]
    stores = [a for a in outside if a.kind is not Use.READ]
    read = {a.base for a in outside if a.kind is Use.READ}
    for written, others in ((loop.stored, read), ({a.base for a in stores}, read | loop.read)):
        for base in sorted(written):
            apart = [may_overlap(tree, function, base, other) for other in sorted(others - {base})]
            if base in others or any(each is not None for each in apart):
                return Obstacle(
                    DeclineReason.ORDER_MATTERS, f"the kernel reads `{base}` or what it may overlap, and other blocks store to it"
                )
    statements = [_statement(context, a.node) for a in stores]
    for access, statement in zip(stores, statements, strict=True):
        in_block = statement.parent is not None and statement.parent.type == "compound_statement"
        if access.kind is not Use.WRITE or statement.type != "expression_statement" or not in_block:
            what = f"`{tree.text(access.node)}` at line {tree.line(statement)}"
            return Obstacle(DeclineReason.ORDER_MATTERS, f"{what} is outside the loop and would be updated again for every part of it")
    return tuple(statements)


def _statement(context: TransformationContext, node: Node) -> Node:
    return next(a for a in context.tree.ancestors(node) if a.type.endswith("statement") or a.type == "declaration")
