"""Whether nothing looks at what one thread has summed up, but only at what the threads of its warp or block have together.

Then these threads may share their elements out among each other in another way.

Example::

    why_seen_alone(context, loop, "s", Combination.SUM)    # None where `s` goes into `buf[threadIdx.x]`, and the block adds that up
"""

from __future__ import annotations

import re
from dataclasses import replace

from assistant.cuda.accesses import canonical
from assistant.cuda.assignments import assignments
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.integers import evaluate
from assistant.cuda.loops import LOOPS
from assistant.cuda.names import mentions
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, node_text, unparenthesized
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.combinations import combination_of
from assistant.plan.expert.analysis.kernel_launches import known_blocks
from assistant.plan.expert.analysis.memory_accesses import unknown_sizes
from assistant.plan.expert.analysis.plain_updates import Updates, plain_updates
from assistant.plan.expert.analysis.row_reductions import Combination
from assistant.plan.expert.analysis.set_anew import until_set_anew
from assistant.plan.expert.analysis.shared_totals import shared_totals
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["why_seen_alone"]

_LANES = 32
"""Threads of a warp (CUDA C++ Programming Guide, "SIMT Architecture")."""
_FULL_MASKS = frozenset({"0xffffffff", "0xffffffffu", "~0u", "-1", "full_mask"})
_ATOMICS = {"atomicAdd": Combination.SUM, "atomicMax": Combination.MAXIMUM, "atomicMin": Combination.MINIMUM}
_HALVED = re.compile(r"(\w+)(>>=1|/=2)|(\w+)=\3(>>1|/2)")


def why_seen_alone(context: TransformationContext, loop: Node, name: str, combination: Combination) -> Obstacle | None:
    """Why one thread's ``name`` matters behind ``loop``; None where it is only put together with those of its warp or block."""
    uses = [use for use in mentions(context.tree, context.body, name) if use.start_byte >= loop.end_byte]
    if not uses:
        return Obstacle(DeclineReason.NOTHING_TO_CHANGE, f"nothing looks at `{name}` behind the loop")
    if _is_shuffled(context, uses, name, combination):
        return None
    if all(_is_shared(context, use, name, combination) or _is_added(context, use, name, combination) for use in uses):
        return None
    line = context.tree.line(uses[0])
    words = f"line {line} looks at one thread's `{name}`"
    return Obstacle(
        DeclineReason.USED_ELSEWHERE, f"{words}: a warp or block would have to put together what its threads have, as the loop does"
    )


def _is_shared(context: TransformationContext, use: Node, name: str, combination: Combination) -> bool:
    """The use stores to shared memory, of which the block makes one value."""
    block = _one_block(context)
    if block is None:
        return False
    for loop in context.tree.find("for_statement", "while_statement", inside=context.body):
        if loop.start_byte < use.end_byte:
            continue
        finding = replace(context.finding, line=context.tree.line(loop))
        totals = shared_totals(replace(context, finding=finding), block)
        for total in totals if isinstance(totals, tuple) else ():
            for part in total.parts:
                is_it = part.store.start_byte <= use.start_byte < part.store.end_byte and part.combination is combination
                if is_it and part.value is not None and canonical(context.tree, part.value) == name:
                    return True
    return False


def _one_block(context: TransformationContext) -> Dim3 | None:
    blocks = {*known_blocks(context)}
    return blocks.pop() if len(blocks) == 1 else None


def _is_added(context: TransformationContext, use: Node, name: str, combination: Combination) -> bool:
    """The use is ``atomicAdd(out, name);`` of every thread, and all threads of the block name one element."""
    finding = replace(context.finding, line=context.tree.line(use))
    updates = plain_updates(replace(context, finding=finding))
    if not isinstance(updates, Updates):
        return False
    update = updates.at_line
    is_whole = unparenthesized(update.value) == use and context.tree.text(use) == name
    return is_whole and update.is_of_block and update.statement.parent == context.body and _ATOMICS.get(update.operation) is combination


def _is_shuffled(context: TransformationContext, uses: list[Node], name: str, combination: Combination) -> bool:
    """Lanes of the warp exchange their values first, and then only the first lane's value is looked at, or all lanes have the same."""
    loop = next((a for a in context.tree.ancestors(uses[0]) if a.parent == context.body), None)
    if loop is None or loop.type not in LOOPS:
        return False
    shuffle = _shuffle(context, loop, name, combination)
    if shuffle is None:
        return False
    later = [use for use in uses if use.start_byte >= loop.end_byte]
    if shuffle == "__shfl_xor_sync":
        return True
    return all(_is_of_first_lane(context, use) for use in until_set_anew(context, later))


def _shuffle(context: TransformationContext, loop: Node, name: str, combination: Combination) -> str | None:
    """The function by which ``loop`` puts the values of a warp together; None for any other loop."""
    tree, body = context.tree, loop.child_by_field_name("body")
    only = None if body is None else lone_statement(body)
    changes = () if only is None else assignments(tree, only)
    if len(changes) != 1 or only is None or changes[0].node.parent != only or tree.text(changes[0].target) != name:
        return None
    pair, counter = combination_of(tree, changes[0]), _halved(context, loop)
    if pair is None or pair[0] is not combination or pair[1].type != "call_expression" or counter is None:
        return None
    given = [canonical(tree, argument) for argument in given_arguments(pair[1])]
    is_whole = len(given) == 3 and given[0].lower() in _FULL_MASKS and given[1:] == [name, counter]
    called = callee_name(tree, pair[1])
    return called if is_whole and called in ("__shfl_down_sync", "__shfl_xor_sync") else None


def _halved(context: TransformationContext, loop: Node) -> str | None:
    """The counter of ``for (int offset = 16; offset > 0; offset /= 2)``."""
    start, condition, update = (loop.child_by_field_name(field) for field in ("initializer", "condition", "update"))
    if loop.type != "for_statement" or start is None or condition is None or update is None:
        return None
    changed, asked = (node_text(node).replace(" ", "") for node in (update, condition))
    halved = _HALVED.fullmatch(changed)
    declarators = start.children_by_field_name("declarator")
    if halved is None or len(declarators) != 1:
        return None
    counter = halved[1] or halved[3]
    name, value = (declarators[0].child_by_field_name(field) for field in ("declarator", "value"))
    is_begun = name is not None and node_text(name) == counter and value is not None
    first = evaluate(value, scope_of(context.tree, context.kernel), {"warpSize": _LANES}) if is_begun and value is not None else None
    is_to_one = asked in (f"{counter}>0", f"{counter}>=1", f"{counter}!=0", counter)
    return counter if first == _LANES // 2 and is_to_one else None


def _is_of_first_lane(context: TransformationContext, use: Node) -> bool:
    """The use stands in an ``if`` that only the first lane of each warp enters."""
    block, scope = _one_block(context), scope_of(context.tree, context.kernel)
    for ancestor in context.tree.ancestors(use):
        condition = condition_of(ancestor) if ancestor.type == "if_statement" else None
        then = None if condition is None else ancestor.child_by_field_name("consequence")
        if block is None or condition is None or then is None or not then.start_byte <= use.start_byte < then.end_byte:
            continue
        places = ({**unknown_sizes(context), "threadIdx.x": t, "blockDim.x": block.x} for t in range(block.x))
        asked = [evaluate(condition, scope, place) for place in places]
        if all(answer is not None and (not answer or lane % _LANES == 0) for lane, answer in enumerate(asked)):
            return True
    return False
