"""A block size that a program gives a name, with which kernel, shared arrays and launches all go: one number says it.

A number that has a name is meant to be changed. Whether the kernel is right with another one the text does not show where its threads work
together; the judge does. Example::

    named_block(context)      # NamedBlock("THREADS", 256, Span(…)) of `#define THREADS 256` where `k<<<blocks, THREADS>>>` launches it
"""

from __future__ import annotations

import re

from assistant.cuda.code_text import blanked
from assistant.cuda.integers import evaluate
from assistant.cuda.launch_shape import Launch
from assistant.cuda.syntax import node_text, unparenthesized
from assistant.model.source import Span
from assistant.plan.expert.analysis.block_axes import literal_of_name
from assistant.plan.expert.analysis.kernel_launches import launches_of, of_program
from assistant.plan.expert.analysis.workload_block import declared_shapes
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["NamedBlock", "named_block"]

_NUMBER = re.compile(r"(?<![\w.])(\d+)[uUlL]*(?![\w.])")


class NamedBlock(Record):
    """The threads of a kernel's blocks, which have one dimension."""

    name: str
    size: int
    literal: Span
    """The number behind the name, in the text of `of_program`."""


def named_block(context: TransformationContext) -> NamedBlock | None:
    """What all launches of the kernel name as its block; None where they do not, or where its text holds numbers that go with the size."""
    program = of_program(context)
    launches = launches_of(program)
    if not launches or declared_shapes(context):
        return None
    found = {_named(program, launch) for launch in launches}
    block = found.pop() if len(found) == 1 else None
    return None if block is None or _numbers(context) & _of_size(block.size) else block


def _named(context: TransformationContext, launch: Launch) -> NamedBlock | None:
    first, *others = [unparenthesized(component) for component in launch.block.components] or [None]
    if first is None or first.type != "identifier" or any(evaluate(other, launch.scope, {}) != 1 for other in others if other is not None):
        return None
    name, size = node_text(first), evaluate(first, launch.scope, {})
    literal = literal_of_name(context, launch, name)
    return None if size is None or literal is None else NamedBlock(name, size, literal)


def _numbers(context: TransformationContext) -> set[int]:
    code = blanked(context.text[context.kernel.span.start : context.kernel.span.end])
    return {int(found[1]) for found in _NUMBER.finditer(code)}


def _of_size(size: int) -> set[int]:
    """Numbers that may stand for the size, or for what follows from it."""
    return {size, size - 1, size + 1, 2 * size, size // 2}
