"""What threads of a block may run at the same time as a statement: everything between the barrier before it and the one after it.

Example::

    between_barriers(tree, function, branch)       # the statements around `if (threadIdx.x == 0) …` up to `__syncthreads();`
    not_reached_by_all(context, function, branch)  # None, or 'some threads leave at line 9 already'
"""

from __future__ import annotations

from assistant.cuda.accesses import canonical
from assistant.cuda.functions import Function
from assistant.cuda.loops import LOOPS
from assistant.cuda.syntax import Node, SyntaxTree, without_comments
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.leaving import is_for_whole_blocks
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["between_barriers", "not_reached_by_all"]

_JUMPS = ("break_statement", "continue_statement")


def between_barriers(tree: SyntaxTree, function: Function, statement: Node) -> tuple[Node, ...]:
    """The other statements, those of loops around it included: an iteration goes on where the last one ended."""
    return (*_before(tree, function, statement), *_after(tree, function, statement))


def not_reached_by_all(context: TransformationContext, function: Function, statement: Node) -> Obstacle | None:
    """Why a thread of the block may never get to the statement; None where all do, equally often."""
    tree = context.tree
    siblings = _siblings(statement)
    if statement.parent != function.body and not any(_is_barrier(tree, each) for each in siblings):
        return Obstacle(DeclineReason.CONDITIONAL, f"not all threads of the block may get to line {tree.line(statement)}")
    for node in tree.find("return_statement", "goto_statement", inside=function.body):
        if node.start_byte < statement.start_byte and not is_for_whole_blocks(context, function, node):
            return Obstacle(DeclineReason.LEAVES_EARLY, f"some threads of the block may leave at line {tree.line(node)} already")
    earlier = [each for each in siblings if each.end_byte <= statement.start_byte]
    jump = next((node for each in earlier for node in tree.find(*_JUMPS, inside=each)), None)
    return jump and Obstacle(DeclineReason.LEAVES_EARLY, f"some threads of the block may go on at line {tree.line(jump)} already")


def _before(tree: SyntaxTree, function: Function, statement: Node) -> tuple[Node, ...]:
    siblings = _siblings(statement)
    earlier = [each for each in siblings if each.end_byte <= statement.start_byte]
    start = next((i for i in reversed(range(len(earlier))) if _is_barrier(tree, earlier[i])), None)
    if start is not None:
        return tuple(earlier[start + 1 :])
    return (*earlier, *_around(tree, function, statement, siblings, is_before=True))


def _after(tree: SyntaxTree, function: Function, statement: Node) -> tuple[Node, ...]:
    siblings = _siblings(statement)
    later = [each for each in siblings if each.start_byte >= statement.end_byte]
    end = next((i for i, each in enumerate(later) if _is_barrier(tree, each)), None)
    if end is not None:
        return tuple(later[:end])
    return (*later, *_around(tree, function, statement, siblings, is_before=False))


def _around(tree: SyntaxTree, function: Function, statement: Node, siblings: tuple[Node, ...], *, is_before: bool) -> tuple[Node, ...]:
    """What runs before, or after, the list of statements that it stands in; of a loop the end, or the start, of another iteration too."""
    owner = statement if statement.parent is not None and statement.parent.type != "compound_statement" else statement.parent
    if owner is None or owner == function.body or owner.parent is None:
        return ()
    outer = owner.parent
    if outer.type == "else_clause" and outer.parent is not None:
        outer = outer.parent
    barriers = [i for i, each in enumerate(siblings) if _is_barrier(tree, each)]
    again: tuple[Node, ...] = ()
    if outer.type in LOOPS:
        again = siblings if not barriers else siblings[barriers[-1] + 1 :] if is_before else siblings[: barriers[0]]
    further = _before(tree, function, outer) if is_before else _after(tree, function, outer)
    return (*(each for each in again if each != statement), *further)


def _siblings(statement: Node) -> tuple[Node, ...]:
    parent = statement.parent
    return tuple(without_comments(parent)) if parent is not None and parent.type == "compound_statement" else (statement,)


def _is_barrier(tree: SyntaxTree, statement: Node) -> bool:
    return canonical(tree, statement) == "__syncthreads ( ) ;"
