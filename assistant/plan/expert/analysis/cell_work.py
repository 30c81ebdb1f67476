"""What a kernel does for one cell of a table, apart from finding out which cell a thread has and whether it has any.

Example::

    work = cell_work(context, loop, ('i', 'j'), accesses, moved)
    work.hoisted      # (`int w = n + 1;`,): the same for all cells
    work.statements   # `int up = score[(i - 1) * w + j] + GAP;` and what follows
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assistant.cuda.accesses import ArrayAccess, Use
from assistant.cuda.assignments import assignments, changed_names
from assistant.cuda.branches import condition_of
from assistant.cuda.builtins import is_pure
from assistant.cuda.calls import callee_name
from assistant.cuda.functions import functions
from assistant.cuda.integers import Scope
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, SyntaxTree, without_comments
from assistant.cuda.variables import declared_variables, locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.diagonal_loop import DiagonalLoop
from assistant.plan.expert.analysis.loop_effects import leaves_or_synchronizes
from assistant.plan.expert.analysis.path_conditions import early_return
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["CellWork", "cell_work", "guards_of", "place_names", "stores_always"]

_BUILTINS = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"})
_OF_A_WARP = re.compile(r"\b(?:__(?:shfl|ballot|any|all|reduce|match|activemask|syncwarp)\w*|printf|clock(?:64)?|__nanosleep)\b")
_NOT_PLAIN = ("call_expression", "subscript_expression", "pointer_expression", "assignment_expression", "update_expression")
_MOST_STEPS = 16
"""From a local to what it is made of."""


class CellWork(Record):
    """The kernel's statements, those apart that only find the cell."""

    hoisted: tuple[Node, ...]
    """Locals that are the same for all cells."""
    statements: tuple[Node, ...]


def place_names(context: TransformationContext, loop: DiagonalLoop) -> tuple[str, ...]:
    """Locals that are made of the thread's index or of what differs from launch to launch, in the order of the text."""
    scope = scope_of(context.tree, context.kernel).fixed()
    ends = {name: write[0].offset_bytes for name, write in scope.writes.items() if scope.definition(name) is not None}
    return tuple(n for n in sorted(ends, key=lambda name: ends[name]) if _made_of(context.tree, scope, n) & {*_BUILTINS, *loop.given})


def _made_of(tree: SyntaxTree, scope: Scope, name: str) -> frozenset[str]:
    """All names that a local's value comes from, itself included; members by their object."""
    found, waiting = set[str](), [name]
    while waiting and len(found) < _MOST_STEPS:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            value = scope.definition(each)
            waiting += [] if value is None else sorted(names_in(tree, value) | hidden_names(tree, value))
    return frozenset(found)


def cell_work(
    context: TransformationContext, loop: DiagonalLoop, pair: tuple[str, str], accesses: Sequence[ArrayAccess], moved: Sequence[Node]
) -> CellWork | Obstacle:
    """The statements, or why they could not be run by another thread in another launch.

    ``accesses``: all to the tables that the kernel fills; ``moved``: those that go to a tile."""
    tree, kernel = context.tree, context.kernel.name
    scope = scope_of(tree, context.kernel).fixed()
    places = set(place_names(context, loop))
    needed = {name for each in pair for name in _made_of(tree, scope, each)} & places
    _, statements = _peeled(tree, context.body, _stores_of(accesses))
    hoisted, work = list[Node](), list[Node]()
    changed = changed_names(tree, context.body)
    differing = {*locals_of(tree, context.body), *loop.given, *_BUILTINS}
    for statement in statements:
        names = _set_here(tree, statement)
        if names and names <= needed:
            continue
        if names & needed:
            words = f"{kernel} would have to set `{min(names & needed)}` in a statement of its own"
            return Obstacle(DeclineReason.LOOP_FORM, words)
        if statement.type == "declaration" and not names & changed and _is_same(tree, statement, differing):
            hoisted.append(statement)
            differing -= names
        else:
            work.append(statement)
    work = _used_work(tree, work, places)
    obstacle = _effects(context, work) or _foreign(context, loop, work, needed - {*pair}, moved)
    return obstacle or CellWork(tuple(hoisted), tuple(work))


def guards_of(context: TransformationContext, accesses: Sequence[ArrayAccess]) -> tuple[Node, ...]:
    """What is asked about a cell before anything is done for it."""
    return _peeled(context.tree, context.body, _stores_of(accesses))[0]


def _stores_of(accesses: Sequence[ArrayAccess]) -> list[Node]:
    return [access.node for access in accesses if access.kind is not Use.READ]


def stores_always(statements: Sequence[Node], stores: Sequence[Node]) -> bool:
    """One of ``stores`` is reached whatever the data are."""
    return any(_stores(each, stores) for each in statements)


def _stores(statement: Node, stores: Sequence[Node]) -> bool:
    if statement.type == "compound_statement":
        return stores_always(without_comments(statement), stores)
    if statement.type == "if_statement":
        then, other = statement.child_by_field_name("consequence"), statement.child_by_field_name("alternative")
        branches = (then, None if other is None else other.named_children[-1])
        return all(branch is not None and _stores(branch, stores) for branch in branches)
    expression = next(iter(statement.named_children), None) if statement.type == "expression_statement" else None
    target = None if expression is None else expression.child_by_field_name("left")
    return target is not None and target in stores


def _peeled(tree: SyntaxTree, body: Node, stores: Sequence[Node]) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """(what is asked about the cell, all other statements): early returns before anything is done, and an ``if`` around all that is."""
    guards, found = list[Node](), list[Node]()
    statements = without_comments(body) if body.type == "compound_statement" else (body,)
    for statement in statements:
        left, is_first = early_return(statement), all(_only_sets(tree, each) for each in found)
        then, other = statement.child_by_field_name("consequence"), statement.child_by_field_name("alternative")
        asked = condition_of(statement) if statement.type == "if_statement" and statement == statements[-1] else None
        if left is not None and is_first:
            guards.append(left)
        elif asked is not None and then is not None and other is None and is_first and _holds_all(statement, stores):
            inner_guards, inner = _peeled(tree, then, stores)
            guards += [asked, *inner_guards]
            found += inner
        else:
            found.append(statement)
    return tuple(guards), tuple(found)


def _only_sets(tree: SyntaxTree, statement: Node) -> bool:
    """It gives locals their values, and no other thread sees that it was run."""
    calls = tree.find("call_expression", inside=statement)
    return bool(_set_here(tree, statement)) and not any(callee_name(tree, call).startswith("atomic") for call in calls)


def _holds_all(statement: Node, stores: Sequence[Node]) -> bool:
    return bool(stores) and all(statement.start_byte <= node.start_byte < statement.end_byte for node in stores)


def _used_work(tree: SyntaxTree, work: Sequence[Node], places: set[str]) -> list[Node]:
    """Without locals that only the bounds checks asked about: the last row of a launch's diagonal, say."""
    kept = list(work)
    for statement in reversed(work):
        others = {name for each in kept if each != statement for name, _ in _used(tree, each)}
        names, calls = _set_here(tree, statement), tree.find("call_expression", inside=statement)
        if names and names <= places - others and all(is_pure(callee_name(tree, call)) for call in calls):
            kept.remove(statement)
    return kept


def _set_here(tree: SyntaxTree, statement: Node) -> set[str]:
    """Locals that a declaration, or a plain assignment, gives a value."""
    if statement.type == "declaration":
        return {variable.name for variable in declared_variables(tree, statement)}
    changes = assignments(tree, statement) if statement.type == "expression_statement" else ()
    only = next(iter(changes), None) if len(changes) == 1 else None
    return {tree.text(only.target)} if only is not None and only.operator == "=" and only.target.type == "identifier" else set()


def _is_same(tree: SyntaxTree, declaration: Node, differing: set[str]) -> bool:
    """All cells have the same values in what is declared, and it costs nothing to compute."""
    variables = tuple(declared_variables(tree, declaration))
    if any(v.value is None or any(tree.find(*_NOT_PLAIN, inside=v.value)) for v in variables):
        return False
    values = [v.value for v in variables if v.value is not None]
    return not {name for value in values for name in names_in(tree, value) | hidden_names(tree, value)} & differing


def _effects(context: TransformationContext, work: Sequence[Node]) -> Obstacle | None:
    """What a thread does besides computing its cell."""
    tree, kernel = context.tree, context.kernel.name
    targets = {tree.text(change.target) for change in assignments(tree, context.body) if change.target.type == "identifier"}
    numbers = {parameter.name for parameter in context.kernel.parameters if not parameter.is_pointer}
    foreign = (targets | changed_names(tree, context.body) & numbers) - locals_of(tree, context.body).keys()
    if foreign:
        words = f"{kernel} would have to change no other variables than its own: it sets `{min(foreign)}`"
        return Obstacle(DeclineReason.LOOP_HAS_EFFECTS, words)
    called = set(context.kernel.device_functions)
    texts = [tree.text(function.body) for function in functions(tree) if function.name in called]
    if any(_OF_A_WARP.search(tree.text(node)) for node in work) or any(re.search(r"\b(?:thread|block)Idx\b", text) for text in texts):
        words = f"{kernel} would have to compute each cell by itself, whatever thread and warp it is in"
        return Obstacle(DeclineReason.WARP_MATTERS, words)
    for node in work:
        found = leaves_or_synchronizes(tree, node)
        if found is not None or "__shared__" in tree.text(node):
            words = f"{kernel} would have to fill its cell without waiting, leaving early, or calling what is not known"
            return Obstacle(DeclineReason.SYNCHRONIZES if found is None else found.code, words)
    return None


def _foreign(
    context: TransformationContext, loop: DiagonalLoop, work: Sequence[Node], needed: set[str], moved: Sequence[Node]
) -> Obstacle | None:
    """What is used besides row and column to compute a cell, and differs between threads or launches."""
    tree = context.tree
    for name, node in ((name, node) for statement in work for name, node in _used(tree, statement)):
        is_moved = any(each.start_byte <= node.start_byte < each.end_byte for each in moved)
        if name in {*needed, *loop.given, *_BUILTINS} and not is_moved:
            words = f"{context.kernel.name} would have to compute a cell from its row and column alone: it uses `{name}`, too"
            return Obstacle(DeclineReason.ORDER_MATTERS, words)
    return None


def _used(tree: SyntaxTree, statement: Node) -> Iterator[tuple[str, Node]]:
    for node in tree.find("identifier", inside=statement):
        yield tree.text(node), node
        yield from ((name, node) for name in hidden_names(tree, node))
