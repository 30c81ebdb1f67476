"""Outputs that hold a result of each block, as partial sums are: a launch of more or fewer blocks leaves more or fewer of them.

Whoever reads such an output has to know how many blocks there were, so launches with another number of blocks leave other elements and
may be as right. Example::

    block_results(version, key)     # frozenset({1}): the second parameter, of `if (threadIdx.x == 0) partial[blockIdx.x] = sum;`
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.cuda.accesses import Use, array_accesses, uses_of
from assistant.cuda.functions import Function, functions
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.engine.source_version import SourceVersion
from assistant.plan.expert.analysis.thread_dependence import block_axes, thread_axes

__all__ = ["block_results"]


def block_results(version: SourceVersion, key: str) -> frozenset[int]:
    """Positions of the kernel's parameters that it only stores to, at places that its block decides and no thread of it; none where the
    text of the file in question has no such kernel."""
    kernel = next((kernel for kernel in version.parsed.kernels if kernel.key == key), None)
    if kernel is None:
        return frozenset()
    tree = SyntaxTree(version.source.text, others=version.sources[1:])
    function = next((each for each in functions(tree) if tree.span(each.body) == kernel.body), None)
    if function is None:
        return frozenset()
    pointers = ((place, one.name) for place, one in enumerate(function.parameters) if one.is_pointer)
    return frozenset(place for place, name in pointers if _is_of_blocks(tree, function, name))


def _is_of_blocks(tree: SyntaxTree, function: Function, name: str) -> bool:
    uses = uses_of(tree, function.body, name)
    stores = [access for access in array_accesses(tree, function.body) if access.base == name and access.kind is Use.WRITE]
    return bool(stores) and len(stores) == len(uses) and all(_is_of_a_block(tree, function, store.indices) for store in stores)


def _is_of_a_block(tree: SyntaxTree, function: Function, indices: Sequence[Node]) -> bool:
    of_threads = [thread_axes(tree, function, index) for index in indices]
    return all(axes == frozenset() for axes in of_threads) and any(block_axes(tree, function, index) for index in indices)
