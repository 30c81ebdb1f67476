"""Functions of a CUDA text as a transformation reads them: parameters, locals, constants, macros.

Knows the syntax tree only; no types beyond what is spelled.

Example::

    function = enclosing_function(tree, tree.node_at(kernel.body))
    [p.name for p in function.parameters if p.is_pointer]
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from assistant.source.syntax import Node, SyntaxTree

__all__ = [
    "KEPT_ANSWERS",
    "Function",
    "Variable",
    "all_functions",
    "conditional_macros",
    "declared_name",
    "enclosing_function",
    "fresh_name",
    "integer_constant",
    "locals_of",
    "macro_bodies",
]

_INTEGER_TYPES = ("int", "unsigned", "unsigned int", "size_t", "long", "long long", "short", "uint32_t", "int32_t", "auto")
_DECLARATORS = ("pointer_declarator", "array_declarator", "reference_declarator", "parenthesized_declarator", "init_declarator")
KEPT_ANSWERS = 64
"""Answers about syntax trees that are kept: transformations ask the same ones many times over one text."""
_RESTRICT = re.compile(r"\b__restrict(?:__)?\b")
_NOT_THE_TYPE = re.compile(
    r"\b(?:const|volatile|constexpr|static|register|extern|struct|__restrict__|__restrict|__device__|__constant__|__shared__)\b"
)


@dataclass(frozen=True)
class Variable:
    """A parameter or a local variable."""

    name: str
    type: str
    """Element type without qualifiers, pointers and array bounds (``float``, ``unsigned int``, ``auto``)."""
    indirection: int
    """Number of ``*`` and, for a parameter, of array bounds: 1 for ``float *a`` and ``float a[]``, 2 for ``float **a``."""
    is_array: bool
    """A local array; an array parameter is a pointer."""
    is_reference: bool
    is_const: bool
    """For a pointer: what it points to is const."""
    is_volatile: bool
    is_restrict: bool
    is_shared: bool
    node: Node
    """The ``parameter_declaration`` or ``declaration``."""
    declarator: Node
    value: Node | None
    """The initializer's expression; None when there is none."""

    @property
    def is_pointer(self) -> bool:
        return self.indirection > 0


@dataclass(frozen=True)
class Function:
    """One function definition of the text."""

    name: str
    """Unqualified."""
    parameters: tuple[Variable, ...]
    node: Node
    body: Node

    @property
    def is_kernel(self) -> bool:
        return any(child.type == "__global__" for child in self.node.children)

    def parameter(self, name: str) -> Variable | None:
        return next((p for p in self.parameters if p.name == name), None)


@lru_cache(maxsize=KEPT_ANSWERS)
def all_functions(tree: SyntaxTree) -> tuple[Function, ...]:
    """Every function definition, in source order."""
    found = (function_of(tree, node) for node in tree.find("function_definition"))
    return tuple(function for function in found if function is not None)


def function_of(tree: SyntaxTree, node: Node) -> Function | None:
    """The function that a ``function_definition`` defines; None where the parser could not read its head."""
    body = node.child_by_field_name("body")
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")
    if declarator is None or body is None:
        return None
    name_node = declarator.child_by_field_name("declarator")
    if name_node is None:
        return None
    name = re.sub(r"<.*", "", tree.text(name_node), flags=re.DOTALL).split("::")[-1].strip()
    return Function(name, parameters_of(tree, declarator), node, body)


def parameters_of(tree: SyntaxTree, declarator: Node) -> tuple[Variable, ...]:
    """The parameters of a ``function_declarator``; unnamed ones have an empty name."""
    parameter_list = declarator.child_by_field_name("parameters")
    if parameter_list is None:
        return ()
    kinds = ("parameter_declaration", "optional_parameter_declaration")
    return tuple(_parameter(tree, node) for node in parameter_list.named_children if node.type in kinds)


def enclosing_function(tree: SyntaxTree, node: Node) -> Function | None:
    """The function whose definition contains ``node``; None at file scope."""
    for ancestor in (node, *tree.ancestors(node)):
        if ancestor.type == "function_definition":
            return function_of(tree, ancestor)
    return None


@lru_cache(maxsize=KEPT_ANSWERS)
def locals_of(tree: SyntaxTree, body: Node) -> Mapping[str, tuple[Variable, ...]]:
    """Variables declared anywhere inside ``body``, by name; several where scopes reuse a name."""
    found: dict[str, tuple[Variable, ...]] = {}
    for declaration in tree.find("declaration", inside=body):
        for declarator in declaration.children_by_field_name("declarator"):
            variable = _variable(tree, declaration, declarator)
            found[variable.name] = (*found.get(variable.name, ()), variable)
    return found


def declared_name(declarator: Node) -> Node | None:
    """The identifier inside a declarator; None for an unnamed parameter."""
    node: Node | None = declarator
    while node is not None and node.type not in ("identifier", "field_identifier"):
        inner = node.child_by_field_name("declarator")
        if inner is None:
            inner = next((c for c in node.named_children if c.type in (*_DECLARATORS, "identifier")), None)
        node = inner
    return node


@lru_cache(maxsize=KEPT_ANSWERS)
def macro_bodies(tree: SyntaxTree) -> Mapping[str, str]:
    """Replacement text of every macro that is defined exactly once, function-like ones included."""
    bodies: dict[str, list[str]] = {}
    for node in tree.find("preproc_def", "preproc_function_def"):
        name = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        if name is not None:
            bodies.setdefault(tree.text(name), []).append("" if value is None else tree.text(value).strip())
    return {name: texts[0] for name, texts in bodies.items() if len(texts) == 1}


@lru_cache(maxsize=KEPT_ANSWERS)
def conditional_macros(tree: SyntaxTree) -> frozenset[str]:
    """Macros defined under ``#if`` or ``#ifndef``: the compiler's command line may give them another value."""
    branches = ("preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif")
    found: set[str] = set()
    for node in tree.find("preproc_def", "preproc_function_def"):
        name = node.child_by_field_name("name")
        if name is not None and any(a.type in branches for a in tree.ancestors(node)):
            found.add(tree.text(name))
    return frozenset(found)


def integer_constant(tree: SyntaxTree, expression: str) -> int | None:
    """The value of an expression of integer literals, object-like macros and ``const`` integers; None when not constant.

    Folds ``+ - *`` and exact or truncating ``/`` of non-negative values.
    """
    constants = {**_integer_variables(tree), **macro_bodies(tree)}
    return _fold(expression, constants, depth=0)


def fresh_name(tree: SyntaxTree, wanted: str) -> str:
    """``wanted``, or ``wanted2``, ``wanted3``, …: the first that the text does not use yet."""
    taken = {tree.text(node) for node in tree.find("identifier", "field_identifier", "type_identifier")}
    candidates: Iterator[str] = (wanted if index == 1 else f"{wanted}{index}" for index in range(1, len(taken) + 2))
    return next(name for name in candidates if name not in taken)


def _parameter(tree: SyntaxTree, node: Node) -> Variable:
    declarator = node.child_by_field_name("declarator")
    variable = _variable(tree, node, node if declarator is None else declarator)
    bounds = sum(1 for _ in tree.find("array_declarator", inside=node))
    return replace(variable, indirection=variable.indirection + bounds, is_array=False)


def _variable(tree: SyntaxTree, declaration: Node, declarator: Node) -> Variable:
    name = None if declarator is declaration else declared_name(declarator)
    type_node = declaration.child_by_field_name("type")
    head = tree.source[tree.span(declaration).start : tree.span(declarator).start]
    if declarator is declaration:
        head = tree.text(declaration)
    spelled = "auto" if type_node is None else tree.text(type_node)
    inside = tree.text(declarator) if name is None else tree.source[tree.span(declarator).start : tree.span(name).start]
    value = declarator.child_by_field_name("value") if declarator.type == "init_declarator" else None
    shape = declarator if value is None else declarator.child_by_field_name("declarator")
    return Variable(
        name="" if name is None else tree.text(name),
        type=" ".join(_NOT_THE_TYPE.sub(" ", spelled).split()),
        indirection=inside.count("*"),
        is_array=shape is not None and any(True for _ in tree.find("array_declarator", inside=shape)),
        is_reference="&" in inside,
        is_const=bool(re.search(r"\b(?:const|constexpr)\b", head)),
        is_volatile="volatile" in head or "volatile" in inside,
        is_restrict=bool(_RESTRICT.search(inside)),
        is_shared="__shared__" in head,
        node=declaration,
        declarator=declarator,
        value=value,
    )


@lru_cache(maxsize=KEPT_ANSWERS)
def _integer_variables(tree: SyntaxTree) -> Mapping[str, str]:
    """Constants and enumerators with their values; a name that is declared twice anywhere means too much to be one."""
    parameters = tree.find("parameter_declaration", "optional_parameter_declaration")
    names = {tree.text(n) for p in parameters for d in p.named_children if (n := declared_name(d)) is not None}
    found: dict[str, str] = {}
    for name, variables in locals_of(tree, tree.root).items():
        only = variables[0]
        is_constant = only.is_const and only.value is not None and not only.is_pointer and only.type in _INTEGER_TYPES
        if len(variables) == 1 and name not in names and is_constant and only.value is not None:
            found[name] = tree.text(only.value)
    for enumerator in tree.find("enumerator"):
        name = enumerator.child_by_field_name("name")
        value = enumerator.child_by_field_name("value")
        if name is not None and value is not None:
            found[tree.text(name)] = tree.text(value)
    return found


_TOKEN = re.compile(r"\s*(?:(0[xX][0-9a-fA-F]+|\d+)[uUlL]*(?![\w.])|([A-Za-z_]\w*)|([-+*/()]))")
_MAX_DEPTH = 16
"""Macros may name macros; a cycle ends here."""


def _fold(expression: str, constants: dict[str, str], depth: int) -> int | None:
    tokens: list[str] = []
    position = 0
    expression = expression.strip()
    while position < len(expression):
        match = _TOKEN.match(expression, position)
        if match is None:
            return None
        number, name, operator = match.groups()
        if name is not None:
            known = constants.get(name)
            value = None if known is None or depth >= _MAX_DEPTH else _fold(known, constants, depth + 1)
            if value is None:
                return None
            number = str(value)
        tokens.append(str(int(number, 0)) if number is not None else str(operator))
        position = match.end()
    return _sum(tokens) if tokens else None


def _sum(tokens: list[str]) -> int | None:
    value, rest = _product(tokens)
    while value is not None and rest and rest[0] in "+-":
        right, after = _product(rest[1:])
        if right is None:
            return None
        value, rest = (value + right if rest[0] == "+" else value - right), after
    return None if rest else value


def _product(tokens: list[str]) -> tuple[int | None, list[str]]:
    value, rest = _atom(tokens)
    while value is not None and rest and rest[0] in "*/":
        right, after = _atom(rest[1:])
        if right is None or (rest[0] == "/" and (right <= 0 or value < 0)):
            return None, after
        value, rest = (value * right if rest[0] == "*" else value // right), after
    return value, rest


def _atom(tokens: list[str]) -> tuple[int | None, list[str]]:
    if not tokens:
        return None, []
    head, rest = tokens[0], tokens[1:]
    if head == "-":
        value, after = _atom(rest)
        return (None if value is None else -value), after
    if head != "(":
        return (int(head), rest) if head.lstrip("-").isdigit() else (None, rest)
    depth = 1
    for index, token in enumerate(rest):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if depth == 0:
            return _sum(rest[:index]), rest[index + 1 :]
    return None, []
