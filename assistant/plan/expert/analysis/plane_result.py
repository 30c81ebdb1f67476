"""Kernels in which each thread of a block in two dimensions computes one element, without a loop: stencils, filters, updates of a grid.

Example::

    match plane_result(context):
        case PlaneResult(row=row): ...     # `y` of `int y = blockIdx.y * blockDim.y + threadIdx.y;`
        case Obstacle(): ...               # why the kernel has another form
        case None: ...                     # blocks in one dimension
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.cuda.assignments import changed_names
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.comparisons import MIRRORED, OPPOSITE
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.integers import evaluate
from assistant.cuda.loops import LOOPS
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.structs import struct_names
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, joined, without_comments
from assistant.cuda.variables import Variable, declared_variables
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.edge_branches import EdgeBranches, edge_branches
from assistant.plan.expert.analysis.launch_block import fixed_block
from assistant.plan.expert.analysis.loop_effects import leaves_or_synchronizes
from assistant.plan.expert.analysis.memory_accesses import unknown_sizes
from assistant.plan.expert.analysis.pointer_roots import element_type
from assistant.plan.expert.analysis.thread_dependence import thread_axes
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["PlaneResult", "RowBound", "ThreadRow", "plane_result", "row_of"]

_TRIAL_PLACES = ((0, 0), (0, 1), (1, 0), (3, 2), (100, 5))


class RowBound(Record):
    """What holds for the row of an element: ``y < h - 1``."""

    comparison: str
    other: str

    @property
    def is_upper(self) -> bool:
        return self.comparison in ("<", "<=")

    def of(self, row: str) -> str:
        return f"{row} {self.comparison} {self.other}"

    def of_all(self, first: str, count: int, *, is_from_zero: bool) -> str:
        """For so many rows from the first one on; ``is_from_zero``: there is none below 0."""
        last = f"{first} + {count - 1}"
        if self.comparison != "!=":
            return self.of(last if self.is_upper else first)
        return f"{first} > 0" if is_from_zero and self.other == "0" else f"({first} > {self.other} || {last} < {self.other})"


class PlaneResult(Record):
    """The parts of such a kernel."""

    function: Function
    block: Dim3
    row: Variable
    place: str
    """The thread's place in the grid, as it is spelled: ``blockIdx.y * blockDim.y + threadIdx.y``."""
    offset: tuple[str, ...]
    """What is added to it: ``k``, ``1``."""
    guard: Node
    is_around: bool
    """The bounds check contains what is computed, as against an early ``return``."""
    is_lone: bool
    """It contains the assignment without braces."""
    other_conditions: tuple[Node, ...]
    """Of the bounds check, as it is spelled: those that the row has no part in."""
    bounds: tuple[RowBound, ...]
    of_row: tuple[Node, ...]
    """Declarations that follow from the row."""
    store: Node
    """The assignment."""
    edges: EdgeBranches | None
    """The choice that it is a branch of; None where it is made for every element inside the bounds."""
    usual: tuple[RowBound, ...]
    """What holds for its row in addition to the bounds."""
    usual_others: tuple[str, ...]
    """What else holds there, as it may be spelled: ``x != 0``."""
    type: str
    """Of the stored element."""

    @property
    def of_usual_rows(self) -> tuple[RowBound, ...]:
        """What holds for the row wherever the assignment is made: ``y < h - 1`` says what ``y < h`` and ``y != h - 1`` do."""
        below = {f"{bound.other} - 1": bound for bound in self.bounds if bound.comparison == "<"}
        nearer = {bound: below.get(bound.other) for bound in self.usual if bound.comparison in ("!=", "<")}
        usual = (bound if nearer.get(bound) is None else RowBound("<", bound.other) for bound in self.usual)
        return (*(bound for bound in self.bounds if bound not in nearer.values()), *usual)

    @property
    def target(self) -> Node:
        node = self.store.child_by_field_name("left")
        assert node is not None, "an assignment has a target"
        return node


def plane_result(context: TransformationContext) -> PlaneResult | Obstacle | None:
    """The kernel's parts, or why it has another form; None where its blocks have one dimension."""
    tree, body = context.tree, context.body
    if "threadIdx.y" not in tree.text(body).replace(" ", ""):
        return None
    if "__shared__" in tree.text(body) or any(tree.find(*LOOPS, inside=body)):
        return Obstacle(DeclineReason.LOOP_FORM, "its threads go round loops or share tiles, which other techniques look after")
    function, block = enclosing_function(tree, body), fixed_block(context)
    if function is None or isinstance(block, Obstacle):
        return block if isinstance(block, Obstacle) else None
    guarded = _guarded(tree, body)
    if isinstance(guarded, Obstacle):
        return guarded
    row = row_of(context, function, block)
    return row if isinstance(row, Obstacle) else _parts(context, function, block, guarded, row)


class _Guarded(Record):
    guard: Node
    is_around: bool
    is_lone: bool
    declarations: tuple[Node, ...]
    store: Node
    edges: EdgeBranches | None


def _guarded(tree: SyntaxTree, body: Node) -> _Guarded | Obstacle:
    """Declarations, one bounds check and one assignment, or a choice between some, in one of the two usual orders."""
    outer = [n for n in without_comments(body) if n.type != "preproc_call"]
    guards = [n for n in outer if n.type == "if_statement" and n.child_by_field_name("alternative") is None]
    branch = guards[0].child_by_field_name("consequence") if len(guards) == 1 else None
    if branch is None:
        return Obstacle(DeclineReason.STORE_FORM, "the kernel is not one bounds check and one assignment")
    only = lone_statement(branch)
    is_around = only is None or only.type != "return_statement"
    inner = list(without_comments(branch) if branch.type == "compound_statement" else (branch,)) if is_around else []
    statements = [n for n in outer if n != guards[0]] + inner
    last = statements[-1] if statements else guards[0]
    edges = edge_branches(tree, last)
    only = last.named_children[0] if last.type == "expression_statement" and last.named_children else None
    assigned = only if edges is None else edges.usual
    is_last = assigned is not None and (outer[-1] == guards[0] if is_around else last == outer[-1])
    if assigned is None or assigned.type != "assignment_expression" or not is_last:
        return Obstacle(DeclineReason.STORE_FORM, "the kernel does not end with one assignment inside its bounds")
    other = next((n for n in statements[:-1] if n.type != "declaration"), None)
    if other is not None:
        return Obstacle(DeclineReason.STORE_FORM, f"line {tree.line(other)} does more than declare something before the assignment")
    return _Guarded(guards[0], is_around, branch == last, tuple(statements[:-1]), assigned, edges)


class ThreadRow(Record):
    variable: Variable
    place: str
    offset: tuple[str, ...]


def row_of(context: TransformationContext, function: Function, block: Dim3) -> ThreadRow | Obstacle:
    """The local that is the thread's place along y and what is added to it; nothing else may look at that place."""
    tree = context.tree
    declared = [v for n in tree.find("declaration", inside=context.body) for v in declared_variables(tree, n)]
    rows = [v for v in declared if v.value is not None and "threadIdx.y" in tree.text(v.value).replace(" ", "")]
    row = rows[0] if len(rows) == 1 else None
    if row is None or row.value is None or row.name in changed_names(tree, context.body):
        return Obstacle(DeclineReason.GUARD_FORM, "no single local holds the row of the thread's element")
    terms = joined(row.value, "+")
    own = [term for term in terms if "Idx.y" in tree.text(term).replace(" ", "")]
    others = [term for term in terms if term not in own]
    if not all(_is_place(context, own, block)) or any(thread_axes(tree, function, term) != frozenset() for term in others):
        return Obstacle(DeclineReason.GUARD_FORM, f"`{row.name}` is not the thread's place in the grid along y")
    span = row.value.start_byte, row.value.end_byte
    for node in tree.find("field_expression", inside=context.body):
        text = tree.text(node).replace(" ", "")
        if text in ("threadIdx.y", "blockIdx.y", "blockDim.y", "gridDim.y") and not span[0] <= node.start_byte < span[1]:
            return Obstacle(DeclineReason.BLOCK_SIZE_MATTERS, f"line {tree.line(node)} uses {text} for more than the element's row")
    return ThreadRow(row, " + ".join(tree.text(term) for term in own), tuple(tree.text(term) for term in others))


def _is_place(context: TransformationContext, terms: Sequence[Node], block: Dim3) -> Iterator[bool]:
    """Whether the terms come to the thread's place, for some blocks and threads."""
    scope = scope_of(context.tree, context.kernel)
    dims = {f"blockDim.{axis}": getattr(block, axis) for axis in "xyz"} | unknown_sizes(context)
    for at, thread in _TRIAL_PLACES:
        values = [evaluate(term, scope, {**dims, "blockIdx.y": at, "threadIdx.y": thread}) for term in terms]
        known = [value for value in values if value is not None]
        yield len(known) == len(values) and sum(known) == at * block.y + thread


def _parts(context: TransformationContext, function: Function, block: Dim3, guarded: _Guarded, found: ThreadRow) -> PlaneResult | Obstacle:
    tree, row = context.tree, found.variable
    conditions = _conditions(tree, function, guarded, row.name)
    if isinstance(conditions, Obstacle):
        return conditions
    others, bounds = conditions
    usual = _usual(tree, function, guarded.edges, row.name)
    if isinstance(usual, Obstacle):
        return usual
    of_row = _of_row(tree, guarded.declarations, row)
    made = {v.name for n in of_row for v in declared_variables(tree, n)}
    if made & (changed_names(tree, context.body) | {name for node in others for name in names_in(tree, node)}):
        return Obstacle(DeclineReason.STORE_FORM, "a local that follows from the row is changed, or asked for by the bounds check")
    for node in (*of_row, guarded.store if guarded.edges is None else guarded.edges.statement):
        effect = leaves_or_synchronizes(tree, node)
        if effect is not None:
            return effect
    target = guarded.store.child_by_field_name("left")
    kind = None if target is None or target.type != "subscript_expression" else _stored_type(tree, function, target)
    if kind is None:
        return Obstacle(DeclineReason.TYPE_UNKNOWN, "the text does not spell the type of the element that is stored")
    return PlaneResult(
        function=function,
        block=block,
        row=row,
        place=found.place,
        offset=found.offset,
        guard=guarded.guard,
        is_around=guarded.is_around,
        is_lone=guarded.is_lone,
        other_conditions=others,
        bounds=bounds,
        of_row=of_row,
        store=guarded.store,
        edges=guarded.edges,
        usual=usual[1],
        usual_others=usual[0],
        type=kind,
    )


def _conditions(
    tree: SyntaxTree, function: Function, guarded: _Guarded, row: str
) -> tuple[tuple[Node, ...], tuple[RowBound, ...]] | Obstacle:
    """Of the bounds check: what the row has no part in, and what bounds the row."""
    asked, others, bounds = condition_of(guarded.guard), list[Node](), list[RowBound]()
    for node in () if asked is None else joined(asked, "&&" if guarded.is_around else "||"):
        axes, bound = thread_axes(tree, function, node), _bound(tree, node, row, guarded.is_around)
        if axes is not None and "y" not in axes:
            others.append(node)
        elif bound is None or axes != frozenset({"y"}):
            return Obstacle(DeclineReason.GUARD_FORM, f"`{tree.text(node)}` does not compare the row with a bound")
        else:
            bounds.append(bound)
    if not any(bound.is_upper for bound in bounds) or not others:
        return Obstacle(DeclineReason.NO_BOUNDS_CHECK, "the kernel does not compare its row and its column with bounds")
    return tuple(others), tuple(bounds)


def _usual(
    tree: SyntaxTree, function: Function, edges: EdgeBranches | None, row: str
) -> tuple[tuple[str, ...], tuple[RowBound, ...]] | Obstacle:
    """Of a choice between the edges and everything else: what holds away from them, without the row and of the row."""
    others, bounds = list[str](), list[RowBound]()
    for node in () if edges is None else edges.asked:
        holds = edges is not None and edges.holds
        axes, bound = thread_axes(tree, function, node), _bound(tree, node, row, holds)
        if axes is not None and "y" not in axes:
            others.append(tree.text(node) if holds else _denied(tree, node, is_integer=bool(axes)))
        elif bound is None or axes != frozenset({"y"}):
            return Obstacle(
                DeclineReason.STORE_FORM, f"`{tree.text(node)}` chooses between assignments by more than the row, or the column"
            )
        else:
            bounds.append(bound)
    return tuple(others), tuple(bounds)


def _denied(tree: SyntaxTree, node: Node, *, is_integer: bool) -> str:
    """``x != 0`` for ``x == 0``; what is not known to compare integers may be neither less nor not less."""
    parts = binary_parts(node)
    known = OPPOSITE.get(parts[0]) if parts is not None and (is_integer or parts[0] in ("==", "!=")) else None
    return f"!({tree.text(node)})" if parts is None or known is None else f"{tree.text(parts[1])} {known} {tree.text(parts[2])}"


def _bound(tree: SyntaxTree, node: Node, row: str, holds: bool) -> RowBound | None:
    parts = binary_parts(node)
    if parts is None or parts[0] not in MIRRORED:
        return None
    comparison, left, right = parts
    if tree.text(left) != row:
        comparison, left, right = MIRRORED[comparison], right, left
    comparison = comparison if holds else OPPOSITE[comparison]
    return RowBound(comparison, tree.text(right)) if tree.text(left) == row and comparison != "==" else None


def _of_row(tree: SyntaxTree, declarations: Sequence[Node], row: Variable) -> tuple[Node, ...]:
    """Declarations that mention the row, or what one of them declares."""
    names, found = {row.name}, list[Node]()
    for declaration in declarations:
        if declaration != row.node and names & names_in(tree, declaration):
            found.append(declaration)
            names |= {v.name for v in declared_variables(tree, declaration)}
    return tuple(found)


def _stored_type(tree: SyntaxTree, function: Function, target: Node) -> str | None:
    """``float`` of ``out[i]`` or of ``fields.out[i]``; None where the text does not say it."""
    base = target.child_by_field_name("argument")
    if base is None or base.type == "identifier":
        kind = None if base is None else element_type(tree, function, tree.text(base))
        return None if kind == "auto" else kind
    owner, member = (base.child_by_field_name(f) for f in ("argument", "field"))
    parameter = None if owner is None else function.parameter(tree.text(owner))
    if member is None or parameter is None or parameter.is_pointer:
        return None
    for struct in tree.find("struct_specifier", "class_specifier"):
        if parameter.type in struct_names(struct):
            return _member_type(tree, struct, tree.text(member))
    return None


def _member_type(tree: SyntaxTree, struct: Node, member: str) -> str | None:
    for field in tree.find("field_declaration", inside=struct):
        kind = field.child_by_field_name("type")
        for declarator in field.children_by_field_name("declarator"):
            if kind is not None and declarator.type == "pointer_declarator" and tree.text(declarator).lstrip("* ") == member:
                return tree.text(kind)
    return None
