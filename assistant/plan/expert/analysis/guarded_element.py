"""What a thread adds to its block's sum, where that is one element within the bounds and nothing beyond them.

A thread may then as well add up several elements, a whole grid apart: the sum is the same.

Example::

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    buf[threadIdx.x] = i < n ? x[i] * y[i] : 0.0f;     # GuardedElement(condition=`i < n`, element=`x[i] * y[i]`)
"""

from __future__ import annotations

from assistant.cuda.assignments import assignments
from assistant.cuda.branches import condition_of
from assistant.cuda.builtins import is_pure
from assistant.cuda.calls import callee_name
from assistant.cuda.literals import is_literal_of
from assistant.cuda.loops import LOOPS
from assistant.cuda.names import mentions, names_in
from assistant.cuda.syntax import Node, binary_parts, unparenthesized, without_comments
from assistant.cuda.variables import Variable, declared_variables, locals_of
from assistant.plan.expert.analysis.row_reductions import Combination
from assistant.plan.expert.analysis.shared_totals import SharedPart
from assistant.plan.expert.analysis.thread_index import is_index_in_grid
from assistant.plan.expert.analysis.thread_stores import Choice, choice_of
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["GuardedElement", "guarded_element"]

_PLACES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
_EFFECTS = ("update_expression", "return_statement", "goto_statement", "gnu_asm_expression", "lambda_expression", *LOOPS)


class GuardedElement(Record):
    """The parts of ``i < n ? f(i) : 0``, however it is written."""

    index: Variable
    """``i``, which is used for nothing else."""
    condition: Node
    statement: Node
    """What holds it all: the store to shared memory, the declaration of a local that is stored, or an ``if`` that sets such a local."""
    local: Variable | None
    """The local that is stored; None where the store itself chooses."""
    element: Node
    """What is added within the bounds; of an ``if`` its branch."""
    change: Node | None
    """In the branch of an ``if``, the assignment to the local; None otherwise."""


def guarded_element(context: TransformationContext, part: SharedPart) -> GuardedElement | None:
    """The element; None where a thread adds anything else."""
    if part.combination is not Combination.SUM:
        return None
    found = _chosen(context, part.choice, part.store, None) or _held(context, part)
    return found if found is not None and _is_all(context, part, found) else None


def _chosen(context: TransformationContext, choice: Choice | None, statement: Node, local: Variable | None) -> GuardedElement | None:
    """``i < n ? f(i) : 0``."""
    index = None if choice is None else _compared(context, choice.condition)
    if choice is None or index is None or not is_literal_of(context.tree.text(unparenthesized(choice.otherwise)), 0):
        return None
    return GuardedElement(index, choice.condition, statement, local, choice.then, None)


def _held(context: TransformationContext, part: SharedPart) -> GuardedElement | None:
    """A local of the kernel's body: declared with the choice, or declared with zero and set by one ``if``."""
    if part.value is None:
        return None
    tree, name = context.tree, context.tree.text(part.value)
    variables = locals_of(tree, context.body).get(name, ())
    if len(variables) != 1 or variables[0].value is None or variables[0].node.parent != context.body:
        return None
    local, value = variables[0], unparenthesized(variables[0].value)
    if len([*declared_variables(tree, local.node)]) != 1:
        return None
    if choice_of(value) is not None:
        return _chosen(context, choice_of(value), local.node, local)
    changes = [change for change in assignments(tree, context.body) if tree.text(change.target) == name]
    if len(changes) != 1 or changes[0].operator not in ("=", "+=") or not is_literal_of(tree.text(value), 0):
        return None
    branch = changes[0].node.parent
    owner = next((a for a in tree.ancestors(changes[0].node) if a.type == "if_statement"), None)
    then = None if owner is None else owner.child_by_field_name("consequence")
    condition = None if owner is None else condition_of(owner)
    if owner is None or then is None or condition is None or branch is None or owner.child_by_field_name("alternative") is not None:
        return None
    statements = [*without_comments(then)] if then.type == "compound_statement" else [then]
    index = _compared(context, condition)
    is_last = owner.parent == context.body and statements[-1:] == [branch] and owner.end_byte <= part.store.start_byte
    return GuardedElement(index, condition, owner, local, then, changes[0].node) if is_last and index is not None else None


def _compared(context: TransformationContext, condition: Node) -> Variable | None:
    """``i`` of ``i < n``: the thread's index in the grid."""
    parts = binary_parts(condition)
    if parts is None or parts[0] != "<":
        return None
    found = locals_of(context.tree, context.body).get(context.tree.text(parts[1]), ())
    is_index = len(found) == 1 and found[0].node.parent == context.body and is_index_in_grid(context, found[0])
    return found[0] if is_index and len([*declared_variables(context.tree, found[0].node)]) == 1 else None


def _is_all(context: TransformationContext, part: SharedPart, found: GuardedElement) -> bool:
    """Nothing else depends on which element a thread has, and adding it changes nothing else."""
    tree, local = context.tree, found.local
    if not _is_used_in(context, found.index.name, (found.index.node, found.statement)):
        return False
    if local is not None and not _is_used_in(context, local.name, (local.node, found.statement, part.store)):
        return False
    own = {v.name for node in tree.find("declaration", inside=found.element) for v in declared_variables(tree, node)}
    changed = [change for change in assignments(tree, found.element) if change.node != found.change]
    calls = (callee_name(tree, call) for call in tree.find("call_expression", inside=found.element))
    is_plain = all(tree.text(change.target) in own for change in changed) and all(is_pure(name) for name in calls)
    names = names_in(tree, found.element) | names_in(tree, found.condition)
    is_read = local is not None and len(mentions(tree, found.element, local.name)) > 1
    return is_plain and not is_read and not names & _PLACES and not any(tree.find(*_EFFECTS, inside=found.element))


def _is_used_in(context: TransformationContext, name: str, places: tuple[Node, ...]) -> bool:
    """All mentions of the name stand in these statements."""
    used = mentions(context.tree, context.body, name)
    return all(any(place.start_byte <= node.start_byte < place.end_byte for place in places) for node in used)
