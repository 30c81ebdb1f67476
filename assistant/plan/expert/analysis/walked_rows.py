"""Loops in which each thread walks along a row of its own, so that neighbours in a warp touch elements a row apart.

Filters, sweeps of tridiagonal systems, state machines: what an iteration computes depends on the one before it, so that no other thread
could do it. Where no barrier stands in a kernel, what a thread stores no other may touch; only its own accesses have an order.

Example::

    for (int t = 0; t < samples; t++) out[ch * samples + t] = filtered(in[ch * samples + t]);
    walked_loop(context, function, loop, block)     # WalkedLoop(tiles=(RowTile('in', …), RowTile('out', …)), …)
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.cuda.accesses import PointerUse, Use, canonical, kind_of
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.element_size import element_size_bytes
from assistant.cuda.functions import Function
from assistant.cuda.integers import evaluate
from assistant.cuda.loops import LOOPS
from assistant.cuda.macros import hidden_names
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import declared_variables, locals_of
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.block_values import is_alike_in_block
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.memory_accesses import Access, global_accesses, unknown_sizes
from assistant.plan.expert.analysis.memory_uses import changed_unclearly, memory_uses
from assistant.plan.expert.analysis.pointer_roots import Private, Root, may_overlap, root_of, unclear_access
from assistant.plan.expert.analysis.row_kernel import RowLoop, shared_loop
from assistant.plan.expert.analysis.template_types import instance_types
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record
from assistant.workload.aliasing import ApartAsRecorded

__all__ = ["RowTile", "WalkedLoop", "roots_in", "stored_roots", "walked_loop"]

_SECTOR_BYTES = 32
_TRIALS = ((0, 0), (1, 0), (2, 0), (31, 0), (0, 1), (0, 9), (5, 3))
"""(thread, counter) whose addresses show how far apart threads and iterations are."""
_FURTHER = 37
"""What sizes are more in the second trial."""
_BRANCHES = ("if_statement", "switch_statement", "conditional_expression")
_LEFT_BY_BREAK = (*LOOPS, "switch_statement")
_SIGNED = ("int", "long", "long long", "long int", "signed", "short", "ptrdiff_t", "int64_t", "int32_t", "std::ptrdiff_t")


class RowTile(Record):
    """Elements of one place of the threads' rows, which a tile in shared memory can hold."""

    pointer: str
    """The kernel's parameter."""
    type: str
    size_bytes: int
    offsets: tuple[Node, ...]
    """Expressions whose sum is the element's index."""
    nodes: tuple[Node, ...]
    """Where the loop mentions the element."""
    is_loaded: bool
    is_stored: bool


class WalkedLoop(Record):
    """A loop along a row."""

    node: Node
    header: CountedHeader
    counter_type: str
    first: Node
    tiles: tuple[RowTile, ...]
    apart: tuple[ApartAsRecorded, ...]
    """Pointers that only recorded launches show to be apart."""


def walked_loop(context: TransformationContext, function: Function, loop: Node, block: Dim3) -> WalkedLoop | Obstacle | None:
    """The loop with its tiles, or what would have to hold; None where its accesses do not lie a row apart."""
    header, start = counted_header(context.tree, loop), loop.child_by_field_name("initializer")
    groups = () if header is None else _groups(context, loop, header, block)
    if not groups or header is None or start is None:
        return None
    obstacle = _form_obstacle(context, function, loop, header)
    if obstacle is not None:
        return obstacle
    variable = next(v for v in locals_of(context.tree, function.body)[header.variable] if v.node == start)
    tiles = [_tile(context, function, loop, group) for group in groups]
    found = [tile for tile in tiles if isinstance(tile, RowTile)]
    if len(found) < len(tiles):
        return next(tile for tile in tiles if isinstance(tile, Obstacle))
    apart = _apart(context, function, loop, found)
    if isinstance(apart, Obstacle):
        return apart
    if isinstance(shared_loop(context, function, loop), RowLoop):
        words = "the iterations along the row do not wait for each other: the lanes of a warp can share them, and need no tile"
        return Obstacle(DeclineReason.OTHER_TECHNIQUE_FIRST, words)
    assert variable.value is not None, "a counted loop begins somewhere"
    return WalkedLoop(loop, header, variable.type, variable.value, tuple(found), apart)


def roots_in(context: TransformationContext, function: Function, region: Node) -> frozenset[str]:
    """Parameters whose memory the region may touch."""
    return _roots(context, function, list(memory_uses(context.tree, function, region)))


def stored_roots(context: TransformationContext, function: Function, region: Node) -> frozenset[str]:
    """Parameters whose memory the region may change."""
    uses = memory_uses(context.tree, function, region)
    return _roots(context, function, [name for name, each in uses.items() if any(_may_store(context.tree, use) for use in each)])


def _roots(context: TransformationContext, function: Function, names: Sequence[str]) -> frozenset[str]:
    roots = (root_of(context.tree, function, name) for name in names)
    return frozenset(root.parameter.name for root in roots if isinstance(root, Root))


def _groups(context: TransformationContext, loop: Node, header: CountedHeader, block: Dim3) -> tuple[tuple[Access, ...], ...]:
    """Accesses that lie a row apart from thread to thread and side by side from iteration to iteration; those of one place together."""
    found: dict[tuple[str, tuple[int, ...]], list[Access]] = {}
    for access in global_accesses(context, scope_of(context.tree, context.kernel)):
        is_inside = loop.start_byte <= access.node.start_byte < loop.end_byte
        places = _row_places(context, access, header.variable, block) if is_inside else None
        if places is not None:
            found.setdefault((access.pointer, places), []).append(access)
    return tuple(tuple(group) for group in found.values())


def _row_places(context: TransformationContext, access: Access, counter: str, block: Dim3) -> tuple[int, ...] | None:
    """The first address for each trial of sizes; None where threads are not a row apart."""
    scope, firsts = scope_of(context.tree, context.kernel).fixed(), list[int]()
    sizes = unknown_sizes(context)
    for trial in (sizes, {name: size + _FURTHER for name, size in sizes.items()}):
        known = {"blockIdx.x": 3, "blockIdx.y": 2, "blockIdx.z": 1, "gridDim.x": 40, "gridDim.y": 5, "gridDim.z": 3, **trial}
        known |= {"blockDim.x": block.x, "blockDim.y": 1, "blockDim.z": 1, "threadIdx.y": 0, "threadIdx.z": 0}
        places = list[int]()
        for thread, step in _TRIALS:
            parts = [evaluate(offset, scope, {**known, "threadIdx.x": thread, counter: step}) for offset in access.offsets]
            if None in parts:
                return None
            places.append(sum(part for part in parts if part is not None))
        row = places[1] - places[0]
        if row * access.size_bytes < _SECTOR_BYTES or places != [places[0] + thread * row + step for thread, step in _TRIALS]:
            return None
        firsts.append(places[0])
    return tuple(firsts)


def _form_obstacle(context: TransformationContext, function: Function, loop: Node, header: CountedHeader) -> Obstacle | None:
    tree, line = context.tree, context.tree.line(loop)
    variable = next((v for v in locals_of(tree, loop).get(header.variable, ()) if v.node.parent == loop), None)
    directions = {"1": ("<", "<="), "-1": (">", ">=")}
    if variable is None or variable.value is None or header.comparison not in directions.get(header.step, ()):
        words = f"the loop at line {line} would have to count one by one, with a counter that it declares"
        return Obstacle(DeclineReason.LOOP_FORM, words)
    if header.step == "-1" and plain_type(tree, variable.type) not in _SIGNED:
        return Obstacle(DeclineReason.LOOP_FORM, f"`{header.variable}` counts downwards and would have to be of a signed type")
    for part in (variable.value, header.bound_node):
        if not is_alike_in_block(context, function, part):
            words = f"all threads of a block would have to go through the loop equally often: `{tree.text(part)}` may differ among them"
            return Obstacle(DeclineReason.BOUND_UNKNOWN, words)
    left = _left_early(context, loop)
    if left is not None:
        words = f"every iteration would have to run to its end: line {tree.line(left)} leaves it"
        return Obstacle(DeclineReason.LEAVES_EARLY, words)
    if any("sync" in tree.text(call).partition("(")[0] for call in tree.find("call_expression", inside=context.body)):
        words = "the kernel has barriers: threads would have to touch nothing but their own rows between those of the tile"
        return Obstacle(DeclineReason.SYNCHRONIZES, words)
    return None


def _left_early(context: TransformationContext, loop: Node) -> Node | None:
    tree = context.tree
    leaving = next(tree.find("return_statement", "goto_statement", "gnu_asm_expression", inside=loop), None)
    if leaving is not None:
        return leaving
    for node in tree.find("break_statement", "continue_statement", inside=loop):
        left = _LEFT_BY_BREAK if node.type == "break_statement" else LOOPS
        if next(a for a in tree.ancestors(node) if a.type in left) == loop:
            return node
    return None


def _tile(context: TransformationContext, function: Function, loop: Node, group: tuple[Access, ...]) -> RowTile | Obstacle:
    tree, first = context.tree, group[0]
    kinds = {access: kind_of(tree, access.node) for access in group}
    spelled = tree.text(first.node)
    kind = next((p.element_type for p in context.kernel.parameters if p.name == first.pointer), None)
    size = None if kind is None else _size_bytes(context, function, kind)
    if kind is None or size is None:
        return Obstacle(DeclineReason.TYPE_UNKNOWN, f"how many bytes an element of `{first.pointer}` has would have to be known")
    stores = [access for access, use in kinds.items() if use in (Use.WRITE, Use.UPDATE)]
    sure = [access for access in group if _runs_always(loop, access.node)]
    whole = next((access for access in sure if kinds[access] is Use.WRITE), None)
    reads = [access for access, use in kinds.items() if use is not Use.WRITE]
    is_loaded = whole is None or any(access.node.start_byte < _statement_end(loop, whole.node) for access in reads)
    if not sure or (is_loaded and all(kinds[access] is Use.WRITE for access in sure)):
        words = f"every iteration would have to touch `{spelled}`: a tile loads and stores all elements of a row"
        return Obstacle(DeclineReason.CONDITIONAL, words)
    return RowTile(first.pointer, kind, size, first.offsets, tuple(access.node for access in group), is_loaded, bool(stores))


def _size_bytes(context: TransformationContext, function: Function, kind: str) -> int | None:
    """Of a template parameter the largest that it stands for."""
    own = element_size_bytes(context.tree.program, plain_type(context.tree, kind))
    types = instance_types(context.tree, function, kind) if own is None else None
    sizes = [own] if types is None else [element_size_bytes(context.tree.program, plain_type(context.tree, each)) for each in types]
    known = [size for size in sizes if size is not None]
    return max(known) if len(known) == len(sizes) else None


def _runs_always(loop: Node, node: Node) -> bool:
    """In each iteration of the loop, and under no condition."""
    child, parent = node, node.parent
    while parent is not None and parent != loop:
        asked = parent.child_by_field_name("condition") if parent.type in _BRANCHES else None
        is_first = parent.child_by_field_name("left") == child
        if parent.type in (*LOOPS, "lambda_expression", "case_statement") or (parent.type in _BRANCHES and child != asked):
            return False
        if parent.type == "binary_expression" and not is_first and any(c.type in ("&&", "||") for c in parent.children):
            return False
        child, parent = parent, parent.parent
    return parent == loop and child == loop.child_by_field_name("body")


def _statement_end(loop: Node, node: Node) -> int:
    current = node
    while current.parent is not None and current.parent.type != "compound_statement" and current.parent != loop:
        current = current.parent
    return current.end_byte


def _apart(
    context: TransformationContext, function: Function, loop: Node, tiles: Sequence[RowTile]
) -> tuple[ApartAsRecorded, ...] | Obstacle:
    """What only recorded launches show to be apart; why the order of a thread's accesses may matter to its elements."""
    tree = context.tree
    unclear = changed_unclearly(tree, function, loop) or unclear_access(tree, function, loop)
    if unclear is not None:
        return Obstacle(DeclineReason.POINTER_UNCLEAR, f"what `{unclear}` touches would have to be clear from the text")
    by_root: dict[str, list[PointerUse]] = {}
    for name, uses in memory_uses(tree, function, loop).items():
        root = root_of(tree, function, name)
        if isinstance(root, Private):
            continue
        passed = next(
            (use for use in uses if use.kind is Use.ATOMIC or (use.kind is Use.ESCAPE and not _is_followed(tree, use.node))), None
        )
        if passed is not None or not isinstance(root, Root):
            words = f"what the loop does with `{name}` would have to be plain loads and stores of elements"
            return Obstacle(DeclineReason.LOOP_HAS_EFFECTS, words)
        by_root.setdefault(root.parameter.name, []).extend(use for use in uses if use.kind is not Use.ESCAPE)
    changed = {name for name, uses in by_root.items() if any(use.kind is not Use.READ for use in uses)}
    for name in sorted(changed & {tile.pointer for tile in tiles}):
        places = {canonical(tree, use.node) for use in by_root[name]}
        held = next(tile for tile in tiles if tile.pointer == name)
        further = {use.node for use in by_root[name]} - set(held.nodes)
        if any(node.type == "field_expression" for node in further):
            words = f"the loop stores members of `{name}`, and a tile would have to hold whole elements that it stores"
            return Obstacle(DeclineReason.STORE_FORM, words)
        if further:
            other = sorted(places - {canonical(tree, node) for node in held.nodes})
            words = f"the loop stores `{name}` and touches `{other[0] if other else name}`, too: a value that the next iteration needs"
            return Obstacle(DeclineReason.OTHER_TECHNIQUE_FIRST, f"{words} would have to be carried in a register first")
    hidden = sorted(hidden_names(tree, loop) & (changed | set(memory_uses(tree, function, loop))))
    if hidden:
        return Obstacle(DeclineReason.HIDDEN_BY_MACRO, f"a macro uses `{hidden[0]}`: what the loop touches would have to stand in its text")
    pairs = [(one, other) for one in sorted(changed) for other in sorted(by_root.keys() - {one}) if other not in changed or one < other]
    found = [may_overlap(tree, function, one, other, context.recorded) for one, other in pairs]
    obstacle = next((each for each in found if isinstance(each, Obstacle)), None)
    return obstacle or tuple(dict.fromkeys(each for each in found if isinstance(each, ApartAsRecorded)))


def _may_store(tree: SyntaxTree, use: PointerUse) -> bool:
    return use.kind is not Use.READ and not (use.kind is Use.ESCAPE and _is_followed(tree, use.node))


def _is_followed(tree: SyntaxTree, node: Node) -> bool:
    """It is what a local pointer of the kernel begins with, whose uses are looked at like those of the parameter."""
    declaration = next((a for a in tree.ancestors(node) if a.type == "declaration"), None)
    variables = () if declaration is None else tuple(declared_variables(tree, declaration))
    return bool(variables) and all(variable.is_pointer for variable in variables)
