"""Loops between constants, one in another, and what they do: declare, ask, and add up at the innermost place.

Example::

    found = FoundInLoops()
    read_loops(tree, loop, found)     # None, or why the loops have another form
    found.loops, found.asked, found.statements
"""

from __future__ import annotations

from assistant.cuda.assignments import assignments
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.constants import integer_constant
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.syntax import Node, SyntaxTree, without_comments
from assistant.model.plan import DeclineReason
from assistant.plan.expert.obstacle import Obstacle
from assistant.record import Record

__all__ = ["FoundInLoops", "WindowLoop", "read_loops"]


class WindowLoop(Record):
    """A loop between constants."""

    node: Node
    header: CountedHeader
    count: int
    """Iterations."""
    last: int
    """Value of the counter in the last one."""


class FoundInLoops:
    """What the loops hold, in order."""

    def __init__(self) -> None:
        self.loops: list[WindowLoop] = []
        self.depth_of: dict[int, int] = {}
        """Declaration → how many loops are around it."""
        self.declarations: list[Node] = []
        self.asked: list[tuple[Node, bool, int]] = []
        """(condition, whether it must not hold, loops around it)."""
        self.statements: list[Node] = []


def read_loops(tree: SyntaxTree, loop: Node, found: FoundInLoops) -> Obstacle | None:
    """Reads a loop, and those in it, down to what is done with an element."""
    header = counted_header(tree, loop)
    trips = None if header is None else header.trip_count(tree)
    first = None if header is None else integer_constant(tree, header.first)
    if header is None or trips is None or first is None or header.step != "1" or header.comparison not in ("<", "<="):
        name = "" if header is None else f" over `{header.variable}`"
        return Obstacle(DeclineReason.LOOP_FORM, f"the loop{name} at line {tree.line(loop)} would have to count up between constants")
    found.loops.append(WindowLoop(loop, header, trips, first + trips - 1))
    body = loop.child_by_field_name("body")
    return None if body is None else _read_statements(tree, body, found)


def _read_statements(tree: SyntaxTree, body: Node, found: FoundInLoops) -> Obstacle | None:
    inner = without_comments(body) if body.type == "compound_statement" else (body,)
    statements = [n for n in inner if n.type != "preproc_call"]
    for place, node in enumerate(statements):
        is_last = place == len(statements) - 1
        other = Obstacle(DeclineReason.LOOP_FORM, f"line {tree.line(node)} does more than declare, ask and add up in the loops")
        branch = node.child_by_field_name("consequence") if node.type == "if_statement" else None
        asked = condition_of(node) if branch is not None else None
        only = None if branch is None else lone_statement(branch)
        if node.type == "declaration" and not found.statements:
            found.declarations.append(node)
            found.depth_of[node.id] = len(found.loops)
        elif branch is not None and asked is not None and node.child_by_field_name("alternative") is None and not found.statements:
            is_skipped = only is not None and only.type == "continue_statement"
            found.asked.append((asked, is_skipped, len(found.loops)))
            if not is_skipped:
                obstacle = _read_statements(tree, branch, found) if is_last else other
                if obstacle is not None:
                    return obstacle
        elif node.type == "for_statement" and is_last and not found.statements:
            obstacle = read_loops(tree, node, found)
            if obstacle is not None:
                return obstacle
        elif node.type == "expression_statement" and next(iter(assignments(tree, node)), None) is not None:
            found.statements.append(node)
        else:
            return other
    return None
