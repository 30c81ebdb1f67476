"""Casts of every spelling: ``(int)x``, ``int(x)``, ``static_cast<int>(x)``.

Example::

    cast_of(node)                     # Cast("const float4 *", <in + k>) of `reinterpret_cast<const float4 *>(in + k)`
    without_integer_casts(node)       # the node of `n` in `((size_t)(n))`
"""

from __future__ import annotations

import re

from assistant.cuda.syntax import Node, node_text, unparenthesized, without_comments
from assistant.record import Record

__all__ = ["Cast", "cast_of", "without_integer_casts"]

_NAMED_CASTS = frozenset({"static_cast", "reinterpret_cast", "const_cast"})
_INTEGER = re.compile(
    r"(?:const )?(?:(?:unsigned|signed|long|short|int|char)(?: (?:unsigned|signed|long|short|int|char))*"
    r"|(?:std::)?(?:size_t|ssize_t|ptrdiff_t|u?int\d+_t|u?intptr_t)|uint)"
)


class Cast(Record):
    """One value taken as another type."""

    type: str
    """As spelled, with single spaces."""
    value: Node


def cast_of(node: Node) -> Cast | None:
    """The cast that ``node`` is; None for anything else. Of ``T(x)`` only integer types are known to be types."""
    if node.type == "cast_expression":
        spelled, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        return None if spelled is None or value is None else Cast(_spaced(spelled), value)
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    given = () if arguments is None else without_comments(arguments)
    if node.type != "call_expression" or function is None or len(given) != 1:
        return None
    name = function.child_by_field_name("name")
    if function.type == "template_function" and name is not None and node_text(name) in _NAMED_CASTS:
        inside = function.child_by_field_name("arguments")
        return None if inside is None else Cast(_spaced(inside)[1:-1].strip(), given[0])
    return Cast(_spaced(function), given[0]) if _INTEGER.fullmatch(_spaced(function)) else None


def without_integer_casts(node: Node) -> Node:
    """What stands inside any number of parentheses and of casts to integers."""
    node = unparenthesized(node)
    cast = cast_of(node)
    return node if cast is None or _INTEGER.fullmatch(cast.type) is None else without_integer_casts(cast.value)


def _spaced(node: Node) -> str:
    return " ".join(node_text(node).split())
