"""Which loads of a loop can be made once before it, and why others cannot.

Example::

    match hoistable_loads(context, function):
        case HoistableLoads(loads=loads): ...   # `coef[ch]`, and `c[0]` for each `s` of an inner loop of constant length
        case Obstacle(): ...                    # '`out` and `coef` may be the same memory: …'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import prod

from assistant.cuda.accesses import canonical
from assistant.cuda.assignments import assignments
from assistant.cuda.constants import integer_constant
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.functions import Function
from assistant.cuda.loops import loops_around
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, unparenthesized
from assistant.cuda.variables import Variable, locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.kernel_launches import launches_of
from assistant.plan.expert.analysis.loop_effects import leaves, leaves_or_synchronizes
from assistant.plan.expert.analysis.loop_entry import entry_condition, runs_at_least_once
from assistant.plan.expert.analysis.memory_uses import pointed_type
from assistant.plan.expert.analysis.pointer_roots import element_type
from assistant.plan.expert.analysis.struct_members import bytes_of, number_in
from assistant.plan.expert.analysis.thread_dependence import block_axes, thread_axes
from assistant.plan.expert.analysis.tile_loads import is_unconditional
from assistant.plan.expert.analysis.unchanged_elements import kept_apart
from assistant.plan.expert.analysis.unchanging_loads import UnchangingLoad, elements, unchanging_loads
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record
from assistant.workload.aliasing import ApartAsRecorded

__all__ = ["HoistableLoad", "HoistableLoads", "InnerLoop", "hoistable_loads"]

_MAX_REGISTERS = 64
"""Values of 4 bytes that may be kept over the loop: a quarter of a thread's most (CUDA C++ Programming Guide, "Compute Capabilities")."""
_NULL = re.compile(r"\b(?:nullptr|NULL)\b")
_LOADS = ("subscript_expression", "pointer_expression", "call_expression")


_Judged = tuple["HoistableLoad", tuple[ApartAsRecorded, ...]]


class InnerLoop(Record):
    """A loop of constant length, from zero by ones, that chooses the element."""

    node: Node
    header: CountedHeader
    trip_count: int


class HoistableLoad(Record):
    """An element that a register can hold while the loop runs; one for each iteration of the loops inside that choose it."""

    nodes: tuple[Node, ...]
    """Where the loop reads it, in source order."""
    type: str
    inner: tuple[InnerLoop, ...]
    """Outermost first."""
    declarations: tuple[Node, ...]
    """Of the loop's own locals that its address is made of, in source order."""
    guard: str | None
    """Condition under which the loop runs at all, where the element may not be there otherwise."""

    @property
    def value_count(self) -> int:
        return prod(loop.trip_count for loop in self.inner)


class HoistableLoads(Record):
    """Those of one loop, with what only recorded launches show to be apart."""

    loop: Node
    loads: tuple[HoistableLoad, ...]
    apart: tuple[ApartAsRecorded, ...]


def hoistable_loads(context: TransformationContext, function: Function) -> HoistableLoads | Obstacle:
    """Those of the loop that makes such a load on the finding's line, that one among them; why not, where it cannot be made before."""
    tree = context.tree
    found = unchanging_loads(tree, function)
    here = next((load for load in found if tree.line(load.node) == context.line), None)
    if here is None:
        return Obstacle(DeclineReason.NOTHING_TO_CHANGE, "no loop makes a load here again whose element it does not change")
    obstacle = leaves(tree, here.loop)
    if obstacle is not None:
        return obstacle
    groups: dict[str, list[UnchangingLoad]] = {}
    for load in found:
        if load.loop == here.loop:
            groups.setdefault(canonical(tree, load.node), []).append(load)
    judged = {place: _judged(context, function, group) for place, group in groups.items()}
    own = judged[canonical(tree, here.node)]
    if isinstance(own, Obstacle):
        return own
    possible = [each for each in judged.values() if not isinstance(each, Obstacle)]
    loads = tuple(sorted((load for load, _ in possible), key=lambda load: _place_in_order(tree, load, possible)))
    if sum(load.value_count * _registers(tree, load.type) for load in loads) > _MAX_REGISTERS:
        count = sum(load.value_count for load in loads)
        return Obstacle(DeclineReason.LIMIT_EXCEEDED, f"the loop's {count} unchanging values would need too many registers")
    return HoistableLoads(here.loop, loads, tuple(dict.fromkeys(pair for _, apart in possible for pair in apart)))


def _registers(tree: SyntaxTree, kind: str) -> int:
    """For a value of this type; two where the text does not give its size."""
    size = bytes_of(tree, kind, {})
    return 2 if size is None else max(1, -(-size // 4))


def _place_in_order(tree: SyntaxTree, load: HoistableLoad, among: Sequence[_Judged]) -> tuple[int, int]:
    """As the loop comes to their arrays; elements whose index is a number, by that."""
    base, index = _number(tree, load.nodes[0])
    firsts = [other.nodes[0].start_byte for other, _ in among if index is not None and _number(tree, other.nodes[0])[0] == base]
    return min(firsts, default=load.nodes[0].start_byte), index or 0


def _number(tree: SyntaxTree, node: Node) -> tuple[str, int | None]:
    owner, indices = node.child_by_field_name("argument"), node.child_by_field_name("indices")
    text = "" if indices is None else tree.text(indices)[1:-1].strip()
    return ("", None) if owner is None or not text.isdigit() else (tree.text(owner), int(text))


def _judged(context: TransformationContext, function: Function, group: list[UnchangingLoad]) -> _Judged | Obstacle:
    tree, first = context.tree, group[0]
    text = tree.text(first.node)
    inner = _inner(tree, first)
    kind = _type(tree, function, first.node)
    declarations = None if isinstance(inner, Obstacle) else _declarations(tree, function, first, inner)
    if isinstance(inner, Obstacle):
        return inner
    if kind is None:
        return Obstacle(DeclineReason.TYPE_UNKNOWN, f"the text does not spell the type of `{text}`")
    if declarations is None:
        return Obstacle(DeclineReason.LOOP_FORM, f"what the address of `{text}` is made of is not computed at the head of the loop")
    if not any(_is_certain(tree, function, load) for load in group):
        return Obstacle(
            DeclineReason.CONDITIONAL, f"not every iteration comes to `{text}`, and nothing shows that it is there before the loop"
        )
    is_safe = _may_run_before(context, function, first)
    header = counted_header(tree, first.loop)
    is_asked = not is_safe and not inner and _bound(tree, function, first.loop) is not None
    guard = entry_condition(tree, first.loop, header, function) if header is not None and is_asked else None
    if not is_safe and guard is None:
        start = first.loop.child_by_field_name("initializer")
        if start is not None and all(start.start_byte <= load.node.start_byte < start.end_byte for load in group):
            return Obstacle(DeclineReason.NOTHING_TO_CHANGE, f"`{text}` is read once, where the loop begins")
        return Obstacle(DeclineReason.CONDITIONAL, f"nothing shows that `{text}` is there where the loop does not run at all")
    barrier = leaves_or_synchronizes(tree, first.loop)  # behind it the element is what any thread of the block made of it, wherever that is
    apart = kept_apart(context, function, first, first.loop if barrier is None else function.body)
    if barrier is not None and isinstance(apart, Obstacle):
        return barrier
    nodes = tuple(load.node for load in group)
    return apart if isinstance(apart, Obstacle) else (HoistableLoad(nodes, kind, inner, declarations, guard), apart)


def _inner(tree: SyntaxTree, load: UnchangingLoad) -> tuple[InnerLoop, ...] | Obstacle:
    own = set(locals_of(tree, load.loop))
    names = load.element.address | _made_of(tree, load.loop, load.element.address & own)
    found: list[InnerLoop] = []
    for loop in reversed(_between(tree, load)):
        header = counted_header(tree, loop)
        if header is None or header.variable not in names:
            continue
        trips = header.trip_count(tree)
        is_plain = integer_constant(tree, header.first) == 0 and integer_constant(tree, header.step) == 1 and header.comparison == "<"
        if trips is None or not is_plain:
            return Obstacle(DeclineReason.LOOP_FORM, f"the loop that chooses `{tree.text(load.node)}` does not count up from zero by ones")
        found.append(InnerLoop(loop, header, trips))
    return tuple(found)


def _between(tree: SyntaxTree, load: UnchangingLoad) -> tuple[Node, ...]:
    """Loops inside the load's loop that it stands in, innermost first."""
    around = loops_around(tree, load.node)
    return around[: around.index(load.loop)]


def _made_of(tree: SyntaxTree, loop: Node, names: Iterable[str]) -> frozenset[str]:
    """Names in the values of the loop's locals, and in the values of those."""
    own, found, waiting = locals_of(tree, loop), set[str](), list(names)
    while waiting:
        for variable in own.get(waiting.pop(), ()):
            inside = frozenset[str]() if variable.value is None else names_in(tree, variable.value)
            waiting += inside - found
            found |= inside
    return frozenset(found)


def _declarations(tree: SyntaxTree, function: Function, load: UnchangingLoad, inner: tuple[InnerLoop, ...]) -> tuple[Node, ...] | None:
    """None where a local of the loop is not declared alone in the loop's own block, or its value is loaded."""
    own = locals_of(tree, load.loop)
    names = load.element.address | _made_of(tree, load.loop, load.element.address & own.keys())
    blocks = [loop.child_by_field_name("body") for loop in (load.loop, *(loop.node for loop in inner))]
    found: list[Node] = []
    for name in names & own.keys():
        variable = own[name][0]
        if any(name == loop.header.variable for loop in inner):
            continue
        is_alone = len(variable.node.children_by_field_name("declarator")) == 1 and variable.node.type == "declaration"
        if variable.node.parent not in blocks or not is_alone or _is_loaded(tree, variable):
            return None
        found.append(variable.node)
    return tuple(sorted(found, key=lambda node: node.start_byte))


def _is_loaded(tree: SyntaxTree, variable: Variable) -> bool:
    """Its value is not arithmetic, and neither the address of an element nor a reference to one."""
    value = None if variable.value is None else unparenthesized(variable.value)
    if value is None:
        return True
    is_address = value.type == "pointer_expression" and tree.text(value).startswith("&")
    target = value.child_by_field_name("argument") if is_address else value if variable.is_reference else None
    indices = None if target is None else target.child_by_field_name("indices")
    if target is not None and target.type != "subscript_expression":
        return True
    return any(tree.find(*_LOADS, inside=value if indices is None else indices))


def _type(tree: SyntaxTree, function: Function, node: Node) -> str | None:
    """As the text spells it; None where it does not."""
    owner = node.child_by_field_name("argument")
    owner = None if owner is None else unparenthesized(owner)
    if owner is None:
        return None
    if node.type == "field_expression":
        member = node.child_by_field_name("field")
        struct = _type(tree, function, owner) if owner.type == "subscript_expression" else _own_type(tree, function, owner)
        number = None if member is None or struct is None else number_in(tree, struct, tree.text(member))
        return None if number is None or number.bound is not None else number.type
    if owner.type == "field_expression":
        return _pointed_type(tree, function, owner)
    if owner.type == "binary_expression":
        owner = owner.child_by_field_name("left") or owner
    return _own_type(tree, function, owner)


def _pointed_type(tree: SyntaxTree, function: Function, owner: Node) -> str | None:
    """Of what ``net.leak`` points to, a member of a parameter."""
    name, _, member = tree.text(owner).partition(".")
    parameter = function.parameter(name)
    return None if parameter is None else pointed_type(tree, parameter, member)


def _own_type(tree: SyntaxTree, function: Function, owner: Node) -> str | None:
    """Of what a pointer or a reference leads to."""
    found = element_type(tree, function, tree.text(owner)) if owner.type == "identifier" else None
    return None if found == "auto" else found


def _is_certain(tree: SyntaxTree, function: Function, load: UnchangingLoad) -> bool:
    """Every iteration of the load's loop comes to it."""
    node = load.node
    for loop in (*_between(tree, load), load.loop):
        is_left = any(jump.start_byte < node.start_byte for jump in tree.find("break_statement", inside=loop))
        if is_left or not is_unconditional(tree, node, loop) or (loop != load.loop and not runs_at_least_once(tree, loop, function)):
            return False
        node = loop
    return True


def _may_run_before(context: TransformationContext, function: Function, load: UnchangingLoad) -> bool:
    """The loop surely runs, or whether it does is the same for all threads, the address follows from indices and numbers alone, and no
    launch passes a null pointer."""
    tree = context.tree
    if runs_at_least_once(tree, load.loop, function):
        return True
    if any(_is_null_somewhere(context, each.pointer.partition(".")[0]) for each in elements(tree, function, load.node)):
        return False
    bound = _bound(tree, function, load.loop)
    if bound is None or any(_is_read_from_memory(tree, function, name) for name in _all_names(tree, function, load)):
        return False
    return thread_axes(tree, function, bound) == frozenset() == block_axes(tree, function, bound)


def _is_null_somewhere(context: TransformationContext, parameter: str) -> bool:
    names = [each.name for each in context.kernel.parameters]
    place = names.index(parameter) if parameter in names else len(names)
    given = (launch.site.arguments[place].text for launch in launches_of(context) if place < len(launch.site.arguments))
    return any(_NULL.search(text) or text.strip() == "0" for text in given)


def _bound(tree: SyntaxTree, function: Function, loop: Node) -> Node | None:
    """``n`` of ``for (int t = 0; t < n; …)``; None where the first value is neither a constant nor a parameter."""
    start, condition = loop.child_by_field_name("initializer"), loop.child_by_field_name("condition")
    compared = None if condition is None else binary_parts(unparenthesized(condition))
    if start is None or compared is None or compared[0] not in ("<", "<=", ">", ">=", "!="):
        return None
    counter = tree.text(compared[1])
    declared = [v.value for v in locals_of(tree, start).values() for v in v if v.name == counter]
    given = [*declared, *(a.value for a in assignments(tree, start) if tree.text(a.target) == counter)]
    first = given[0] if len(given) == 1 else None
    is_known = first is not None and (
        integer_constant(tree, tree.text(first)) is not None or function.parameter(tree.text(first)) is not None
    )
    return compared[2] if is_known else None


def _all_names(tree: SyntaxTree, function: Function, load: UnchangingLoad) -> frozenset[str]:
    """Of what the address is made of; of a load with another one in its index a name that is none."""
    is_nested = len(elements(tree, function, load.node)) > 1
    names = load.element.address | _made_of(tree, function.body, load.element.address)
    return names | {""} if is_nested else names


def _is_read_from_memory(tree: SyntaxTree, function: Function, name: str) -> bool:
    declared = locals_of(tree, function.body).get(name, ())
    changes = (a.value for a in assignments(tree, function.body) if tree.text(a.target) == name and a.value is not None)
    values = (*(v.value for v in declared if v.value is not None and not v.is_reference and not v.is_pointer), *changes)
    return not name or any(True for value in values for _ in tree.find(*_LOADS, inside=value))
