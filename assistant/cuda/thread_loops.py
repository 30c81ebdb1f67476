"""Loops that start at another element in each thread, and go on by a stride: `for (int i = threadIdx.x; i < n; i += blockDim.x)`.

Example::

    begins_by_thread(tree, scope, loop)    # True, also where a local holds `threadIdx.x % 32`
    node_text(stride_of(tree, loop))       # 'blockDim.x'
"""

from __future__ import annotations

from assistant.cuda.assignments import Assignment, assignments
from assistant.cuda.counting_loops import counting_loop
from assistant.cuda.integers import Scope
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, node_text, unparenthesized

__all__ = ["begins_by_thread", "start_of", "stride_of"]


def begins_by_thread(tree: SyntaxTree, scope: Scope, loop: Node) -> bool:
    """The loop starts at another element in each thread, and goes on by a stride."""
    found = counting_loop(tree, loop)
    start = start_of(loop) if found is None else found.start
    stride = stride_of(tree, loop) if found is None or found.step is None else _stride(found.step)
    return start is not None and stride is not None and "threadIdx" in _followed_text(tree, scope, start)


def start_of(loop: Node) -> Node | None:
    """Where the loop's counter starts."""
    start = loop.child_by_field_name("initializer")
    declarators = () if start is None or start.type != "declaration" else start.children_by_field_name("declarator")
    return declarators[0].child_by_field_name("value") if len(declarators) == 1 else None


def stride_of(tree: SyntaxTree, loop: Node) -> Node | None:
    """By what it goes on; None where that is one, or no sum."""
    update = loop.child_by_field_name("update")
    change = next(iter(assignments(tree, update)), None) if update is not None else None
    return None if change is None or change.node != update else _stride(change)


def _stride(change: Assignment) -> Node | None:
    if change.value is None:
        return None
    if change.operator == "+=":
        return change.value
    parts = binary_parts(unparenthesized(change.value))
    is_step = change.operator == "=" and parts is not None and parts[0] == "+" and node_text(parts[1]) == node_text(change.target)
    return parts[2] if is_step and parts is not None else None


def _followed_text(tree: SyntaxTree, scope: Scope, node: Node) -> str:
    """The expression, with what its locals were set to."""
    text, known = node_text(node), set[str]()
    waiting = [node]
    while waiting:
        for name in names_in(tree, waiting.pop()) - known:
            known.add(name)
            for write in scope.writes.get(name, ()):
                if write.value is not None:
                    text += f" {node_text(write.value)}"
                    waiting.append(write.value)
    return text
