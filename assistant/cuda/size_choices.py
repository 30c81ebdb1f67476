"""Places where a kernel decides by a size and a constant: comparisons, limits, and remainders that wrap.

What memory holds decides nothing here, nor do small numbers: those are ordinary edge cases (``n == 0``, ``n % 4``). Example::

    choice = size_choices(tree, kernel)[0]
    choice.text, choice.limit             # ("n > 300000", 300000)
    distance(choice, {"n": 5003})         # -294997
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from assistant.cuda.comparisons import MIRRORED, OPPOSITE
from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.literals import floating_value, integer_value
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, node_text, unparenthesized
from assistant.model.elements import parse_element_type
from assistant.model.source import Kernel
from assistant.record import Record

__all__ = ["SizeChoice", "distance", "size_choices"]

_SMALLEST_TELLING = 16
"""Choices by smaller numbers are ordinary edge cases and remainders."""
_ORDINARY = (-1.0, 0.0, 1.0)
"""What floats are compared with for good reasons: a factor that does nothing, or nothing to add."""
_INDEX_WORDS = frozenset({"threadIdx", "blockIdx"})
_SIZE_WORDS = frozenset({"gridDim", "blockIdx"})
"""Not the block's size: where that is part of the text, so is what depends on it."""
_LIMITS = frozenset({"min", "max", "umin", "umax"})
_WRAPPING = frozenset({"%", "&"})
_DEEPEST = 12
"""Locals that are made of others."""
_NOTHING_KNOWN = Scope({}, {}, {})


class SizeChoice(Record):
    """One of them."""

    start: int
    """Character offset in the text."""
    text: str
    """As it is written, on one line: ``n > 300000``."""
    operator: str
    """Of the comparison, the limit on its right; ``min``, ``max``, ``%`` or ``&`` of what changes the value from the limit on."""
    limit: float
    value: Node
    """What is held against the limit."""
    scope: Scope
    is_of_index: bool
    """Whether the value follows from the number of the thread or block: it takes all values from its smallest to its largest."""


def size_choices(tree: SyntaxTree, kernel: Kernel) -> tuple[SizeChoice, ...]:
    """Those of the kernel's own body, in source order."""
    body = tree.node_at(kernel.body)
    if body is None:
        return ()
    scope = scope_of(tree, kernel).fixed()
    names = {parameter.name for parameter in kernel.parameters if not parameter.is_pointer and parameter.name} - scope.writes.keys()
    found = [_choice(tree, node, scope, body) for node in tree.find("binary_expression", "call_expression", inside=body)]
    of_sizes = [one for one in found if one is not None and _words(one.value, scope) & (names | _SIZE_WORDS)]
    floats = {parameter.name for parameter in kernel.parameters if _is_floating(parameter.type)}
    return tuple(one for one in of_sizes if _is_telling(one, floats))


def distance(choice: SizeChoice, values: Mapping[str, float]) -> float | None:
    """The value less the limit, in one thread; None where it depends on something unknown. ``values``: by name, as of `evaluate`."""
    known: float | None = values.get(node_text(choice.value))
    if known is None:
        known = evaluate(choice.value, choice.scope, {name: value for name, value in values.items() if isinstance(value, int)})
    return None if known is None else known - choice.limit


def _choice(tree: SyntaxTree, node: Node, scope: Scope, body: Node) -> SizeChoice | None:
    sides = _sides(node)
    if sides is None:
        return None
    operator, left, right = sides
    limits = _constant(left, scope), _constant(right, scope)
    if (limits[0] is None) == (limits[1] is None):
        return None
    limit, value = (limits[1], left) if limits[1] is not None else (limits[0], right)
    assert limit is not None, "one of them is a constant"
    if operator == "&" and (limit <= 0 or int(limit) & (int(limit) + 1)):
        return None
    if operator == "%" and value is right:
        return None
    if operator in _WRAPPING and _is_split(tree, operator, value, limit, body):
        return None
    said = " ".join(tree.text(node).split())
    words = _words(value, scope)
    found = SizeChoice(tree.span(node).start, said, operator, limit, unparenthesized(value), scope, bool(words & _INDEX_WORDS))
    if operator == "&":
        return replace(found, limit=limit + 1)
    return found if value is left else replace(found, operator=MIRRORED.get(operator, operator))


def _sides(node: Node) -> tuple[str, Node, Node] | None:
    """(operator, left, right) of a comparison, a limit or a remainder."""
    parts = binary_parts(node)
    if parts is not None:
        return parts if parts[0] in OPPOSITE or parts[0] in _WRAPPING else None
    name, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    called = "" if name is None else node_text(name).split("::")[-1]
    if called not in _LIMITS or arguments is None or arguments.named_child_count != 2:
        return None
    return called.removeprefix("u"), arguments.named_children[0], arguments.named_children[1]


def _constant(side: Node, scope: Scope) -> float | None:
    value = evaluate(side, scope, {})
    return floating_value(node_text(side)) if value is None else value


def _is_telling(choice: SizeChoice, floats: set[str]) -> bool:
    """Whether a number of some size stands in it; a remainder that another is compared with is told by itself."""
    if node_text(choice.value) in floats:
        return choice.limit not in _ORDINARY
    if choice.operator not in _WRAPPING and any(sign in node_text(choice.value) for sign in _WRAPPING):
        return False
    numbers = [integer_value(node_text(one)) or 0 for one in _inside(choice.value, "number_literal")]
    is_large = max((abs(number) for number in numbers), default=0) >= _SMALLEST_TELLING
    return abs(choice.limit) >= _SMALLEST_TELLING or (is_large and not choice.is_of_index)


def _is_floating(type_name: str) -> bool:
    element = parse_element_type(type_name)
    return element is not None and element.is_floating


def _words(node: Node, scope: Scope, depth: int = 0) -> frozenset[str]:
    """Names that the expression follows from, through locals with one value: ``threadIdx`` for ``threadIdx.x``."""
    found = set[str]()
    for one in _inside(node, "identifier"):
        name = node_text(one)
        defined = scope.definition(name) if depth < _DEEPEST else None
        found |= {name} if defined is None else _words(defined, scope, depth + 1)
    return frozenset(found)


def _is_split(tree: SyntaxTree, operator: str, value: Node, limit: float, body: Node) -> bool:
    """Whether the same value is divided as well: ``i % 64`` and ``i / 64``, or ``i & 63`` and ``i >> 6``, are a column and a row."""
    wanted = limit if operator == "%" else limit + 1
    for other in tree.find("binary_expression", inside=body):
        parts = binary_parts(other)
        number = None if parts is None or _plain(parts[1]) != _plain(value) else evaluate(parts[2], _NOTHING_KNOWN, {})
        if parts is not None and number is not None and {"/": number, ">>": 1 << max(0, min(number, 63))}.get(parts[0]) == wanted:
            return True
    return False


def _plain(node: Node) -> str:
    return "".join(node_text(unparenthesized(node)).split())


def _inside(node: Node, type_name: str) -> Iterator[Node]:
    if node.type == type_name:
        yield node
    for child in node.named_children:
        yield from _inside(child, type_name)
