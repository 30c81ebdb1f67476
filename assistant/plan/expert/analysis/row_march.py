"""Stencils in which a thread computes one element of a grid in two dimensions, and which loads serve the next row as well.

The thread's row is compared with bounds; no statement loops. A chain is a run of loads of one column, each of which is the one before it a
row further down: ``in[(row - 1) * w + col]``, ``in[row * w + col]``, ``in[(row + 1) * w + col]``.

Example::

    match marched_rows(context):
        case MarchedRows(chains=chains): ...
        case Obstacle(): ...           # 'no element that a thread loads is loaded again for the next row'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from assistant.cuda.accesses import ArrayAccess, Use, array_accesses, canonical
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.integers import evaluate
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, joined
from assistant.cuda.variables import Variable, declared_variables
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.kernel_launches import known_blocks
from assistant.plan.expert.analysis.loop_effects import leaves_or_synchronizes
from assistant.plan.expert.analysis.memory_accesses import unknown_sizes
from assistant.plan.expert.analysis.pointer_roots import element_type, global_pointers, unclear_access
from assistant.plan.expert.analysis.thread_dependence import thread_axes
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["Chain", "MarchedRows", "marched_rows"]

_TRIAL_ROWS = (9, 14, 40)
_PLACES = ((0, 0, 16), (0, 5, 16), (3, 0, 16), (7, 15, 16), (2, 3, 4))
"""Blocks, threads and block heights for which the row is computed."""
_OPPOSITE = {">=": "<", ">": "<=", "<": ">=", "<=": ">"}
_LONGEST_CHAIN = 5
_MEMBER_SIZE = 3000
"""Stands for a size that a structure holds."""


class Chain(Record):
    """Loads from the same column, the topmost first; only the last one is new in each row."""

    base: str
    texts: tuple[str, ...]
    """Each load, as an expression of the row."""
    uses: tuple[tuple[ArrayAccess, ...], ...]
    """Every mention of each load; none for a load whose value is only passed on to the row above."""
    type: str
    column: int
    """How far to the right of the stored element."""


class MarchedRows(Record):
    """The parts of such a kernel."""

    function: Function
    row: Variable
    offset: int
    """Of the row from ``blockIdx.y * blockDim.y + threadIdx.y``."""
    before: tuple[Node, ...]
    """Declarations that do not depend on the row, in order."""
    derived: tuple[Node, ...]
    """Declarations that do."""
    guard: Node
    is_around: bool
    """The guard holds the statements, as against an early return."""
    upper: tuple[tuple[str, str], ...]
    """(comparison, bound) that the row stays below: ``<`` or ``<=``."""
    lower: tuple[tuple[str, str], ...]
    """(comparison, bound): ``>`` or ``>=``."""
    others: tuple[str, ...]
    """Conditions that do not concern the row, as they are written."""
    statements: tuple[Node, ...]
    chains: tuple[Chain, ...]


class _GuardedBody(Record):
    node: Node
    is_around: bool
    conditions: tuple[Node, ...]
    statements: tuple[Node, ...]
    declarations: tuple[Node, ...]


def marched_rows(context: TransformationContext) -> MarchedRows | Obstacle:
    """The kernel's parts, or why it has another form."""
    tree = context.tree
    function = enclosing_function(tree, context.body)
    guarded = None if function is None else _guarded(tree, function)
    if function is None or guarded is None:
        return Obstacle(DeclineReason.GUARD_FORM, "the kernel would have to be one bounds check and what it does for the thread's element")
    found = [v for node in guarded.declarations for v in declared_variables(tree, node)]
    rows = [v for v in found if v.value is not None and _offset(context, v.value) is not None]
    if len(rows) != 1 or rows[0].type not in ("int", "unsigned int", "unsigned"):
        return Obstacle(DeclineReason.GUARD_FORM, "no local is the thread's row, `blockIdx.y * blockDim.y + threadIdx.y`")
    return _with_row(context, function, guarded, rows[0])


def _guarded(tree: SyntaxTree, function: Function) -> _GuardedBody | None:
    children = [n for n in function.body.named_children if n.type != "comment"]
    place = next((n for n, child in enumerate(children) if child.type != "declaration"), None)
    guard = None if place is None else children[place]
    condition = None if guard is None else condition_of(guard)
    branch = None if guard is None else guard.child_by_field_name("consequence")
    if guard is None or condition is None or branch is None or guard.type != "if_statement" or guard.child_by_field_name("alternative"):
        return None
    rest, declarations = tuple(children[place + 1 :] if place is not None else ()), tuple(children[:place])
    only = lone_statement(branch)
    if only is not None and only.type == "return_statement":
        return _GuardedBody(guard, False, tuple(joined(condition, "||")), rest, declarations)
    inside = branch.named_children if branch.type == "compound_statement" else [branch]
    statements = tuple(n for n in inside if n.type != "comment")
    return None if rest else _GuardedBody(guard, True, tuple(joined(condition, "&&")), statements, declarations)


def _offset(context: TransformationContext, value: Node) -> int | None:
    """How far the value lies from the thread's row in the grid; None where it is something else."""
    scope, found = scope_of(context.tree, context.kernel), set[int | None]()
    sizes = {block.y for block in known_blocks(context)} or {size for _, _, size in _PLACES}
    for block, thread, _ in _PLACES:
        for size in sizes:
            place = {"blockIdx.y": block, "threadIdx.y": thread, "blockDim.y": size}
            number = evaluate(value, scope, place)
            found.add(None if number is None else number - block * size - thread)
    return found.pop() if len(found) == 1 else None


def _with_row(context: TransformationContext, function: Function, guarded: _GuardedBody, row: Variable) -> MarchedRows | Obstacle:
    tree = context.tree
    obstacle = _obstacle(context, function, guarded, row)
    if obstacle is not None:
        return obstacle
    upper: list[tuple[str, str]] = []
    lower: list[tuple[str, str]] = []
    others: list[str] = []
    for node in guarded.conditions:
        compared = binary_parts(node)
        if compared is None or compared[0] not in _OPPOSITE or (row.name in names_in(tree, node) and tree.text(compared[1]) != row.name):
            return Obstacle(DeclineReason.GUARD_FORM, f"`{tree.text(node)}` is no comparison of the row or the column with a bound")
        holds = compared[0] if guarded.is_around else _OPPOSITE[compared[0]]
        bound = tree.text(compared[2])
        if tree.text(compared[1]) != row.name:
            others.append(tree.text(node))
        elif thread_axes(tree, function, compared[2]) != frozenset():
            return Obstacle(DeclineReason.GUARD_FORM, f"`{tree.text(node)}` compares the row with something that differs between threads")
        else:
            (upper if holds in ("<", "<=") else lower).append((holds, bound))
    if len(upper) != 1 or len(lower) > 1:
        return Obstacle(DeclineReason.NO_BOUNDS_CHECK, f"`{row.name}` would have to be compared with one bound, and at most one from below")
    chains = _chains(context, function, guarded, row)
    if isinstance(chains, Obstacle):
        return chains
    before = tuple(n for n in guarded.declarations if n != row.node and row.name not in names_in(tree, n))
    derived = tuple(n for n in guarded.declarations if n != row.node and n not in before)
    return MarchedRows(
        function=function,
        row=row,
        offset=_offset(context, row.value) or 0 if row.value is not None else 0,
        before=before,
        derived=derived,
        guard=guarded.node,
        is_around=guarded.is_around,
        upper=tuple(upper),
        lower=tuple(lower),
        others=tuple(others),
        statements=guarded.statements,
        chains=chains,
    )


def _obstacle(context: TransformationContext, function: Function, guarded: _GuardedBody, row: Variable) -> Obstacle | None:
    tree = context.tree
    for node in tree.find("field_expression", inside=function.body):
        is_row = row.declarator.start_byte <= node.start_byte < row.declarator.end_byte
        if re.fullmatch(r"(threadIdx|blockIdx)\s*\.\s*y", tree.text(node)) and not is_row:
            return Obstacle(DeclineReason.BLOCK_SIZE_MATTERS, f"line {tree.line(node)} uses {tree.text(node)} for more than the row")
    for node in (*guarded.statements, *guarded.declarations):
        effect = leaves_or_synchronizes(tree, node)
        if effect is not None:
            return effect
        if any(tree.find("for_statement", "while_statement", "do_statement", "if_statement", inside=node)):
            return Obstacle(
                DeclineReason.LOOP_FORM, f"line {tree.line(node)} loops or chooses, so which elements are loaded again is not clear"
            )
    for node in guarded.declarations:
        if "__shared__" in tree.text(node) or any(tree.find("subscript_expression", "pointer_expression", inside=node)):
            return Obstacle(DeclineReason.GUARD_FORM, f"line {tree.line(node)} touches memory before the bounds check")
    return None


def _chains(context: TransformationContext, function: Function, guarded: _GuardedBody, row: Variable) -> tuple[Chain, ...] | Obstacle:
    tree = context.tree
    for node in guarded.statements:
        unclear = unclear_access(tree, function, node)
        if unclear is not None:
            return Obstacle(DeclineReason.POINTER_UNCLEAR, f"which element `{unclear}` is does not follow from an index")
    accesses = [a for n in guarded.statements for a in array_accesses(tree, n) if a.base in global_pointers(tree, function, a.node)]
    stores = [a for a in accesses if a.kind is not Use.READ]
    read = {a.base for a in accesses if a.kind is Use.READ}
    if len(stores) != 1 or stores[0].kind is not Use.WRITE or stores[0].base in read:
        return Obstacle(
            DeclineReason.STORE_FORM, "the kernel would have to store one element, through a pointer that it does not read as well"
        )
    by_place: dict[str, tuple[ArrayAccess, ...]] = {}
    for access in accesses:
        if access.kind is Use.READ and not set(_derived_names(tree, guarded, row)) & names_in(tree, access.node):
            place = canonical(tree, access.node)
            by_place[place] = (*by_place.get(place, ()), access)
    found = _linked(context, function, row, (by_place, stores[0]))
    return found or Obstacle(DeclineReason.NO_GAIN, "no element that a thread loads is loaded again for the next row")


def _derived_names(tree: SyntaxTree, guarded: _GuardedBody, row: Variable) -> list[str]:
    """Locals that follow from the row or are declared among the statements."""
    declared = [
        v for node in (*guarded.declarations, *guarded.statements) if node.type == "declaration" for v in declared_variables(tree, node)
    ]
    inside = {n for node in guarded.statements for n in (v.name for v in declared if v.node == node)}
    return [v.name for v in declared if v.name in inside or (v.node != row.node and row.name in names_in(tree, v.node))]


def _linked(
    context: TransformationContext, function: Function, row: Variable, loads: tuple[Mapping[str, tuple[ArrayAccess, ...]], ArrayAccess]
) -> tuple[Chain, ...]:
    """The chains among loads, by the elements that they come to."""
    by_place, store = loads
    elements = {place: _elements(context, uses[0], row.name) for place, uses in by_place.items()}
    known = {place: values for place, values in elements.items() if values is not None}
    follows = {
        place: next(
            (
                other
                for other, theirs in known.items()
                if by_place[other][0].base == by_place[place][0].base and all(theirs[r] == values[r + 1] for r in _TRIAL_ROWS)
            ),
            None,
        )
        for place, values in known.items()
    }
    heads = [place for place in known if place not in follows.values() and follows[place] is not None]
    stored = _elements(context, store, row.name)
    found: list[Chain] = []
    for head in heads:
        places = [head]
        while (after := follows[places[-1]]) is not None and after not in places:
            places.append(after)
        if len(places) <= _LONGEST_CHAIN:
            column = 0 if stored is None else _column([known[p] for p in places], stored)
            kind = element_type(context.tree, function, by_place[head][0].base) or "auto"
            texts = tuple(context.tree.text(by_place[p][0].node) for p in places)
            found.append(Chain(by_place[head][0].base, texts, tuple(by_place[p] for p in places), kind, column))
    linked = {place for place, after in follows.items() if after is not None} | set(follows.values())
    return (*found, *_with_a_gap(context, function, row, {p: by_place[p] for p in known if p not in linked}))


def _with_a_gap(
    context: TransformationContext, function: Function, row: Variable, by_place: Mapping[str, tuple[ArrayAccess, ...]]
) -> Iterator[Chain]:
    """Chains of the rows above and below without the one between: ``in[(row - 1) * w + col]`` and ``in[(row + 1) * w + col]``."""
    tree = context.tree
    for above in by_place.values():
        text = tree.text(above[0].node)
        middle = re.sub(rf"\(\s*{re.escape(row.name)}\s*-\s*1\s*\)", row.name, text)
        wanted = re.sub(rf"\(\s*{re.escape(row.name)}\s*-\s*1\s*\)", f"({row.name} + 1)", text)
        below = next((uses for uses in by_place.values() if "".join(tree.text(uses[0].node).split()) == "".join(wanted.split())), None)
        if middle != text and below is not None and len(re.findall(rf"\b{re.escape(row.name)}\b", text)) == 1:
            kind = element_type(tree, function, above[0].base) or "auto"
            yield Chain(above[0].base, (text, middle, tree.text(below[0].node)), (above, (), below), kind, 0)


def _column(places: list[Mapping[int, int]], stored: Mapping[int, int]) -> int:
    return min((values[_TRIAL_ROWS[0]] - stored[_TRIAL_ROWS[0]] for values in places), key=abs)


def _elements(context: TransformationContext, access: ArrayAccess, row: str) -> dict[int, int] | None:
    """The element by row, at one place of the other axes; None where it does not follow."""
    if len(access.indices) != 1:
        return None
    scope = scope_of(context.tree, context.kernel)
    places = {f"{owner}.{axis}": value for owner, value in (("threadIdx", 6), ("blockIdx", 2), ("blockDim", 32)) for axis in "xz"}
    members = (context.tree.text(n) for n in context.tree.find("field_expression", inside=access.indices[0]))
    sizes = {"".join(text.split()): _MEMBER_SIZE + place for place, text in enumerate(sorted(set(members)))}
    found: dict[int, int] = {}
    for number in {n for r in _TRIAL_ROWS for n in (r, r + 1)}:
        element = evaluate(access.indices[0], scope, {**unknown_sizes(context), **sizes, **places, row: number})
        if element is None:
            return None
        found[number] = element
    return found
