"""Statements behind a block's scan that one thread runs: the last one, which has the total, or the first.

Example::

    # if (t == SIZE - 1) totals[blockIdx.x] = buf[t];
    lone = lone_statement_of(context, scan, statement, block)
    narrower_condition(context, lone, block, 4)     # 't == SIZE / 4 - 1', of a block that has a fourth of its threads
"""

from __future__ import annotations

from assistant.cuda.assignments import assignments
from assistant.cuda.branches import condition_of
from assistant.cuda.integers import evaluate
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, binary_parts, joined, unparenthesized, without_comments
from assistant.model.launch import Dim3
from assistant.plan.expert.analysis.block_steps import flat_sizes
from assistant.plan.expert.analysis.first_items import is_thread, spelled
from assistant.plan.expert.analysis.shared_scan import Part, SharedScan
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["LoneStatement", "lone_statement_of", "narrower_condition"]


class LoneStatement(Record):
    """An ``if`` that lets one thread of the block pass."""

    statement: Node
    condition: Node
    """The part of what it asks that is about the thread."""
    is_last: bool
    """The block's last thread; else its first."""


def lone_statement_of(context: TransformationContext, scan: SharedScan, statement: Node, block: Dim3) -> LoneStatement | None:
    """The statement, where it does nothing but store what the block has together; None for any other."""
    tree, asked = context.tree, condition_of(statement) if statement.type == "if_statement" else None
    branch = statement.child_by_field_name("consequence")
    if asked is None or branch is None or statement.child_by_field_name("alternative") is not None:
        return None
    parts = [(part, _threads(context, part, block)) for part in joined(asked, "&&")]
    about = [(part, threads) for part, threads in parts if threads is not None and len(threads) == 1]
    others = [part for part, _ in parts if part not in [each for each, _ in about]]
    if len(about) != 1 or any(_is_about_threads(context, part) for part in others):
        return None
    condition, (thread,) = about[0]
    is_last = thread == block.x - 1
    inside = [read for read in scan.reads if branch.start_byte <= read.node.start_byte < branch.end_byte]
    is_total = all(read.part is Part.ALL or (read.part is Part.UP_TO_IT and is_last) for read in inside)
    statements = without_comments(branch) if branch.type == "compound_statement" else (branch,)
    is_stored = all(_is_store(context, each) for each in statements)
    rest = [n for n in tree.find("identifier", "field_expression", inside=branch) if not any(_is_in(n, r.node) for r in inside)]
    is_free = not any(_is_about_threads(context, n) for n in rest)
    return LoneStatement(statement, condition, is_last) if thread in (0, block.x - 1) and is_total and is_stored and is_free else None


def narrower_condition(context: TransformationContext, lone: LoneStatement, block: Dim3, count: int) -> str:
    """What lets the same thread pass, the last or the first, of a block that has a ``count``-th of its threads."""
    smaller = Dim3(block.x // count)
    wanted = smaller.x - 1 if lone.is_last else 0
    if _threads(context, lone.condition, smaller) == [wanted]:
        return context.tree.text(lone.condition)
    parts = binary_parts(lone.condition)
    for thread, other in ((parts[1], parts[2]), (parts[2], parts[1])) if parts is not None and parts[0] == "==" else ():
        if is_thread(context, thread):
            return f"{context.tree.text(thread)} == {_last(context, other, block, count)}"
    return f"threadIdx.x == {wanted}"


def _last(context: TransformationContext, node: Node, block: Dim3, count: int) -> str:
    """``SIZE - 1`` as ``SIZE / 4 - 1``."""
    parts, scope = binary_parts(unparenthesized(node)), scope_of(context.tree, context.kernel).fixed()
    size = parts[1] if parts is not None and parts[0] == "-" else None
    is_size = size is not None and evaluate(size, scope, flat_sizes(context, block)) == block.x
    if size is None or not is_size or context.tree.text(size).isdigit():
        return str(block.x // count - 1)
    return f"{context.tree.text(size)} / {count} - 1"


def _threads(context: TransformationContext, condition: Node, block: Dim3) -> list[int] | None:
    """The threads that a condition lets pass; None where it asks for more than the thread."""
    scope, sizes = scope_of(context.tree, context.kernel).fixed(), flat_sizes(context, block)
    answers = [evaluate(condition, scope, {**sizes, "threadIdx.x": thread}) for thread in range(block.x)]
    return None if None in answers else [thread for thread, answer in enumerate(answers) if answer]


def _is_store(context: TransformationContext, statement: Node) -> bool:
    change = next(iter(assignments(context.tree, statement)), None)
    return statement.type == "expression_statement" and change is not None and change.node.parent == statement


def _is_about_threads(context: TransformationContext, node: Node) -> bool:
    words = spelled(context, node)
    return any(word in words for word in ("threadIdx", "blockDim")) or bool(names_in(context.tree, node) & {"threadIdx", "blockDim"})


def _is_in(node: Node, other: Node) -> bool:
    return other.start_byte <= node.start_byte and node.end_byte <= other.end_byte
