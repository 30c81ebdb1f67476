"""What a loop does in addition to its arithmetic: leaves early, synchronizes, calls something that may touch memory.

Example::

    leaves_or_synchronizes(tree, loop)   # None, or '`__syncthreads` at line 12 lets other threads see the element …'
"""

from __future__ import annotations

import re

from assistant.cuda.builtins import is_pure
from assistant.cuda.calls import callee_name, takes_values_only
from assistant.cuda.functions import functions
from assistant.cuda.macros import hidden_effect
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.pointer_roots import global_pointers
from assistant.plan.expert.obstacle import Obstacle

__all__ = ["leaves", "leaves_or_synchronizes"]

_HARMLESS_CALLS = re.compile(r"atomic\w+|__(?:shfl|ballot|any|all|reduce|match|activemask)\w*|printf")
"""Calls that order no other memory and touch only what their arguments name."""
_BARRIERS = re.compile(r"__sync(?:threads(?:_(?:count|and|or))?|warp)")
"""Behind which threads of the block, and no others, see what each has stored."""


def leaves_or_synchronizes(tree: SyntaxTree, loop: Node) -> Obstacle | None:
    """Why an element of memory must be up to date somewhere inside the loop; None if it need not."""
    barriers = (call for call in tree.find("call_expression", inside=loop) if _BARRIERS.fullmatch(callee_name(tree, call)))
    return leaves(tree, loop) or next((_waiting(tree, call) for call in barriers), None)


def leaves(tree: SyntaxTree, loop: Node) -> Obstacle | None:
    """The same, where barriers of a block are no matter: no thread changes the element."""
    for node in tree.find("return_statement", "goto_statement", "gnu_asm_expression", "lambda_expression", inside=loop):
        what = {"return_statement": "returns", "goto_statement": "jumps", "gnu_asm_expression": "runs inline assembly"}
        return Obstacle(
            DeclineReason.LOOP_HAS_EFFECTS,
            f"the loop {what.get(node.type, 'calls a lambda')} at line {tree.line(node)}, where the element must be up to date",
        )
    if "volatile" in tree.text(loop):
        return Obstacle(DeclineReason.VOLATILE, "the loop uses volatile memory")
    macro = hidden_effect(tree, loop)
    if macro is not None:
        return Obstacle(
            DeclineReason.LOOP_HAS_EFFECTS, f"the macro `{macro}` in the loop may read or change the element, or leave the loop"
        )
    for call in tree.find("call_expression", inside=loop):
        name = callee_name(tree, call)
        if _BARRIERS.fullmatch(name):
            continue
        if re.search("sync|fence", name.lower()) and not _HARMLESS_CALLS.fullmatch(name):
            return _waiting(tree, call)
        if not _is_harmless(tree, call, name):
            return Obstacle(DeclineReason.LOOP_HAS_EFFECTS, f"`{name}` at line {tree.line(call)} may read or change the element")
    return None


def _waiting(tree: SyntaxTree, call: Node) -> Obstacle:
    words = f"`{callee_name(tree, call)}` at line {tree.line(call)} lets other threads see the element while the loop runs"
    return Obstacle(DeclineReason.SYNCHRONIZES, words)


def _is_harmless(tree: SyntaxTree, call: Node, name: str) -> bool:
    if is_pure(name) or _HARMLESS_CALLS.fullmatch(name):
        return True
    if not takes_values_only(tree, call):
        return False
    for function in functions(tree):
        if function.name == name.split("::")[-1]:
            inner = (callee_name(tree, c) for c in tree.find("call_expression", inside=function.body))
            touches_globals = global_pointers(tree, function, function.body) - {p.name for p in function.parameters}
            return not touches_globals and all(is_pure(n) for n in inner)
    return True
