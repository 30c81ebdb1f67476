"""The bounds check around a loop, and how to let every thread of the block run the loop instead.

Two forms are understood: ``if (row >= m || col >= n) return;`` before the loop, and ``if (row < m && col < n) { … }`` around it. Where the
caller says so, both: then elements may be stored between them, as those on a diagonal are.

Example::

    match guard_of(tree, function, loop):
        case Guard(): ...        # guard.conditions are what holds for a thread inside
        case Obstacle(): ...     # some threads may never reach the loop
"""

from __future__ import annotations

from assistant.cuda.assignments import modified_names
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.calls import takes_values_only
from assistant.cuda.comparisons import OPPOSITE_ORDER
from assistant.cuda.functions import Function
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, joined
from assistant.model.plan import DeclineReason
from assistant.plan.expert.obstacle import Obstacle
from assistant.record import Record

__all__ = ["Guard", "guard_of"]


class Guard(Record):
    """What a thread must satisfy to take part."""

    statement: Node | None
    """The ``if``; None where the loop is not guarded."""
    is_around: bool
    """The ``if`` contains the loop, as against an early ``return``."""
    conditions: tuple[tuple[Node, str], ...]
    """(compared expression, condition as text), all of which hold for a thread inside."""
    loads: tuple[tuple[Node, str], ...] = ()
    """(initializer, type) of locals before the loop that read memory: only threads inside may evaluate them."""

    stores: tuple[Node, ...] = ()
    """Statements before the loop that store elements: behind the early return where there is one, else inside the bounds."""
    early: Guard | None = None
    """The early return before the ``if`` around the loop."""

    @property
    def inside(self) -> str:
        """The condition of a thread inside, as one expression."""
        return " && ".join(text for _, text in self.conditions)

    @property
    def skipped(self) -> tuple[Node, ...]:
        """Statements before the loop that are no part of what it needs."""
        early = None if self.early is None else self.early.statement
        return tuple(each for each in (self.statement, early, *self.stores) if each is not None)


def guard_of(tree: SyntaxTree, function: Function, loop: Node, may_store: bool = False) -> Guard | Obstacle:
    """The guard of ``loop``, or why not every thread of a block can be made to reach it.

    ``may_store``: elements may be stored before the loop, and an early return may come before an ``if`` around it.
    """
    block = loop.parent
    owner = None if block is None else block.parent
    if block is None or block.type != "compound_statement":
        return Obstacle(DeclineReason.GUARD_FORM, "the loop is a lone branch")
    if block == function.body:
        return _early_return(tree, function, loop, may_store)
    if owner is None or owner.type != "if_statement" or owner.parent != function.body:
        return Obstacle(DeclineReason.GUARD_FORM, "the loop is nested, so not every thread of a block may reach it")
    if owner.child_by_field_name("alternative") is not None:
        return Obstacle(DeclineReason.GUARD_FORM, "the bounds check around the loop has an `else`")
    outer = _early_return(tree, function, owner, may_store)
    if isinstance(outer, Obstacle) or (outer.statement is not None and not may_store):
        return outer if isinstance(outer, Obstacle) else Obstacle(DeclineReason.GUARD_FORM, "two bounds checks lie before the loop")
    conditions = _conditions(tree, owner, "&&")
    earlier = [n for n in block.named_children if n.end_byte <= loop.start_byte]
    stores = tuple(n for n in earlier if may_store and outer.statement is None and _stores_one(tree, n))
    loads = _guarded_loads(tree, [n for n in earlier if n not in stores])
    if conditions is None or loads is None:
        return Obstacle(DeclineReason.GUARD_FORM, "what is before the loop cannot be run by the threads outside the bounds")
    early = None if outer.statement is None else outer
    return Guard(owner, True, (*outer.conditions, *conditions), (*outer.loads, *loads), (*outer.stores, *stores), early)


def _early_return(tree: SyntaxTree, function: Function, loop: Node, may_store: bool) -> Guard | Obstacle:
    before = [n for n in function.body.named_children if n.end_byte <= loop.start_byte]
    leaving = [n for n in before if any(tree.find("return_statement", inside=n))]
    if not leaving:
        return Guard(None, False, ())
    statement = leaving[-1]
    conditions = _conditions(tree, statement, "||") if _only_returns(statement) else None
    stores = tuple(n for n in before if may_store and n.start_byte >= statement.end_byte and _stores_one(tree, n))
    later = [n for n in before if n.start_byte >= statement.end_byte and n not in stores]
    if len(leaving) > 1 or conditions is None:
        return Obstacle(DeclineReason.GUARD_FORM, "some threads return before the loop in a way that is not a plain bounds check")
    loads = _guarded_loads(tree, later)
    if loads is None:
        return Obstacle(DeclineReason.GUARD_FORM, "what is between the bounds check and the loop cannot be run by the threads outside")
    return Guard(statement, False, conditions, loads, stores)


def _stores_one(tree: SyntaxTree, statement: Node) -> bool:
    """``out[i] = 1;``, alone or behind a condition that changes nothing."""
    branch, condition = statement.child_by_field_name("consequence"), condition_of(statement) if statement.type == "if_statement" else None
    if statement.type == "if_statement":
        only = None if branch is None else lone_statement(branch)
        changes = condition is None or any(tree.find("assignment_expression", "update_expression", "call_expression", inside=condition))
        return only is not None and not changes and statement.child_by_field_name("alternative") is None and _stores_one(tree, only)
    change = statement.named_children[0] if statement.type == "expression_statement" and statement.named_children else None
    target = None if change is None or change.type != "assignment_expression" else change.child_by_field_name("left")
    operator = None if change is None else change.child_by_field_name("operator")
    if change is None or target is None or operator is None:
        return False
    is_quiet = not any(tree.find("call_expression", "update_expression", inside=change))
    return target.type == "subscript_expression" and operator.type == "=" and is_quiet


def _only_returns(statement: Node) -> bool:
    branch = statement.child_by_field_name("consequence")
    only = None if branch is None else lone_statement(branch)
    return only is not None and only.type == "return_statement" and statement.child_by_field_name("alternative") is None


def _conditions(tree: SyntaxTree, statement: Node, joiner: str) -> tuple[tuple[Node, str], ...] | None:
    """Comparisons that hold inside; None where the condition is anything else."""
    condition = condition_of(statement)
    found: list[tuple[Node, str]] = []
    for node in () if condition is None else joined(condition, joiner):
        compared = binary_parts(node)
        if compared is None or compared[0] not in OPPOSITE_ORDER:
            return None
        operator, left, right = compared
        holds = operator if joiner == "&&" else OPPOSITE_ORDER[operator]
        found.append((node, f"{tree.text(left)} {holds} {tree.text(right)}"))
    return tuple(found) or None


def _guarded_loads(tree: SyntaxTree, statements: list[Node]) -> tuple[tuple[Node, str], ...] | None:
    """Initializers that read memory among statements that are otherwise harmless; None where one is not."""
    found: list[tuple[Node, str]] = []
    for statement in statements:
        if _is_harmless(tree, statement):
            continue
        declarators = statement.children_by_field_name("declarator")
        value = declarators[0].child_by_field_name("value") if len(declarators) == 1 else None
        type_node = statement.child_by_field_name("type")
        if statement.type != "declaration" or value is None or type_node is None:
            return None
        name = declarators[0].child_by_field_name("declarator")
        is_scalar = type_node.type in ("primitive_type", "sized_type_specifier", "type_identifier")
        changes = any(tree.find("assignment_expression", "update_expression", "call_expression", inside=value))
        if changes or not is_scalar or name is None or name.type != "identifier":
            return None
        found.append((value, tree.text(type_node)))
    return tuple(found)


def _is_harmless(tree: SyntaxTree, statement: Node) -> bool:
    """A comment, pragma, or declaration that neither touches memory nor changes another variable."""
    if statement.type in ("comment", "preproc_call"):
        return True
    touches = any(tree.find("subscript_expression", "pointer_expression", "assignment_expression", inside=statement))
    calls = tree.find("call_expression", inside=statement)
    is_quiet = not touches and all(takes_values_only(tree, call) for call in calls)
    return statement.type == "declaration" and is_quiet and bool(modified_names(tree, statement))
