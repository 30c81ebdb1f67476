"""What integer expressions of a kernel come to, for one thread: locals, constants, macros and small helpers are followed.

Used to see which addresses a warp touches before and after an edit. It gives None wherever it is not sure: it never guesses.

Example::

    scope = scope_of(tree, kernel)     # assistant.cuda.scopes
    evaluate(index_node, scope, {"threadIdx.x": 5, "blockIdx.x": 0, "blockDim.x": 256, "n": 1024})
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from assistant.cuda.casts import cast_of
from assistant.cuda.literals import integer_value
from assistant.cuda.syntax import Node, binary_parts, node_text
from assistant.record import Record

__all__ = [
    "Formula",
    "Scope",
    "Write",
    "evaluate",
]

Environment = Mapping[str, int]

_INTEGER_TYPE = re.compile(r"[\w\s:]*(?:int|long|size_t|unsigned|\b[uis](?:32|64)(?:_t)?\b)\w*\s*")
_MAX_DEPTH = 24
"""Deepest chain of definitions that is followed; ends cycles such as ``int i = i``."""


class Write(Record):
    """One place where a local variable gets a value."""

    offset_bytes: int
    """End of the writing expression."""
    value: Node | None
    """None when the new value is not a plain expression (``+=``, ``++``, ``&x``)."""
    is_loop_start: bool
    """The initializer of a ``for``: the value in the first iteration only."""


class Formula(Record):
    """A macro or a helper that is one expression of its parameters."""

    parameters: tuple[str, ...]
    body: Node


class Scope(Record):
    """Every name of a kernel that may have an integer value."""

    constants: Mapping[str, int]
    formulas: Mapping[str, Formula]
    writes: Mapping[str, tuple[Write, ...]]

    def definition(self, name: str) -> Node | None:
        """The initializer of a local that is written once, outside a loop head; None for anything else."""
        writes = self.writes.get(name, ())
        if len(writes) != 1 or writes[0].is_loop_start:
            return None
        return writes[0].value

    def fixed(self) -> Scope:
        """The same names, where only a local that is written once and outside a loop head has a value."""
        return self.without(name for name in self.writes if self.definition(name) is None)

    def without(self, names: Iterable[str]) -> Scope:
        """The same names, of which ``names`` have no value."""
        unknown = (Write(0, None, is_loop_start=False),)
        return Scope(self.constants, self.formulas, {**self.writes, **dict.fromkeys(names, unknown)})

    def value_before(self, name: str, offset_bytes: int) -> Node | None:
        """The expression last written to ``name`` before an offset, read straight down the text."""
        earlier = [w for w in self.writes.get(name, ()) if w.offset_bytes <= offset_bytes]
        return earlier[-1].value if earlier else None


def evaluate(node: Node, scope: Scope, environment: Environment, depth: int = 0) -> int | None:
    """The expression's value; None when it depends on something unknown.

    ``environment`` gives built-ins under their spelling (``threadIdx.x``) and parameters under their name; members, elements and calls
    under theirs, without blanks.
    """
    if depth > _MAX_DEPTH:
        return None
    handler = _HANDLERS.get(node.type)
    return None if handler is None else handler(node, scope, environment, depth + 1)


def _number(node: Node, scope: Scope, environment: Environment, depth: int) -> int | None:
    return integer_value(node_text(node))


def _identifier(node: Node, scope: Scope, environment: Environment, depth: int) -> int | None:
    name = node_text(node)
    if name in environment:
        return environment[name]
    value = scope.value_before(name, node.start_byte)
    if value is not None:
        return evaluate(value, scope, environment, depth)
    return None if name in scope.writes else scope.constants.get(name)


def _qualified(node: Node, scope: Scope, environment: Environment, depth: int) -> int | None:
    """``audio::kBlock``: a constant's name means one value wherever it stands."""
    said, name = _said(node, scope, environment, depth), node.child_by_field_name("name")
    return said if said is not None or name is None else scope.constants.get(node_text(name))


def _said(node: Node, scope: Scope, environment: Environment, depth: int) -> int | None:
    """What the caller says that a whole expression comes to."""
    return environment.get(node_text(node).replace(" ", ""))


def _inner(node: Node, scope: Scope, environment: Environment, depth: int) -> int | None:
    return evaluate(node.named_children[0], scope, environment, depth) if node.named_child_count == 1 else None


def _cast(node: Node, scope: Scope, environment: Environment, depth: int) -> int | None:
    cast = cast_of(node)
    return None if cast is None or _INTEGER_TYPE.fullmatch(cast.type) is None else evaluate(cast.value, scope, environment, depth)


def _unary(node: Node, scope: Scope, environment: Environment, depth: int) -> int | None:
    argument, operator = node.child_by_field_name("argument"), node.child_by_field_name("operator")
    value = None if argument is None else evaluate(argument, scope, environment, depth)
    if value is None or operator is None:
        return None
    match node_text(operator):
        case "-":
            return -value
        case "+":
            return value
        case "~":
            return ~value
        case "!":
            return int(value == 0)
        case _:
            return None


def _conditional(node: Node, scope: Scope, environment: Environment, depth: int) -> int | None:
    condition = node.child_by_field_name("condition")
    chosen = None if condition is None else evaluate(condition, scope, environment, depth)
    if chosen is None:
        return None
    branch = node.child_by_field_name("consequence" if chosen else "alternative")
    return None if branch is None else evaluate(branch, scope, environment, depth)


def _call(node: Node, scope: Scope, environment: Environment, depth: int) -> int | None:
    said = _said(node, scope, environment, depth)
    if said is not None:
        return said
    name, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if name is None or arguments is None or cast_of(node) is not None:
        return _cast(node, scope, environment, depth)
    values = [evaluate(a, scope, environment, depth) for a in arguments.named_children]
    known = [v for v in values if v is not None]
    called = node_text(name)
    if not known or len(known) != len(values):
        return None
    if called == "__brev" and len(known) == 1:
        return int(f"{known[0] & 0xFFFFFFFF:032b}"[::-1], 2)
    if called.split("::")[-1] in {"min", "max"}:
        return (min if called.endswith("min") else max)(known)
    formula = scope.formulas.get(called)
    if formula is None or len(formula.parameters) != len(known):
        return None
    inner = {**environment, **dict(zip(formula.parameters, known, strict=True))}
    return evaluate(formula.body, Scope(scope.constants, scope.formulas, {}), inner, depth)


def _binary(node: Node, scope: Scope, environment: Environment, depth: int) -> int | None:
    parts = binary_parts(node)
    if parts is None:
        return None
    operator, left_node, right_node = parts
    left = evaluate(left_node, scope, environment, depth)
    right = evaluate(right_node, scope, environment, depth)
    if left is None or right is None:
        return None
    operation = _OPERATIONS.get(operator)
    is_undefined = (operator in {"/", "%"} and right == 0) or (operator in {"<<", ">>"} and right < 0)
    return None if operation is None or is_undefined else operation(left, right)


def _truncated_quotient(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


_OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _truncated_quotient,
    "%": lambda a, b: a - b * _truncated_quotient(a, b),
    "<<": lambda a, b: a << min(b, 64),
    ">>": lambda a, b: a >> b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "&&": lambda a, b: int(a != 0 and b != 0),
    "||": lambda a, b: int(a != 0 or b != 0),
}

_HANDLERS: Mapping[str, Callable[[Node, Scope, Environment, int], int | None]] = {
    "number_literal": _number,
    "identifier": _identifier,
    "type_identifier": _identifier,  # ``dim3 block(THREADS)`` reads like a prototype
    "qualified_identifier": _qualified,
    "field_expression": _said,
    "subscript_expression": _said,
    "parenthesized_expression": _inner,
    "cast_expression": _cast,
    "unary_expression": _unary,
    "binary_expression": _binary,
    "conditional_expression": _conditional,
    "call_expression": _call,
}
