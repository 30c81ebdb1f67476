"""Kernels in which each thread computes one element of a matrix by a loop, as a plain matrix product does.

A thread's row follows from ``blockIdx.y`` and ``threadIdx.y``, its column from ``blockIdx.x`` and ``threadIdx.x``. Then comes one
loop, over the same range for all threads, and then what is stored. Such a kernel can compute several elements in each thread.

Example::

    match element_kernel(context, block):
        case ElementKernel(rows=rows): ...   # Position('row', 'int', 'y')
        case Obstacle(): ...                 # why the kernel has another form
"""

from __future__ import annotations

from assistant.cuda.assignments import changed_names
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.integers import evaluate
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import Variable, declared_variables
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.early_stores import early_stores_obstacle
from assistant.plan.expert.analysis.loop_effects import leaves_or_synchronizes
from assistant.plan.expert.analysis.memory_accesses import unknown_sizes
from assistant.plan.expert.analysis.thread_dependence import thread_axes
from assistant.plan.expert.analysis.triangles import Triangle, implied_bounds, triangles_of
from assistant.plan.expert.analysis.whole_block_guard import Guard, guard_of
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["ElementKernel", "Locals", "Position", "element_kernel", "position_of"]

_TRIAL_PLACES = ((0, 0), (0, 1), (1, 0), (3, 2), (100, 5))
"""Blocks and threads along one axis for which a position is computed."""
_INDICES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})


class Position(Record):
    """A local that is ``blockIdx.y * blockDim.y + threadIdx.y``, however it is written, or the same along x."""

    name: str
    type: str
    axis: str


class Locals(Record):
    """What the kernel declares before its loop, by what decides the values."""

    positions: tuple[Position, ...]
    shared: tuple[Node, ...]
    """Declarations whose values all threads of a block have in common."""
    derived: tuple[Variable, ...]
    """Follow from the position: an index, or a pointer to a row."""
    values: tuple[Variable, ...]
    """Belong to one element: sums, and what is loaded for it."""

    def position(self, axis: str) -> Position:
        return next(p for p in self.positions if p.axis == axis)


class ElementKernel(Record):
    """The parts of such a kernel, in the order in which they run."""

    function: Function
    locals: Locals
    guard: Guard
    loop: Node
    header: CountedHeader
    after: tuple[Node, ...]
    """Statements after the loop."""

    @property
    def rows(self) -> Position:
        return self.locals.position("y")

    @property
    def columns(self) -> Position:
        return self.locals.position("x")

    def axes_of(self, tree: SyntaxTree, name: str) -> frozenset[str] | None:
        """Thread axes that decide what ``name`` holds before the loop; None where memory or arithmetic of the loop does."""
        for position in self.locals.positions:
            if position.name == name:
                return frozenset({position.axis})
        for variable in self.locals.derived:
            if variable.name == name and variable.value is not None:
                return thread_axes(tree, self.function, variable.value)
        return None if any(value.name == name for value in self.locals.values) else frozenset()

    def conditions(self, tree: SyntaxTree, axis: str) -> tuple[str, ...]:
        """What must hold for a row (y) or a column (x) to exist, conditions that all threads share included."""
        own = tuple(text for node, text in self.guard.conditions if self._axes(tree, node) in ((), (axis,)))
        return (*own, *(text for text in implied_bounds(self.guard, self._axis_of, axis) if not self._is_compared(tree, axis)))

    def is_bounded(self, tree: SyntaxTree, axis: str) -> bool:
        """The row (y) or the column (x) is compared with a bound, alone or through the other, as in ``i < n && j <= i``."""
        return self._is_compared(tree, axis) or bool(implied_bounds(self.guard, self._axis_of, axis))

    @property
    def triangles(self) -> tuple[Triangle, ...]:
        """Comparisons of the row with the column."""
        return triangles_of(self.guard, self._axis_of)

    @property
    def _axis_of(self) -> dict[str, str]:
        return {position.name: position.axis for position in self.locals.positions}

    def _is_compared(self, tree: SyntaxTree, axis: str) -> bool:
        return any(self._axes(tree, node) == (axis,) for node, _ in self.guard.conditions)

    def _axes(self, tree: SyntaxTree, node: Node) -> tuple[str, ...] | None:
        axes = thread_axes(tree, self.function, node)
        return None if axes is None else tuple(sorted(axes))


def element_kernel(context: TransformationContext, block: Dim3) -> ElementKernel | Obstacle:
    """The kernel's parts, or why it has another form."""
    tree = context.tree
    loop = next((n for n in tree.find("for_statement", inside=context.body) if _covers(n, context.line)), None)
    function = None if loop is None else enclosing_function(tree, loop)
    if loop is None or function is None:
        return Obstacle(DeclineReason.NOTHING_TO_CHANGE, "there is no loop at this line in which a thread computes one element")
    header = counted_header(tree, loop)
    if header is None:
        return Obstacle(DeclineReason.LOOP_FORM, "the loop's counter, bound or step is not a simple one")
    guard = _loop_obstacle(tree, function, loop, header) or guard_of(tree, function, loop, may_store=True)
    if isinstance(guard, Obstacle):
        return guard
    before, after = _around(function, loop, guard)
    found = _locals(context, function, block, before)
    if isinstance(found, Obstacle):
        return found
    kernel = ElementKernel(function, found, guard, loop, header, after)
    starts = tuple(value.value for value in found.values if value.value is not None)
    return _obstacle(tree, kernel, before) or early_stores_obstacle(context, function, guard, (loop, *starts)) or kernel


def _covers(node: Node, line: int) -> bool:
    return node.start_point[0] < line <= node.end_point[0] + 1


def _loop_obstacle(tree: SyntaxTree, function: Function, loop: Node, header: CountedHeader) -> Obstacle | None:
    start = loop.child_by_field_name("initializer")
    if header.step != "1" or header.comparison not in ("<", "<=") or start is None or start.type != "declaration":
        return Obstacle(DeclineReason.LOOP_FORM, "the loop does not count upwards one by one with a counter of its own")
    first = start.children_by_field_name("declarator")[0].child_by_field_name("value")
    if any(node is None or thread_axes(tree, function, node) != frozenset() for node in (first, header.bound_node)):
        return Obstacle(DeclineReason.LOOP_FORM, "the loop does not run over one range that all threads share")
    body = loop.child_by_field_name("body")
    if body is None or any(tree.find("for_statement", "while_statement", "do_statement", inside=body)):
        return Obstacle(DeclineReason.LOOP_FORM, "the loop holds another loop")
    if any(tree.find("continue_statement", "break_statement", inside=body)) or "printf" in tree.text(loop):
        return Obstacle(DeclineReason.LOOP_HAS_EFFECTS, "the loop skips iterations, ends early or prints")
    return leaves_or_synchronizes(tree, loop)


def _around(function: Function, loop: Node, guard: Guard) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """Statements before and after the loop, those inside the bounds check included."""
    outer = function.body.named_children
    inner = loop.parent.named_children if guard.is_around and loop.parent is not None else []
    last = guard.statement if guard.is_around and guard.statement is not None else loop
    before = [n for n in outer if n.end_byte <= last.start_byte and n not in guard.skipped]
    before += [n for n in inner if n.end_byte <= loop.start_byte and n not in guard.skipped]
    after = [n for n in inner if n.start_byte >= loop.end_byte]
    after += [n for n in outer if n.start_byte >= last.end_byte]
    return tuple(n for n in before if n.type != "comment"), tuple(after)


def _locals(context: TransformationContext, function: Function, block: Dim3, before: tuple[Node, ...]) -> Locals | Obstacle:
    tree, changed = context.tree, changed_names(context.tree, function.body)
    positions: dict[str, Position] = {}
    shared: list[Node] = []
    derived: list[Variable] = []
    values: list[Variable] = []
    for statement in before:
        if statement.type != "declaration":
            if statement.type == "preproc_call" and "unroll" in tree.text(statement):
                continue
            return Obstacle(DeclineReason.LOOP_FORM, f"line {tree.line(statement)} does more than declare something before the loop")
        found = [
            (v, None if v.value is None or v.name in changed else thread_axes(tree, function, v.value))
            for v in declared_variables(tree, statement)
        ]
        if all(axes == frozenset() for _, axes in found):
            shared.append(statement)
            continue
        for variable, axes in found:
            position = position_of(context, block, variable, axes)
            if position is not None:
                positions.setdefault(position.axis, position)
            elif axes is None:
                values.append(variable)
            else:
                derived.append(variable)
    if positions.keys() != {"x", "y"}:
        return Obstacle(
            DeclineReason.GUARD_FORM,
            "no two locals hold the row and the column of the thread's element (`blockIdx.y * blockDim.y + threadIdx.y`, the same in x)",
        )
    return Locals(tuple(positions.values()), tuple(shared), tuple(derived), tuple(values))


def position_of(context: TransformationContext, block: Dim3, variable: Variable, axes: frozenset[str] | None) -> Position | None:
    """The local as a position; None where it is something else."""
    axis = next(iter(axes)) if axes is not None and len(axes) == 1 else ""
    if axis not in ("x", "y") or variable.value is None or variable.is_pointer:
        return None
    size = {"x": block.x, "y": block.y}[axis]
    scope = scope_of(context.tree, context.kernel)
    dims = {f"blockDim.{a}": getattr(block, a) for a in "xyz"} | unknown_sizes(context)
    for block_index, thread_index in _TRIAL_PLACES:
        place = {f"blockIdx.{axis}": block_index, f"threadIdx.{axis}": thread_index}
        if evaluate(variable.value, scope, {**dims, **place}) != block_index * size + thread_index:
            return None
    return Position(variable.name, variable.type, axis)


def _obstacle(tree: SyntaxTree, kernel: ElementKernel, before: tuple[Node, ...]) -> Obstacle | None:
    for axis, word in (("y", "row"), ("x", "column")):
        if not kernel.is_bounded(tree, axis):
            return Obstacle(DeclineReason.NO_BOUNDS_CHECK, f"the kernel does not compare its {word} alone with a bound")
    for value in kernel.locals.values:
        if value.is_array or value.is_pointer or value.is_reference or value.is_shared:
            return Obstacle(DeclineReason.TYPE_UNKNOWN, f"`{value.name}` is no plain number that each element could have one of")
    names = {p.name for p in kernel.locals.positions}
    places = [n for n in before if any(v.name in names for v in declared_variables(tree, n))]
    for node in tree.find("field_expression", inside=kernel.function.body):
        owner, _, field = tree.text(node).partition(".")
        in_place = any(p.start_byte <= node.start_byte < p.end_byte for p in places)
        if owner.strip() in _INDICES and not in_place and (owner.strip(), field.strip()) != ("blockIdx", "z"):
            return Obstacle(
                DeclineReason.BLOCK_SIZE_MATTERS, f"line {tree.line(node)} uses {tree.text(node)} for more than the element's position"
            )
    for statement in kernel.after:
        if any(tree.find("return_statement", "for_statement", "while_statement", "do_statement", inside=statement)):
            return Obstacle(DeclineReason.STORE_NOT_LAST, f"line {tree.line(statement)} leaves or loops after the loop")
        if "sync" in tree.text(statement):
            return Obstacle(DeclineReason.SYNCHRONIZES, "the kernel synchronizes its threads after the loop")
    return None
