"""Elements that a thread counts from the other end: `x[n - 1 - i]` beside `x[i]`.

Example::

    mirror_of(context, index_node, "i", shared)    # Mirror((('+', 'n'), ('-', '1'))): the element is n - 1 - i
"""

from __future__ import annotations

from collections.abc import Set

from assistant.cuda.integers import evaluate
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, node_text, unparenthesized
from assistant.plan.expert.analysis.memory_accesses import unknown_sizes
from assistant.plan.expert.analysis.window_coordinates import terms_of
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["Mirror", "are_apart", "mirror_of"]

_BUILTINS = ("threadIdx", "blockIdx", "blockDim", "gridDim")
_OTHER = ("subscript_expression", "call_expression", "assignment_expression", "update_expression", "pointer_expression")
_TRIAL_SIZES = (*range(1, 40), 1000, 1001)


class Mirror(Record):
    """Where element 0 has its counterpart: the sum from which the thread's index is taken away."""

    terms: tuple[tuple[str, Node], ...]
    """Signed, the same for all threads."""

    @property
    def texts(self) -> tuple[tuple[str, str], ...]:
        return tuple((sign, node_text(node)) for sign, node in self.terms)


def mirror_of(context: TransformationContext, index: Node, counter: str, inner: Set[str]) -> Mirror | None:
    """What the counter is taken away from, in an index or in the local that holds it; ``inner``: locals that belong to one element."""
    node = unparenthesized(index)
    definition = scope_of(context.tree, context.kernel).definition(node_text(node)) if node.type == "identifier" else None
    terms = terms_of(node if definition is None else definition)
    own = [sign for sign, term in terms if node_text(term) == counter]
    rest = tuple((sign, term) for sign, term in terms if node_text(term) != counter)
    if own != ["-"] or not rest:
        return None
    for _, term in rest:
        of_thread = names_in(context.tree, term) & {counter, *inner, *_BUILTINS}
        if of_thread or term.type in _OTHER or next(context.tree.find(*_OTHER, inside=term), None) is not None:
            return None
    return Mirror(rest)


def are_apart(context: TransformationContext, mirror: Mirror, bound: Node) -> bool:
    """Every element counted from the front lies before every one counted from the end, as tried with numbers."""
    scope, names = scope_of(context.tree, context.kernel), unknown_sizes(context)
    for size in _TRIAL_SIZES:
        sizes = dict.fromkeys(names, size)
        stop = evaluate(bound, scope, sizes)
        values = [(sign, evaluate(term, scope, sizes)) for sign, term in mirror.terms]
        if stop is None or any(value is None for _, value in values):
            return False
        last = sum((1 if sign == "+" else -1) * (value or 0) for sign, value in values)
        if stop > 0 and stop - 1 >= last - (stop - 1):
            return False
    return True
