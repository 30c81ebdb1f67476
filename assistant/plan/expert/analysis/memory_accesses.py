"""Every access of a kernel to global and shared memory that one warp's addresses can be worked out for, and what it costs.

Example::

    before = warp_cost(context, lanes)
    after = warp_cost(context, lanes_with_x_and_y_exchanged)
    after.sectors < before.sectors
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assistant.cuda.accesses import Use, kind_of
from assistant.cuda.element_size import element_size_bytes
from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.macro_elements import macro_element
from assistant.cuda.scopes import scope_of
from assistant.cuda.shared_arrays import element_uses, shared_arrays
from assistant.cuda.syntax import Node, SyntaxTree, node_text, unparenthesized
from assistant.model.source import Kernel
from assistant.plan.expert.analysis.kernel_launches import template_environment
from assistant.plan.expert.analysis.parameter_numbers import parameter_numbers
from assistant.plan.expert.analysis.warp_pattern import sector_count, wavefront_count
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = [
    "Access",
    "WarpCost",
    "addresses",
    "global_accesses",
    "global_accesses_in",
    "loop_weight",
    "offsets_of",
    "unknown_sizes",
    "warp_cost",
]

LOOP_WEIGHT = 16
"""An access inside a loop counts this much more than one outside: enough to let loops decide, whatever their trip count."""

_FIRST_SIZE = 4096
"""Stands for the first integer parameter: a size as people choose them, whose rows start on a sector."""
_SIZE_STEP = 1024
_DEFAULT_BYTES = 4


class Access(Record):
    """One mention of an element behind a pointer parameter."""

    pointer: str
    """Name of the parameter."""
    offsets: tuple[Node, ...]
    """Expressions whose sum is the element's index."""
    size_bytes: int
    node: Node
    line: int
    is_store: bool


class WarpCost(Record):
    """What the first warp of a block pays, weighted by loops."""

    sectors: int
    line_sectors: int
    """Sectors of the finding's line alone, unweighted; 0 where no address of it is known."""
    wavefronts: int


def warp_cost(context: TransformationContext, lanes: Sequence[Mapping[str, int]]) -> WarpCost:
    """The cost of all accesses whose addresses are known; data-dependent ones are left out on both sides of a comparison."""
    scope = scope_of(context.tree, context.kernel)
    sectors = line_sectors = 0
    for access in global_accesses(context, scope):
        indices = addresses(access.offsets, scope, lanes)
        if indices is None:
            continue
        count = sector_count(indices, access.size_bytes)
        sectors += count * loop_weight(access.node)
        line_sectors += count if access.line == context.line else 0
    return WarpCost(sectors, line_sectors, sum(_wavefronts(context, scope, lanes)))


def unknown_sizes(context: TransformationContext) -> dict[str, int]:
    """A plausible value for each integer parameter or member of one, and the known template parameters."""
    names = parameter_numbers(context.tree, context.kernel)
    return {name: _FIRST_SIZE + index * _SIZE_STEP for index, name in enumerate(names)} | template_environment(context)


def addresses(offsets: Sequence[Node], scope: Scope, lanes: Sequence[Mapping[str, int]]) -> tuple[int, ...] | None:
    """The element index of each lane; None when one of them is unknown."""
    found: list[int] = []
    for lane in lanes:
        values = [evaluate(offset, scope, lane) for offset in offsets]
        known = [v for v in values if v is not None]
        if len(known) != len(values):
            return None
        found.append(sum(known))
    return tuple(found)


def global_accesses(context: TransformationContext, scope: Scope) -> tuple[Access, ...]:
    """Element accesses through pointer parameters, also through locals such as ``const float *row = in + y * n``."""
    return global_accesses_in(context.tree, context.kernel, context.body, scope)


def global_accesses_in(tree: SyntaxTree, kernel: Kernel, body: Node, scope: Scope) -> tuple[Access, ...]:
    """The same of a kernel of which nothing but its text is known."""
    return (*_accesses(tree, kernel, body, scope), *_macro_accesses(tree, kernel, body, scope))


def offsets_of(context: TransformationContext, scope: Scope, place: Node) -> tuple[Node, ...] | None:
    """Expressions whose sum is the index of the element that an lvalue or an address names; None where its parameter is not clear."""
    resolved = _resolved(place, scope, {p.name for p in context.kernel.parameters if p.is_pointer}, 0)
    return None if resolved is None else resolved[1]


def loop_weight(node: Node) -> int:
    """How much more an access counts for the loops around it; a third loop adds nothing."""
    depth, parent = 0, node.parent
    while parent is not None and parent.type != "function_definition":
        depth += parent.type in {"for_statement", "while_statement", "do_statement"}
        parent = parent.parent
    return LOOP_WEIGHT ** min(depth, 2)


def _accesses(tree: SyntaxTree, kernel: Kernel, body: Node, scope: Scope) -> Iterator[Access]:
    pointers = {p.name: p for p in kernel.parameters if p.is_pointer}
    for node in tree.find("subscript_expression", "pointer_expression", inside=body):
        is_address = node.type == "pointer_expression" and not node_text(node).startswith("*")
        if is_address or (node.parent is not None and node.parent.type == "pointer_expression" and node_text(node.parent)[0] == "&"):
            continue
        resolved = _resolved(node, scope, set(pointers), 0)
        if resolved is None:
            continue
        pointer, offsets = resolved
        element = pointers[pointer].element_type or ""
        size = element_size_bytes(tree, element) or _DEFAULT_BYTES
        yield Access(pointer, offsets, size, node, tree.line(node), kind_of(tree, node) in (Use.WRITE, Use.UPDATE))


def _macro_accesses(tree: SyntaxTree, kernel: Kernel, body: Node, scope: Scope) -> Iterator[Access]:
    """Elements behind macros such as ``AT(a, i, j)``."""
    pointers = {p.name: p for p in kernel.parameters if p.is_pointer}
    for call in tree.find("call_expression", inside=body):
        element = macro_element(tree, call)
        resolved = None if element is None else _resolved(element.base, scope, set(pointers), 0)
        if element is None or resolved is None:
            continue
        size = element_size_bytes(tree, pointers[resolved[0]].element_type or "") or _DEFAULT_BYTES
        is_store = kind_of(tree, call) in (Use.WRITE, Use.UPDATE)
        yield Access(resolved[0], (*resolved[1], element.index), size, call, tree.line(call), is_store)


def _resolved(node: Node, scope: Scope, pointers: set[str], depth: int) -> tuple[str, tuple[Node, ...]] | None:
    """(pointer parameter, offsets) of an element or pointer expression."""
    node = unparenthesized(node)
    if depth > 8:
        return None
    match node.type:
        case "identifier":
            name = node_text(node)
            if name in pointers and name not in scope.writes:
                return name, ()
            definition = scope.definition(name)
            return None if definition is None else _resolved(definition, scope, pointers, depth + 1)
        case "subscript_expression":
            base, indices = node.child_by_field_name("argument"), node.child_by_field_name("indices")
            found = None if base is None else _resolved(base, scope, pointers, depth + 1)
            is_element = base is None or unparenthesized(base).type == "subscript_expression"
            if found is None or indices is None or is_element:
                return None
            return found[0], (*found[1], *indices.named_children)
        case "pointer_expression":
            inner = node.child_by_field_name("argument")
            return None if inner is None else _resolved(inner, scope, pointers, depth + 1)
        case "binary_expression" if node_text(node.children[1]) == "+":
            for base, offset in ((node.children[0], node.children[2]), (node.children[2], node.children[0])):
                found = _resolved(base, scope, pointers, depth + 1)
                if found is not None:
                    return found[0], (*found[1], offset)
            return None
        case _:
            return None


def _wavefronts(context: TransformationContext, scope: Scope, lanes: Sequence[Mapping[str, int]]) -> Iterator[int]:
    environment = template_environment(context)
    for array in shared_arrays(context.tree, context.body):
        uses = element_uses(context.tree, context.body, array)
        lengths = [None if s is None else evaluate(s, scope, environment) for s in array.sizes[1:]]
        size = element_size_bytes(context.tree, array.element_type) or _DEFAULT_BYTES
        if isinstance(uses, str) or None in lengths:
            continue
        known = [v for v in lengths if v is not None]
        for use in uses:
            parts = [addresses((index,), scope, lanes) for index in use.indices]
            rows = [p for p in parts if p is not None]
            if len(rows) != len(parts):
                continue
            linear = rows[0]
            for length, values in zip(known, rows[1:], strict=True):
                linear = tuple(a * length + b for a, b in zip(linear, values, strict=True))
            yield wavefront_count(linear, size) * loop_weight(use.node)
