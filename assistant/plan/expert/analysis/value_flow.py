"""Where the value of an expression goes: the largest arithmetic expression around it, and what takes that one's value.

Example::

    top = largest_expression(tree, literal)      # `x * 0.5 + y` in `float z = x * 0.5 + y;`
    sink_of(tree, kinds, function, top)          # Sink(Kind.FLOAT, "z")
"""

from __future__ import annotations

from assistant.cuda.builtins import FLOAT_NAMES
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.functions import Function, functions
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import locals_of
from assistant.plan.expert.analysis.value_kinds import Kind, ValueKinds
from assistant.record import Record

__all__ = ["COMPARISONS", "Sink", "is_double_function", "largest_expression", "operands", "sink_of"]

COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")
_ARITHMETIC = ("+", "-", "*", "/")
_OVERLOADED = ("min", "max", "abs", "std::min", "std::max", "std::abs")


class Sink(Record):
    """What takes a value."""

    kind: Kind | None
    """Kind that the value is converted to; None for a comparison, which converts to nothing."""
    words: str
    """For people: ``the double variable `d```."""


def is_double_function(tree: SyntaxTree, call: Node) -> bool:
    """A math function that has a double and a float version under this name."""
    name = callee_name(tree, call)
    return name.removeprefix("std::") in FLOAT_NAMES or name in _OVERLOADED


def largest_expression(tree: SyntaxTree, node: Node) -> Node:
    """Climbs through arithmetic, parentheses, ``?:`` branches and overloaded math functions."""
    while (parent := node.parent) is not None:
        above = parent.parent
        if parent.type == "argument_list" and above is not None and above.type == "call_expression":
            if not is_double_function(tree, above):
                return node
            node = above
        elif parent.type in ("parenthesized_expression", "unary_expression") or _joins(tree, parent, node):
            node = parent
        else:
            return node
    return node


def operands(tree: SyntaxTree, node: Node) -> tuple[Node, ...]:
    """Sub-expressions whose values make up the value of ``node``; empty for a leaf."""
    if node.type == "call_expression":
        arguments = node.child_by_field_name("arguments")
        is_transparent = arguments is not None and is_double_function(tree, node)
        return tuple(arguments.named_children) if arguments is not None and is_transparent else ()
    if node.type in ("parenthesized_expression", "unary_expression"):
        return tuple(node.named_children)
    return tuple(child for child in node.named_children if _joins(tree, node, child))


def sink_of(tree: SyntaxTree, kinds: ValueKinds, function: Function, node: Node) -> Sink:
    """What the value of a largest expression is converted to."""
    parent = node.parent
    if parent is None:
        return Sink(Kind.UNKNOWN, "an unknown place")
    operator = parent.child_by_field_name("operator")
    spelled = "" if operator is None else tree.text(operator)
    match parent.type:
        case "binary_expression" if spelled in COMPARISONS:
            return Sink(None, "a comparison")
        case "assignment_expression" if (left := parent.child_by_field_name("left")) not in (None, node):
            assert left is not None
            return Sink(kinds.of(left), f"`{tree.text(left)}`")
        case "init_declarator" | "initializer_list":
            return _declared_sink(tree, kinds, function, parent)
        case "return_statement":
            return Sink(kinds.return_kind(), f"the result of `{function.name}`")
        case "cast_expression":
            return Sink(kinds.of(parent), f"`{tree.text(parent)}`")
        case "argument_list":
            return _argument_sink(tree, kinds, parent, node)
        case _:
            return Sink(Kind.UNKNOWN, "a place of unknown type")


def _joins(tree: SyntaxTree, parent: Node, child: Node) -> bool:
    operator = parent.child_by_field_name("operator")
    if parent.type == "binary_expression":
        return operator is not None and tree.text(operator) in _ARITHMETIC and child != operator
    is_branch = child in (parent.child_by_field_name("consequence"), parent.child_by_field_name("alternative"))
    return parent.type == "conditional_expression" and is_branch


def _declared_sink(tree: SyntaxTree, kinds: ValueKinds, function: Function, parent: Node) -> Sink:
    declarator: Node | None = parent
    while declarator is not None and declarator.type != "init_declarator":
        declarator = declarator.parent
    name = None if declarator is None else next(tree.find("identifier", inside=declarator), None)
    variables = () if name is None else locals_of(tree, function.body).get(tree.text(name), ())
    types = {v.type for v in variables}
    if len(types) != 1 or name is None:
        return Sink(Kind.UNKNOWN, "a variable of unclear type")
    kind = Kind.DOUBLE if types == {"auto"} else kinds.of_type(types.pop())
    return Sink(kind, f"`{tree.text(name)}`")


def _argument_sink(tree: SyntaxTree, kinds: ValueKinds, arguments: Node, node: Node) -> Sink:
    call = arguments.parent
    if call is None or call.type != "call_expression":
        return Sink(Kind.UNKNOWN, "a constructor")
    name = callee_name(tree, call)
    index = given_arguments(call).index(node)
    words = f"an argument of `{name}`"
    if name in FLOAT_NAMES.values() or name.startswith(("make_float", "__f", "__float2")):
        return Sink(Kind.FLOAT, words)
    if name.startswith("atomic") and index > 0:
        return (
            Sink(kinds.of(arguments.named_children[0].named_children[0]), words) if _names_element(arguments) else Sink(Kind.UNKNOWN, words)
        )
    if name.startswith("__shfl") and index == 1:
        return Sink(kinds.of(call), words)
    result = kinds.of(call)
    if name.endswith("_cast") or name in ("float", "double", "int"):
        return Sink(result, f"`{tree.text(call)}`")
    if name.startswith("__") and result is Kind.FLOAT:
        return Sink(Kind.FLOAT, words)
    known = [f for f in functions(tree) if f.name == name.split("::")[-1]]
    if len(known) == 1 and index < len(known[0].parameters):
        return Sink(ValueKinds(tree, known[0]).of_type(known[0].parameters[index].type), words)
    return Sink(Kind.UNKNOWN, words)


def _names_element(arguments: Node) -> bool:
    first = arguments.named_children[0]
    return first.type == "pointer_expression" and bool(first.named_children)
