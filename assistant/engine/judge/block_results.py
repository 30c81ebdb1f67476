"""Outputs that hold a result of each block, as partial sums are: a launch of more or fewer blocks leaves more or fewer of them.

Code that reads such an output has to know how many blocks there were, so launches with another number of blocks leave other elements and
may be as right. Example::

    block_results(version, key)     # frozenset({1}): the second parameter, of `if (threadIdx.x == 0) partial[blockIdx.x] = sum;`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assistant.cuda.accesses import Use, array_accesses, uses_of
from assistant.cuda.functions import Function, functions
from assistant.cuda.integers import evaluate
from assistant.cuda.scopes import scope_inside
from assistant.cuda.syntax import Node, SyntaxTree, unparenthesized
from assistant.engine.source_version import SourceVersion
from assistant.model.launch import Dim3
from assistant.model.recording import Recording
from assistant.plan.expert.analysis.thread_dependence import block_axes, thread_axes
from assistant.verify.transfers import ProgramTrace

__all__ = ["BlockResults", "block_results", "divided_otherwise", "handed_on", "has_part_by_size", "marked", "transfers_of_blocks"]

_BLOCK = "blockIdx"

BlockResults = Mapping[str, frozenset[int]]
"""Positions of parameters by the kernel's instance."""


def block_results(version: SourceVersion, key: str) -> frozenset[int]:
    """Positions of the kernel's parameters that it only stores to, at places that its block decides and no thread of it; none where the
    text of the file in question has no such kernel."""
    found = _read(version, key)
    return frozenset() if found is None else _places(*found)


def has_part_by_size(version: SourceVersion, key: str, block: Dim3) -> bool:
    """Whether the text of a kernel gives each block a part of the work by the block's size: but for the places of its results, its block is
    nowhere read without being multiplied by that. Rows, which blocks of any size take one of each, are none."""
    found = _read(version, key)
    if found is None:
        return False
    tree, function = found
    results = {function.parameters[place].name for place in _places(tree, function)}
    chosen = [index for access in array_accesses(tree, function.body) if access.base in results for index in access.indices]
    places = [tree.span(index) for index in chosen]
    fields = [field for field in tree.find("field_expression", inside=function.body) if tree.text(field).startswith(f"{_BLOCK}.")]
    read = [field for field in fields if not any(place.contains(tree.span(field)) for place in places)]
    return bool(read) and all(_is_times_size(tree, function, field, block) for field in read)


def _is_times_size(tree: SyntaxTree, function: Function, field: Node, block: Dim3) -> bool:
    product = field.parent
    if product is None or product.type != "binary_expression" or tree.text(product.child_by_field_name("operator") or field) != "*":
        return False
    axis = tree.text(field).removeprefix(f"{_BLOCK}.").strip()
    sizes = {"x": block.x, "y": block.y, "z": block.z}
    sides = (product.child_by_field_name("left"), product.child_by_field_name("right"))
    other = next((side for side in sides if side is not None and side != field), None)
    known = {f"blockDim.{name}": size for name, size in sizes.items()}
    scope = scope_inside(tree, function.body).fixed()
    return other is not None and evaluate(unparenthesized(other), scope, known) == sizes.get(axis)


def divided_otherwise(before: SourceVersion, after: SourceVersion, a: Recording | None, b: Recording | None) -> BlockResults:
    """Results of blocks in both versions that may be other ones: of kernels in which a block's size decides which part of the work it has,
    and that B launches with other blocks than A."""
    if a is None or b is None:
        return {}
    found: dict[str, frozenset[int]] = {}
    for instance in dict.fromkeys(launch.kernel for launch in a.launches):
        old, new = before.kernel_of(instance), after.kernel_of(instance)
        mine, theirs = ([launch.config for launch in recording.launches if launch.kernel == instance] for recording in (a, b))
        if old is None or new is None or mine == theirs or not theirs:
            continue
        has_other_count = [config.grid.count for config in mine] != [config.grid.count for config in theirs]
        is_by_size = has_part_by_size(before.about(old), old.key, mine[0].block)
        if is_by_size and (has_other_count or has_part_by_size(after.about(new), new.key, theirs[0].block)):
            found[instance] = block_results(before.about(old), old.key) & block_results(after.about(new), new.key)
    return {instance: places for instance, places in found.items() if places}


def handed_on(before: SourceVersion, after: SourceVersion, a: Recording | None, b: Recording | None) -> BlockResults:
    """Results of blocks in both versions that may be other ones, though as many blocks of the same size leave them: of kernels in which a
    block's size decides in A which part of the work it has, and B may give it another, and that other kernels of both programs go on from.
    """
    if a is None or b is None:
        return {}
    found: dict[str, frozenset[int]] = {}
    for instance in dict.fromkeys(launch.kernel for launch in a.launches):
        old, new = before.kernel_of(instance), after.kernel_of(instance)
        block = next(launch.config.block for launch in a.launches if launch.kernel == instance)
        if old is None or new is None or not has_part_by_size(before.about(old), old.key, block):
            continue
        results = block_results(before.about(old), old.key) & block_results(after.about(new), new.key)
        found[instance] = frozenset(place for place in results if all(_is_handed_on(each, instance, place) for each in (a, b)))
    return {instance: places for instance, places in found.items() if places}


def _is_handed_on(recording: Recording, instance: str, place: int) -> bool:
    """Whether every buffer that the kernel's launches are passed there is passed to a launch of another one, too."""
    launches = [*recording.launches, *recording.passed]
    mine = {one.buffer for each in launches if each.kernel == instance for one in each.arguments[place].pointers}
    others = {one.buffer for each in launches if each.kernel != instance for argument in each.arguments for one in argument.pointers}
    return bool(mine) and mine <= others


def transfers_of_blocks(trace: ProgramTrace, recording: Recording | None, results: BlockResults) -> frozenset[int]:
    """Which of a run's transfers, counted from 0, bring results of blocks to the host."""
    buffers = {
        pointer.buffer
        for launch in (() if recording is None else recording.launches)
        for place, argument in enumerate(launch.arguments)
        if place in results.get(launch.kernel, ())
        for pointer in argument.pointers
    }
    return frozenset(place for place, item in enumerate(trace.transfers) if item.buffer in buffers)


def marked(trace: ProgramTrace, of_blocks: frozenset[int]) -> ProgramTrace:
    """The trace of a run, whose transfers at these places are results of blocks."""
    transfers = (replace(item, is_of_blocks=True) if place in of_blocks else item for place, item in enumerate(trace.transfers))
    return replace(trace, transfers=tuple(transfers)) if of_blocks else trace


def _read(version: SourceVersion, key: str) -> tuple[SyntaxTree, Function] | None:
    kernel = next((kernel for kernel in version.parsed.kernels if kernel.key == key), None)
    if kernel is None:
        return None
    tree = SyntaxTree(version.source.text, others=version.sources[1:])
    function = next((each for each in functions(tree) if tree.span(each.body) == kernel.body), None)
    return None if function is None else (tree, function)


def _places(tree: SyntaxTree, function: Function) -> frozenset[int]:
    pointers = ((place, one.name) for place, one in enumerate(function.parameters) if one.is_pointer)
    return frozenset(place for place, name in pointers if _is_of_blocks(tree, function, name))


def _is_of_blocks(tree: SyntaxTree, function: Function, name: str) -> bool:
    uses = uses_of(tree, function.body, name)
    stores = [access for access in array_accesses(tree, function.body) if access.base == name and access.kind is Use.WRITE]
    return bool(stores) and len(stores) == len(uses) and all(_is_of_a_block(tree, function, store.indices) for store in stores)


def _is_of_a_block(tree: SyntaxTree, function: Function, indices: Sequence[Node]) -> bool:
    of_threads = [thread_axes(tree, function, index) for index in indices]
    return all(axes == frozenset() for axes in of_threads) and any(block_axes(tree, function, index) for index in indices)
