"""Questions about code that more than one source transformation asks: declarations, accesses, assignments, loops, names.

Pure functions over a syntax tree; nothing is resolved beyond what the text says.

Example::

    [(a.base, a.kind) for a in array_accesses(tree, loop)]   # [('in', AccessKind.READ), ('out', AccessKind.WRITE)]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from assistant.model.source import Expression
from assistant.source.parameters import declared_name
from assistant.source.syntax import Node, SyntaxTree, unparenthesized

__all__ = [
    "AccessKind",
    "ArrayAccess",
    "Assignment",
    "Declaration",
    "array_accesses",
    "assignments",
    "declaration_behind",
    "declarations",
    "double_literals",
    "fresh_name",
    "indentation",
    "loops_around",
    "shared_arrays",
    "uses_of",
]

_LOOPS = frozenset({"for_statement", "for_range_loop", "while_statement", "do_statement"})
_DOUBLE = re.compile(r"[+-]?(?:(?:\d[\d']*)?\.\d+|\d[\d']*\.)(?:[eE][+-]?\d+)?|[+-]?\d[\d']*[eE][+-]?\d+")
"""A decimal floating literal without ``f``, ``l`` or another suffix has type double (C++17, [lex.fcon])."""


class AccessKind(StrEnum):
    READ = "read"
    WRITE = "write"
    """Assigned without a look at the old value."""
    UPDATE = "update"
    """``+=``, ``++`` and their kin."""
    ADDRESS = "address"
    """``&a[i]``: what is done through it is not seen here."""


@dataclass(frozen=True)
class ArrayAccess:
    """One element touched through a name: ``a[i][j]``, ``*(a + i)`` or ``*a``."""

    base: str
    """The identifier; an access through any other expression is not reported."""
    indices: tuple[Node, ...]
    """One per dimension, outermost first; empty for ``*a``."""
    kind: AccessKind
    node: Node


@dataclass(frozen=True)
class Assignment:
    """One change of an lvalue."""

    target: Node
    operator: str
    """``=``, ``+=``, …, ``++`` or ``--``."""
    value: Node | None
    """None for ``++`` and ``--``."""
    node: Node


@dataclass(frozen=True)
class Declaration:
    """One declared variable; ``int a, b[4];`` gives two."""

    name: str
    type: str
    """The base type as spelled, without qualifiers, ``*`` and array bounds."""
    qualifiers: frozenset[str]
    """``const``, ``constexpr``, ``__shared__``, ``extern``, ``static``, …"""
    dimensions: tuple[Expression | None, ...]
    """Array bounds, outermost first; None where the brackets are empty."""
    arguments: tuple[Expression, ...]
    """Of ``dim3 b(32, 8)`` or ``b{32, 8}`` or ``b = dim3(32, 8)``; for ``int n = 4`` its one value."""
    value: Node | None
    """The initializer; None when there is none, or the grammar took ``dim3 b(X, Y)`` for a function."""
    declarator: Node
    node: Node
    """The whole statement, shared by all variables declared in it."""


def loops_around(tree: SyntaxTree, node: Node) -> tuple[Node, ...]:
    """Loops that contain ``node``, innermost first, up to the function."""
    found: list[Node] = []
    for ancestor in tree.ancestors(node):
        if ancestor.type in ("function_definition", "lambda_expression"):
            break
        if ancestor.type in _LOOPS:
            found.append(ancestor)
    return tuple(found)


def uses_of(tree: SyntaxTree, name: str, inside: Node) -> tuple[Node, ...]:
    """Every identifier ``name`` inside a node, its declaration included; members of that name are not."""
    return tuple(node for node in tree.find("identifier", inside=inside) if tree.text(node) == name)


def assignments(tree: SyntaxTree, inside: Node) -> tuple[Assignment, ...]:
    """Every assignment, compound assignment, increment and decrement, in source order."""
    found: list[Assignment] = []
    for node in tree.find("assignment_expression", "update_expression", inside=inside):
        target = node.child_by_field_name("left") or node.child_by_field_name("argument")
        operator = node.child_by_field_name("operator")
        if target is not None and operator is not None:
            found.append(Assignment(target, tree.text(operator), node.child_by_field_name("right"), node))
    return tuple(found)


def array_accesses(tree: SyntaxTree, inside: Node) -> tuple[ArrayAccess, ...]:
    """Every element touched through a name, in source order; of ``a[i][j]`` the whole, not ``a[i]`` too."""
    found = (_access(tree, node) for node in tree.find("subscript_expression", "pointer_expression", inside=inside))
    return tuple(access for access in found if access is not None)


def declarations(tree: SyntaxTree, inside: Node) -> tuple[Declaration, ...]:
    """Every variable declared inside a node, loop heads included, in source order."""
    found: list[Declaration] = []
    for node in tree.find("declaration", "for_range_loop", inside=inside):
        kind = node.child_by_field_name("type")
        for declarator in node.children_by_field_name("declarator"):
            if kind is not None:
                found.extend(_declaration(tree, node, kind, declarator))
    return tuple(found)


def shared_arrays(tree: SyntaxTree, inside: Node) -> tuple[Declaration, ...]:
    """Arrays declared ``__shared__``; a dynamic one has the qualifier ``extern`` and an empty first bound."""
    found = (d for d in declarations(tree, inside) if "__shared__" in d.qualifiers)
    return tuple(declaration for declaration in found if declaration.dimensions)


def declaration_behind(tree: SyntaxTree, expression: Expression) -> Declaration | None:
    """The variable that an expression such as a launch's ``grid`` names; None for any other expression."""
    node = tree.node_at(expression.span)
    if node is None or node.type != "identifier":
        return None
    for scope in tree.ancestors(node):
        if scope.type in ("compound_statement", "translation_unit", "declaration_list", "for_statement"):
            before = [
                declaration
                for declaration in declarations(tree, scope)
                if declaration.name == expression.text and declaration.node.start_byte < node.start_byte
            ]
            if before:
                return before[-1]
    return None


def double_literals(tree: SyntaxTree, inside: Node) -> tuple[Node, ...]:
    """Literals of type double, such as ``2.0`` and ``1e-3``."""
    return tuple(n for n in tree.find("number_literal", inside=inside) if _DOUBLE.fullmatch(tree.text(n)))


def fresh_name(tree: SyntaxTree, wanted: str) -> str:
    """``wanted``, or ``wanted_2``, ``wanted_3``, … : the first that stands nowhere in the text, macros included."""
    taken = set(re.findall(r"[A-Za-z_]\w*", tree.source))
    number = 1
    name = wanted
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name


def indentation(text: str, offset: int) -> str:
    """The blanks that begin the line of ``offset``."""
    start = text.rfind("\n", 0, offset) + 1
    line = text[start:]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _access(tree: SyntaxTree, node: Node) -> ArrayAccess | None:
    parent = node.parent
    if node.type == "subscript_expression":
        is_subscript = parent is not None and parent.type == "subscript_expression"
        if parent is not None and is_subscript and parent.child_by_field_name("argument") == node:
            return None
        base, indices = _subscripts(node)
    elif node.child_count and tree.text(node.children[0]) == "*":
        base, indices = _dereferenced(tree, node)
    else:
        return None
    if base is None or base.type != "identifier":
        return None
    return ArrayAccess(tree.text(base), indices, _kind(tree, node), node)


def _subscripts(node: Node) -> tuple[Node | None, tuple[Node, ...]]:
    indices: list[Node] = []
    base: Node | None = node
    while base is not None and base.type == "subscript_expression":
        subscript = base.child_by_field_name("indices")
        indices[:0] = [] if subscript is None else [n for n in subscript.named_children if n.type != "comment"]
        base = base.child_by_field_name("argument")
        base = None if base is None else unparenthesized(base)
    return base, tuple(indices)


def _dereferenced(tree: SyntaxTree, node: Node) -> tuple[Node | None, tuple[Node, ...]]:
    argument = node.child_by_field_name("argument")
    argument = None if argument is None else unparenthesized(argument)
    if argument is None or argument.type != "binary_expression":
        return argument, ()
    terms = tuple(_terms(tree, argument))
    return (terms[0], terms[1:]) if len(terms) == 2 else (None, ())


def _terms(tree: SyntaxTree, node: Node) -> Iterator[Node]:
    """``a`` and ``i`` of ``a + i``, in that order; nothing else is an access by index."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is not None and right is not None and operator is not None and tree.text(operator) == "+":
        yield unparenthesized(left)
        yield right


def _kind(tree: SyntaxTree, node: Node) -> AccessKind:
    child, parent = node, node.parent
    while parent is not None and parent.type in ("field_expression", "parenthesized_expression"):
        child, parent = parent, parent.parent
    if parent is None:
        return AccessKind.READ
    if parent.type == "assignment_expression" and parent.child_by_field_name("left") == child:
        operator = parent.child_by_field_name("operator")
        return AccessKind.WRITE if operator is not None and tree.text(operator) == "=" else AccessKind.UPDATE
    if parent.type == "update_expression":
        return AccessKind.UPDATE
    is_address = parent.type == "pointer_expression" and tree.text(parent.children[0]) == "&"
    return AccessKind.ADDRESS if is_address else AccessKind.READ


def _declaration(tree: SyntaxTree, node: Node, kind: Node, declarator: Node) -> Iterator[Declaration]:
    name = declared_name(declarator)
    if name is None:
        return
    value = declarator.child_by_field_name("value") if declarator.type == "init_declarator" else None
    if value is None:
        value = node.child_by_field_name("value")
    words = {tree.text(c) for c in node.children if c.type in ("type_qualifier", "storage_class_specifier")}
    yield Declaration(
        name=tree.text(name),
        type=tree.text(kind),
        qualifiers=frozenset(words),
        dimensions=tuple(_dimensions(tree, declarator)),
        arguments=_arguments(tree, declarator, value),
        value=value,
        declarator=declarator,
        node=node,
    )


def _dimensions(tree: SyntaxTree, declarator: Node) -> list[Expression | None]:
    sizes: list[Expression | None] = []
    inner: Node | None = declarator
    while inner is not None:
        if inner.type == "array_declarator":
            size = inner.child_by_field_name("size")
            sizes.insert(0, None if size is None else Expression(tree.text(size), tree.span(size)))
        inner = inner.child_by_field_name("declarator")
    return sizes


def _arguments(tree: SyntaxTree, declarator: Node, value: Node | None) -> tuple[Expression, ...]:
    holder = declarator.child_by_field_name("parameters") if value is None else value
    if holder is None:
        return ()
    if holder.type in ("call_expression", "compound_literal_expression"):
        holder = holder.child_by_field_name("arguments") or holder.child_by_field_name("value") or holder
    if holder.type not in ("argument_list", "initializer_list", "parameter_list"):
        return (Expression(tree.text(holder), tree.span(holder)),)
    children = [child for child in holder.named_children if child.type != "comment"]
    return tuple(Expression(tree.text(child), tree.span(child)) for child in children)
