"""Launch fewer, larger blocks of a kernel whose blocks each add what they found to the same place.

Answers KO110 at an atomic behind the loop in which the grid shares its elements: each block adds its table or its sum once, and all blocks
meet in the same addresses. A quarter of the blocks, each four times as large, are as many threads and a quarter of these atomics. The
kernel must not care how many threads a block has: it uses its indices as the index of a thread in the grid, in loops that a block shares,
and for a first thread or the first few.

Example::

    count<<<blocks, 256>>>(…)   ->   count<<<(blocks + 3) / 4, 1024>>>(…)
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.integers import evaluate
from assistant.cuda.launch_shape import Launch, block_dims
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, binary_parts, node_text, unparenthesized
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.block_indices import builtin_fields, is_global_index, is_grid_stride, largest_block
from assistant.plan.expert.analysis.kernel_launches import by_file, launches_of, of_program
from assistant.plan.expert.analysis.launch_variables import is_only_used_here
from assistant.plan.expert.analysis.scaled_grids import coarser_grid
from assistant.plan.expert.analysis.thread_exchange import hidden_builtin, unseen_launch, warp_dependence
from assistant.plan.expert.analysis.workload_block import declared_shapes
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["FewerBlocks"]

_FACTORS = (4, 2, 8)
"""Most promising first."""
_REGISTERS_PER_BLOCK = 65536
"""Programming Guide, "Compute Capabilities": 32-bit registers of a block, sm_80 to sm_100."""
_THREAD = "threadIdx.x"
_LOOPS = ("for_statement", "while_statement")


class FewerBlocks:
    """``k<<<1056, 256>>>`` → ``k<<<264, 1024>>>``, and other numbers."""

    technique = "fewer-blocks"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        loops = _shared_loops(context)
        is_combined = _adds_outside(context, loops) if loops else "__shared__" in context.tree.text(context.body)
        if not is_combined:
            return ()  # each thread adds for itself: nothing is added once for each block
        found = _obstacle(context, loops) or _threads(context)
        if isinstance(found, Obstacle):
            return context.decline(self.technique, found)
        sizes = [factor for factor in _FACTORS if found * factor <= _most_threads(context)]
        if not sizes:
            words = f"blocks of {found} threads cannot be larger by its registers, its launch bounds or the architecture"
            return context.decline(self.technique, Obstacle(DeclineReason.LIMIT_EXCEEDED, words))
        made: list[Rewrite] = []
        for factor in sizes:
            edits = _edits(context, factor)
            if isinstance(edits, Obstacle):
                return context.decline(self.technique, edits)
            made.append(self._launching(context, edits, found, factor))
        return tuple(made)

    def _launching(self, context: TransformationContext, edits: tuple[TextEdit, ...], threads: int, factor: int) -> Rewrite:
        own, in_others = by_file(context, edits)
        part = {2: "half", 4: "a quarter", 8: "an eighth"}[factor]
        return Rewrite(
            technique=self.technique,
            kernel=context.kernel.key,
            line=context.line,
            edits=own,
            summary=f"Launch {part} as many blocks of {threads * factor} threads instead of {threads}, which add up {part} as often.",
            labels=(Label.REASSOCIATION, Label.HOST_CODE),
            in_others=in_others,
            numbers=(("block_threads", threads * factor),),
        )


def _shared_loops(context: TransformationContext) -> list[Node]:
    """Loops that step by as many elements as the grid has threads."""
    strides = {name for name, value in _initialised(context) if is_grid_stride(value)}
    steps = (node for node in context.tree.find("assignment_expression", inside=context.body) if _step(node) is not None)
    found = [node for node in steps if is_grid_stride(right := _step(node) or node) or node_text(right) in strides]
    around = (next((a for a in context.tree.ancestors(node) if a.type in _LOOPS), None) for node in found)
    return [loop for loop in around if loop is not None]


def _step(node: Node) -> Node | None:
    """What ``i += …`` adds."""
    operator, right = node.child_by_field_name("operator"), node.child_by_field_name("right")
    return None if operator is None or node_text(operator) != "+=" or right is None else unparenthesized(right)


def _initialised(context: TransformationContext) -> Iterator[tuple[str, Node]]:
    for node in context.tree.find("init_declarator", inside=context.body):
        name, value = node.child_by_field_name("declarator"), node.child_by_field_name("value")
        if name is not None and value is not None:
            yield node_text(name), unparenthesized(value)


def _adds_outside(context: TransformationContext, loops: list[Node]) -> bool:
    """Whether some atomic is not one of each element."""
    spans = [context.tree.span(loop) for loop in loops]
    calls = (node for node in context.tree.find("call_expression", inside=context.body) if node_text(node).startswith("atomic"))
    return any(not any(span.contains(context.tree.span(call)) for span in spans) for call in calls)


def _obstacle(context: TransformationContext, loops: list[Node]) -> Obstacle | None:
    """Why the kernel needs blocks of the size that it has."""
    found = warp_dependence(context) or hidden_builtin(context) or unseen_launch(context)
    if found is not None:
        return found
    if declared_shapes(context):
        return Obstacle(DeclineReason.LAUNCH_UNKNOWN, "its launch is only declared, and stands elsewhere")
    if not loops:
        words = "no loop of the kernel steps over its elements by the threads of the grid, so that fewer blocks would leave some out"
        return Obstacle(DeclineReason.NOTHING_TO_CHANGE, words)
    names = _thread_names(context)
    of_threads = (node for node in context.tree.find("identifier", inside=context.body) if node_text(node) in names)
    for use in (*builtin_fields(context), *of_threads):
        if not (_is_thread_name(use, names) or _is_for_any_size(context, use, names)):
            words = f"line {context.tree.line(use)} uses {node_text(use)} on its own, so the block's size is part of what it computes"
            return Obstacle(DeclineReason.BLOCK_SIZE_MATTERS, words)
    return None


def _thread_names(context: TransformationContext) -> frozenset[str]:
    """Variables that hold ``threadIdx.x`` and nothing else, as far as their uses are all that is looked at."""
    changed = {
        node_text(left)
        for node in context.tree.find("assignment_expression", "update_expression", inside=context.body)
        if (left := node.child_by_field_name("left") or node.child_by_field_name("argument")) is not None
    }
    return frozenset(name for name, value in _initialised(context) if node_text(value) == _THREAD and name not in changed)


def _is_thread_name(use: Node, names: frozenset[str]) -> bool:
    """In ``int tid = threadIdx.x``, on either side."""
    parent = use.parent
    while parent is not None and parent.type in ("parenthesized_expression", "cast_expression"):
        parent = parent.parent
    declarator = None if parent is None or parent.type != "init_declarator" else parent.child_by_field_name("declarator")
    return declarator is not None and node_text(declarator) in names and node_text(use) in (_THREAD, node_text(declarator))


def _is_for_any_size(context: TransformationContext, use: Node, names: frozenset[str]) -> bool:
    threads = names | {_THREAD}
    return is_global_index(use, names) or _is_in_block_loop(context, use, threads) or _is_first_threads(context, use, threads)


def _is_in_block_loop(context: TransformationContext, field: Node, threads: frozenset[str]) -> bool:
    """In the head of ``for (int b = threadIdx.x; b < bins; b += blockDim.x)``."""
    loop = next((a for a in context.tree.ancestors(field) if a.type == "for_statement"), None)
    if loop is None:
        return False
    first, step = loop.child_by_field_name("initializer"), loop.child_by_field_name("update")
    if first is None or step is None or step.type != "assignment_expression":
        return False
    name, added = step.child_by_field_name("left"), _step(step)
    started = (node for node in context.tree.find("init_declarator", "assignment_expression", inside=first))
    starts = {
        node_text(left): node_text(unparenthesized(value))
        for node in started
        if (left := node.child_by_field_name("declarator") or node.child_by_field_name("left")) is not None
        and (value := node.child_by_field_name("value") or node.child_by_field_name("right")) is not None
    }
    is_shared = name is not None and added is not None and node_text(added) == "blockDim.x" and starts.get(node_text(name)) in threads
    return is_shared and any(first.start_byte <= field.start_byte < part.end_byte for part in (first, step))


def _is_first_threads(context: TransformationContext, field: Node, threads: frozenset[str]) -> bool:
    """``threadIdx.x`` in ``if (threadIdx.x == 0)``, or in and under ``if (threadIdx.x < 64)`` where every block has so many threads."""
    if node_text(field) not in threads:
        return False
    scope, count = scope_of(context.tree, context.kernel), _threads(context)
    for around in context.tree.ancestors(field):
        if around.type != "if_statement" or (condition := around.child_by_field_name("condition")) is None:
            continue
        parts = binary_parts(unparenthesized(condition.child_by_field_name("value") or condition))
        if parts is None or node_text(parts[1]) not in threads:
            continue
        bound = evaluate(parts[2], scope, {})
        is_inside = around.child_by_field_name("alternative") is None
        if parts[0] == "==" and bound == 0 and condition.start_byte <= field.start_byte < condition.end_byte:
            return True
        if parts[0] == "<" and bound is not None and isinstance(count, int) and bound <= count and is_inside:
            return True
    return False


def _threads(context: TransformationContext) -> int | Obstacle:
    """Of a block of every launch, along x."""
    blocks = [block_dims(launch) for launch in launches_of(context)]
    known = {block for block in blocks if block is not None}
    if None in blocks or len(known) != 1:
        return Obstacle(DeclineReason.SIZE_UNKNOWN, "how many threads its blocks have does not follow from the text, or differs by launch")
    block = known.pop()
    if block.count != block.x:
        return Obstacle(DeclineReason.BLOCK_SHAPE, f"the block is {block.x} x {block.y} x {block.z}, not one row of threads")
    return block.x


def _most_threads(context: TransformationContext) -> int:
    registers = 0 if context.resources is None else context.resources.registers_per_thread
    return min(largest_block(context), _REGISTERS_PER_BLOCK // max(1, registers))


def _edits(context: TransformationContext, factor: int) -> tuple[TextEdit, ...] | Obstacle:
    """Of every launch in the program, in the text of `of_program`."""
    grids = coarser_grid(context, {"x": factor})
    if isinstance(grids, Obstacle):
        return grids
    program, used = of_program(context), set(names_in(context.tree, context.body))
    blocks: list[TextEdit] = []
    for launch in launches_of(context):
        found = _larger_block(program, launch, factor, used)
        if isinstance(found, Obstacle):
            return found
        blocks.append(found)
    return (*grids, *blocks)


def _larger_block(program: TransformationContext, launch: Launch, factor: int, used: set[str]) -> TextEdit | Obstacle:
    """At the launch itself where other kernels may be launched with the same name."""
    tree, shape = program.tree, launch.block
    component = shape.components[0]
    names = set(names_in(tree, component))
    if names & used:
        words = f"the kernel uses {min(names & used)}, the block's size, as a constant"
        return Obstacle(DeclineReason.BLOCK_SIZE_MATTERS, words)
    if shape.variable is not None and not is_only_used_here(program, launch, shape):
        return TextEdit(tree.span(shape.expression), f"{factor} * {shape.variable}.x")
    node = unparenthesized(component)
    if node.type == "number_literal":
        size = evaluate(node, launch.scope, {})
        return TextEdit(tree.span(node), str((size or 0) * factor))
    text = node_text(node)
    return TextEdit(tree.span(node), f"{factor} * {text}" if node.type == "identifier" else f"{factor} * ({text})")
