"""Variables that a CUDA text declares: parameters and locals, with what their declaration says of them.

Knows the syntax tree only; no types beyond what is spelled.

Example::

    locals_of(tree, function.body)["acc"][0].type   # 'float'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from assistant.cuda.parameters import declared_name
from assistant.cuda.syntax import Node, SyntaxTree, kept
from assistant.record import Record

__all__ = ["Variable", "declared_variables", "locals_of", "parameters_of"]

_RESTRICT = re.compile(r"\b__restrict(?:__)?\b")
_NOT_THE_TYPE = re.compile(
    r"\b(?:const|volatile|constexpr|static|register|extern|struct|__restrict__|__restrict|__device__|__constant__|__shared__)\b"
)


class Variable(Record):
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
    """The ``parameter_declaration`` or ``declaration``; the loop for the variable of a range-based ``for``."""
    declarator: Node
    value: Node | None
    """The initializer's expression; None when there is none."""

    @property
    def is_pointer(self) -> bool:
        return self.indirection > 0


@kept
def parameters_of(tree: SyntaxTree, declarator: Node) -> tuple[Variable, ...]:
    """The parameters of a ``function_declarator``; unnamed ones have an empty name."""
    parameter_list = declarator.child_by_field_name("parameters")
    if parameter_list is None:
        return ()
    kinds = ("parameter_declaration", "optional_parameter_declaration")
    return tuple(_parameter(tree, node) for node in parameter_list.named_children if node.type in kinds)


@kept
def locals_of(tree: SyntaxTree, body: Node) -> Mapping[str, tuple[Variable, ...]]:
    """Variables declared anywhere inside ``body``, by name; several where scopes reuse a name."""
    found: dict[str, tuple[Variable, ...]] = {}
    for declaration in tree.find("declaration", "for_range_loop", inside=body):
        for variable in declared_variables(tree, declaration):
            found[variable.name] = (*found.get(variable.name, ()), variable)
    return found


def declared_variables(tree: SyntaxTree, declaration: Node) -> Iterator[Variable]:
    """What one ``declaration`` or range-based ``for`` declares, in order."""
    for declarator in declaration.children_by_field_name("declarator"):
        yield _variable(tree, declaration, declarator)


def _parameter(tree: SyntaxTree, node: Node) -> Variable:
    declarator = node.child_by_field_name("declarator")
    variable = _variable(tree, node, node if declarator is None else declarator)
    bounds = sum(1 for _ in tree.find("array_declarator", inside=node)) if "[" in tree.text(node) else 0
    if not bounds and not variable.is_array:
        return variable
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
        is_array=shape is not None and _has_bounds(shape),
        is_reference="&" in inside,
        is_const=bool(re.search(r"\b(?:const|constexpr)\b", head)),
        is_volatile="volatile" in head or "volatile" in inside,
        is_restrict=bool(_RESTRICT.search(inside)),
        is_shared="__shared__" in head,
        node=declaration,
        declarator=declarator,
        value=value,
    )


def _has_bounds(declarator: Node) -> bool:
    """Is there a ``[…]`` in the declarator, whatever stands around the name?"""
    if declarator.type == "array_declarator":
        return True
    return any(_has_bounds(child) for child in declarator.named_children if child.type.endswith("declarator"))
