"""Kernels in which each thread works for one index, behind one bounds check: what it does, and which elements it touches.

Example::

    match thread_work(context):
        case ThreadWork() as work: work.index, work.uses     # 'i', (ElementUse('v', is_written=True, is_own=True), …)
        case Obstacle(): ...                                 # the kernel has another form
"""

from __future__ import annotations

from assistant.cuda.accesses import Use, uses_of
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.loops import LOOPS
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, binary_parts, joined, unparenthesized, without_comments
from assistant.cuda.variables import Variable, declared_variables, locals_of
from assistant.model.plan import DeclineReason
from assistant.model.source import Span
from assistant.plan.expert.analysis.loop_effects import leaves_or_synchronizes
from assistant.plan.expert.analysis.pointer_roots import global_pointers, unclear_access
from assistant.plan.expert.analysis.stored_pointers import may_store
from assistant.plan.expert.analysis.thread_index import is_index_for_every_block
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["ElementUse", "ThreadWork", "thread_work"]

_COMPARED = ("<", "<=", ">", ">=")


class ElementUse(Record):
    """A parameter through which elements are touched."""

    base: str
    is_written: bool
    is_own: bool
    """No other element than that of the thread's index."""


class ThreadWork(Record):
    """The parts of such a kernel."""

    function: Function
    index: Variable
    condition: Node
    """What the bounds check asks."""
    is_early: bool
    """The check is an early return, as against an ``if`` around the work."""
    before: tuple[Node, ...]
    """Other declarations before the check."""
    work: Span
    """What is done for the index, without braces."""
    is_single: bool
    """It is one statement."""
    uses: tuple[ElementUse, ...]


def thread_work(context: TransformationContext) -> ThreadWork | Obstacle:
    """The kernel's parts, or why it has another form."""
    tree = context.tree
    function = enclosing_function(tree, context.body)
    children = [n for n in context.body.named_children if n.type != "comment"]
    count = next((n for n, child in enumerate(children) if child.type != "declaration"), len(children))
    declared, rest = children[:count], children[count:]
    index = _index(context, declared)
    guard = rest[0] if rest and rest[0].type == "if_statement" else None
    condition = None if guard is None else condition_of(guard)
    branch = None if guard is None else guard.child_by_field_name("consequence")
    is_plain = guard is not None and guard.child_by_field_name("alternative") is None
    if function is None or index is None or guard is None or condition is None or branch is None or not is_plain:
        return _other_form(context)
    only = lone_statement(branch)
    is_early = only is not None and only.type == "return_statement"
    if not _is_bounds_check(context, condition, index, is_early) or (rest[1:] and not is_early):
        return _other_form(context)
    nodes = (*(n for n in declared if n != index.node), *(rest[1:] if is_early else (branch,)))
    obstacle = next((found for node in nodes if (found := _obstacle(context, function, node)) is not None), None)
    if obstacle is not None:
        return obstacle
    uses = _uses(context, function, nodes, index.name)
    work = Span(tree.span(guard).end, tree.span(context.body).end - 1) if is_early else _inside(context, branch)
    before = tuple(n for n in declared if n != index.node)
    is_single = len(without_comments(context.body)) == count + 2 if is_early else only is not None
    return uses if isinstance(uses, Obstacle) else ThreadWork(function, index, condition, is_early, before, work, is_single, uses)


def _other_form(context: TransformationContext) -> Obstacle:
    words = "would have to be one bounds check of the thread's index in the grid, and what it does for that index"
    return Obstacle(DeclineReason.GUARD_FORM, f"{context.kernel.name} {words}")


def _inside(context: TransformationContext, branch: Node) -> Span:
    span = context.tree.span(branch)
    return Span(span.start + 1, span.end - 1) if branch.type == "compound_statement" else span


def _index(context: TransformationContext, declared: list[Node]) -> Variable | None:
    """The local that is the thread's index in the grid, alone in its declaration."""
    for node in declared:
        variables = tuple(declared_variables(context.tree, node))
        value = variables[0].value if len(variables) == 1 else None
        if value is not None and is_index_for_every_block(context, value):
            return variables[0]
    return None


def _is_bounds_check(context: TransformationContext, condition: Node, index: Variable, is_early: bool) -> bool:
    """Comparisons of the index, which read no memory."""
    tree = context.tree
    if next(tree.find("subscript_expression", "pointer_expression", "call_expression", "assignment_expression", inside=condition), None):
        return False
    parts = [binary_parts(unparenthesized(part)) for part in joined(condition, "||" if is_early else "&&")]
    return index.name in names_in(tree, condition) and all(part is not None and part[0] in _COMPARED for part in parts)


def _obstacle(context: TransformationContext, function: Function, node: Node) -> Obstacle | None:
    tree = context.tree
    if next(tree.find(*LOOPS, inside=node), None) is not None:
        return Obstacle(DeclineReason.LOOP_FORM, f"{context.kernel.name} would have to do its work for an index without a loop")
    if "__shared__" in tree.text(node):
        return Obstacle(DeclineReason.SYNCHRONIZES, f"{context.kernel.name} uses shared memory, and its threads would have to work alone")
    hidden = hidden_names(tree, node) & {*locals_of(tree, function.body), *(parameter.name for parameter in function.parameters)}
    if hidden:
        words = f"a macro in {context.kernel.name} uses `{min(hidden)}`, which would have to stand in the text, as it may get another name"
        return Obstacle(DeclineReason.HIDDEN_BY_MACRO, words)
    unclear = unclear_access(tree, function, node)
    if unclear is not None:
        return Obstacle(DeclineReason.POINTER_UNCLEAR, f"which element `{unclear}` is does not follow from an index")
    return leaves_or_synchronizes(tree, node)


def _uses(context: TransformationContext, function: Function, nodes: tuple[Node, ...], index: str) -> tuple[ElementUse, ...] | Obstacle:
    tree, found = context.tree, list[ElementUse]()
    for name in sorted({name for node in nodes for name in global_pointers(tree, function, node)}):
        uses = [use for node in nodes for use in uses_of(tree, node, name)]
        if function.parameter(name) is None:
            words = f"`{name}` would have to be a parameter of {context.kernel.name}"
            return Obstacle(DeclineReason.POINTER_UNCLEAR, f"{words}, so that what both kernels touch can be seen")
        is_own = all(use.kind not in (Use.ATOMIC, Use.ESCAPE) and _is_of(use.place, f"{name}[{index}]") for use in uses)
        found.append(ElementUse(name, any(may_store(tree, function, name, use) for use in uses), is_own))
    return tuple(found)


def _is_of(place: str | None, element: str) -> bool:
    """The element or a member of it."""
    text = "".join((place or "").split())
    return text == element or text.startswith(f"{element}.")
