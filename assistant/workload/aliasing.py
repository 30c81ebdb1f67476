"""Whether two pointer parameters of a function can overlap, judged from every call and launch in the program.

Each argument is followed back to the buffers it can name: an allocation of the caller, or a parameter of the caller, whose own
callers are then looked at. What cannot be followed is "may overlap", with the reason; where every recorded launch of the kernel passed
different allocations, it is "apart as far as was seen", which an edit has to state as an assumption.

Example::

    overlap(tree, kernel_function, "out", "in")   # None, or 'line 40 passes `d_x` for both `out` and `in`'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assistant.cuda.accesses import canonical
from assistant.cuda.allocations import allocated_places, is_new_allocation
from assistant.cuda.assignments import assignments
from assistant.cuda.calls import callee_name, calls_of, given_arguments
from assistant.cuda.functions import Function, enclosing_function, functions
from assistant.cuda.names import mentions
from assistant.cuda.syntax import Node, SyntaxTree, unparenthesized
from assistant.cuda.variables import locals_of
from assistant.model.recorded_facts import FactsOrigin, RecordedFacts, Separation
from assistant.record import Record
from assistant.workload.recorded_words import overlap_in_words

__all__ = ["ApartAsRecorded", "NoCallers", "Overlap", "arguments_overlap", "overlap"]

_MAX_CALLER_DEPTH = 4
"""How many callers up an argument is followed; recursion ends here."""
_NULL = ("nullptr", "NULL", "0")


class Overlap(Record):
    """The parameters may name the same memory."""

    reason: str
    is_shown: bool = False
    """A call passes one buffer for both whatever the program does before it, or in one case of a ``?:``, or a recorded launch did: other
    launches cannot take that back."""


class NoCallers(Record):
    """Nothing in the program calls the function, so nothing is known of its arguments."""

    function: str


class ApartAsRecorded(Record):
    """The text does not keep the pointers apart, but every recorded launch of the kernel did."""

    first: str
    second: str
    """The kernel's own parameters."""


_Found = Overlap | NoCallers | ApartAsRecorded | None


class _Buffer(Record):
    """An allocation, named by the variable that holds it."""

    name: str


class _CallerParameter(Record):
    name: str


class _Unknown(Record):
    reason: str


_Origin = _Buffer | _CallerParameter | _Unknown
_Move = tuple[str, str] | None
_Seen = frozenset[str]
"""Variables that are being followed already: a cycle such as ``a = b; b = a`` adds nothing."""


def overlap(
    tree: SyntaxTree, function: Function, first: str, second: str, recorded: RecordedFacts | None = None, depth: int = 0
) -> Overlap | NoCallers | ApartAsRecorded | None:
    """Why the pointer parameters ``first`` and ``second`` may overlap; None if no call in the program lets them.

    Either may be a pointer in a structure that is passed by value: ``net.v``.
    ``recorded``: of the kernel in question, which ``function`` is or which calls it. Declared launches show nothing: the arrays of a
    workload block lie apart because the block says so.
    """
    found = _by_text(tree.program, function, (first, second), recorded, depth)
    if recorded is None or recorded.origin is FactsOrigin.DECLARED or function.name != recorded.kernel.rpartition("::")[2]:
        return found
    if isinstance(found, Overlap) and found.is_shown:
        return found
    match recorded.separation(first, second):
        case Separation.SAME_ADDRESS:
            return Overlap(overlap_in_words(recorded, first, second) or "", is_shown=True)
        case Separation.APART if found is not None:
            return ApartAsRecorded(first, second)
        case _:
            return found


def arguments_overlap(tree: SyntaxTree, caller: Function | None, first: Node, second: Node) -> str | None:
    """Why two arguments that a function passes to others may point into one buffer; None where the text shows that they do not."""
    passed = ((a, b) for a in _origins(tree, first, caller, frozenset()) for b in _origins(tree, second, caller, frozenset()))
    for pair in passed:
        match pair:
            case (_Unknown(reason), _) | (_, _Unknown(reason)):
                return reason
            case (_Buffer(a), _Buffer(b)) | (_CallerParameter(a), _CallerParameter(b)) if a == b:
                return f"both may be memory of `{a}`"
            case (_CallerParameter(a), _CallerParameter(b)) if caller is not None:
                found = overlap(tree, caller, a, b)
                if found is not None:
                    return found.reason if isinstance(found, Overlap) else f"nothing calls `{caller.name}`"
            case _:
                continue
    return None


def _by_text(tree: SyntaxTree, function: Function, names: tuple[str, str], recorded: RecordedFacts | None, depth: int) -> _Found:
    if depth > _MAX_CALLER_DEPTH:
        return Overlap(f"`{function.name}` is called through too many functions to follow its arguments")
    owners = [name.partition(".")[0] for name in names]
    positions = [index for owner in owners for index, p in enumerate(function.parameters) if p.name == owner]
    direct = tuple(calls_of(tree, function.name))
    passed_on = _calls_through_parameters(tree, function, direct)
    if passed_on is None:
        return Overlap(f"the address of `{function.name}` is used, so its callers cannot all be seen")
    calls = (*direct, *passed_on)
    if not calls:
        return NoCallers(function.name)
    return _worst(_overlap_at(tree, call, positions, names, recorded, depth) for call in calls)


def _worst(found: Iterable[_Found]) -> _Found:
    """What the text shows to overlap before what it leaves open, and that before what was seen to be apart."""
    weights = {Overlap: 1, NoCallers: 1, ApartAsRecorded: 0}
    reasons = sorted((each for each in found if each is not None), key=lambda each: -weights[type(each)])
    return next((each for each in reasons if isinstance(each, Overlap) and each.is_shown), reasons[0] if reasons else None)


def _overlap_at(
    tree: SyntaxTree, call: Node, positions: list[int], names: tuple[str, str], recorded: RecordedFacts | None, depth: int
) -> _Found:
    given = given_arguments(call)
    if len(positions) != 2 or len(given) <= max(positions):
        return Overlap(f"the arguments at {tree.place(tree.span(call))} could not be read")
    left, right = (given[position] for position in positions)
    caller = enclosing_function(tree, call)
    firsts, seconds = _passed(tree, left, names[0], caller), _passed(tree, right, names[1], caller)
    sides = ((left, firsts), (right, seconds))
    is_one = any(len(origins) == 1 for _, origins in sides)
    is_certain = is_one and all(len(origins) == 1 or _is_choice(tree, argument, caller) for argument, origins in sides)
    passed = (_PassedPair(a, b, names, caller, is_certain) for a in firsts for b in seconds)
    return _worst(_conflict(tree, call, pair, recorded, depth) for pair in passed)


def _passed(tree: SyntaxTree, argument: Node, name: str, caller: Function | None) -> tuple[_Origin, ...]:
    """What a parameter can point into, or the member ``net.v`` of one that is passed a structure of the caller's own."""
    _, _, member = name.partition(".")
    if not member:
        return _origins(tree, argument, caller, frozenset())
    place, given = f"{canonical(tree, argument)} . {member}", unparenthesized(argument)
    is_own = given.type == "identifier" and (caller is None or caller.parameter(tree.text(given)) is None)
    is_allocated = any(allocated_places(tree, tree.root, place)) and not _is_assigned_elsewhere(tree, place)
    return (_Buffer(place) if is_own and is_allocated else _Unknown(f"where `{tree.text(given)}.{member}` comes from is not visible"),)


class _PassedPair(Record):
    """What one call passes for two parameters."""

    first: _Origin
    second: _Origin
    names: tuple[str, str]
    caller: Function | None
    is_certain: bool
    """Neither can be anything else, or one is what a ``?:`` makes of it in one of its cases."""


def _conflict(tree: SyntaxTree, call: Node, passed: _PassedPair, recorded: RecordedFacts | None, depth: int) -> _Found:
    names, caller = passed.names, passed.caller
    match passed.first, passed.second:
        case (_Unknown(reason), _) | (_, _Unknown(reason)):
            return Overlap(f"{tree.place(tree.span(call))}: {reason}")
        case (_Buffer(a), _Buffer(b)) | (_CallerParameter(a), _CallerParameter(b)) if a == b:
            reason = f"{tree.place(tree.span(call))} passes memory of `{a}` for both `{names[0]}` and `{names[1]}`"
            return Overlap(reason, passed.is_certain)
        case (_CallerParameter(a), _CallerParameter(b)) if caller is not None:
            return overlap(tree, caller, a, b, recorded, depth + 1)
        case _:
            return None


def _calls_through_parameters(tree: SyntaxTree, function: Function, calls: tuple[Node, ...]) -> tuple[Node, ...] | None:
    """Calls of the function by functions that it is passed to; None where its address is used in any other way."""
    callees = {call.child_by_field_name("function") for call in calls}
    found: list[Node] = []
    for node in tree.find("identifier"):
        if tree.text(node) != function.name:
            continue
        chain = (node, *tree.ancestors(node))
        if any(n in callees or n.type == "function_declarator" for n in chain):
            continue
        call = next((n for n in chain if n.type == "call_expression"), None)
        if call is not None and callee_name(tree, call).startswith(("cudaFunc", "cudaOccupancy")):
            continue
        through = None if call is None else _calls_of_argument(tree, call, node)
        if through is None:
            return None
        found += through
    return tuple(found)


def _calls_of_argument(tree: SyntaxTree, call: Node, argument: Node) -> tuple[Node, ...] | None:
    """What a function of the program does with a function that it is given: calls; None where it may do anything else with it."""
    named = [each for each in functions(tree) if each.name == callee_name(tree, call)]
    given = given_arguments(call)
    if len(named) != 1 or argument not in given or len(given) != len(named[0].parameters):
        return None
    name = named[0].parameters[given.index(argument)].name
    used = [node for node in mentions(tree, named[0].body, name) if name]
    calls = tuple(n.parent for n in used if n.parent is not None and n.parent.child_by_field_name("function") == n)
    return calls if calls and len(calls) == len(used) else None


def _origins(tree: SyntaxTree, expression: Node, caller: Function | None, seen: _Seen) -> tuple[_Origin, ...]:
    """What the argument can point into; every alternative of a ``?:``."""
    node = unparenthesized(expression)
    if node.type == "cast_expression":
        value = node.child_by_field_name("value")
        return (_Unknown("a cast could not be read"),) if value is None else _origins(tree, value, caller, seen)
    if node.type == "conditional_expression":
        sides = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
        return tuple(origin for side in sides if side is not None for origin in _origins(tree, side, caller, seen))
    if node.type == "binary_expression":
        left = node.child_by_field_name("left")
        return (_Unknown("an address could not be read"),) if left is None else _origins(tree, left, caller, seen)
    if node.type == "call_expression":
        return (_container(tree, node, caller, seen),)
    if node.type == "pointer_expression" and tree.text(node).startswith("&"):
        return _address_origins(tree, node, caller, seen)
    if node.type == "field_expression":
        place = canonical(tree, node)
        is_allocated = any(allocated_places(tree, tree.root, place)) and not _is_assigned_elsewhere(tree, place)
        return (_Buffer(place) if is_allocated else _Unknown(f"where `{tree.text(node)}` comes from is not visible"),)
    if node.type == "identifier":
        return _variable_origins(tree, tree.text(node), caller, seen)
    return (_Unknown(f"where `{tree.text(node)}` points is not visible"),)


def _is_choice(tree: SyntaxTree, expression: Node, caller: Function | None) -> bool:
    """``mode ? a : b``, or a variable that holds nothing else: each alternative is what some run passes."""
    node = unparenthesized(expression)
    if node.type == "identifier" and caller is not None:
        name = tree.text(node)
        declared = locals_of(tree, caller.body).get(name, ())
        values = [*(v.value for v in declared if v.value is not None), *_assigned_values(tree, caller.body, name)]
        node = unparenthesized(values[0]) if len(declared) == len(values) == 1 else node
    if node.type == "cast_expression":
        node = unparenthesized(node.child_by_field_name("value") or node)
    sides = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
    is_choice = node.type == "conditional_expression"
    return is_choice and all(side is not None and len(_origins(tree, side, caller, frozenset())) == 1 for side in sides)


def _is_assigned_elsewhere(tree: SyntaxTree, place: str) -> bool:
    """True if some assignment gives the member ``place`` another pointer than a null one."""
    return any(
        change.value is not None and canonical(tree, change.target) == place and tree.text(change.value) not in _NULL
        for change in assignments(tree, tree.root)
    )


def _address_origins(tree: SyntaxTree, node: Node, caller: Function | None, seen: _Seen) -> tuple[_Origin, ...]:
    target = node.child_by_field_name("argument")
    base = None if target is None else target.child_by_field_name("argument")
    if target is None or target.type != "subscript_expression" or base is None:
        return (_Unknown(f"`{tree.text(node)}` is not a buffer of its own"),)
    return _origins(tree, base, caller, seen)


def _container(tree: SyntaxTree, call: Node, caller: Function | None, seen: _Seen) -> _Origin:
    """``v.data()`` and ``thrust::raw_pointer_cast(v.data())`` of a vector that the caller declares."""
    name = callee_name(tree, call)
    given = given_arguments(call)
    if name.split("::")[-1] in ("raw_pointer_cast", "static_cast", "reinterpret_cast") and len(given) == 1:
        inner = _origins(tree, given[0], caller, seen)
        return inner[0] if len(inner) == 1 else _Unknown(f"`{tree.text(call)}` has several origins")
    owner = name.removesuffix(".data").removesuffix(".get")
    scope = tree.root if caller is None else caller.body
    if owner != name and any("vector" in v.type or "unique_ptr" in v.type for v in locals_of(tree, scope).get(owner, ())):
        return _Buffer(owner)
    return _Unknown(f"`{tree.text(call)}` may return memory that is in use somewhere else")


def _variable_origins(tree: SyntaxTree, name: str, caller: Function | None, seen: _Seen) -> tuple[_Origin, ...]:
    """Follows a variable through its initializer, its assignments and the calls that set it."""
    if name in seen:
        return ()
    seen |= {name}
    scope = tree.root if caller is None else caller.body
    declared = locals_of(tree, scope).get(name, ())
    if not declared and caller is not None and (parameter := caller.parameter(name)) is not None:
        if any(_assigned_values(tree, scope, name)):
            return (_Unknown(f"`{name}` is changed in `{caller.name}` before it is passed on"),)
        return (_CallerParameter(parameter.name),)
    if not declared:
        scope = tree.root
        declared = locals_of(tree, scope).get(name, ())
    if len(declared) != 1:
        return (_Unknown(f"where `{name}` comes from is not visible"),)
    if declared[0].is_array or "vector<" in declared[0].type.replace(" ", ""):
        return (_Buffer(name),)
    initial = declared[0].value
    values = [*(() if initial is None else (initial,)), *_assigned_values(tree, scope, name)]
    found: list[_Origin] = [_Buffer(name)] if any(allocated_places(tree, scope, name)) else []
    for value in values:
        found.extend(_value_origins(tree, name, value, caller, seen))
    if not found and not values:
        return (_Unknown(f"where `{name}` comes from is not visible"),)
    return tuple(dict.fromkeys(found))


def _value_origins(tree: SyntaxTree, name: str, value: Node, caller: Function | None, seen: _Seen) -> tuple[_Origin, ...]:
    value = unparenthesized(value)
    if tree.text(value) in _NULL or value.type == "null":
        return ()
    if name in {tree.text(n) for n in tree.find("identifier", inside=value)}:
        return (_Unknown(f"`{name}` is moved along a buffer"),)
    core = value.child_by_field_name("value") if value.type == "cast_expression" else value
    if value.type == "new_expression" or (core is not None and core.type == "call_expression" and is_new_allocation(tree, core)):
        return (_Buffer(name),)
    return _origins(tree, value, caller, seen)


def _assigned_values(tree: SyntaxTree, scope: Node, name: str) -> Iterator[Node]:
    """Values that assignments give ``name``; exchanging two pointers is left out, as their buffers stay two."""
    for change in assignments(tree, scope):
        if change.value is not None and tree.text(change.target) == name and not _is_swap(tree, change.node):
            yield change.value if change.operator == "=" else change.target


def _is_swap(tree: SyntaxTree, assignment: Node) -> bool:
    """One of the two assignments of ``t = a; a = b; b = t;`` in adjacent statements."""
    statement = assignment.parent
    before = None if statement is None else statement.prev_named_sibling
    after = None if statement is None else statement.next_named_sibling
    moves = [None if n is None else _move(tree, n) for n in (before, statement, after)]
    earlier = None if before is None or before.prev_named_sibling is None else _move(tree, before.prev_named_sibling)
    return _is_exchange(moves[0], moves[1], moves[2]) or _is_exchange(earlier, moves[0], moves[1])


def _is_exchange(first: _Move, second: _Move, third: _Move) -> bool:
    if first is None or second is None or third is None:
        return False
    (t, a), (a2, b), (b2, t2) = first, second, third
    return a == a2 and b == b2 and t == t2


def _move(tree: SyntaxTree, statement: Node) -> _Move:
    """(target, value) of ``x = y;`` or ``T *x = y;`` between plain variables."""
    inner = statement.named_children[0] if statement.type == "expression_statement" else None
    if inner is not None and inner.type == "assignment_expression":
        left, right = inner.child_by_field_name("left"), inner.child_by_field_name("right")
    else:
        declarator = statement.child_by_field_name("declarator") if statement.type == "declaration" else None
        left = None if declarator is None else next(tree.find("identifier", inside=declarator), None)
        right = None if declarator is None else declarator.child_by_field_name("value")
    if left is None or right is None or {left.type, right.type} != {"identifier"}:
        return None
    return tree.text(left), tree.text(right)
