"""A loop over tiles in shared memory, one element of each tile loaded by a thread, as books write a matrix product.

Example::

    match tiled_loop(context, block):
        case TiledLoop(tiles=tiles): ...   # (Tile('As', …), Tile('Bs', …)), the inner loop that reads them, and its statement
        case None: ...                     # the kernel has another form
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.cuda.assignments import changed_names
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.literals import is_literal_of
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.shared_arrays import element_uses, shared_arrays
from assistant.cuda.syntax import Node, SyntaxTree, joined, unparenthesized, without_comments
from assistant.cuda.variables import declared_variables
from assistant.model.launch import Dim3
from assistant.plan.expert.analysis.kernel_launches import template_environment
from assistant.plan.expert.analysis.shared_rows import SharedRows, rows_of
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["Tile", "TiledLoop", "tiled_loop"]

_TRIAL_THREADS = ((0, 0), (1, 0), (0, 1), (3, 2))


class Tile(Record):
    """A shared array of which each thread fills one element in every round."""

    name: str
    element: Node
    """What the thread loads: ``A[row * n + t + tx]``."""
    conditions: tuple[Node, ...]
    """Under which it loads it; zero otherwise."""
    along: str
    """The thread axis that counts along the loop: ``x`` where the inner loop reads ``As[ty][k]``, ``y`` where it reads ``Bs[k][tx]``."""


class TiledLoop(Record):
    """The parts of such a kernel."""

    function: Function
    width: int
    rounds: Node
    """The loop over tiles."""
    header: CountedHeader
    steps: Node
    """The loop over one tile."""
    step_header: CountedHeader
    tiles: tuple[Tile, ...]
    locals: Mapping[str, Node]
    """Values of what a round declares for itself: ``t * TILE + tx`` of ``int k = t * TILE + tx;``."""


def tiled_loop(context: TransformationContext, block: Dim3) -> TiledLoop | None:
    """The only loop over tiles; None where the kernel has another form."""
    tree = context.tree
    if block.x != block.y or block.z != 1:
        return None
    loops = [n for n in tree.find("for_statement", inside=context.body) if n.parent == context.body]
    function = enclosing_function(tree, loops[0]) if len(loops) == 1 else None
    header = counted_header(tree, loops[0]) if len(loops) == 1 else None
    body = loops[0].child_by_field_name("body") if len(loops) == 1 else None
    if function is None or header is None or body is None or body.type != "compound_statement" or header.first != "0":
        return None
    statements = without_comments(body)
    inner = [n for n in statements if n.type == "for_statement"]
    steps = counted_header(tree, inner[0]) if len(inner) == 1 else None
    scope = _Scope(context, block)
    if steps is None or (steps.first, steps.step, steps.comparison) != ("0", "1", "<") or scope.value(steps.bound_node) != block.x:
        return None
    if header.comparison != "<" or scope.is_other_step(header, loops[0]):
        return None
    tiles: dict[str, Tile] = {}
    inside: dict[str, Node] = {}
    for statement in statements:
        if statement == inner[0] or statement.type == "preproc_call" or tree.text(statement).replace(" ", "") == "__syncthreads();":
            continue
        if statement.type == "declaration":
            values = _indices(tree, statement)
            if values is None or values.keys() & (changed_names(tree, context.body) | names_in(tree, inner[0])):
                return None
            inside.update(values)
            continue
        tile = _filled(tree, scope, inner[0], statement, steps.variable)
        if tile is None or tile.name in tiles:
            return None
        tiles[tile.name] = tile
    if not tiles or {array.name for array in shared_arrays(tree, context.body)} != tiles.keys():
        return None
    return TiledLoop(function, block.x, loops[0], header, inner[0], steps, tuple(tiles.values()), inside)


class _Scope:
    """What index expressions come to in the block."""

    def __init__(self, context: TransformationContext, block: Dim3) -> None:
        self.context, self._block = context, block
        self.scope: Scope = scope_of(context.tree, context.kernel)
        self._fixed = {**template_environment(context), "blockDim.x": block.x, "blockDim.y": block.y}

    @property
    def widths(self) -> tuple[int, int]:
        """Of a tile's rows: the block's, or one more against bank conflicts."""
        return self._block.x, self._block.x + 1

    def value(self, node: Node) -> int | None:
        return evaluate(node, self.scope, self._fixed)

    def axis(self, node: Node) -> str | None:
        """``x`` or ``y`` where the expression is that index of the thread."""
        places = [{**self._fixed, "threadIdx.x": x, "threadIdx.y": y} for x, y in _TRIAL_THREADS]
        values = [evaluate(node, self.scope, place) for place in places]
        return {tuple(x for x, _ in _TRIAL_THREADS): "x", tuple(y for _, y in _TRIAL_THREADS): "y"}.get(tuple(values))  # type: ignore[arg-type]

    def is_other_step(self, header: CountedHeader, loop: Node) -> bool:
        """The loop counts neither tiles, by ones, nor elements, by the tile's width."""
        if header.step == "1":
            return False
        update = loop.child_by_field_name("update")
        step = None if update is None else update.child_by_field_name("right")
        return step is None or self.value(step) != self._block.x


def _indices(tree: SyntaxTree, declaration: Node) -> dict[str, Node] | None:
    """Values of the locals of a round, which are made of indices alone; none where it declares the tiles; None where memory is read."""
    variables = tuple(declared_variables(tree, declaration))
    if all(variable.is_shared for variable in variables):
        return {}
    has_effects = any(tree.find("subscript_expression", "pointer_expression", "call_expression", "update_expression", inside=declaration))
    values = {v.name: v.value for v in variables if v.value is not None and not v.is_reference and not v.is_pointer}
    return None if has_effects or len(values) != len(variables) else values


def _filled(tree: SyntaxTree, scope: _Scope, steps: Node, statement: Node, counter: str) -> Tile | None:
    """``As[ty][tx] = … ? A[…] : 0;``, or the same by an ``if`` with an ``else``."""
    load = _load(tree, statement)
    if load is None:
        return None
    target, value, conditions = load
    array = next((a for a in shared_arrays(tree, scope.context.body) if tree.text(target).startswith(f"{a.name}[")), None)
    uses = () if array is None else element_uses(tree, scope.context.body, array)
    if array is None or isinstance(uses, str) or value.type != "subscript_expression":
        return None
    rows = rows_of(scope.context, array, uses, scope.scope)
    if not isinstance(rows, SharedRows) or len(rows.lengths) != 2 or any(length not in scope.widths for length in rows.lengths):
        return None
    along = _direction(tree, scope, rows, (statement, steps), counter)
    return None if along is None else Tile(array.name, value, conditions, along)


def _load(tree: SyntaxTree, statement: Node) -> tuple[Node, Node, tuple[Node, ...]] | None:
    """The tile's element, what is loaded, and under which conditions; None where something else than zero is stored otherwise."""
    if statement.type == "if_statement":
        then, otherwise, asked = (
            statement.child_by_field_name("consequence"),
            statement.child_by_field_name("alternative"),
            condition_of(statement),
        )
        first = None if then is None else lone_statement(then)
        other = None if otherwise is None else next(iter(without_comments(otherwise)), None)
        second = None if other is None else lone_statement(other)
        stores = [None if n is None else _assigned(n) for n in (first, second)]
        if asked is None or stores[0] is None or stores[1] is None:
            return None
        is_same = tree.text(stores[0][0]) == tree.text(stores[1][0]) and _is_zero(tree, stores[1][1])
        return (stores[0][0], unparenthesized(stores[0][1]), joined(asked, "&&")) if is_same else None
    assigned = _assigned(statement)
    if assigned is None:
        return None
    target, value = assigned[0], unparenthesized(assigned[1])
    if value.type != "conditional_expression":
        return target, value, ()
    asked, then, otherwise = (value.child_by_field_name(f) for f in ("condition", "consequence", "alternative"))
    if asked is None or then is None or otherwise is None or not _is_zero(tree, otherwise):
        return None
    return target, unparenthesized(then), joined(asked, "&&")


def _direction(tree: SyntaxTree, scope: _Scope, rows: SharedRows, places: tuple[Node, Node], counter: str) -> str | None:
    """The thread axis that counts along the loop in a tile stored as ``[ty][tx]`` in the first place, and read in the second."""
    statement, steps = places
    along: set[str] = set()
    for use, indices in rows.rows:
        axes = [scope.axis(index) for index in indices]
        counted = [tree.text(unparenthesized(index)) == counter for index in indices]
        if len(indices) != 2:
            along.add("other")
        elif statement.start_byte <= use.node.start_byte < statement.end_byte:
            along |= set() if axes == ["y", "x"] else {"other"}
        elif steps.start_byte <= use.node.start_byte < steps.end_byte and axes[0] == "y" and counted[1]:
            along.add("x")
        elif steps.start_byte <= use.node.start_byte < steps.end_byte and counted[0] and axes[1] == "x":
            along.add("y")
        else:
            along.add("other")
    only = along.pop() if len(along) == 1 else "other"
    return None if only == "other" else only


def _assigned(statement: Node) -> tuple[Node, Node] | None:
    only = statement.named_children[0] if statement.type == "expression_statement" and statement.named_children else None
    if only is None or only.type != "assignment_expression":
        return None
    operator, left, right = (only.child_by_field_name(f) for f in ("operator", "left", "right"))
    is_plain = operator is not None and operator.type == "="
    return (left, right) if is_plain and left is not None and right is not None else None


def _is_zero(tree: SyntaxTree, node: Node) -> bool:
    """``0``, ``0.0f``, ``T(0)``."""
    node = unparenthesized(node)
    if node.type == "call_expression":
        arguments = node.child_by_field_name("arguments")
        inner = () if arguments is None else without_comments(arguments)
        return len(inner) == 1 and is_literal_of(tree.text(inner[0]), 0)
    return is_literal_of(tree.text(node), 0)
