"""The elements that a loop deals out to its threads one by one: those of the counter's place, behind one pointer each.

An element may be read through `__ldg`, or by an index that a local of the loop holds.

Example::

    # for (int i = threadIdx.x; i < n; i += blockDim.x) sum += __ldg(&row[i]);
    dealt_elements(context, function, loop, "i", dealing)     # (DealtElement(base='row', offset='', …),)
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.accesses import ArrayAccess, Use, array_accesses
from assistant.cuda.assignments import changed_names
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.functions import Function
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, node_text, unparenthesized
from assistant.cuda.variables import locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.dealing import AddressKind, Dealing
from assistant.plan.expert.analysis.memory_accesses import offsets_of
from assistant.plan.expert.analysis.pointer_roots import element_type, global_pointers
from assistant.plan.expert.analysis.tile_loads import is_unconditional
from assistant.plan.expert.analysis.window_coordinates import terms_of
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["DealtElement", "dealt_elements", "touches"]

_CACHED_LOAD = "__ldg"


class DealtElement(Record):
    """An element of the counter's place behind one pointer: ``row[i]``, ``x[blockIdx.x * n + i]``."""

    base: str
    offset: str
    """What is added to the counter, as written; empty for the counter alone."""
    type: str
    is_read: bool
    is_written: bool
    is_cached: bool
    """Every place reads it by ``__ldg``."""
    is_sure: bool
    """Some place touches it in every iteration, so that it is there."""
    nodes: tuple[Node, ...]
    """Every place in the loop that names it."""

    @property
    def start(self) -> str:
        """The address of element 0."""
        return f"{self.base} + {self.offset}" if self.offset else self.base


def touches(tree: SyntaxTree, region: Node) -> Iterator[ArrayAccess]:
    """Every element touched through a name; what `__ldg` reads is its call, and an address that a pointer begins at touches nothing."""
    for access in array_accesses(tree, region):
        if not _is_address_alone(tree, access.node.parent):
            yield access
    for call in tree.find("call_expression", inside=region):
        given = given_arguments(call)
        element = _addressed(given[0]) if callee_name(tree, call) == _CACHED_LOAD and len(given) == 1 else None
        if element is not None:
            yield ArrayAccess(node_text(element[0]), (element[1],), Use.READ, call)


def _is_address_alone(tree: SyntaxTree, node: Node | None) -> bool:
    return node is not None and node_text(node).startswith("&") and (_starts_pointer(node) or _is_cached(tree, node))


def _starts_pointer(address: Node) -> bool:
    """``const float *row = &x[r * n];``."""
    parent = address.parent
    declarator = None if parent is None or parent.type != "init_declarator" else parent.child_by_field_name("declarator")
    return declarator is not None and declarator.type in ("pointer_declarator", "identifier")


def _is_cached(tree: SyntaxTree, address: Node) -> bool:
    call = None if address.parent is None else address.parent.parent
    return call is not None and call.type == "call_expression" and callee_name(tree, call) == _CACHED_LOAD


def _addressed(address: Node) -> tuple[Node, Node] | None:
    """(the pointer, the index) of ``&row[i]`` or ``row + i``."""
    address = unparenthesized(address)
    parts = binary_parts(address)
    if parts is not None and parts[0] == "+" and unparenthesized(parts[1]).type == "identifier":
        return unparenthesized(parts[1]), parts[2]
    element = address.child_by_field_name("argument") if address.type == "pointer_expression" else None
    base, indices = (None, None) if element is None else (element.child_by_field_name(f) for f in ("argument", "indices"))
    if base is None or base.type != "identifier" or indices is None or len(indices.named_children) != 1:
        return None
    return base, indices.named_children[0]


def dealt_elements(
    context: TransformationContext, function: Function, loop: Node, counter: str, dealing: Dealing
) -> tuple[DealtElement, ...] | Obstacle:
    """All of them, those that are read first; why one cannot be part of a vector."""
    tree, body = context.tree, loop.child_by_field_name("body")
    assert body is not None, "a counted loop has a body"
    found: dict[tuple[str, str], list[ArrayAccess]] = {}
    for access in (a for a in touches(tree, body) if a.base in global_pointers(tree, function, a.node)):
        offset = _offset(context, body, access, counter, dealing)
        if isinstance(offset, Obstacle):
            return offset
        if offset is not None:
            found.setdefault((access.base, offset), []).append(access)
    made = [_element(context, function, loop, place, own, is_bounded=dealing.counts_rounds) for place, own in found.items()]
    obstacle = next((each for each in made if isinstance(each, Obstacle)), None)
    elements = [each for each in made if isinstance(each, DealtElement)]
    twice = [e for e in elements if e.is_written and sum(o.base == e.base for o in elements) > 1]
    if obstacle is not None or twice:
        return obstacle or Obstacle(DeclineReason.MAY_OVERLAP, f"the loop stores to `{twice[0].base}` and touches other elements of it")
    elements.sort(key=lambda e: not e.is_read)
    return tuple(elements) or Obstacle(DeclineReason.NOTHING_TO_CHANGE, "the loop loads no element of its counter's place")


def _element(
    context: TransformationContext, function: Function, loop: Node, place: tuple[str, str], own: list[ArrayAccess], *, is_bounded: bool
) -> DealtElement | Obstacle:
    tree, (base, offset) = context.tree, place
    if any(a.kind in (Use.ATOMIC, Use.ESCAPE) for a in own):
        return Obstacle(DeclineReason.ATOMIC, f"an element of `{base}` is passed on, or updated atomically")
    sure = [a for a in own if is_unconditional(tree, a.node, loop)]
    is_written = any(a.kind is not Use.READ for a in own)
    sure = own if is_bounded else sure
    if not sure and (is_written or context.recorded is None):
        words = f"`{tree.text(own[0].node)}` is touched only under a condition, and may not be there otherwise"
        return Obstacle(DeclineReason.CONDITIONAL, words)
    is_set_first = any(a.kind is Use.WRITE and all(a.node.start_byte <= o.node.start_byte for o in own) for a in sure)
    is_read = any(a.kind is not Use.WRITE for a in own) or not is_set_first
    kind, is_cached = element_type(tree, function, base) or "auto", all(a.node.type == "call_expression" for a in own)
    return DealtElement(base, offset, kind, is_read, is_written, is_cached, bool(sure), tuple(a.node for a in own))


def _offset(context: TransformationContext, body: Node, access: ArrayAccess, counter: str, dealing: Dealing) -> str | Obstacle | None:
    """What is added to the counter; None for an element that all threads of the group read, or whose place is read from memory."""
    tree = context.tree
    words = f"`{tree.text(access.node)}` would have to be the element of the loop's counter, with neighbours for neighbouring threads"
    other = Obstacle(DeclineReason.ADDRESS_UNKNOWN, words)
    place = given_arguments(access.node)[0] if access.node.type == "call_expression" else access.node
    offsets = offsets_of(context, scope_of(tree, context.kernel), place)
    if offsets is None or len(access.indices) != 1:
        return other
    kind = dealing.address_kind(context, offsets, counter)
    terms = terms_of(_followed(tree, body, access.indices[0]))
    if dealing.counts_rounds:
        own = tuple(term for term in terms if dealing.varies(context, term[1], counter))
        is_own = dealing.address_kind(context, tuple(node for _, node in own), counter) is AddressKind.OF_COUNTER
    else:
        own = tuple(term for term in terms if _plain(term[1]) == counter)
        is_own = len(own) == 1
    if kind is AddressKind.OF_COUNTER:
        left = [node for sign, node in terms if (sign, node) not in own]
        names = frozenset[str]().union(*(names_in(tree, node) for node in left))
        is_sum = is_own and all(sign == "+" for sign, _ in terms)
        is_named = not names & locals_of(tree, body).keys()
        return " + ".join(node_text(node) for node in left) if is_sum and is_named else other
    is_free = access.kind is Use.READ and not _is_stored_to(context, access.base)
    return None if kind in (AddressKind.COMMON, AddressKind.LOADED) and is_free else other


def _followed(tree: SyntaxTree, body: Node, index: Node) -> Node:
    """What a local of the loop holds that is the whole index."""
    name = node_text(unparenthesized(index))
    declared = locals_of(tree, body).get(name, ())
    is_constant = len(declared) == 1 and name not in changed_names(tree, body)
    return declared[0].value if is_constant and declared[0].value is not None else index


def _plain(node: Node) -> str:
    """The text without a conversion to another type."""
    node = unparenthesized(node)
    while node.type == "cast_expression" and (value := node.child_by_field_name("value")) is not None:
        node = unparenthesized(value)
    return node_text(node)


def _is_stored_to(context: TransformationContext, base: str) -> bool:
    return any(a.base == base and a.kind is not Use.READ for a in touches(context.tree, context.body))
