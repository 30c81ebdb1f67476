"""One element that goes to its place in a thread's short list: the nearest so far, the best scores, in order.

Nothing is asked of the list: each place is looked at in the same order, and under the same condition, as before.

Example::

    int k = 7;
    while (k > 0 && best[k - 1] < s) { best[k] = best[k - 1]; k--; }
    best[k] = s;

    (insertion,) = list_insertions(tree, function, ())
    insertion.arrays, insertion.asked       # ('best',), 'k > 0 && best[k - 1] < s'
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.cuda.accesses import array_accesses
from assistant.cuda.assignments import changed_names, modified_names
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.builtins import is_pure
from assistant.cuda.calls import callee_name
from assistant.cuda.code_patterns import squeezed
from assistant.cuda.comparisons import MIRRORED_ORDER
from assistant.cuda.constants import integer_constant
from assistant.cuda.functions import Function
from assistant.cuda.macros import hidden_effect
from assistant.cuda.names import mentions, names_in
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, joined, unparenthesized, without_comments
from assistant.cuda.variables import Variable, declared_variables, locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.obstacle import Obstacle
from assistant.record import Record

__all__ = ["ListInsertion", "list_insertions"]

_STEP = re.compile(r"(?:\+\+|--)\w+|\w+(?:\+\+|--|\+=1|-=1)")
_SIGNED = ("int", "short", "long", "long long", "int32_t", "int64_t")
_JUMPS = ("break_statement", "continue_statement", "return_statement", "goto_statement")


class ListInsertion(Record):
    """A loop that goes from place to place until the data says that it is there, and what is stored there."""

    loop: Node
    counter: Variable
    """Of the places."""
    start: str
    """The first place, as spelled: a constant."""
    bound: str
    """What the header of a loop over all places asks, the place that is left at the end of the list included."""
    step: str
    asked: str
    """Whether the element goes on, as spelled."""
    is_asked_to_stay: bool
    """`asked` says whether it stays, instead."""
    moves: tuple[Node, ...]
    """What makes room at one place, comments included."""
    stores: tuple[Node, ...]
    """What follows the loop and looks at the place, comments included."""
    before: tuple[Node, ...]
    """Between the counter's declaration and the loop, comments included."""
    arrays: tuple[str, ...]
    """The thread's own arrays whose elements the place names."""
    count: int
    """How many places there are."""

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All that is written anew."""
        declared = () if self.is_declared_in_header else (self.counter.node,)
        return (*declared, *self.before, self.loop, *self.stores)

    @property
    def is_declared_in_header(self) -> bool:
        return self.loop.start_byte <= self.counter.node.start_byte


def list_insertions(tree: SyntaxTree, function: Function, known: Sequence[Node]) -> tuple[ListInsertion | Obstacle, ...]:
    """Those of a function, in source order, or why one of a list of the thread's own stays as it is.

    ``known``: loops that something else is known of.
    """
    found: list[ListInsertion | Obstacle] = []
    for loop in tree.find("for_statement", "while_statement", inside=function.body):
        if any(one.start_byte <= loop.start_byte < one.end_byte for one in known):
            continue
        walk = _walk(tree, loop)
        arrays = () if walk is None else _own_arrays(tree, function, walk)
        if walk is not None and arrays and not loop.has_error and not _follows_a_counter(tree, walk):
            found.append(_insertion(tree, walk, arrays))
    return tuple(found)


class _Walk(Record):
    """A loop from place to place."""

    loop: Node
    name: str
    comparison: str
    limit: Node
    """What the place is compared with, the place on the left of the comparison."""
    first: Node
    """That comparison."""
    data: tuple[Node, ...]
    """What else is asked before each step: all of it, or, of a condition to stay, the one thing."""
    is_asked_to_stay: bool
    step: str
    is_up: bool
    moves: tuple[Node, ...]
    init: Node | None
    """The loop's initializer."""


def _walk(tree: SyntaxTree, loop: Node) -> _Walk | None:
    condition, body, init = condition_of(loop), loop.child_by_field_name("body"), loop.child_by_field_name("initializer")
    if condition is None or body is None or hidden_effect(tree, loop) is not None:
        return None
    first, *data = joined(condition, "&&")
    update, moves = loop.child_by_field_name("update"), body.named_children if body.type == "compound_statement" else [body]
    if loop.type == "while_statement":
        code = without_comments(body) if body.type == "compound_statement" else (body,)
        if not code or code[-1].type != "expression_statement":
            return None
        update, moves = next(iter(code[-1].named_children), None), [one for one in moves if one != code[-1]]
    step = "" if update is None else squeezed(tree.text(update))
    name = re.sub(r"[-+=]|=1$|\b1$", "", step) if _STEP.fullmatch(step) else ""
    bound = _bound(tree, first, name) if name else None
    if bound is None or update is None:
        return None
    stays = False
    if not data:
        leaving = _leaving(moves)
        if leaving is None:
            return None
        asked, moves, stays = leaving
        data = [asked]
    jumps = [jump for one in moves for jump in tree.find(*_JUMPS, inside=one)]
    if jumps or any(name in modified_names(tree, one) for one in moves):
        return None
    return _Walk(loop, name, *bound, first, tuple(data), stays, tree.text(update), "+" in step, tuple(moves), init)


def _bound(tree: SyntaxTree, asked: Node, name: str) -> tuple[str, Node] | None:
    """``>`` and ``0`` of ``k > 0``, also as ``0 < k``."""
    parts = binary_parts(unparenthesized(asked))
    if parts is None or parts[0] not in MIRRORED_ORDER:
        return None
    operator, left, right = parts
    if tree.text(left) == name:
        return operator, right
    return (MIRRORED_ORDER[operator], left) if tree.text(right) == name else None


def _leaving(statements: Sequence[Node]) -> tuple[Node, list[Node], bool] | None:
    """What a loop that leaves by ``break`` asks, its other statements, and whether that is asked to stay."""
    code = [one for one in statements if one.type != "comment"]
    branch = code[0] if code and code[0].type == "if_statement" else None
    asked = None if branch is None else condition_of(branch)
    then, other = (None, None) if branch is None else (branch.child_by_field_name(field) for field in ("consequence", "alternative"))
    if branch is None or asked is None or then is None:
        return None
    if other is None and _is_break(then):
        return asked, [one for one in statements if one != branch], True
    inner = None if other is None else next(iter(without_comments(other)), None) if other.type == "else_clause" else other
    if inner is not None and _is_break(inner) and len(code) == 1:
        return asked, list(then.named_children) if then.type == "compound_statement" else [then], False
    return None


def _is_break(branch: Node) -> bool:
    only = lone_statement(branch)
    return only is not None and only.type == "break_statement"


def _own_arrays(tree: SyntaxTree, function: Function, walk: _Walk) -> tuple[str, ...]:
    """Local arrays that the loop's question looks at, or its moves, by the place; none where the question looks at none of them."""
    own = {name for name, found in locals_of(tree, function.body).items() if any(v.is_array and not v.is_shared for v in found)}
    touched = [a for a in array_accesses(tree, walk.loop) if a.base in own and any(walk.name in names_in(tree, i) for i in a.indices)]
    is_asked = any(one.start_byte <= a.node.start_byte < one.end_byte for one in walk.data for a in touched)
    return tuple(dict.fromkeys(access.base for access in touched)) if is_asked else ()


def _follows_a_counter(tree: SyntaxTree, walk: _Walk) -> bool:
    """It begins where a loop around it is: a whole sort, of which this is no list of a constant length."""
    declared = _declaration(tree, walk)
    start = _start(walk, declared)
    if start is None:
        return False
    names = names_in(tree, start)
    around = (a for a in tree.ancestors(walk.loop) if a.type == "for_statement")
    inits = (loop.child_by_field_name("initializer") for loop in around)
    return any(names & (changed_names(tree, init) | locals_of(tree, init).keys()) for init in inits if init is not None)


def _declaration(tree: SyntaxTree, walk: _Walk) -> Variable | None:
    """Of the place: in the loop's header, or a statement of the same block before the loop."""
    if walk.init is not None and walk.init.type == "declaration":
        return next((v for v in declared_variables(tree, walk.init) if v.name == walk.name), None)
    before = [] if walk.loop.parent is None else [s for s in walk.loop.parent.named_children if s.end_byte <= walk.loop.start_byte]
    declared = (v for one in reversed(before) if one.type == "declaration" for v in declared_variables(tree, one))
    return next((variable for variable in declared if variable.name == walk.name), None)


def _start(walk: _Walk, declared: Variable | None) -> Node | None:
    if walk.init is not None and walk.init.type == "assignment_expression":
        return walk.init.child_by_field_name("right")
    return None if declared is None else declared.value


def _insertion(tree: SyntaxTree, walk: _Walk, arrays: tuple[str, ...]) -> ListInsertion | Obstacle:
    declared, block, name = _declaration(tree, walk), walk.loop.parent, walk.name
    start = _start(walk, declared)
    if declared is None or start is None or block is None or block.type != "compound_statement" or not _is_alone(tree, declared):
        return Obstacle(DeclineReason.LOOP_FORM, f"`{name}` would have to be declared, by itself, right before the loop or in its header")
    if declared.type not in _SIGNED or declared.is_volatile:
        words = f"`{name}` is `{declared.type}`: only a signed counter can go one place beyond the end of the list, and stop there"
        return Obstacle(DeclineReason.TYPE_UNKNOWN, words)
    siblings = list(block.named_children)
    in_header = declared.node.start_byte >= walk.loop.start_byte
    before = [] if in_header else [s for s in siblings if declared.node.end_byte <= s.start_byte and s.end_byte <= walk.loop.start_byte]
    stores = [] if in_header else _until_last(tree, [s for s in siblings if s.start_byte >= walk.loop.end_byte], name)
    others = [*(s for s in before if _looks_at(tree, s, name)), *(s for s in stores if not _is_plain_store(tree, s, name))]
    if others:
        words = f"line {tree.line(others[0])} does more with `{name}` than storing the element at its place"
        return Obstacle(DeclineReason.USED_ELSEWHERE, words)
    first, limit = (integer_constant(tree, tree.text(node)) for node in (start, walk.limit))
    if first is None or limit is None:
        unknown = tree.text(start if first is None else walk.limit)
        words = f"`{unknown}` would have to be a constant, so that the first and the last place of the list are known"
        return Obstacle(DeclineReason.BOUND_UNKNOWN, words)
    if (walk.comparison in ("<", "<=")) != walk.is_up:
        return Obstacle(DeclineReason.LOOP_FORM, f"`{walk.step}` would have to lead to where `{tree.text(walk.first)}` ends")
    end = limit + {"<=": 1, ">=": -1}.get(walk.comparison, 0)
    if (first > end) if walk.is_up else (first < end):
        return Obstacle(
            DeclineReason.NOTHING_TO_CHANGE, f"the loop never runs: `{name}` begins at {first}, beyond `{tree.text(walk.first)}`"
        )
    asked = [_spelled(tree, one) for one in ((walk.first, *walk.data) if stores else walk.data)]
    if walk.is_asked_to_stay and stores:
        return Obstacle(DeclineReason.LOOP_FORM, f"`{name}` is used behind a loop that is left by `break`; ask it all in the loop's header")
    return ListInsertion(
        loop=walk.loop,
        counter=declared,
        start=tree.text(start),
        bound=_whole_bound(tree, walk, limit) if stores else tree.text(walk.first),
        step=walk.step,
        asked=" && ".join(asked),
        is_asked_to_stay=walk.is_asked_to_stay,
        moves=walk.moves,
        stores=tuple(stores),
        before=tuple(before),
        arrays=arrays,
        count=abs(first - end) + 1,
    )


def _is_alone(tree: SyntaxTree, variable: Variable) -> bool:
    return sum(1 for _ in declared_variables(tree, variable.node)) == 1


def _until_last(tree: SyntaxTree, statements: list[Node], name: str) -> list[Node]:
    """Up to the last one that mentions the name, and the comment beside it."""
    last = max((at for at, one in enumerate(statements) if _looks_at(tree, one, name)), default=-1)
    behind = statements[last + 1 : last + 2] if last >= 0 else []
    is_beside = any(one.type == "comment" and one.start_point[0] == statements[last].end_point[0] for one in behind)
    return statements[: last + 1 + is_beside]


def _looks_at(tree: SyntaxTree, statement: Node, name: str) -> bool:
    """It mentions the name, and not as that of a counter of its own loops."""
    inits = ((loop, loop.child_by_field_name("initializer")) for loop in tree.find("for_statement", inside=statement))
    own = [loop for loop, init in inits if init is not None and name in locals_of(tree, init)]
    return any(not any(one.start_byte <= use.start_byte < one.end_byte for one in own) for use in mentions(tree, statement, name))


def _spelled(tree: SyntaxTree, asked: Node) -> str:
    """With the parentheses that stand around it."""
    while asked.parent is not None and asked.parent.type == "parenthesized_expression":
        asked = asked.parent
    return tree.text(asked)


def _is_plain_store(tree: SyntaxTree, statement: Node, name: str) -> bool:
    """An assignment that leaves the place as it is, and calls nothing that other threads may wait for."""
    if statement.type == "comment":
        return True
    value = next(iter(statement.named_children), None) if statement.type == "expression_statement" else None
    if value is None or value.type != "assignment_expression" or name in modified_names(tree, statement):
        return False
    called = [callee_name(tree, call) for call in tree.find("call_expression", inside=statement)]
    return hidden_effect(tree, statement) is None and all(is_pure(one) or one.startswith("make_") for one in called)


def _whole_bound(tree: SyntaxTree, walk: _Walk, limit: int) -> str:
    """One place more than the loop goes to: where the element goes that is moved to the end."""
    text, comparison = tree.text(walk.limit), walk.comparison
    if comparison in ("<", ">"):
        return f"{walk.name} {comparison}= {text}"
    further = limit + 1 if walk.is_up else limit - 1
    return f"{walk.name} {comparison} {further}" if text.isdigit() else f"{walk.name} {comparison} {text} {'+' if walk.is_up else '-'} 1"
