"""Prefix sums that a block makes of one value a thread through a shared array, whatever the steps are.

The steps are followed, not matched (`followed_block`): a scan is understood where each thread that looks at the array behind the steps
finds what the threads up to it brought, or those before it, or all.

Example::

    match shared_scan(context, block):
        case SharedScan(reads=reads): ...     # `out[i] = buf[t];`: (ScanRead(part=Part.UP_TO_IT),)
        case Obstacle(): ...                  # why shuffles cannot take its place
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import StrEnum

from assistant.cuda.accesses import Use, canonical, kind_of
from assistant.cuda.assignments import assignments, changed_names
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.literals import is_literal_of
from assistant.cuda.macros import hidden_effect
from assistant.cuda.names import mentions, names_in
from assistant.cuda.shared_arrays import SharedArray, element_uses, shared_arrays
from assistant.cuda.syntax import Node, unparenthesized, without_comments
from assistant.cuda.variables import Variable, declared_variables, locals_of
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.followed_block import FollowedBlock, NotFollowedError, subscripts_of
from assistant.plan.expert.analysis.leaving import leaving_alone
from assistant.plan.expert.analysis.row_reductions import Combination, is_shuffled
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["Fill", "Part", "ScanRead", "SharedScan", "shared_scan"]

_BARRIER = "__syncthreads ( ) ;"
_LOOPS = ("for_statement", "while_statement")
_FORM = Obstacle(
    DeclineReason.LOOP_FORM,
    "these are no steps after which each thread of the block finds what the threads up to it brought in a shared array",
)


class Part(StrEnum):
    """Whose values an element holds, as seen by the thread that reads it."""

    UP_TO_IT = "up to it"
    BEFORE_IT = "before it"
    ALL = "all"


class ScanRead(Record):
    """A look at the array behind the steps, or at a local that holds the same."""

    node: Node
    """The element, or the local; or the ``t == 0 ? 0 : a[t - 1]`` around it, which only says what the first thread has before it."""
    part: Part


class Fill(Record):
    """How each thread's value gets into the array."""

    statement: Node
    target: Node
    value: Node
    condition: Node | None
    """Of an ``if``, or None."""
    otherwise: Node | None
    """What is stored where the condition does not hold; None where nothing is, or where there is no condition."""


class SharedScan(Record):
    """One such scan."""

    array: SharedArray
    combination: Combination
    fill: Fill
    last: Node
    """The last statement that the scan replaces: a loop, or the barrier behind it."""
    thread: str
    """The thread's index in its block, as the author writes it."""
    reads: tuple[ScanRead, ...]
    counters: tuple[Variable, ...]
    """Declared before the steps, which alone they serve."""


def shared_scan(
    context: TransformationContext, block: Dim3, lent: tuple[SharedArray, ...] = (), given: Mapping[str, int] | None = None
) -> SharedScan | Obstacle | None:
    """The scan with a loop at the finding's line; None where no loop at the line uses shared memory.

    ``lent``: shared arrays that a helper gets from its callers; ``given``: parameters whose value is known.
    """
    arrays = {array.name: array for array in (*shared_arrays(context.tree, context.body), *lent)}
    loops = [n for n in context.body.named_children if n.type in _LOOPS and context.tree.line(n) <= context.line <= n.end_point[0] + 1]
    used = [array for name, array in arrays.items() if any(mentions(context.tree, loop, name) for loop in loops)]
    if not used:
        return None
    array = used[0]
    steps = _steps(context, array) if len(used) == 1 else ()
    fill = _fill(context, steps[0], array) if steps else None
    if fill is None:
        return _FORM
    return _array_obstacle(context, array, arrays) or _followed(
        context, array, (steps, fill), (block, given or {}), is_only=len(arrays) == 1
    )


def _steps(context: TransformationContext, array: SharedArray) -> tuple[Node, ...]:
    """The statements of the kernel's body from the first that uses the array to the last loop that does."""
    own = [n for n in without_comments(context.body) if n.type != "declaration" or mentions(context.tree, n, array.name)]
    using = [n for n in own if mentions(context.tree, n, array.name) and not _is_inside(array.declarator, n)]
    loops = [n for n in using if n.type in _LOOPS]
    if not loops:
        return ()
    return tuple(n for n in without_comments(context.body) if using[0].start_byte <= n.start_byte <= loops[-1].start_byte)


def _fill(context: TransformationContext, statement: Node, array: SharedArray) -> Fill | None:
    """``a[t] = v;``, ``if (i < n) a[t] = v;`` and ``if (i < n) a[t] = v; else a[t] = w;``."""
    if statement.type != "if_statement":
        stored = _stored(context, statement, array)
        return None if stored is None else Fill(statement, *stored, None, None)
    condition, then = condition_of(statement), _branch_store(context, statement, "consequence", array)
    otherwise = _branch_store(context, statement, "alternative", array)
    if condition is None or then is None or (statement.child_by_field_name("alternative") is not None and otherwise is None):
        return None
    if otherwise is not None and canonical(context.tree, otherwise[0]) != canonical(context.tree, then[0]):
        return None
    return Fill(statement, *then, condition, None if otherwise is None else otherwise[1])


def _branch_store(context: TransformationContext, statement: Node, field: str, array: SharedArray) -> tuple[Node, Node] | None:
    branch = statement.child_by_field_name(field)
    if branch is not None and branch.type == "else_clause":
        branch = next(iter(without_comments(branch)), None)
    only = None if branch is None else lone_statement(branch)
    return None if only is None else _stored(context, only, array)


def _stored(context: TransformationContext, statement: Node, array: SharedArray) -> tuple[Node, Node] | None:
    """(the element, the value), where the array is in nothing but the element."""
    change = next(iter(assignments(context.tree, statement)), None)
    if statement.type != "expression_statement" or change is None or change.value is None or change.node.parent != statement:
        return None
    is_plain = change.operator == "=" and change.target.type == "subscript_expression"
    return (change.target, change.value) if is_plain and len(mentions(context.tree, statement, array.name)) == 1 else None


def _array_obstacle(context: TransformationContext, array: SharedArray, arrays: Mapping[str, SharedArray]) -> Obstacle | None:
    tree = context.tree
    declaration = next(
        (n for n in tree.ancestors(array.declarator) if n.type in ("declaration", "parameter_declaration")), array.declarator
    )
    if not is_shuffled(context, " ".join(array.element_type.split())):
        return Obstacle(DeclineReason.TYPE_UNKNOWN, f"`{array.name}` of type `{array.element_type}` cannot surely be shuffled")
    if "volatile" in tree.text(declaration):
        return Obstacle(DeclineReason.VOLATILE, f"`{array.name}` is volatile: each access must reach memory")
    if array.is_dynamic and sum(other.is_dynamic for other in arrays.values()) > 1:
        return Obstacle(DeclineReason.MAY_OVERLAP, f"`{array.name}` is not the only array of this kernel whose place the launch decides")
    uses = element_uses(tree, context.body, array)
    return Obstacle(DeclineReason.POINTER_UNCLEAR, uses) if isinstance(uses, str) else None


def _followed(
    context: TransformationContext,
    array: SharedArray,
    what: tuple[tuple[Node, ...], Fill],
    launched: tuple[Dim3, Mapping[str, int]],
    *,
    is_only: bool,
) -> SharedScan | Obstacle:
    """``is_only``: the kernel has no other shared array."""
    tree, (steps, fill), last = context.tree, what, what[0][-1]
    leaving = leaving_alone(context, context.body, last.end_byte)
    if leaving is not None:
        words = f"a thread may leave at line {tree.line(leaving)}, and the shuffles need all lanes of a warp"
        return Obstacle(DeclineReason.LEAVES_EARLY, words)
    if any(hidden_effect(tree, step) is not None for step in steps) or _shadows(context):
        return _FORM
    for combination in Combination:
        is_filled = fill.condition is None or fill.otherwise is not None or combination in (Combination.SUM, Combination.PRODUCT)
        run = _run(context, what, FollowedBlock(context, array, launched[0], combination, launched[1])) if is_filled else None
        if run is not None:
            scan = _scan(context, array, what, run, combination)
            wait = _wait_behind(context, last) if is_only else None
            return scan if isinstance(scan, Obstacle) or wait is None else replace(scan, last=wait)
    return _FORM


def _scan(
    context: TransformationContext, array: SharedArray, what: tuple[tuple[Node, ...], Fill], run: FollowedBlock, combination: Combination
) -> SharedScan | Obstacle:
    """What the followed steps leave, and who looks at it."""
    steps, fill = what
    thread = _thread(context, fill.target, run, _changed(context, steps))
    reads = _reads(context, array, steps[-1], run, combination)
    if isinstance(reads, Obstacle):
        return reads
    others = _locals_behind(context, steps, run, tuple(read.node for read in reads))
    if isinstance(others, Obstacle):
        return others
    if not reads and not others:
        return Obstacle(DeclineReason.NOTHING_TO_CHANGE, f"nothing looks at `{array.name}` behind the steps")
    return SharedScan(array, combination, fill, steps[-1], thread, (*reads, *others), _counters(context, steps, fill))


def _run(context: TransformationContext, what: tuple[tuple[Node, ...], Fill], run: FollowedBlock) -> FollowedBlock | None:
    """The block after the steps; None where these are not understood."""
    tree, (steps, fill) = context.tree, what
    try:
        for statement in without_comments(context.body):
            if statement.start_byte >= steps[0].start_byte:
                break
            if statement.type == "declaration":
                run.declare(statement)
            else:
                run.forget(changed_names(tree, statement))
        run.fill(fill.target, fill.value)
        places = [place for place in run.places(fill.target, run.everyone) if place is not None]
        if any(place != (*places[0][:-1], places[0][-1] + thread) for thread, place in enumerate(places)):
            return None
        for statement in steps[1:]:
            if statement.type == "preproc_call" and tree.text(statement).lstrip().startswith("#pragma"):
                continue
            if statement.type not in ("declaration", *_LOOPS) and canonical(tree, statement) != _BARRIER:
                return None
            run.follow(statement)
    except NotFollowedError:
        return None
    return run


def _shadows(context: TransformationContext) -> bool:
    """A name is declared again inside the scope of a variable of that name."""
    for variables in locals_of(context.tree, context.body).values():
        scopes = [variable.node.parent for variable in variables]
        for variable in variables if len(variables) > 1 else ():
            around = list(context.tree.ancestors(variable.node))[1:]
            if any(scope in around for scope in scopes):
                return True
    return False


def _thread(context: TransformationContext, target: Node, run: FollowedBlock, changed: list[str]) -> str:
    for name in _names_in(context, target):
        if context.tree.text(name) not in changed and run.numbers(name, run.everyone) == [*run.everyone]:
            return context.tree.text(name)
    return "threadIdx.x"


def _names_in(context: TransformationContext, target: Node) -> Iterator[Node]:
    """Identifiers of the element's subscripts."""
    for index in subscripts_of(target):
        yield from context.tree.find("identifier", inside=index)


def _reads(
    context: TransformationContext, array: SharedArray, last: Node, run: FollowedBlock, combination: Combination
) -> tuple[ScanRead, ...] | Obstacle:
    """All uses of the array behind the steps."""
    tree, found = context.tree, list[ScanRead]()
    uses = element_uses(tree, context.body, array)
    behind = [n for n in without_comments(context.body) if n.start_byte >= last.end_byte]
    later = frozenset(name for statement in behind for name in changed_names(tree, statement))
    run.forget(later)
    for use in () if isinstance(uses, str) else uses:
        if use.node.start_byte < last.end_byte:
            continue
        part = _part(context, use.node, run, later) if kind_of(tree, use.node) is Use.READ else None
        if part is None:
            words = f"line {use.line} uses `{tree.text(use.node)}`, and after shuffles `{array.name}` holds the totals of warps alone"
            return Obstacle(DeclineReason.USED_ELSEWHERE, words)
        if part is Part.BEFORE_IT and combination not in (Combination.SUM, Combination.PRODUCT):
            words = f"line {use.line} reads what the threads before have together, and the first thread has none before it"
            return Obstacle(DeclineReason.USED_ELSEWHERE, words)
        node = _with_first(context, use.node, run, combination) if part is Part.BEFORE_IT else use.node
        found.append(ScanRead(node, part))
    return tuple(found)


def _part(context: TransformationContext, element: Node, run: FollowedBlock, later: frozenset[str]) -> Part | None:
    """What every thread that reads the element finds in it."""
    if names_in(context.tree, element) & later:
        return None
    readers, everyone = _readers(context, element, run), len(run.everyone)
    left = set(Part) if readers else set[Part]()
    for thread, place in zip(readers, run.places(element, readers), strict=True):
        held = None if place is None else run.elements.get(place)
        runs = {Part.UP_TO_IT: (0, thread + 1), Part.ALL: (0, everyone), Part.BEFORE_IT: (0, thread)}
        left &= {part for part, wanted in runs.items() if held == wanted}
    return next((part for part in Part if part in left), None)


def _readers(context: TransformationContext, element: Node, run: FollowedBlock) -> list[int]:
    """The threads that no condition around the element surely keeps from it."""
    inner, left = element, [*run.everyone]
    for outer in context.tree.ancestors(element):
        if outer == context.body:
            break
        if outer.type in ("if_statement", "conditional_expression") and inner != outer.child_by_field_name("condition"):
            condition = condition_of(outer) if outer.type == "if_statement" else outer.child_by_field_name("condition")
            answers = [None] * len(left) if condition is None else run.numbers(condition, left)
            is_then = inner == outer.child_by_field_name("consequence")
            left = [thread for thread, answer in zip(left, answers, strict=True) if answer is None or bool(answer) == is_then]
        inner = outer
    return left


def _with_first(context: TransformationContext, element: Node, run: FollowedBlock, combination: Combination) -> Node:
    """``t == 0 ? 0 : a[t - 1]`` as a whole, where it gives the first thread what no thread brings and asks nothing else."""
    around, inner = element.parent, element
    while around is not None and around.type == "parenthesized_expression":
        inner, around = around, around.parent
    if around is None or around.type != "conditional_expression":
        return element
    condition, then, otherwise = (around.child_by_field_name(field) for field in ("condition", "consequence", "alternative"))
    other = otherwise if inner == then else then
    if condition is None or other is None or inner == condition:
        return element
    nothing = 0 if combination is Combination.SUM else 1
    answers = run.numbers(condition, run.everyone)
    reading = [None if answer is None else bool(answer) == (inner == then) for answer in answers]
    is_all = reading == [False, *(True for _ in answers[1:])]
    return around if is_all and is_literal_of(context.tree.text(unparenthesized(other)), nothing) else element


def _counters(context: TransformationContext, steps: tuple[Node, ...], fill: Fill) -> tuple[Variable, ...]:
    """What is declared before the steps, changed by them, and needed by nothing that stays."""
    tree, variables = context.tree, locals_of(context.tree, context.body)
    kept = [part for part in (fill.value, fill.condition, fill.otherwise) if part is not None]
    found: list[Variable] = []
    for name in _changed(context, steps):
        early = [v for v in variables.get(name, ()) if v.node.end_byte <= steps[0].start_byte]
        before = [n for n in mentions(tree, context.body, name) if n.start_byte < steps[0].start_byte]
        is_set_later = any(not any(_is_inside(n, v.node) for v in early) for n in before)
        if len(early) == 1 and not is_set_later and not any(name in names_in(tree, part) for part in kept):
            found += early
    return tuple(sorted(found, key=lambda variable: variable.declarator.start_byte))


def _changed(context: TransformationContext, steps: tuple[Node, ...]) -> list[str]:
    """What the steps change or declare of what others can see."""
    tree, variables = context.tree, locals_of(context.tree, context.body)
    found = {v.name for step in steps if step.type == "declaration" for v in declared_variables(tree, step)}
    for name in {name for step in steps for name in changed_names(tree, step)}:
        if any(not any(_is_inside(v.node, step) for step in steps) for v in variables.get(name, ())):
            found.add(name)
    return sorted(found)


def _locals_behind(
    context: TransformationContext, steps: tuple[Node, ...], run: FollowedBlock, gone: tuple[Node, ...]
) -> tuple[ScanRead, ...] | Obstacle:
    """Looks at locals that the steps change: as good as at the array, where the thread has in one what the threads up to it brought."""
    tree, found, sums = context.tree, list[ScanRead](), [(0, thread + 1) for thread in run.everyone]
    for name in _changed(context, steps):
        behind = (n for n in mentions(tree, context.body, name) if n.start_byte >= steps[-1].end_byte)
        for node in (n for n in behind if not any(_is_inside(n, place) for place in gone)):
            if run.held(name) != sums:
                return Obstacle(DeclineReason.USED_ELSEWHERE, f"line {tree.line(node)} uses `{name}`, which the steps change")
            found.append(ScanRead(node, Part.UP_TO_IT))
    return tuple(found)


def _wait_behind(context: TransformationContext, last: Node) -> Node | None:
    """The barrier right behind the steps, which those of the new text make needless."""
    behind = next((n for n in without_comments(context.body) if n.start_byte >= last.end_byte), None)
    return behind if behind is not None and canonical(context.tree, behind) == _BARRIER else None


def _is_inside(node: Node, other: Node) -> bool:
    return other.start_byte <= node.start_byte and node.end_byte <= other.end_byte
