"""What integer expressions of a kernel come to, for one thread: locals, constants, macros and small helpers are followed.

Used to see which addresses a warp touches before and after an edit. It gives None wherever it is not sure: it never guesses.

Example::

    scope = scope_of(tree, kernel)
    evaluate(index_node, scope, {"threadIdx.x": 5, "blockIdx.x": 0, "blockDim.x": 256, "n": 1024})
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from assistant.model.source import Kernel
from assistant.source.syntax import Node, SyntaxTree

__all__ = [
    "Function",
    "Scope",
    "Write",
    "constants_of",
    "evaluate",
    "node_text",
    "parsed_expression",
    "scope_inside",
    "scope_of",
    "unparenthesized",
]

Environment = Mapping[str, int]

_INTEGER = re.compile(r"([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)(?:[uU]?[lL]{0,2}|[lL]{1,2}[uU])", re.ASCII)
_MAX_DEPTH = 24
"""Deepest chain of definitions that is followed; ends cycles such as ``int i = i``."""


@dataclass(frozen=True)
class Write:
    """One place where a local variable gets a value."""

    offset_bytes: int
    """End of the writing expression."""
    value: Node | None
    """None when the new value is not a plain expression (``+=``, ``++``, ``&x``)."""
    is_loop_start: bool
    """The initializer of a ``for``: the value in the first iteration only."""


@dataclass(frozen=True)
class Function:
    """A macro or a helper that is one expression of its parameters."""

    parameters: tuple[str, ...]
    body: Node


@dataclass(frozen=True)
class Scope:
    """Every name of a kernel that may have an integer value."""

    constants: Mapping[str, int]
    functions: Mapping[str, Function]
    writes: Mapping[str, tuple[Write, ...]]

    def definition(self, name: str) -> Node | None:
        """The initializer of a local that is written once, outside a loop head; None for anything else."""
        writes = self.writes.get(name, ())
        if len(writes) != 1 or writes[0].is_loop_start:
            return None
        return writes[0].value

    def fixed(self) -> Scope:
        """The same names, where only a local that is written once and outside a loop head has a value."""
        unknown = (Write(0, None, is_loop_start=False),)
        return Scope(
            self.constants,
            self.functions,
            {name: unknown if self.definition(name) is None else writes for name, writes in self.writes.items()},
        )

    def value_before(self, name: str, offset_bytes: int) -> Node | None:
        """The expression last written to ``name`` before an offset, read straight down the text."""
        earlier = [w for w in self.writes.get(name, ()) if w.offset_bytes <= offset_bytes]
        return earlier[-1].value if earlier else None


def scope_of(tree: SyntaxTree, kernel: Kernel) -> Scope:
    """The names that a kernel's body sees."""
    scope = scope_inside(tree, tree.node_at(kernel.body))
    parameters = {p.name for p in kernel.parameters} | {p.name for p in kernel.template_parameters}
    constants = {name: value for name, value in scope.constants.items() if name not in parameters}
    return Scope(constants, scope.functions, scope.writes)


def scope_inside(tree: SyntaxTree, body: Node | None) -> Scope:
    """The names that a function's body sees; only the file's when there is no body."""
    return Scope(constants_of(tree), _functions(tree), {} if body is None else _writes(body))


def node_text(node: Node) -> str:
    """The node's own text, whichever tree it belongs to."""
    return (node.text or b"").decode("utf-8", "surrogatepass")


def unparenthesized(node: Node) -> Node:
    """The expression inside any number of parentheses."""
    while node.type == "parenthesized_expression" and node.named_child_count == 1:
        node = node.named_children[0]
    return node


def parsed_expression(text: str) -> Node | None:
    """A text as an expression of its own; None where it is not one."""
    tree = SyntaxTree(f"int value_ = ({text.split('//')[0].strip()});")
    found = next((v for d in tree.find("declaration") for _, v in _initializers(d)), None)
    return None if tree.root.has_error else found


def evaluate(node: Node, scope: Scope, environment: Environment, depth: int = 0) -> int | None:
    """The expression's value; None when it depends on something unknown.

    ``environment`` gives built-ins under their spelling (``threadIdx.x``) and parameters under their name.
    """
    if depth > _MAX_DEPTH:
        return None
    handler = _HANDLERS.get(node.type)
    return None if handler is None else handler(node, scope, environment, depth + 1)


def constants_of(tree: SyntaxTree) -> dict[str, int]:
    """File-level and host integer constants: object-like macros, ``const``/``constexpr`` integers, enumerators."""
    found: dict[str, int] = {}
    repeated: set[str] = set()
    for name, value in _constant_definitions(tree):
        number = evaluate(value, Scope(found, {}, {}), {})
        if number is None:
            continue
        if found.get(name, number) != number:
            repeated.add(name)
        found[name] = number
    return {name: value for name, value in found.items() if name not in repeated}


def _constant_definitions(tree: SyntaxTree) -> Iterator[tuple[str, Node]]:
    for node in tree.find("preproc_def", "declaration", "enumerator"):
        if node.type == "declaration":
            qualifiers = {node_text(c) for c in node.children if c.type == "type_qualifier"}
            if qualifiers & {"const", "constexpr"}:
                yield from ((node_text(n), v) for n, v in _initializers(node))
            continue
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None:
            continue
        expression = parsed_expression(node_text(value)) if node.type == "preproc_def" else value
        if expression is not None:
            yield node_text(name), expression


def _functions(tree: SyntaxTree) -> dict[str, Function]:
    found: dict[str, Function] = {}
    for node in tree.find("preproc_function_def"):
        name, parameters = node.child_by_field_name("name"), node.child_by_field_name("parameters")
        value = node.child_by_field_name("value")
        body = None if value is None else parsed_expression(node_text(value))
        if name is not None and parameters is not None and body is not None:
            found[node_text(name)] = Function(tuple(node_text(p) for p in parameters.named_children), body)
    for node in tree.find("function_definition"):
        declarator, body = node.child_by_field_name("declarator"), node.child_by_field_name("body")
        if declarator is None or body is None or declarator.type != "function_declarator":
            continue
        name, parameters = declarator.child_by_field_name("declarator"), declarator.child_by_field_name("parameters")
        statements = body.named_children
        if name is None or parameters is None or len(statements) != 1 or statements[0].type != "return_statement":
            continue
        names = [p.child_by_field_name("declarator") for p in parameters.named_children]
        if statements[0].named_child_count == 1 and all(n is not None and n.type == "identifier" for n in names):
            found[node_text(name)] = Function(tuple(node_text(n) for n in names if n is not None), statements[0].named_children[0])
    return found


def _writes(body: Node) -> dict[str, tuple[Write, ...]]:
    found: dict[str, list[Write]] = {}
    stack = [body]
    while stack:
        node = stack.pop()
        for name, write in _writes_of(node):
            found.setdefault(name, []).append(write)
        stack.extend(reversed(node.children))
    return {name: tuple(sorted(writes, key=lambda w: w.offset_bytes)) for name, writes in found.items()}


def _writes_of(node: Node) -> Iterator[tuple[str, Write]]:
    match node.type:
        case "declaration":
            is_loop_start = node.parent is not None and node.parent.type == "for_statement"
            for name, value in _initializers(node):
                yield node_text(name), Write(value.end_byte, value, is_loop_start)
        case "assignment_expression":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            operator = node.child_by_field_name("operator")
            if left is None or left.type != "identifier" or _is_loop_update(node):
                return
            is_plain = operator is not None and node_text(operator) == "="
            yield node_text(left), Write(node.end_byte, right if is_plain else None, is_loop_start=False)
        case "update_expression" | "pointer_expression":
            argument = node.child_by_field_name("argument")
            is_address = node.type == "update_expression" or node_text(node).startswith("&")
            if argument is not None and argument.type == "identifier" and is_address and not _is_loop_update(node):
                yield node_text(argument), Write(node.end_byte, None, is_loop_start=False)
        case _:
            return


def _is_loop_update(node: Node) -> bool:
    parent = node.parent
    while parent is not None and parent.type == "comma_expression":
        node, parent = parent, parent.parent
    return parent is not None and parent.type == "for_statement" and parent.child_by_field_name("update") == node


def _initializers(declaration: Node) -> Iterator[tuple[Node, Node]]:
    for declarator in declaration.children_by_field_name("declarator"):
        if declarator.type != "init_declarator":
            continue
        name, value = declarator.child_by_field_name("declarator"), declarator.child_by_field_name("value")
        while name is not None and name.type == "pointer_declarator":
            name = name.child_by_field_name("declarator")
        if name is None or value is None or name.type != "identifier":
            continue
        if value.type in {"argument_list", "initializer_list"}:
            if value.named_child_count != 1:
                continue
            value = value.named_children[0]
        yield name, value


def _number(node: Node, scope: Scope, environment: Environment, depth: int) -> int | None:
    match = _INTEGER.fullmatch(node_text(node).replace("'", ""))
    if match is None:
        return None
    digits = match[2]
    is_octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
    value = int(digits, 8) if is_octal else int(digits, 0)
    return -value if match[1] == "-" else value


def _identifier(node: Node, scope: Scope, environment: Environment, depth: int) -> int | None:
    name = node_text(node)
    if name in environment:
        return environment[name]
    value = scope.value_before(name, node.start_byte)
    if value is not None:
        return evaluate(value, scope, environment, depth)
    return None if name in scope.writes else scope.constants.get(name)


def _field(node: Node, scope: Scope, environment: Environment, depth: int) -> int | None:
    return environment.get(node_text(node).replace(" ", ""))


def _inner(node: Node, scope: Scope, environment: Environment, depth: int) -> int | None:
    return evaluate(node.named_children[0], scope, environment, depth) if node.named_child_count == 1 else None


def _cast(node: Node, scope: Scope, environment: Environment, depth: int) -> int | None:
    value, kind = node.child_by_field_name("value"), node.child_by_field_name("type")
    if value is None or kind is None or not re.fullmatch(r"[\w\s:]*(int|long|size_t|unsigned)\w*\s*", node_text(kind)):
        return None
    return evaluate(value, scope, environment, depth)


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
    name, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if name is None or arguments is None:
        return None
    values = [evaluate(a, scope, environment, depth) for a in arguments.named_children]
    known = [v for v in values if v is not None]
    called = node_text(name)
    if not known or len(known) != len(values):
        return None
    if called.split("::")[-1] in {"min", "max"}:
        return (min if called.endswith("min") else max)(known)
    if called in {"int", "unsigned", "size_t", "long", "static_cast<int>", "static_cast<unsigned>", "static_cast<size_t>"}:
        return known[0]
    function = scope.functions.get(called)
    if function is None or len(function.parameters) != len(known):
        return None
    inner = {**environment, **dict(zip(function.parameters, known, strict=True))}
    return evaluate(function.body, Scope(scope.constants, scope.functions, {}), inner, depth)


def _binary(node: Node, scope: Scope, environment: Environment, depth: int) -> int | None:
    left_node, right_node = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left_node is None or right_node is None or operator is None:
        return None
    left = evaluate(left_node, scope, environment, depth)
    right = evaluate(right_node, scope, environment, depth)
    if left is None or right is None:
        return None
    operation = _OPERATIONS.get(node_text(operator))
    is_undefined = (node_text(operator) in {"/", "%"} and right == 0) or (node_text(operator) in {"<<", ">>"} and right < 0)
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
    "field_expression": _field,
    "parenthesized_expression": _inner,
    "cast_expression": _cast,
    "unary_expression": _unary,
    "binary_expression": _binary,
    "conditional_expression": _conditional,
    "call_expression": _call,
}
