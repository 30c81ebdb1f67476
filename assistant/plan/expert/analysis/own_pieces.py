"""Loops in which each thread of the grid works through a piece of an array, one piece after the other in memory.

Where pieces begin and end is not matched, it is followed: with numbers in the place of sizes, the pieces of neighbouring threads have to
meet, and all of them together have to be the elements below one number.

Example::

    int begin = id * piece, end = min(begin + piece, n);
    for (int i = begin; i < end; i++) y[i] = …;
    own_piece(context)      # OwnPiece(thread='id', count='n', …)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assistant.cuda.accesses import canonical
from assistant.cuda.assignments import assignments, changed_names
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.functions import enclosing_function
from assistant.cuda.integers import evaluate
from assistant.cuda.launch_shape import block_dims
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, binary_parts, node_text, without_comments
from assistant.cuda.variables import locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.independent_loop import independent_loop
from assistant.plan.expert.analysis.kernel_launches import known_blocks, launches_of, template_environment
from assistant.plan.expert.analysis.memory_accesses import unknown_sizes
from assistant.plan.expert.analysis.thread_exchange import hidden_builtin, unseen_launch, warp_dependence
from assistant.plan.expert.analysis.thread_index import is_index_in_grid
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record
from assistant.workload.aliasing import ApartAsRecorded

__all__ = [
    "LARGE_COUNT",
    "TRIAL_COUNTS",
    "TRIAL_GRIDS",
    "TRIAL_PARAMETERS",
    "OwnPiece",
    "PieceLoop",
    "counts_of",
    "cut_of",
    "first_of",
    "grids_of",
    "is_empty_return",
    "made_of",
    "own_piece",
    "piece_loop",
]

TRIAL_COUNTS = (0, 1, 31, 32, 1000, 4097, 65_537)
LARGE_COUNT = 1 << 24
"""Elements of which each thread of a large grid has several."""
TRIAL_PARAMETERS = (1, 4096)
"""Values of the kernel's other integers, each tried for all of them."""
TRIAL_GRIDS = (1, 3, 40)
"""Blocks, where the launch does not show a constant number."""


class PieceLoop(Record):
    """A loop that begins at another element in each thread."""

    loop: Node
    header: CountedHeader
    thread: str
    """The local with the thread's index in the grid."""


class OwnPiece(Record):
    """Such a loop, the last statement of its kernel."""

    loop: Node
    header: CountedHeader
    thread: str
    """The local with the thread's index in the grid."""
    count: str
    """Elements of all pieces, as written: ``n``."""
    before: tuple[Node, ...]
    """The statements in front of it: indices, the ends of the piece, and what cuts it off."""
    apart: tuple[ApartAsRecorded, ...]
    """Pointers that only recorded launches show to be apart."""


def piece_loop(context: TransformationContext) -> PieceLoop | None:
    """The loop around the finding's line; None where it does not begin at another element in each thread."""
    loop = next((n for n in context.tree.find("for_statement", inside=context.body) if _covers_line(context, n)), None)
    header = None if loop is None else counted_header(context.tree, loop)
    thread = _thread(context)
    if loop is None or header is None or thread is None or header.step != "1" or not _begins_by_thread(context, loop, thread):
        return None
    return PieceLoop(loop, header, thread)


def own_piece(context: TransformationContext) -> OwnPiece | Obstacle | None:
    """The loop around the finding's line; None where it does not begin at another element in each thread."""
    tree, piece = context.tree, piece_loop(context)
    if piece is None:
        return None
    loop, header, thread = piece.loop, piece.header, piece.thread
    function = enclosing_function(tree, loop)
    obstacle = warp_dependence(context) or hidden_builtin(context) or unseen_launch(context)
    if obstacle is not None or function is None:
        return obstacle
    count = next((name for name in counts_of(context) if _are_pieces_of(context, loop, header, thread, name)), None)
    if count is None:
        words = "the pieces of all threads would have to be the elements below one parameter of the kernel"
        return Obstacle(DeclineReason.LOOP_FORM, f"{words}, as with `(n + threads - 1) / threads` elements in each")
    obstacle = _form_obstacle(context, loop, thread, frozenset({count, header.bound}))
    independent = obstacle or independent_loop(context, function, loop)
    if isinstance(independent, Obstacle):
        return independent
    return OwnPiece(loop, header, thread, count, _before(context, loop), independent.apart)


def _covers_line(context: TransformationContext, node: Node) -> bool:
    return node.start_point[0] + 1 <= context.line <= node.end_point[0] + 1


def _thread(context: TransformationContext) -> str | None:
    """The local with the thread's index in a flat grid, for whatever blocks the launches may have."""
    are_constant = all(block_dims(launch) is not None for launch in launches_of(context))
    for name, variables in locals_of(context.tree, context.body).items():
        value = variables[0].value if len(variables) == 1 else None
        is_for_all_blocks = value is not None and (are_constant or "blockDim" in node_text(value))
        if is_for_all_blocks and is_index_in_grid(context, variables[0]):
            return name
    return None


def first_of(loop: Node) -> Node | None:
    start = loop.child_by_field_name("initializer")
    declarators = () if start is None else start.children_by_field_name("declarator")
    return declarators[0].child_by_field_name("value") if declarators else None


def _begins_by_thread(context: TransformationContext, loop: Node, thread: str) -> bool:
    """The first elements of threads that are neighbours are further apart than one."""
    first, scope = first_of(loop), scope_of(context.tree, context.kernel)
    place = {"gridDim.x": 3, "blockDim.x": 64}
    for sizes in (unknown_sizes(context), dict.fromkeys(unknown_sizes(context), LARGE_COUNT) | template_environment(context)):
        starts = [None if first is None else evaluate(first, scope, {**sizes, **place, thread: index}) for index in (0, 1)]
        if starts[0] == 0 and starts[1] is not None and starts[1] > 1:
            return True
    return False


def _form_obstacle(context: TransformationContext, loop: Node, thread: str, ends: frozenset[str]) -> Obstacle | None:
    """The loop is not all that the kernel does, or an iteration looks at its thread."""
    tree = context.tree
    statements = without_comments(context.body)
    if loop.parent != context.body or loop != statements[-1]:
        return Obstacle(
            DeclineReason.LOOP_FORM, "the loop would have to be the last statement of the kernel: other threads would do its iterations"
        )
    for statement in _before(context, loop):
        is_index = statement.type == "declaration" and not any(tree.find("call_expression", "subscript_expression", inside=statement))
        if not (is_index or cut_of(context, statement) or is_empty_return(statement, loop, ends) or _is_minimum(context, statement)):
            line = tree.line(statement)
            return Obstacle(
                DeclineReason.LOOP_FORM,
                f"before the loop the kernel would have to work out indices alone, and does something else at line {line}",
            )
    body = loop.child_by_field_name("body")
    places = {thread, "threadIdx", "blockIdx", *made_of(context, thread)}
    used = frozenset[str]() if body is None else names_in(tree, body) & places
    if used:
        return Obstacle(DeclineReason.ORDER_MATTERS, f"an iteration uses `{min(used)}`, and another thread would run it")
    return None


def _before(context: TransformationContext, loop: Node) -> tuple[Node, ...]:
    return tuple(n for n in without_comments(context.body) if n.end_byte <= loop.start_byte)


def made_of(context: TransformationContext, thread: str) -> frozenset[str]:
    """Locals that depend on the thread."""
    found = frozenset({thread, "threadIdx", "blockIdx"})
    values = [(name, v.value) for name, all_ in locals_of(context.tree, context.body).items() for v in all_ if v.value is not None]
    counters = {node_text(d.named_children[0]) for d in context.tree.find("init_declarator", inside=context.body) if _is_counter(d)}
    while more := {name for name, value in values if names_in(context.tree, value) & found} - found - counters:
        found |= more
    return found


def _is_counter(declarator: Node) -> bool:
    return declarator.parent is not None and declarator.parent.parent is not None and declarator.parent.parent.type == "for_statement"


def _is_minimum(context: TransformationContext, statement: Node) -> bool:
    """A declaration with ``min(begin + piece, n)``."""
    calls = context.tree.find("call_expression", inside=statement)
    return statement.type == "declaration" and all(node_text(c.named_children[0]) in ("min", "max") for c in calls)


def cut_of(context: TransformationContext, statement: Node) -> tuple[str, Node] | None:
    """``if (end > n) end = n;`` as (``end``, ``n``)."""
    tree = context.tree
    condition = condition_of(statement) if statement.type == "if_statement" else None
    then = None if condition is None else statement.child_by_field_name("consequence")
    only = None if then is None or statement.child_by_field_name("alternative") is not None else lone_statement(then)
    change = None if only is None else next(iter(assignments(tree, only)), None)
    parts = None if condition is None else binary_parts(condition)
    if only is None or change is None or change.value is None or parts is None or change.operator != "=" or change.node.parent != only:
        return None
    is_cut = parts[0] in (">", ">=") and [canonical(tree, n) for n in parts[1:]] == [
        canonical(tree, n) for n in (change.target, change.value)
    ]
    return (tree.text(change.target), change.value) if is_cut and change.target.type == "identifier" else None


def is_empty_return(statement: Node, loop: Node, ends: frozenset[str]) -> bool:
    """``if (begin >= n) return;``: the loop's own condition says as much."""
    condition, first = condition_of(statement) if statement.type == "if_statement" else None, first_of(loop)
    then = None if condition is None else statement.child_by_field_name("consequence")
    only = None if then is None else lone_statement(then)
    parts = None if condition is None else binary_parts(condition)
    if only is None or parts is None or first is None or node_text(only) != "return;":
        return False
    return (parts[0], node_text(parts[1])) == (">=", node_text(first)) and node_text(parts[2]) in ends


def counts_of(context: TransformationContext) -> Iterator[str]:
    """Integer parameters that nothing changes."""
    changed = changed_names(context.tree, context.body)
    yield from (p.name for p in context.kernel.parameters if not p.is_pointer and p.name not in changed)


def _are_pieces_of(context: TransformationContext, loop: Node, header: CountedHeader, thread: str, count: str) -> bool:
    blocks, others = known_blocks(context), unknown_sizes(context)
    trials = [
        {**dict.fromkeys(others, other), count: size, "blockDim.x": block.x, "gridDim.x": grid}
        for block in blocks
        for grid in grids_of(context) or TRIAL_GRIDS
        for size in TRIAL_COUNTS
        for other in TRIAL_PARAMETERS
    ]
    return bool(trials) and all(_meet(context, loop, header, thread, count, trial) for trial in trials)


def grids_of(context: TransformationContext) -> tuple[int, ...]:
    """Blocks of each launch, where all are constants."""
    found = [evaluate(launch.grid.components[0], launch.scope, {}) if launch.grid.components else None for launch in launches_of(context)]
    known = tuple(grid for grid in found if grid is not None)
    return known if len(known) == len(found) else ()


def _meet(context: TransformationContext, loop: Node, header: CountedHeader, thread: str, count: str, sizes: Mapping[str, int]) -> bool:
    """Each piece ends where the next begins, the first begins at 0, and the last ends at ``count``."""
    last, size = sizes["blockDim.x"] * sizes["gridDim.x"] - 1, sizes[count]
    first = _ends(context, loop, header, {**sizes, thread: 0})
    if first is None or first[0] != 0:
        return False
    cut_off = size // max(1, first[1])
    for place in sorted({t for t in (0, 1, 2, cut_off - 1, cut_off, cut_off + 1, last // 2, last - 1) if 0 <= t < last}):
        own, following = (_ends(context, loop, header, {**sizes, thread: t}) for t in (place, place + 1))
        if own is None or following is None or own[1] > size or min(own[1], size) != min(following[0], size):
            return False
    end = _ends(context, loop, header, {**sizes, thread: last})
    return end is not None and end[1] == size


def _ends(context: TransformationContext, loop: Node, header: CountedHeader, place: Mapping[str, int]) -> tuple[int, int] | None:
    """The first element of a thread's piece and the one behind its last."""
    node, bound = first_of(loop), _bound(context, loop, header, place)
    first = None if node is None else evaluate(node, scope_of(context.tree, context.kernel), place)
    return None if first is None or bound is None else (first, bound + (header.comparison == "<="))


def _bound(context: TransformationContext, loop: Node, header: CountedHeader, place: Mapping[str, int]) -> int | None:
    scope = scope_of(context.tree, context.kernel)
    cuts = [cut for statement in _before(context, loop) if (cut := cut_of(context, statement)) is not None and cut[0] == header.bound]
    if not cuts:
        return evaluate(header.bound_node, scope, place)
    declared = locals_of(context.tree, context.body).get(header.bound, ())
    if len(declared) != 1 or declared[0].value is None:
        return None
    values = [evaluate(node, scope, place) for node in (declared[0].value, *(cut[1] for cut in cuts))]
    return min((v for v in values if v is not None), default=None) if None not in values else None
