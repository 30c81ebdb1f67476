"""Statements by which some threads of a block are gone while others go on.

A block's threads may leave together: `if (blockIdx.x >= rows) return;` leaves nobody alone at a barrier or in a shuffle.

Example::

    leaving_alone(context, context.body, loop.end_byte)     # None, or the `return` of `if (i >= n) return;`
"""

from __future__ import annotations

from assistant.cuda.branches import condition_of
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.loops import LOOPS
from assistant.cuda.syntax import Node
from assistant.plan.expert.analysis.block_values import is_alike_in_block
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["is_for_whole_blocks", "leaving_alone"]


def leaving_alone(context: TransformationContext, body: Node, end_byte: int) -> Node | None:
    """The first statement of a function's body, before ``end_byte``, by which a thread may leave without the rest of its block."""
    function = enclosing_function(context.tree, body)
    for node in context.tree.find("return_statement", "goto_statement", "gnu_asm_expression", inside=body):
        is_for_all = node.type == "return_statement" and function is not None and is_for_whole_blocks(context, function, node)
        if node.start_byte < end_byte and not is_for_all:
            return node
    return None


def is_for_whole_blocks(context: TransformationContext, function: Function, node: Node) -> bool:
    """What decides whether the statement runs is the same for all threads of a block."""
    asked = [condition_of(a) for a in context.tree.ancestors(node) if a.start_byte > function.body.start_byte and _asks(a)]
    return all(condition is not None and is_alike_in_block(context, function, condition) for condition in asked)


def _asks(node: Node) -> bool:
    return node.type in ("if_statement", "switch_statement", *LOOPS)
