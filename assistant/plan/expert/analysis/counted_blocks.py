"""A number of blocks that a program writes out, for a kernel that shares its work among however many there are.

The number stands at the launch or has a name, with which arrays, loops and other kernels go. Example::

    counted_blocks(context)   # CountedBlocks("BLOCKS", 128, 128, …) of `#define BLOCKS 128` where `k<<<BLOCKS, 128>>>` launches it
"""

from __future__ import annotations

import re
from itertools import chain

from assistant.cuda.code_text import blanked
from assistant.cuda.integers import evaluate
from assistant.cuda.launch_shape import Launch, block_dims
from assistant.cuda.syntax import Node, node_text, unparenthesized
from assistant.model.plan import DeclineReason
from assistant.model.source import Span
from assistant.plan.expert.analysis.block_axes import literal_of_name
from assistant.plan.expert.analysis.kernel_launches import extent_of, launches_of, of_program
from assistant.plan.expert.analysis.scaled_grids import GRID_ELSEWHERE
from assistant.plan.expert.analysis.workload_block import declared_shapes
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["CountedBlocks", "counted_blocks"]

_NUMBER = re.compile(r"(?<![\w.])(\d+)[uUlL]*(?![\w.])")
_WHOLE_GRID = re.compile(r"\b(?:this_grid|grid_group|this_cluster|__cluster_dims__)\b")
_LONGEST_NAMED = 40
"""Characters of an expression in a sentence."""


class CountedBlocks(Record):
    """The blocks of all launches of a kernel, which lie along one axis."""

    name: str
    """Empty where the number stands at the launch."""
    blocks: int
    threads: int
    """Of a block."""
    literals: tuple[Span, ...]
    """Every place of the number, in the text of `of_program`."""


def counted_blocks(context: TransformationContext) -> CountedBlocks | Obstacle:
    """The number, or why another one would not do."""
    program = of_program(context)
    launches = launches_of(program)
    code = _device_code(context)
    if (found := _WHOLE_GRID.search(code)) is not None:
        return Obstacle(DeclineReason.SYNCHRONIZES, f"the kernel uses {found[0]}, so all of its blocks must be resident at once")
    if declared_shapes(context) or not launches:
        return GRID_ELSEWHERE
    counts = [_counted(program, launch) for launch in launches]
    obstacle = next((count for count in counts if isinstance(count, Obstacle)), None)
    if obstacle is not None:
        return obstacle
    known = [count for count in counts if isinstance(count, CountedBlocks)]
    first = known[0]
    if any((count.name, count.blocks) != (first.name, first.blocks) for count in known):
        return Obstacle(DeclineReason.GRID_FORM, f"the kernel is launched with several numbers of blocks in this {extent_of(context)}")
    if not any(re.search(rf"\b{name}\b", code) for name in ("gridDim", first.name) if name):
        words = "the kernel does not ask how many blocks there are, so that further ones would have no share of its work"
        return Obstacle(DeclineReason.NOTHING_TO_CHANGE, words)
    alone = None if first.name else next(filter(None, (_elsewhere(program, launch, first.blocks) for launch in launches)), None)
    literals = tuple(dict.fromkeys(chain.from_iterable(count.literals for count in known)))
    return alone or CountedBlocks(first.name, first.blocks, max(count.threads for count in known), literals)


def _counted(program: TransformationContext, launch: Launch) -> CountedBlocks | Obstacle:
    place = program.tree.place(launch.site.span)
    first, *others = [unparenthesized(component) for component in launch.grid.components] or [None]
    if first is None or any(evaluate(other, launch.scope, {}) != 1 for other in others if other is not None):
        return Obstacle(DeclineReason.GRID_FORM, f"the grid of the launch on {place} is not a number of blocks along one axis")
    blocks, block = evaluate(first, launch.scope, {}), block_dims(launch)
    if blocks is None:
        return Obstacle(
            DeclineReason.GRID_FORM, f"the number of blocks of the launch on {place}, `{_short(first)}`, would have to be a constant"
        )
    if block is None:
        return Obstacle(
            DeclineReason.SIZE_UNKNOWN, f"how many threads the blocks of the launch on {place} have does not follow from the text"
        )
    is_number = first.type == "number_literal"
    literal = program.tree.span(first) if is_number else literal_of_name(program, launch, node_text(first))
    if literal is None:
        return Obstacle(DeclineReason.GRID_FORM, f"the number of blocks of the launch on {place} is not one number that could be changed")
    return CountedBlocks("" if is_number else node_text(first), blocks, block.count, (literal,))


def _short(count: Node) -> str:
    text = " ".join(node_text(count).split())
    return text if len(text) <= _LONGEST_NAMED else f"{text[: _LONGEST_NAMED - 3]}..."


def _elsewhere(program: TransformationContext, launch: Launch, blocks: int) -> Obstacle | None:
    """Why a number at the launch cannot be changed there alone: it stands elsewhere in the function, too, where it may mean the same."""
    if launch.function is None:
        return None
    start = program.tree.span(launch.function).start
    shapes = [program.tree.span(node) for node in (launch.grid.expression, launch.block.expression)]
    for match in _NUMBER.finditer(blanked(program.tree.text(launch.function))):
        at = start + match.start()
        if int(match[1]) == blocks and not any(span.start <= at < span.end for span in shapes):
            line = program.parsed.source.line_of(at)
            words = (
                f"{blocks}, the number of blocks, stands on line {line}, too, where it may mean the same; one name for both would show it"
            )
            return Obstacle(DeclineReason.LAUNCH_FORM, words)
    return None


def _device_code(context: TransformationContext) -> str:
    """The kernel and the helpers that it calls, without comments."""
    spans = [context.kernel.span, *(one.body for one in context.parsed.device_functions if one.name in context.kernel.device_functions)]
    return "\n".join(blanked(context.text[span.start : span.end]) for span in spans)
