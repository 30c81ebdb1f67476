"""Loads of a window around each thread's element: the loops over it, and under which conditions an element is loaded.

Example::

    match window_at(context):
        case Window(): ...      # its loops, the load, its coordinates, the bounds check before them
        case Obstacle(): ...    # "how far the loop over `r` reaches is known only while it runs: …"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assistant.cuda.accesses import Use, array_accesses
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.integers import evaluate
from assistant.cuda.literals import is_literal_of
from assistant.cuda.loops import LOOPS, loops_around
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, parsed_expression, unparenthesized, without_comments
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.common_loops import apart_in
from assistant.plan.expert.analysis.condition_parts import parts_of
from assistant.plan.expert.analysis.kernel_launches import template_environment
from assistant.plan.expert.analysis.pointer_roots import global_pointers
from assistant.plan.expert.analysis.window_coordinates import Coordinate, Range, WindowNames, coordinates_in
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["Asked", "Window", "asked_of", "window_at"]


class Asked(Record):
    """A condition, as it stands or as its opposite."""

    node: Node
    is_negated: bool


class Window(Record):
    """One load in loops over constant distances from the thread's own element."""

    function: Function
    loop: Node
    """The outermost of the window's loops."""
    around: tuple[Node, ...]
    """Loops around it through which all threads of the block go together, innermost first: over channels, over planes."""
    names: WindowNames
    base: str
    """The array."""
    value: Node
    """What is kept in the tile: the load, or with it the zero that stands for what lies outside."""
    loads: tuple[Node, ...]
    """Every place of the window's loops that has this value."""
    coordinates: tuple[Coordinate, ...]
    conditions: tuple[Asked, ...]
    """Under which it is loaded, inside the loops."""
    taps: int
    """Loads of a thread, in one iteration of the loops around the window."""

    @property
    def outermost(self) -> Node:
        """Of all loops that hold the load."""
        return self.around[-1] if self.around else self.loop


def window_at(context: TransformationContext) -> Window | Obstacle:
    """The window whose loops or load the context's line is in, or what would have to hold."""
    tree = context.tree
    obstacle = Obstacle(
        DeclineReason.NOTHING_TO_CHANGE,
        "no loops at this line go through elements at fixed distances from the thread's own, such as `a[(y + dy) * w + x + dx]`",
    )
    for access in array_accesses(tree, context.body):
        loops = loops_around(tree, access.node)
        function = enclosing_function(tree, access.node)
        if access.kind is not Use.READ or not loops or function is None or len(access.indices) != 1:
            continue
        is_here = any(tree.line(loop) <= context.line <= loop.end_point[0] + 1 for loop in loops)
        if not is_here or access.base not in global_pointers(tree, function, access.node):
            continue
        found = _window(context, function, access.node, access.base, access.indices[0])
        if isinstance(found, Window):
            return found
        obstacle = obstacle if found is None else found
    return obstacle


def asked_of(context: TransformationContext, window: Window, load: Node) -> tuple[Asked, ...] | None:
    """Under which conditions the window's loops load something; None where they may leave early."""
    return _conditions(context, window.names, load, window.loop)[1]


def _window(context: TransformationContext, function: Function, load: Node, base: str, index: Node) -> Window | Obstacle | None:
    """None where the load does not move with a window."""
    tree, loops = context.tree, loops_around(context.tree, load)
    headers = [counted_header(tree, loop) for loop in loops]
    ranges = {h.variable: _range(context, h) for h in headers if h is not None}
    names, coordinates = _coordinates(context, [h.variable if h is not None else "" for h in headers], ranges, index)
    counters = {c.counter for c in coordinates if c.counter is not None}
    if not counters:
        return None
    for name in sorted(counters):
        if ranges[name] is None:
            words = f"the loop over `{name}` would have to run between constants: how far its window reaches is known only while it runs"
            return Obstacle(DeclineReason.BOUND_UNKNOWN, words)
    own = [loop for loop, header in zip(loops, headers, strict=True) if header is not None and header.variable in counters]
    first = loops.index(own[0])
    around = loops[first + len(own) :]
    names = names.without({h.variable for h in headers[first + len(own) :] if h is not None})
    if own != list(loops[first : first + len(own)]) or len({c.axis for c in coordinates}) != len(coordinates):
        other = next((h.variable for h in headers if h is not None and h.variable not in counters), "another counter")
        words = f"the loops over the window would have to stand directly in one another, without the loop over `{other}` between them"
        return Obstacle(DeclineReason.LOOP_FORM, words)
    apart = apart_in(context, names, around, own[-1])
    if apart is not None:
        return apart
    value, conditions = _conditions(context, names, load, own[-1])
    if conditions is None:
        return Obstacle(
            DeclineReason.CONDITIONAL, "the loops over the window would have to go through all of it, without `break` or `return`"
        )
    spelled, asked = tree.text(value), [tree.text(c.node) for c in conditions]
    alike = tuple(n for n in tree.find(value.type, inside=own[-1]) if tree.text(n) == spelled)
    for other in alike:
        also = [tree.text(c.node) for c in _conditions(context, names, other, own[-1])[1] or ()]
        if also[-len(asked) :] != asked and asked:
            return Obstacle(DeclineReason.CONDITIONAL, f"`{spelled}` is loaded under different conditions in the loops over the window")
    taps = 1
    for name in counters:
        taps *= names.ranges[name].last - names.ranges[name].first + 1
    return Window(function, own[-1], around, names, base, value, alike, coordinates, conditions, taps)


def _coordinates(
    context: TransformationContext, variables: list[str], ranges: Mapping[str, Range | None], index: Node
) -> tuple[WindowNames, tuple[Coordinate, ...]]:
    """The index by the innermost loops of which it is a sum; none where it is no such sum."""
    names = WindowNames(context, {}, frozenset())
    for count in range(len(variables), 0, -1):
        inner = {name: ranges[name] or Range(0, 0, "0", "0") for name in variables[:count] if name in ranges}
        names = WindowNames(context, inner, frozenset(variables[count:]))
        found = coordinates_in(names, index)
        if found:
            return names, found
    return names, ()


def _range(context: TransformationContext, header: CountedHeader) -> Range | None:
    """What a counter runs through; None where that is no constant, or not one by one."""
    scope, known = scope_of(context.tree, context.kernel), template_environment(context)
    start = parsed_expression(header.first)
    first = None if start is None else evaluate(start, scope, known)
    bound = evaluate(header.bound_node, scope, known)
    if first is None or bound is None or header.step != "1" or header.comparison not in ("<", "<="):
        return None
    last = bound if header.comparison == "<=" else bound - 1
    first_text, end = header.first.replace(" ", ""), context.tree.text(header.bound_node)
    if header.comparison == "<=" and first_text == f"-{end}" and end.isidentifier():
        span = f"2 * {end}"
    elif header.comparison == "<" and first == 0 and end.isidentifier():
        span = f"{end} - 1"
    else:
        first_text, span = str(first), str(last - first)
    return None if last < first else Range(first, last, first_text, span)


def _conditions(context: TransformationContext, names: WindowNames, load: Node, loop: Node) -> tuple[Node, tuple[Asked, ...] | None]:
    """What is kept in the tile, and the conditions under which the loops load it; None where they may leave early."""
    value, asked, child = load, list[Asked](), load
    for ancestor in context.tree.ancestors(load):
        if ancestor == loop.parent:
            break
        if ancestor.type == "conditional_expression":
            if child == value and _is_or_zero(context, names, ancestor, child):
                value = ancestor
            else:
                asked += _of_choice(ancestor, child)
        elif ancestor.type in ("if_statement", "binary_expression"):
            asked += _of_choice(ancestor, child)
        elif ancestor.type == "compound_statement":
            before = [n for n in without_comments(ancestor) if n.end_byte <= child.start_byte]
            skipped = [_skipped(context, statement) for statement in before]
            if None in skipped:
                return value, None
            asked += [condition for each in skipped for condition in each or ()]
        child = _unwrapped(ancestor, child)
    jumps = next(context.tree.find("break_statement", "return_statement", "goto_statement", inside=loop), None)
    return value, None if jumps is not None else tuple(asked)


def _unwrapped(ancestor: Node, child: Node) -> Node:
    """The ancestor, or the child where the ancestor is only parentheses around it."""
    return child if ancestor.type == "parenthesized_expression" and unparenthesized(ancestor) == child else ancestor


def _is_or_zero(context: TransformationContext, names: WindowNames, choice: Node, load: Node) -> bool:
    """``inside ? a[…] : 0`` of which the whole can be kept."""
    then, otherwise = choice.child_by_field_name("consequence"), choice.child_by_field_name("alternative")
    if then is None or otherwise is None or unparenthesized(then) != load:
        return False
    zero = context.tree.text(unparenthesized(otherwise))
    condition = condition_of(choice)
    known = condition is not None and all(coordinates_in(names, part) is not None for part in parts_of(condition, "&&"))
    return known and is_literal_of(zero, 0) and ("." not in zero or zero.lower().endswith("f"))


def _of_choice(ancestor: Node, child: Node) -> Iterator[Asked]:
    operator = ancestor.child_by_field_name("operator")
    if ancestor.type == "binary_expression":
        if operator is not None and operator.type in ("&&", "||") and _holds(ancestor, "right", child):
            left = ancestor.child_by_field_name("left")
            assert left is not None, "a binary expression has both"
            yield Asked(left, operator.type == "||")
        return
    condition = condition_of(ancestor)
    if condition is not None and _holds(ancestor, "consequence", child):
        yield Asked(condition, is_negated=False)
    elif condition is not None and _holds(ancestor, "alternative", child):
        yield Asked(condition, is_negated=True)


def _holds(ancestor: Node, field: str, child: Node) -> bool:
    part = ancestor.child_by_field_name(field)
    return part is not None and part.start_byte <= child.start_byte and child.end_byte <= part.end_byte


def _skipped(context: TransformationContext, statement: Node) -> tuple[Asked, ...] | None:
    """What does not hold after ``if (…) continue;``; None where the statement may jump in another way."""
    if statement.type in LOOPS or next(context.tree.find("continue_statement", inside=statement), None) is None:
        return ()
    branch = statement.child_by_field_name("consequence")
    only = None if branch is None else lone_statement(branch)
    condition = condition_of(statement) if statement.type == "if_statement" else None
    if only is None or only.type != "continue_statement" or condition is None or statement.child_by_field_name("alternative") is not None:
        return None
    return (Asked(condition, is_negated=True),)
