"""Atomics of a kernel whose results nothing looks at: what they update, and whether all threads of a block update one element.

Such updates may come later and in another order, as long as nothing else in the kernel looks at what they update: reading it while other
threads update it has no defined result.

Example::

    match plain_updates(context):
        case Updates(at_line=update): ...     # `atomicAdd(&counts[d], 1);`: update.base == 'counts', update.index is the node of `d`
        case Obstacle(): ...                  # why the updates must stay as they are
"""

from __future__ import annotations

import re

from assistant.cuda.accesses import canonical
from assistant.cuda.assignments import assignments
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import mentions, names_in
from assistant.cuda.shared_arrays import shared_arrays
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import Variable, locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.updated_places import Member, place_of
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["Update", "Updates", "plain_updates", "same_element"]

_COMBINED = ("atomicAdd", "atomicMax", "atomicMin")
_ORDERED = re.compile(r"\b(__threadfence\w*|__nanosleep|cooperative_groups)\b")
_THREADS = frozenset({"threadIdx"})


class Update(Record):
    """One atomic whose result is not used."""

    statement: Node
    operation: str
    """``atomicAdd``, ``atomicMax`` or ``atomicMin``."""
    target: Node
    """The address, as written."""
    value: Node
    base: str
    """The pointer parameter."""
    index: Node | None
    """``i`` of ``&base[i]`` and ``base + i``; None for ``base`` itself."""
    element_type: str
    """Of the number, aliases followed."""
    pointed_type: str
    """What the pointer points to: the number's type, or a struct's."""
    member: Member | None
    """Where the number is in its struct; None for an element that is a number."""
    alias: Variable | None
    """The local by which the kernel reaches the element."""
    is_of_block: bool
    """All threads of a block update the same element."""


class Updates(Record):
    """All of a kernel."""

    function: Function
    at_line: Update
    """That of the finding's line."""
    all: tuple[Update, ...]
    guard: Node | None
    """The one early return before them, a statement of the kernel's body; None without one."""


def plain_updates(context: TransformationContext) -> Updates | Obstacle:
    """The updates, or why those at the finding's line must stay as they are."""
    tree = context.tree
    function = enclosing_function(tree, context.body)
    if function is None:
        return Obstacle(DeclineReason.NOTHING_TO_CHANGE, "the kernel's body cannot be read")
    calls = [call for call in tree.find("call_expression", inside=context.body) if callee_name(tree, call).startswith("atomic")]
    for call in calls:
        if callee_name(tree, call) not in _COMBINED:
            why = f"`{callee_name(tree, call)}` at line {tree.line(call)} would have to be a sum, a maximum or a minimum"
            return Obstacle(DeclineReason.ATOMIC, why)
        if call.parent is None or call.parent.type != "expression_statement":
            why = f"the result of the atomic at line {tree.line(call)} is used: its order matters"
            return Obstacle(DeclineReason.ATOMIC, why)
    shared = {array.name for array in shared_arrays(tree, context.body)}
    found = [_update(tree, function, call) for call in calls if not names_in(tree, call) & shared]
    obstacle = next((each for each in found if isinstance(each, Obstacle)), None)
    updates = tuple(each for each in found if isinstance(each, Update))
    at_line = next((u for u in updates if tree.line(u.statement) <= context.line <= u.statement.end_point[0] + 1), None)
    if obstacle is not None or at_line is None:
        return obstacle or Obstacle(DeclineReason.NOTHING_TO_CHANGE, "no atomic of the kernel's own body stands at this line")
    chosen = _chosen_thread(tree, function, at_line)
    if chosen is not None:
        return chosen
    guard = _guard(tree, function, updates)
    return _use_obstacle(context, function, updates) or (
        guard if isinstance(guard, Obstacle) else Updates(function, at_line, updates, guard)
    )


def _chosen_thread(tree: SyntaxTree, function: Function, update: Update) -> Obstacle | None:
    """One thread of the block or warp updates for all, as a condition on its place in the block says."""
    variables = locals_of(tree, function.body)
    for ancestor in tree.ancestors(update.statement):
        condition = condition_of(ancestor) if ancestor.type == "if_statement" else None
        for name in () if condition is None else names_in(tree, condition):
            values = [tree.text(v.value) for v in variables.get(name, ()) if v.value is not None]
            is_place = any("threadIdx" in value and "blockIdx" not in value for value in values)
            if name == "threadIdx" or is_place:
                return Obstacle(
                    DeclineReason.ALREADY_DONE, f"line {tree.line(ancestor)} lets chosen threads of the block update for the others already"
                )
    return None


def _update(tree: SyntaxTree, function: Function, call: Node) -> Update | Obstacle:
    given, line = given_arguments(call), tree.line(call)
    statement = call.parent
    place = place_of(tree, function, given[0]) if len(given) == 2 else None
    if place is None or statement is None:
        words = f"what the atomic at line {line} updates would have to be written as `&pointer[index]`, or as a member of it"
        return Obstacle(DeclineReason.POINTER_UNCLEAR, words)
    parameter = function.parameter(place.base)
    if parameter is None or parameter.indirection != 1 or parameter.is_volatile:
        return Obstacle(DeclineReason.POINTER_UNCLEAR, f"`{place.base}` at line {line} is no plain pointer parameter of the kernel")
    spelled = place.cast or (parameter.type if place.member is None else place.member.type)
    return Update(
        statement=statement,
        operation=callee_name(tree, call),
        target=given[0],
        value=given[1],
        base=place.base,
        index=place.index,
        element_type=plain_type(tree, spelled),
        pointed_type=parameter.type,
        member=place.member,
        alias=place.alias,
        is_of_block=_is_of_block(tree, function, given[0]),
    )


def _is_of_block(tree: SyntaxTree, function: Function, target: Node) -> bool:
    names = names_in(tree, target) | hidden_names(tree, target)
    changed = {tree.text(change.target) for change in assignments(tree, function.body)}
    reads = next(tree.find("call_expression", inside=target), None)
    inner = sum(1 for _ in tree.find("subscript_expression", inside=target))
    return not names & (locals_of(tree, function.body).keys() | _THREADS | changed) and reads is None and inner <= 1


def _use_obstacle(context: TransformationContext, function: Function, updates: tuple[Update, ...]) -> Obstacle | None:
    """Why an update cannot wait until the block's threads are done."""
    tree = context.tree
    ordered = _ORDERED.search(tree.text(function.body))
    if ordered is not None:
        return Obstacle(DeclineReason.ORDER_MATTERS, f"{ordered[0]} gives the kernel's updates an order that others may rely on")
    targets = [update.target for update in updates]
    aliases = {update.alias.name: update.alias for update in updates if update.alias is not None}
    known = (*targets, *(alias.declarator for alias in aliases.values()))
    for base in sorted({update.base for update in updates} | aliases.keys()):
        for mention in mentions(tree, function.body, base):
            if not any(node.start_byte <= mention.start_byte < node.end_byte for node in known):
                return Obstacle(
                    DeclineReason.USED_ELSEWHERE,
                    f"line {tree.line(mention)} uses `{base}` while other threads update it: all of its uses would have to be updates",
                )
    return None


def _guard(tree: SyntaxTree, function: Function, updates: tuple[Update, ...]) -> Node | Obstacle | None:
    """The one early return; every thread of a block can be made to get to the kernel's end."""
    leaving = list(tree.find("return_statement", "goto_statement", "gnu_asm_expression", inside=function.body))
    if not leaving:
        return None
    first = leaving[0]
    guard = next((a for a in tree.ancestors(first) if a.parent == function.body), first)
    branch = guard.child_by_field_name("consequence") if guard.type == "if_statement" else None
    is_plain = branch is not None and lone_statement(branch) == first and guard.child_by_field_name("alternative") is None
    if len(leaving) > 1 or not is_plain or any(u.statement.start_byte < guard.start_byte for u in updates):
        line = tree.line(leaving[-1])
        return Obstacle(
            DeclineReason.LEAVES_EARLY, f"a thread may leave at line {line}, and a block's threads have to meet at the kernel's end"
        )
    return guard


def same_element(tree: SyntaxTree, first: Update, second: Update) -> bool:
    """Both update one element in one way."""
    return first.operation == second.operation and canonical(tree, first.target) == canonical(tree, second.target)
