"""Kernels in which a thread computes an element of its own index from elements of the same index: `y[i] = f(x[i])`.

An element may also be counted from the other end, `y[n - 1 - i]`. The index is that of the thread in the whole grid, compared with one
bound; a loop may stride over the grid. Elements that all threads of a block have in common, `offsets[blockIdx.x]`,
are looked up as well.

Example::

    match elementwise_kernel(context):
        case ElementwiseKernel(index=index): ...     # 'i', with the guarded statements and every pointer
        case Obstacle(): ...                         # '`x[i - 1]` is another element than `i`'
"""

from __future__ import annotations

from dataclasses import replace

from assistant.cuda.accesses import ArrayAccess, Use, array_accesses
from assistant.cuda.assignments import changed_names
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.counted_loops import counted_header
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, unparenthesized
from assistant.cuda.variables import Variable, declared_variables, locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.first_items import is_thread, spelled
from assistant.plan.expert.analysis.loop_effects import leaves_or_synchronizes
from assistant.plan.expert.analysis.mirrored_elements import Mirror, are_apart, mirror_of
from assistant.plan.expert.analysis.pointer_roots import element_type, global_pointers, unclear_access
from assistant.plan.expert.analysis.thread_dependence import block_axes, thread_axes
from assistant.plan.expert.analysis.thread_index import is_index_for_every_block, is_value_in_grid
from assistant.plan.expert.analysis.tile_loads import is_unconditional
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["ElementwiseKernel", "StreamedPointer", "elementwise_kernel"]

_INDICES = ("threadIdx", "blockIdx", "blockDim", "gridDim")


class StreamedPointer(Record):
    """A pointer of which each thread touches the element of its index."""

    name: str
    type: str
    is_read: bool
    """Its old value is looked at, or kept where a condition leaves the element as it is."""
    is_written: bool
    mirror: Mirror | None = None
    """Where the element is counted from the other end."""
    elements: tuple[Node, ...] = ()
    """Every place that names it."""


class ElementwiseKernel(Record):
    """The parts of such a kernel."""

    function: Function
    index: str
    index_type: str
    start: Node
    """The expression of the thread's index."""
    bound: str
    """The index stays below."""
    declaration: Node | None
    """Of the index; None where the loop's header declares it."""
    shared: tuple[Node, ...]
    """Declarations before it that all threads have in common."""
    loop: Node | None
    """The loop over the grid; None where each thread has one element."""
    stride: str
    statements: tuple[Node, ...]
    """What is done for one element."""
    pointers: tuple[StreamedPointer, ...]
    keeps_span: bool
    """Each block has to keep its elements: a constant in the index is its size, or the block's index says more than which they are."""


class _Frame(Record):
    """Where the statements for one element stand."""

    index: Variable | None
    bound: Node
    shared: tuple[Node, ...]
    loop: Node | None
    statements: tuple[Node, ...]


def elementwise_kernel(context: TransformationContext) -> ElementwiseKernel | Obstacle:
    """The kernel's parts, or why it has another form."""
    tree = context.tree
    function = enclosing_function(tree, context.body)
    frame = None if function is None else _frame(context, function)
    if function is None or frame is None or not frame.statements:
        return Obstacle(
            DeclineReason.GUARD_FORM,
            "the kernel would have to be one bounds check `i < n` of the thread's index in the grid, and what it does for that element",
        )
    loop_head = None if frame.loop is None else counted_header(tree, frame.loop)
    declared = frame.index if frame.loop is None else _counter(tree, frame.loop)
    is_free = declared is not None and declared.value is not None and is_index_for_every_block(context, declared.value)
    is_of_size = frame.loop is None and declared is not None and declared.value is not None and is_value_in_grid(context, declared.value)
    if declared is None or declared.value is None or not (is_free or is_of_size):
        return Obstacle(DeclineReason.GUARD_FORM, "no local is `blockIdx.x * blockDim.x + threadIdx.x`, the thread's index in the grid")
    if loop_head is not None and not _is_grid_size(context, loop_head.step):
        return Obstacle(DeclineReason.LOOP_FORM, "the loop does not stride over the whole grid, by `gridDim.x * blockDim.x`")
    if any(word in spelled(context, frame.bound) for word in _INDICES):
        words = f"`{tree.text(frame.bound)}` depends on the thread or on the launch, of which fewer threads would make another bound"
        return Obstacle(DeclineReason.BLOCK_SIZE_MATTERS, words)
    pointers = _pointers(context, function, frame, declared.name)
    if isinstance(pointers, Obstacle):
        return pointers
    return ElementwiseKernel(
        function=function,
        index=declared.name,
        index_type=declared.type,
        start=declared.value,
        bound=tree.text(frame.bound),
        declaration=declared.node if frame.loop is None else None,
        shared=frame.shared,
        loop=frame.loop,
        stride="" if loop_head is None else loop_head.step,
        statements=frame.statements,
        pointers=pointers,
        keeps_span=not is_free or (frame.loop is None and _knows_block(context, frame, declared.name)),
    )


def _frame(context: TransformationContext, function: Function) -> _Frame | None:
    """The guard or the loop, the last statement of the body or an early return; None for any other form."""
    tree = context.tree
    children = [n for n in function.body.named_children if n.type != "comment"]
    place = next((n for n, child in enumerate(children) if child.type != "declaration"), None)
    if place is None:
        return None
    declarations, guard, rest = children[:place], children[place], children[place + 1 :]
    found = [variable for node in declarations for variable in declared_variables(tree, node)]
    if guard.type == "for_statement" and not rest:
        head, body = counted_header(tree, guard), guard.child_by_field_name("body")
        if head is None or head.comparison != "<" or body is None:
            return None
        return _Frame(None, head.bound_node, tuple(declarations), guard, _inside(body))
    condition = condition_of(guard) if guard.type == "if_statement" and guard.child_by_field_name("alternative") is None else None
    compared = None if condition is None else binary_parts(unparenthesized(condition))
    index = None if compared is None else next((v for v in found if v.name == tree.text(compared[1])), None)
    branch = guard.child_by_field_name("consequence")
    if compared is None or index is None or branch is None or len([v for v in found if v.node == index.node]) > 1:
        return None
    own = tuple(n for n in declarations if n != index.node and index.name in names_in(tree, n))
    shared = tuple(node for node in declarations if node != index.node and node not in own)
    if compared[0] == "<" and not rest:
        return _Frame(index, compared[2], shared, None, (*own, *_inside(branch)))
    only = lone_statement(branch)
    if compared[0] == ">=" and only is not None and only.type == "return_statement":
        return _Frame(index, compared[2], shared, None, (*own, *rest))
    return None


def _inside(body: Node) -> tuple[Node, ...]:
    return tuple(n for n in body.named_children if n.type != "comment") if body.type == "compound_statement" else (body,)


def _counter(tree: SyntaxTree, loop: Node) -> Variable | None:
    start = loop.child_by_field_name("initializer")
    return None if start is None or start.type != "declaration" else next(declared_variables(tree, start), None)


def _is_grid_size(context: TransformationContext, step: str) -> bool:
    """The step as written, or what a local of that name was set to."""
    definition = scope_of(context.tree, context.kernel).definition(step)
    text = "".join((step if definition is None else context.tree.text(definition)).split())
    for cast in ("(size_t)", "(long)", "(int)", "(longlong)", "(unsigned)"):
        text = text.replace(cast, "")
    return text in ("gridDim.x*blockDim.x", "blockDim.x*gridDim.x")


def _pointers(context: TransformationContext, function: Function, frame: _Frame, index: str) -> tuple[StreamedPointer, ...] | Obstacle:
    tree = context.tree
    obstacle = _statement_obstacle(context, function, frame, index)
    if obstacle is not None:
        return obstacle
    accesses = [a for n in frame.statements for a in array_accesses(tree, n) if a.base in global_pointers(tree, function, a.node)]
    common = _common(context, function, frame, accesses)
    places = [(a, _place(context, frame, a, index)) for a in accesses if a not in common]
    odd = next((a for a, place in places if place is None), None)
    if odd is not None:
        words = f"`{tree.text(odd.node)}` is another element than that of the thread's own index `{index}`"
        return Obstacle(DeclineReason.ADDRESS_UNKNOWN, words)
    found: list[StreamedPointer] = []
    for name, place in dict.fromkeys((a.base, place) for a, place in places if place is not None):
        own = [a for a, other in places if a.base == name and other == place]
        streamed = _streamed(context, function, frame, own)
        if isinstance(streamed, Obstacle):
            return streamed
        mirrors = [_mirror(context, frame, a, index) for a in own]
        found.append(replace(streamed, mirror=mirrors[0] if place else None))
    found.sort(key=lambda pointer: not pointer.is_read)
    crossed = _crossed(context, frame, found)
    return crossed or tuple(found) or Obstacle(DeclineReason.NOTHING_TO_CHANGE, "the kernel touches no element of its own index")


def _common(context: TransformationContext, function: Function, frame: _Frame, accesses: list[ArrayAccess]) -> list[ArrayAccess]:
    """Those of an element that all threads of a block have in common, or of the grid where a loop strides over it; of arrays that stay."""
    tree, written = context.tree, {a.base for a in accesses if a.kind is not Use.READ}
    builtins = (thread_axes,) if frame.loop is None else (thread_axes, block_axes)
    return [
        a for a in accesses if a.base not in written and all(axes(tree, function, i) == frozenset() for i in a.indices for axes in builtins)
    ]


def _place(context: TransformationContext, frame: _Frame, access: ArrayAccess, index: str) -> str | None:
    """Empty for the thread's own element, what the index is taken away from for one counted from the other end; None for any other."""
    if len(access.indices) != 1:
        return None
    if context.tree.text(unparenthesized(access.indices[0])) == index:
        return ""
    mirror = _mirror(context, frame, access, index)
    return None if mirror is None else str(sorted(mirror.texts))


def _mirror(context: TransformationContext, frame: _Frame, access: ArrayAccess, index: str) -> Mirror | None:
    inner = {v.name for n in frame.statements for found in locals_of(context.tree, n).values() for v in found}
    return mirror_of(context, access.indices[0], index, inner)


def _streamed(context: TransformationContext, function: Function, frame: _Frame, own: list[ArrayAccess]) -> StreamedPointer | Obstacle:
    """The accesses of one element."""
    tree, name = context.tree, own[0].base
    if any(a.kind in (Use.ATOMIC, Use.ESCAPE) for a in own):
        return Obstacle(DeclineReason.ATOMIC, f"an element of `{name}` is passed on, or updated atomically")
    sure = [a for a in own if _is_sure(tree, a.node, frame.statements)]
    kept = [a for a in sure if all(a.node.start_byte <= other.node.start_byte for other in own)]
    if not sure:
        words = f"`{tree.text(own[0].node)}` is touched only under a condition, and may not be there otherwise"
        return Obstacle(DeclineReason.CONDITIONAL, words)
    reads = any(a.kind is not Use.WRITE for a in own) or not any(a.kind is Use.WRITE for a in kept)
    writes = any(a.kind is not Use.READ for a in own)
    nodes = tuple(a.node for a in own)
    return StreamedPointer(name, element_type(tree, function, name) or "auto", reads, writes, None, nodes)


def _crossed(context: TransformationContext, frame: _Frame, pointers: list[StreamedPointer]) -> Obstacle | None:
    """Why a thread's elements from the front and from the end of one array could be the same ones."""
    for pointer in pointers:
        others = [p for p in pointers if p.name == pointer.name and p != pointer]
        if pointer.mirror is None or not others or not any(p.is_written for p in (pointer, *others)):
            continue
        if len(others) > 1 or others[0].mirror is not None or not are_apart(context, pointer.mirror, frame.bound):
            words = f"the elements of `{pointer.name}` from the front and from the end would have to be apart: `i < n / 2` for `n - 1 - i`"
            return Obstacle(DeclineReason.MAY_OVERLAP, words)
    return None


def _is_sure(tree: SyntaxTree, node: Node, statements: tuple[Node, ...]) -> bool:
    """Every element's thread touches it, whatever the data."""
    statement = next(s for s in statements if s.start_byte <= node.start_byte < s.end_byte)
    return statement.parent is not None and is_unconditional(tree, node, statement.parent)


def _statement_obstacle(context: TransformationContext, function: Function, frame: _Frame, index: str) -> Obstacle | None:
    tree = context.tree
    for node in frame.statements:
        effect = leaves_or_synchronizes(tree, node)
        if effect is not None:
            return effect
        unclear = unclear_access(tree, function, node)
        if unclear is not None:
            return Obstacle(DeclineReason.POINTER_UNCLEAR, f"which element `{unclear}` is does not follow from an index")
        if any(tree.find("for_statement", "while_statement", "do_statement", "break_statement", inside=node)):
            return Obstacle(DeclineReason.LOOP_FORM, f"line {tree.line(node)} loops or leaves for one element")
        if index in changed_names(tree, node) or _uses_place(context, frame, node):
            return Obstacle(DeclineReason.BLOCK_SIZE_MATTERS, f"line {tree.line(node)} uses the thread's place for more than its element")
        outer = changed_names(tree, node) & {v.name for d in frame.shared for v in declared_variables(tree, d)}
        if outer:
            return Obstacle(DeclineReason.ORDER_MATTERS, f"`{min(outer)}` goes from one element to the next")
    for node in frame.shared:
        if (
            any(tree.find("pointer_expression", inside=node))
            or not _looks_up(context, function, frame, node)
            or ("threadIdx" in tree.text(node) and not _is_thread_alone(context, frame, node))
            or "__shared__" in tree.text(node)
        ):
            return Obstacle(DeclineReason.GUARD_FORM, f"line {tree.line(node)} reads memory or the thread's place before the bounds check")
    return None


def _uses_place(context: TransformationContext, frame: _Frame, node: Node) -> bool:
    """For more than the element, and for more than what all threads of its block have in common."""
    places = [n for n in context.tree.find("identifier", inside=node) if context.tree.text(n) in _INDICES]
    return any(frame.loop is not None or context.tree.text(n.parent or n) != "blockIdx.x" for n in places)


def _knows_block(context: TransformationContext, frame: _Frame, index: str) -> bool:
    """The statements for one element depend on which block they are run by, and not on the element alone."""
    return any("blockIdx.x" in spelled(context, node, without=index) for node in frame.statements)


def _looks_up(context: TransformationContext, function: Function, frame: _Frame, node: Node) -> bool:
    """All elements that a declaration before the bounds check reads are common to the block, and stay as they are."""
    tree = context.tree
    accesses = array_accesses(tree, node)
    later = [a for each in frame.statements for a in array_accesses(tree, each)]
    if len([*tree.find("subscript_expression", inside=node)]) != len(accesses):
        return False
    found = _common(context, function, frame, [*accesses, *later])
    return all(a in found for a in accesses)


def _is_thread_alone(context: TransformationContext, frame: _Frame, node: Node) -> bool:
    """``int t = threadIdx.x;``, which serves the index and nothing else."""
    variables = [*declared_variables(context.tree, node)]
    used = {name for statement in frame.statements for name in names_in(context.tree, statement)}
    return all(v.value is not None and is_thread(context, v.value) and v.name not in used for v in variables)
