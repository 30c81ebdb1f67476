"""What the names that a function's body sees may come to as integers: locals with their writes, constants, small helpers.

Example::

    scope = scope_of(tree, kernel)
    scope.definition("row")        # the node of `blockIdx.y * 16 + threadIdx.y`
    scope.constants["TILE"]        # 32, from #define TILE 32
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assistant.cuda.constants import constants_of
from assistant.cuda.integers import Formula, Scope, Write
from assistant.cuda.macros import macro_text
from assistant.cuda.syntax import Node, SyntaxTree, kept, node_text, parsed_expression
from assistant.model.source import Kernel

__all__ = ["scope_inside", "scope_of"]


def scope_of(tree: SyntaxTree, kernel: Kernel) -> Scope:
    """The names that a kernel's body sees."""
    scope = scope_inside(tree, tree.node_at(kernel.body))
    parameters = {p.name for p in kernel.parameters} | {p.name for p in kernel.template_parameters}
    constants = {name: value for name, value in scope.constants.items() if name not in parameters}
    return Scope(constants, scope.formulas, scope.writes)


@kept
def scope_inside(tree: SyntaxTree, body: Node | None) -> Scope:
    """The names that a function's body sees, those of its own file before others of the program; only the text's when there is no body."""
    if body is None:
        return Scope(constants_of(tree), _formulas(tree), {})
    own = tree.file_of(body)
    return Scope({**constants_of(tree), **constants_of(own)}, {**_formulas(tree), **_formulas(own)}, _writes(tree, body))


@kept
def _formulas(tree: SyntaxTree) -> Mapping[str, Formula]:
    found = {} if tree.outer is None else {n: f for n, f in _formulas(tree.outer).items() if macro_text(tree.outer, n) is not None}
    for node in tree.find("preproc_function_def"):
        name, parameters = node.child_by_field_name("name"), node.child_by_field_name("parameters")
        value = node.child_by_field_name("value")
        body = None if value is None else parsed_expression(node_text(value))
        if name is not None and parameters is not None and body is not None:
            found[node_text(name)] = Formula(tuple(node_text(p) for p in parameters.named_children), body)
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
            found[node_text(name)] = Formula(tuple(node_text(n) for n in names if n is not None), statements[0].named_children[0])
    return found


def _writes(tree: SyntaxTree, body: Node) -> dict[str, tuple[Write, ...]]:
    found: dict[str, list[Write]] = {}
    for node in tree.find("declaration", "assignment_expression", "update_expression", "pointer_expression", inside=body):
        for name, write in _writes_of(node):
            found.setdefault(name, []).append(write)
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
