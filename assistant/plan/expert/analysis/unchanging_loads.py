"""Loads that a loop makes again in each iteration though neither their address nor, by the text, their element changes.

A store of the loop, through whatever pointer, may have changed the element as far as a compiler can tell: so it loads it again. Local
pointers and references are followed to the kernel's parameters. Loops inside that one may change the address where they are short and
of constant length: the compiler unrolls them.

Example::

    # for (int t = 0; t < n; ++t) { const float *c = coef + ch * 2; out[t] = c[0] * in[t] + c[1]; }
    [(u.pointer, tree.text(u.node)) for u in unchanging_loads(tree, function)]      # [('coef', 'c[0]'), ('coef', 'c[1]')]
"""

from __future__ import annotations

from assistant.cuda.accesses import Use, kind_of
from assistant.cuda.assignments import assignments, changed_names
from assistant.cuda.counted_loops import counted_header
from assistant.cuda.functions import Function
from assistant.cuda.loops import loops_around
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, kept, unparenthesized
from assistant.cuda.variables import Variable, locals_of
from assistant.plan.expert.analysis.memory_uses import member_declarator
from assistant.record import Record

__all__ = ["Element", "UnchangingLoad", "elements", "is_steady", "stored_in", "unchanging_loads"]

_MAX_UNROLLED = 16
"""Iterations of an inner loop that the compiler surely unrolls: nvcc 13.0 unrolls twice as many of a few statements."""
_MAX_STEPS = 8
_ELEMENTS = ("subscript_expression", "pointer_expression", "field_expression")


class Element(Record):
    """An element of memory that other threads may reach, too: ``c[0]``, ``q.b0``, ``g->kp``, ``net.leak[n]``."""

    node: Node
    pointer: str
    """What it is reached through: a parameter, or the member of one, ``net.leak``."""
    address: frozenset[str]
    """Names of all that its address is made of, local pointers and references on the way among them."""
    is_volatile: bool = False
    """Something on the way says so: every access must reach memory."""

    @property
    def is_of_member(self) -> bool:
        return "." in self.pointer


class UnchangingLoad(Record):
    """One load."""

    element: Element
    loop: Node
    """The innermost loop that does not change its address and stores something else."""
    inner_count: int
    """How often an iteration of ``loop`` makes the load, by the loops of constant length inside it."""

    @property
    def node(self) -> Node:
        return self.element.node

    @property
    def pointer(self) -> str:
        return self.element.pointer


@kept
def unchanging_loads(tree: SyntaxTree, function: Function) -> tuple[UnchangingLoad, ...]:
    """Those of the function, in source order."""
    reads = (element for element in elements(tree, function, function.body) if kind_of(tree, element.node) is Use.READ)
    found = (_unchanging(tree, function, element) for element in reads if not element.is_volatile)
    return tuple(load for load in found if load is not None)


@kept
def elements(tree: SyntaxTree, function: Function, region: Node) -> tuple[Element, ...]:
    """Every element that ``region`` touches through the function's pointers, in source order; of ``p[i].x`` the whole."""
    found: list[Element] = []
    for node in tree.find(*_ELEMENTS, inside=region):
        if _is_whole(tree, node):
            reached = _reached(tree, function, node)
            if reached is not None:
                found.append(Element(node, *reached, _is_volatile(tree, function, reached[1])))
    return tuple(found)


def _is_volatile(tree: SyntaxTree, function: Function, names: frozenset[str]) -> bool:
    variables = locals_of(tree, function.body)
    return any(v.is_volatile for name in names for v in (*variables.get(name, ()), function.parameter(name)) if v is not None)


@kept
def stored_in(tree: SyntaxTree, function: Function, region: Node) -> frozenset[str]:
    """Pointers that ``region`` stores through."""
    stores = (Use.WRITE, Use.UPDATE, Use.ATOMIC)
    return frozenset(each.pointer for each in elements(tree, function, region) if kind_of(tree, each.node) in stores)


def _unchanging(tree: SyntaxTree, function: Function, element: Element) -> UnchangingLoad | None:
    inner_count, counters = 1, frozenset[str]()
    pointers = {each.pointer for each in elements(tree, function, element.node)}
    for loop in loops_around(tree, element.node):
        if is_steady(tree, function, element.address - counters, loop, counters):
            stored = stored_in(tree, function, loop)
            if stored:
                return None if pointers & stored else UnchangingLoad(element, loop, inner_count)
            continue
        header = counted_header(tree, loop)
        trips = None if header is None else header.trip_count(tree)
        if header is None or trips is None or trips > _MAX_UNROLLED:
            return None
        inner_count, counters = inner_count * trips, counters | {header.variable}
    return None


def is_steady(tree: SyntaxTree, function: Function, names: frozenset[str], loop: Node, counters: frozenset[str]) -> bool:
    """Whether all iterations of ``loop`` see the same values in these names, as far as ``counters`` of loops inside it have them."""
    changed = changed_names(tree, loop) | _changed_arrays(tree, function, loop)
    own = locals_of(tree, loop)
    waiting, seen = set(names), set(counters)
    while waiting:
        name = waiting.pop()
        seen.add(name)
        if name in changed:
            return False
        if name in own:
            declared = locals_of(tree, function.body).get(name, ())
            value = declared[0].value if len(declared) == 1 else None
            if value is None or any(tree.find("call_expression", inside=value)):
                return False
            waiting |= (names_in(tree, value) | hidden_names(tree, value)) - seen
    return True


def _changed_arrays(tree: SyntaxTree, function: Function, loop: Node) -> frozenset[str]:
    """Pointers and arrays that something is assigned through; the members of a parameter aside."""
    found: set[str] = set()
    for change in assignments(tree, loop):
        target: Node | None = change.target
        while target is not None and target.type in ("subscript_expression", "field_expression", "parenthesized_expression"):
            target = target.child_by_field_name("argument") or next(iter(target.named_children), None)
        name = "" if target is None or target.type != "identifier" else tree.text(target)
        parameter = function.parameter(name)
        if target != change.target and (parameter is None or parameter.is_pointer):
            found.add(name)
    return frozenset(found)


def _is_whole(tree: SyntaxTree, node: Node) -> bool:
    """Not a part of a larger element, no address, no function's name."""
    if node.type == "pointer_expression" and not tree.text(node).startswith("*"):
        return False
    parent, inner = node.parent, node
    while parent is not None and parent.type == "parenthesized_expression":
        parent, inner = parent.parent, parent
    if parent is None or parent.type == "sizeof_expression":
        return parent is None
    is_part = parent.type in ("subscript_expression", "field_expression") and parent.child_by_field_name("argument") == inner
    return not is_part and not (parent.type == "call_expression" and parent.child_by_field_name("function") == inner)


def _reached(tree: SyntaxTree, function: Function, node: Node) -> tuple[str, frozenset[str]] | None:
    """(what the element is reached through, names that its address is made of); None for what is the thread's own or not clear."""
    names: set[str] = set()
    way = _way(tree, node)
    for _ in range(_MAX_STEPS):
        if way is None:
            return None
        for part in way.address:
            names |= names_in(tree, part) | hidden_names(tree, part)
        name = tree.text(way.root)
        names.add(name)
        declared, parameter = locals_of(tree, function.body).get(name, ()), function.parameter(name)
        if len(declared) + (parameter is not None) != 1:
            return None
        if parameter is not None:
            pointer = _pointer(tree, parameter, way)
            return None if pointer is None else (pointer, frozenset(names))
        way = _before(tree, declared[0], way)
    return None


class _Way(Record):
    """From a variable to an element or an address."""

    root: Node
    """The variable's name."""
    address: tuple[Node, ...]
    """Indices and distances."""
    members: tuple[str, ...]
    """Of the variable itself, before anything is looked up in memory."""
    looked_into: tuple[str, ...]
    """Members that are subscripted or dereferenced: arrays, or pointers."""
    is_memory: bool
    """A subscript, ``*`` or ``->`` is among it."""


def _way(tree: SyntaxTree, node: Node) -> _Way | None:
    address: list[Node] = []
    members: list[str] = []
    looked_into: list[str] = []
    is_memory = is_subscripted = False
    current: Node | None = unparenthesized(node)
    while current is not None and current.type != "identifier":
        kind, parts = current.type, binary_parts(current)
        if kind == "subscript_expression":
            indices = current.child_by_field_name("indices")
            address += [] if indices is None else indices.named_children
            is_memory, is_subscripted, members = True, True, []
        elif kind == "field_expression":
            member = current.child_by_field_name("field")
            is_arrow = any(child.type == "->" for child in current.children)
            name = "" if member is None else tree.text(member)
            looked_into += [name] if is_subscripted else []
            members = [] if is_arrow else [name, *members]
            is_memory, is_subscripted = is_memory or is_arrow, is_arrow
        elif kind == "pointer_expression" and tree.text(current).startswith("*"):
            is_memory, is_subscripted, members = True, True, []
        elif parts is not None and parts[0] == "+":
            address.append(parts[2])
        else:
            return None
        current = current.child_by_field_name("argument") if parts is None else parts[1]
        current = None if current is None else unparenthesized(current)
    return None if current is None else _Way(current, tuple(address), tuple(members), tuple(looked_into), is_memory)


def _before(tree: SyntaxTree, variable: Variable, way: _Way) -> _Way | None:
    """The way to the address that a local pointer or reference holds; None where it holds something else."""
    value = None if variable.value is None else unparenthesized(variable.value)
    are_arrays = all(member_declarator(tree, variable, name) == "array_declarator" for name in way.looked_into)
    if value is None or variable.is_array or variable.is_shared or variable.indirection > 1 or not are_arrays:
        return None
    if variable.is_reference:
        found = _way(tree, value)
        return found if found is not None and not found.looked_into else None
    if not way.is_memory or way.members or not (variable.is_pointer or variable.type == "auto"):
        return None
    is_address = value.type == "pointer_expression" and tree.text(value).startswith("&")
    target = value.child_by_field_name("argument") if is_address else value
    found = None if target is None else _way(tree, target)
    return found if found is not None and found.is_memory == is_address and not found.looked_into else None


def _pointer(tree: SyntaxTree, parameter: Variable, way: _Way) -> str | None:
    """``coef`` of ``coef[i]``, ``net.leak`` of ``net.leak[i]``; None for what needs two look-ups, or none."""
    if parameter.is_pointer:
        are_arrays = all(member_declarator(tree, parameter, name) == "array_declarator" for name in way.looked_into)
        return parameter.name if parameter.indirection == 1 and not way.members and are_arrays else None
    if parameter.is_reference or len(way.members) != 1 or way.looked_into[-1:] != way.members or len(way.looked_into) > 1:
        return None
    is_pointer = member_declarator(tree, parameter, way.members[0]) == "pointer_declarator"
    return f"{parameter.name}.{way.members[0]}" if is_pointer else None
