"""Outputs that hold a result of each block, as partial sums are: a launch of more or fewer blocks leaves more or fewer of them.

Whoever reads such an output has to know how many blocks there were, so launches with another number of blocks leave other elements and
may be as right. Example::

    block_results(version, key)     # frozenset({1}): the second parameter, of `if (threadIdx.x == 0) partial[blockIdx.x] = sum;`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assistant.cuda.accesses import Use, array_accesses, uses_of
from assistant.cuda.functions import Function, functions
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.engine.source_version import SourceVersion
from assistant.model.recording import Recording
from assistant.plan.expert.analysis.thread_dependence import block_axes, thread_axes
from assistant.verify.transfers import ProgramTrace

__all__ = ["BlockResults", "block_results", "divided_otherwise", "marked"]

BlockResults = Mapping[str, frozenset[int]]
"""Positions of parameters by the kernel's instance."""


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


def divided_otherwise(before: SourceVersion, after: SourceVersion, a: Recording | None, b: Recording | None) -> BlockResults:
    """Results of blocks in both versions, of kernels that B launches with other grids or blocks than A: they may be other ones."""
    if a is None or b is None:
        return {}
    found: dict[str, frozenset[int]] = {}
    for instance in dict.fromkeys(launch.kernel for launch in a.launches):
        old, new = before.kernel_of(instance), after.kernel_of(instance)
        mine, theirs = ([launch.config for launch in recording.launches if launch.kernel == instance] for recording in (a, b))
        if old is not None and new is not None and mine != theirs:
            found[instance] = block_results(before.about(old), old.key) & block_results(after.about(new), new.key)
    return {instance: places for instance, places in found.items() if places}


def marked(trace: ProgramTrace, recording: Recording | None, results: BlockResults) -> ProgramTrace:
    """The trace of a run that says which of its transfers are results of blocks."""
    buffers = {
        pointer.buffer
        for launch in (() if recording is None else recording.launches)
        for place, argument in enumerate(launch.arguments)
        if place in results.get(launch.kernel, ())
        for pointer in argument.pointers
    }
    transfers = (replace(item, is_of_blocks=True) if item.buffer in buffers else item for item in trace.transfers)
    return replace(trace, transfers=tuple(transfers)) if buffers else trace


def _is_of_blocks(tree: SyntaxTree, function: Function, name: str) -> bool:
    uses = uses_of(tree, function.body, name)
    stores = [access for access in array_accesses(tree, function.body) if access.base == name and access.kind is Use.WRITE]
    return bool(stores) and len(stores) == len(uses) and all(_is_of_a_block(tree, function, store.indices) for store in stores)


def _is_of_a_block(tree: SyntaxTree, function: Function, indices: Sequence[Node]) -> bool:
    of_threads = [thread_axes(tree, function, index) for index in indices]
    return all(axes == frozenset() for axes in of_threads) and any(block_axes(tree, function, index) for index in indices)
