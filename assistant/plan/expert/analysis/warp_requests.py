"""What a warp's requests to global memory cost, by the text alone: 32-byte sectors of each element access. Pure; nothing runs.

A line is told only where the text decides all of its addresses: the block must be known, and the lanes' addresses may depend on nothing
but thread and block indices, constants and the kernel's sizes. Sizes are tried at two values, both of whole sectors; what comes out
differently is not certain. Elements that one request does not move are left out, and the line's other accesses say so.
Rules: `assistant.plan.expert.analysis.warp_pattern`. Example::

    requests_of(parsed, tree, kernel, (Dim3(32, 8, 1),))   # (WarpRequest(line=9, pointer='in', is_store=False, sectors=4, ideal=4, …),)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from assistant.cuda.integers import Scope, Write, evaluate
from assistant.cuda.names import words_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, SyntaxTree, node_text
from assistant.model.launch import Dim3
from assistant.model.source import Kernel, ParsedSource
from assistant.plan.expert.analysis.kernel_launches import template_values
from assistant.plan.expert.analysis.memory_accesses import Access, addresses, global_accesses_in
from assistant.plan.expert.analysis.parameter_numbers import parameter_numbers
from assistant.plan.expert.analysis.warp_pattern import SECTOR_BYTES, lane_environments, sector_count
from assistant.record import Record

__all__ = ["WarpRequest", "requests_of"]

_SIZES = ((4096, 1024), (6400, 320))
"""First size and step to the next parameter's, in elements: rows of both begin on a sector, whatever the element."""
_INSIDE = {"blockIdx.x": 1, "blockIdx.y": 1, "blockIdx.z": 0, "gridDim.x": 64, "gridDim.y": 64, "gridDim.z": 1}
"""A block away from the border of its grid, where neighbouring elements exist."""
_LOADED_BYTES = frozenset({1, 2, 4, 8, 16})
"""What one request of a lane can move; larger elements are moved in several."""


class WarpRequest(Record):
    """One element access of a kernel."""

    line: int
    pointer: str
    """Name of the parameter that it goes through."""
    is_store: bool
    sectors: int
    ideal: int | None
    """Sectors that the lanes' bytes fill; None where only a member of the element is accessed."""
    is_whole_line: bool = True
    """False: the line also moves elements that take several requests."""
    text: str = ""
    """As it is written."""


def requests_of(parsed: ParsedSource, tree: SyntaxTree, kernel: Kernel, blocks: Sequence[Dim3]) -> tuple[WarpRequest, ...]:
    """In source order, of lines whose addresses are all certain; none where the body cannot be read or no block is known."""
    body = tree.node_at(kernel.body)
    if body is None or body.type != "compound_statement" or body.has_error or not blocks:
        return ()
    scope = _straight(scope_of(tree, kernel))
    accesses = global_accesses_in(tree, kernel, body, scope)
    locals_ = _locals(accesses, scope)
    lanes = [_lanes(parsed, tree, kernel, block, sizes) for block in blocks for sizes in _SIZES]
    lanes = [tuple(_with_locals(lane, locals_, scope) for lane in warp) for warp in lanes]
    taking_part = _TakingPart(scope, lanes)
    large = {access.line for access in accesses if not _is_one_request(access)}
    found = [(access.line, _request(access, scope, taking_part)) for access in accesses if _is_one_request(access)]
    unknown = {line for line, request in found if request is None}
    known = (replace(r, is_whole_line=line not in large) for line, r in found if r is not None and line not in unknown)
    return tuple(sorted(known, key=lambda request: request.line))


def _straight(scope: Scope) -> Scope:
    """Without the names that are assigned in several places: which of the values holds, the text does not say."""
    plain = {name: [w for w in writes if w.value is not None and not w.is_loop_start] for name, writes in scope.writes.items()}
    return scope.without(name for name, writes in plain.items() if len(writes) > 1)


def _locals(accesses: Sequence[Access], scope: Scope) -> tuple[tuple[str, Node], ...]:
    """Locals with one value that the accesses rest on, in the order in which they get it."""
    texts = [node_text(node) for access in accesses for node in (*access.offsets, *(c for c, _ in _conditions(access.node)))]
    waiting, found = {name for text in texts for name in words_in(text)}, dict[str, Write]()
    while waiting:
        name = waiting.pop()
        writes = scope.writes.get(name, ())
        if len(writes) == 1 and writes[0].value is not None and name not in found:
            found[name] = writes[0]
            waiting |= words_in(node_text(writes[0].value))
    in_order = sorted(found.items(), key=lambda item: item[1].offset_bytes)
    return tuple((name, write.value) for name, write in in_order if write.value is not None)


def _with_locals(lane: Mapping[str, int], locals_: Sequence[tuple[str, Node]], scope: Scope) -> dict[str, int]:
    """Each is worked out once, not at every mention."""
    values = dict(lane)
    for name, node in locals_:
        value = evaluate(node, scope, values)
        if value is not None:
            values[name] = value
    return values


def _lanes(parsed: ParsedSource, tree: SyntaxTree, kernel: Kernel, block: Dim3, sizes: tuple[int, int]) -> tuple[dict[str, int], ...]:
    first, step = sizes
    names = parameter_numbers(tree, kernel)
    known = {name: first + index * step for index, name in enumerate(names)} | template_values(parsed, tree, kernel)
    return tuple({**known, **lane, **_INSIDE} for lane in lane_environments(block))


class _TakingPart:
    """Which lanes get to an access; accesses below the same conditions are asked about once."""

    def __init__(self, scope: Scope, ways: Sequence[Sequence[Mapping[str, int]]]) -> None:
        self._scope = scope
        self._ways = ways
        self._found: dict[tuple[tuple[int, bool], ...], list[list[Mapping[str, int]]]] = {}

    def at(self, node: Node) -> list[list[Mapping[str, int]]]:
        """The lanes of each way."""
        conditions = tuple(_conditions(node))
        key = tuple((condition.id, wanted) for condition, wanted in conditions)
        if key not in self._found:
            self._found[key] = [[lane for lane in lanes if _is_met(conditions, self._scope, lane)] for lanes in self._ways]
        return self._found[key]


def _request(access: Access, scope: Scope, taking_part: _TakingPart) -> WarpRequest | None:
    """None where it is not certain: an address is unknown, or it costs differently at other sizes or in other blocks."""
    costs = {_cost(access, active, scope) for active in taking_part.at(access.node)}
    cost = costs.pop() if len(costs) == 1 else None
    if cost is None:
        return None
    sectors, needed = cost
    ideal = None if _is_of_member(access) else needed
    return WarpRequest(access.line, access.pointer, access.is_store, sectors, ideal, text=node_text(access.node))


def _is_one_request(access: Access) -> bool:
    """A member lies in one of the element's sectors, whichever it is: only of an element of one sector is it known which."""
    return access.size_bytes in _LOADED_BYTES or (access.size_bytes == SECTOR_BYTES and _is_of_member(access))


def _is_of_member(access: Access) -> bool:
    return access.node.parent is not None and access.node.parent.type == "field_expression"


def _cost(access: Access, active: Sequence[Mapping[str, int]], scope: Scope) -> tuple[int, int] | None:
    """Sectors counted and needed of the lanes that take part; None where one of them is unknown, or none does."""
    indices = addresses(access.offsets, scope, active)
    if not active or indices is None:
        return None
    sectors = sector_count(indices, access.size_bytes)
    return sectors, min(sectors, -(-len(active) * access.size_bytes // SECTOR_BYTES))


def _is_met(conditions: Sequence[tuple[Node, bool]], scope: Scope, lane: Mapping[str, int]) -> bool:
    """Whether a lane gets to an access, by what the text decides; conditions that it does not decide are taken to hold."""
    return all((value := evaluate(condition, scope, lane)) is None or bool(value) == wanted for condition, wanted in conditions)


def _conditions(node: Node) -> Iterator[tuple[Node, bool]]:
    """Conditions of the ``if`` statements around a node, with what they must come to."""
    while (parent := node.parent) is not None and parent.type != "function_definition":
        condition = parent.child_by_field_name("condition") if parent.type == "if_statement" else None
        inner = None if condition is None else condition.child_by_field_name("value")
        if inner is not None and node != condition:
            yield inner, parent.child_by_field_name("consequence") == node
        node = parent
