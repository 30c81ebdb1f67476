"""`__device__` functions that all threads of a block run together, such as `block_sum(value, scratch)`: who calls them, in which blocks.

Example::

    match block_helper(context):
        case BlockHelper(inside=inside): ...    # the same question with the helper in the kernel's place
        case Obstacle(): ...                    # why the helper must stay as it is
        case None: ...                          # the finding's line is in the kernel itself
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.functions import Function, functions
from assistant.cuda.names import mentions
from assistant.cuda.shared_arrays import SharedArray, shared_arrays
from assistant.cuda.syntax import Node
from assistant.model.plan import DeclineReason
from assistant.model.source import Kernel, Span
from assistant.plan.expert.analysis.kernel_launches import of_program
from assistant.plan.expert.analysis.launch_block import SeenBlock, launched_block
from assistant.plan.expert.analysis.leaving import leaving_alone
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["BlockHelper", "block_helper"]


class BlockHelper(Record):
    """A helper whose callers are all known."""

    inside: TransformationContext
    """The same question, with the helper in the kernel's place."""
    seen: SeenBlock
    lent: tuple[SharedArray, ...]
    """Its pointer parameters: all callers pass a shared array that they use for nothing else."""


def block_helper(context: TransformationContext) -> BlockHelper | Obstacle | None:
    """The helper around the finding's line; None where that is in the kernel."""
    function = _around(context)
    if function is None:
        return None
    program = of_program(context)
    if sum(each.name == function.name for each in functions(program.tree)) > 1:
        return Obstacle(DeclineReason.CALLERS_UNKNOWN, f"several functions are named {function.name}")
    callers = [kernel for kernel in program.parsed.kernels if function.name in kernel.device_functions]
    seen = _block_of_all(context, program, callers)
    if isinstance(seen, Obstacle):
        return seen
    calls = list(_calls(program, function))
    leaving = next(
        (line for caller, call in _all_calls(program, calls) if (line := _leaves_before(program, caller, call)) is not None), None
    )
    if leaving is not None:
        words = f"a thread may leave at line {leaving}, and the shuffles of {function.name} need all lanes of a warp"
        return Obstacle(DeclineReason.LEAVES_EARLY, words)
    lent = _lent(program, function, calls)
    return lent if isinstance(lent, Obstacle) else BlockHelper(_as_kernel(context, function), seen, lent)


def _around(context: TransformationContext) -> Function | None:
    for function in functions(context.tree):
        is_here = context.tree.line(function.node) <= context.line <= function.body.end_point[0] + 1
        if is_here and not function.is_kernel and function.name in context.kernel.device_functions:
            return function
    return None


def _block_of_all(context: TransformationContext, program: TransformationContext, callers: list[Kernel]) -> SeenBlock | Obstacle:
    """The one block of all kernels that call the helper."""
    found = [launched_block(context if k.name == context.kernel.name else replace(program, kernel=k, launches=())) for k in callers]
    refused = next((each for each in found if isinstance(each, Obstacle)), None)
    blocks = [each for each in found if isinstance(each, SeenBlock)]
    if refused is not None or not blocks:
        return refused or Obstacle(DeclineReason.CALLERS_UNKNOWN, "no kernel of the program is seen to call the helper")
    if len({each.block for each in blocks}) > 1:
        return Obstacle(DeclineReason.SIZE_UNKNOWN, "all kernels that call the helper would have to have blocks of one size")
    return SeenBlock(blocks[0].block, tuple(dict.fromkeys(words for each in blocks for words in each.assumptions)))


def _calls(program: TransformationContext, function: Function) -> Iterator[tuple[Function, Node]]:
    for caller in functions(program.tree):
        for call in program.tree.find("call_expression", inside=caller.body):
            if callee_name(program.tree, call).split("::")[-1] == function.name:
                yield caller, call


def _all_calls(program: TransformationContext, calls: list[tuple[Function, Node]]) -> list[tuple[Function, Node]]:
    """These calls, and those of helpers that they stand in."""
    found, known = [*calls], {caller.name for caller, _ in calls if not caller.is_kernel}
    helpers = [caller for caller, _ in calls if not caller.is_kernel]
    while helpers:
        for caller, call in _calls(program, helpers.pop()):
            found.append((caller, call))
            if not caller.is_kernel and caller.name not in known:
                known.add(caller.name)
                helpers.append(caller)
    return found


def _leaves_before(program: TransformationContext, caller: Function, call: Node) -> int | None:
    """Line of a statement by which a thread may be gone when the others call."""
    leaving = leaving_alone(program, caller.body, call.start_byte)
    return None if leaving is None else program.tree.line(leaving)


def _lent(program: TransformationContext, function: Function, calls: list[tuple[Function, Node]]) -> tuple[SharedArray, ...] | Obstacle:
    tree, found = program.tree, list[SharedArray]()
    for index, parameter in enumerate(function.parameters):
        if not parameter.is_pointer:
            continue
        for caller, call in calls:
            given = given_arguments(call)
            name = tree.text(given[index]) if index < len(given) else ""
            array = next((a for a in shared_arrays(tree, caller.body) if a.name == name), None)
            if array is None:
                words = f"line {tree.line(call)} does not pass a shared array of its own for `{parameter.name}`"
                return Obstacle(DeclineReason.POINTER_UNCLEAR, words)
            other = _other_use(program, caller, array, [c for of, c in calls if of == caller])
            if other is not None:
                words = f"line {other} uses `{name}`, and after shuffles it holds no thread's value"
                return Obstacle(DeclineReason.USED_ELSEWHERE, words)
        line = tree.line(parameter.declarator)
        found.append(SharedArray(parameter.name, parameter.type, (None,), parameter.declarator, line, is_dynamic=True))
    return tuple(found)


def _other_use(program: TransformationContext, caller: Function, array: SharedArray, calls: list[Node]) -> int | None:
    """Line of a use of the array in anything but the calls."""
    for node in mentions(program.tree, caller.body, array.name):
        is_own = array.declarator.start_byte <= node.start_byte < array.declarator.end_byte
        if not is_own and not any(call.start_byte <= node.start_byte < call.end_byte for call in calls):
            return program.tree.line(node)
    return None


def _as_kernel(context: TransformationContext, function: Function) -> TransformationContext:
    body = context.tree.span(function.body)
    kernel = replace(
        context.kernel,
        name=function.name,
        parameters=(),
        template_parameters=(),
        span=function.span,
        name_span=function.name_span,
        parameters_span=Span(body.start, body.start),
        body=body,
        line=function.line,
    )
    return replace(context, kernel=kernel)
