"""Which loads of a kernel and its helpers a loop makes again though nothing changes their element, line by line.

Example::

    for line, text, load in reloads(tree, bodies, pointers): ...    # (7, 'c[0]', InvariantLoad('coef', 1)), (7, 'x[t]', None)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.cuda.accesses import Use, canonical, kind_of
from assistant.cuda.functions import functions
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.plan.expert.analysis.handed_loads import handed_loads
from assistant.plan.expert.analysis.unchanging_loads import elements, unchanging_loads
from assistant.profile.facts import InvariantLoad

__all__ = ["reloads"]


def reloads(tree: SyntaxTree, bodies: Sequence[Node], pointers: set[str]) -> Iterator[tuple[int, str, InvariantLoad | None]]:
    """(line, element, what it is; None of a load whose element changes) in the kernel's body, the first one, and its helpers'.

    ``pointers``: the kernel's. A load may come twice, of which the one with an element that stays counts.
    """
    for place, body in enumerate(bodies):
        function = next((function for function in functions(tree) if function.body == body), None)
        if function is None:
            continue
        steady = unchanging_loads(tree, function)
        found = {load.node: load for load in steady if load.pointer.partition(".")[0] in pointers or "." in load.pointer}
        for element in elements(tree, function, body):
            line, text, load = tree.line(element.node), canonical(tree, element.node), found.get(element.node)
            if load is not None:
                yield line, text, InvariantLoad(load.pointer, load.inner_count)
            elif kind_of(tree, element.node) is Use.READ:
                yield line, text, None
        for handed in handed_loads(tree, function) if place == 0 else ():
            yield tree.line(handed.node), canonical(tree, handed.node), InvariantLoad(handed.pointer, handed.inner_count)
