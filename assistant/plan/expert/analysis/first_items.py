"""Where the first of a thread's neighbouring items lies, in a block that has fewer threads and works on what it worked on.

Example::

    first_item(context, value, 4)    # `blockIdx.x * SIZE + t` becomes 'blockIdx.x * SIZE + t * 4'
    first_item(context, value, 4)    # `blockIdx.x * blockDim.x + threadIdx.x` becomes '(blockIdx.x * blockDim.x + threadIdx.x) * 4'
"""

from __future__ import annotations

from assistant.cuda.integers import evaluate
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node
from assistant.plan.expert.analysis.thread_index import is_index_for_every_block, is_value_in_grid
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["first_item", "is_thread", "spelled"]

_THREADS = (0, 1, 5, 31)
_FACTORS = ("*", "/", "%")


def first_item(context: TransformationContext, value: Node, count: int) -> str | None:
    """The text of the first of ``count`` items of a thread, in a block of a ``count``-th of the threads and a grid that stays.

    ``value``: the thread's index in the grid. None where the thread's place in it is not plain.
    """
    tree = context.tree
    if is_index_for_every_block(context, value):
        return f"({tree.text(value)}) * {count}"
    places = [n for n in tree.find("identifier", "field_expression", inside=value) if is_thread(context, n)]
    if not is_value_in_grid(context, value) or len(places) != 1 or "blockDim" in spelled(context, value):
        return None
    (place,) = places
    parent = place.parent
    is_factor = parent is not None and parent.type == "binary_expression" and tree.text(parent.children[1]) in _FACTORS
    new = f"({tree.text(place)} * {count})" if is_factor else f"{tree.text(place)} * {count}"
    start = place.start_byte - value.start_byte
    text = tree.text(value).encode()
    return (text[:start] + new.encode() + text[start + place.end_byte - place.start_byte :]).decode()


def is_thread(context: TransformationContext, node: Node) -> bool:
    """Whether an expression is ``threadIdx.x``, or a local that stands for it."""
    scope = scope_of(context.tree, context.kernel)
    return all(evaluate(node, scope, {"threadIdx.x": thread}) == thread for thread in _THREADS)


def spelled(context: TransformationContext, node: Node, without: str = "") -> str:
    """The text of an expression or a statement, and of what the locals in it are set to; but not of the local ``without``."""
    tree, scope = context.tree, scope_of(context.tree, context.kernel)
    found: dict[str, str] = {without: ""}
    nodes = [node]
    while nodes:
        for name in {tree.text(n) for n in tree.find("identifier", inside=nodes.pop())} - found.keys():
            definition = scope.definition(name)
            found[name] = "" if definition is None else tree.text(definition)
            nodes += () if definition is None else (definition,)
    return " ".join((tree.text(node), *filter(None, found.values())))
