"""Where a launch's grid and block are written, and what they come to.

Example::

    launch = launch_of(tree, site)
    block_dims(launch)          # Dim3(16, 16, 1), or None when it is not a constant of the text
    launch.grid.components      # the nodes of (n + 15) / 16 and (m + 15) / 16
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.assignments import assignments
from assistant.cuda.calls import given_arguments
from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.scopes import scope_inside
from assistant.cuda.syntax import Node, SyntaxTree, node_text, unparenthesized, without_comments
from assistant.model.launch import Dim3
from assistant.model.source import LaunchSite
from assistant.record import Record

__all__ = ["Launch", "Shape", "block_dims", "launch_of"]

_SCALAR_TYPES = frozenset({"primitive_type", "sized_type_specifier", "placeholder_type_specifier", "type_identifier"})


class Shape(Record):
    """A grid or block as written."""

    expression: Node
    """What stands between ``<<<`` and ``>>>``."""
    components: tuple[Node, ...]
    """x, y and z where written; empty when the shape is made elsewhere (a parameter, a function)."""
    variable: str | None
    """The ``dim3`` variable that the launch names; None when it is written at the launch."""
    fields: tuple[Node, ...] = ()
    """For ``dim3 g; g.x = …``: the ``x``, ``y``, ``z`` after the dot, one for each component."""


class Launch(Record):
    """One launch site with its shapes resolved."""

    site: LaunchSite
    grid: Shape
    block: Shape
    shared: Node | None
    """Bytes of dynamic shared memory as written; None where they are not."""
    function: Node | None
    """Body of the host function around it."""
    scope: Scope
    """Host names with one fixed value."""
    named: tuple[Shape, ...] = ()
    """The ``dim3`` variables whose members the grid is written with, as ``k<<<dim3((grid.x + 1) / 2, grid.y), block>>>``."""


def launch_of(tree: SyntaxTree, site: LaunchSite) -> Launch | None:
    """A launch site of the tree's text; None where it cannot be found in the tree."""
    grid, block = tree.node_at(site.grid.span), tree.node_at(site.block.span)
    if grid is None or block is None:
        return None
    function = next((n for n in tree.ancestors(grid) if n.type == "function_definition"), None)
    body = None if function is None else function.child_by_field_name("body")
    scope = scope_inside(tree, body).fixed()
    shared = None if site.shared is None else tree.node_at(site.shared.span)
    shape = _shape(tree, grid, body, scope)
    named = tuple(_named_in(tree, shape.components, body, scope))
    return Launch(site, shape, _shape(tree, block, body, scope), shared, body, scope, named)


def block_dims(launch: Launch) -> Dim3 | None:
    """The block of a launch where the text alone decides it."""
    values = [evaluate(c, launch.scope, {}) for c in launch.block.components]
    known = [v for v in values if v is not None]
    if not known or len(known) != len(values):
        return None
    return Dim3(*known)


def _shape(tree: SyntaxTree, expression: Node, body: Node | None, scope: Scope) -> Shape:
    node = unparenthesized(expression)
    if node.type != "identifier":
        return Shape(expression, _written_components(node), None)
    name = node_text(node)
    declared = _declarator(tree, name, body)
    if declared is None:
        is_constant = evaluate(node, scope, {}) is not None
        return Shape(expression, (node,) if is_constant else (), None)
    declaration, declarator = declared
    kind = declaration.child_by_field_name("type")
    value = declarator.child_by_field_name("value" if declarator.type == "init_declarator" else "parameters")
    spelled = "" if kind is None else node_text(kind)
    is_dim3 = spelled == "dim3" or (spelled == "auto" and value is not None and node_text(value).startswith("dim3"))
    if not is_dim3:
        is_scalar = kind is not None and kind.type in _SCALAR_TYPES
        return Shape(expression, (node,) if is_scalar else (), None)
    written = _field_writes(tree, name, body)
    if value is None:
        return _assigned_shape(expression, name, written)
    if written or _is_reassigned(tree, name, body):
        return Shape(expression, (), name)
    return Shape(expression, _written_components(value), name)


def _named_in(tree: SyntaxTree, components: tuple[Node, ...], body: Node | None, scope: Scope) -> Iterator[Shape]:
    """Each ``dim3`` variable once whose members stand there."""
    fields = (field for component in components for field in tree.find("field_expression", inside=component))
    owners = (field.child_by_field_name("argument") for field in fields)
    first = {node_text(owner): owner for owner in owners if owner is not None and owner.type == "identifier"}
    shapes = (_shape(tree, owner, body, scope) for owner in first.values())
    yield from (shape for shape in shapes if shape.variable is not None)


def _written_components(node: Node) -> tuple[Node, ...]:
    if node.type in {"argument_list", "initializer_list", "parameter_list"}:  # dim3 b(X, Y) reads like a prototype
        parts = tuple(n.child_by_field_name("type") or n for n in without_comments(node))
        if len(parts) == 1 and _is_dim3_value(parts[0]):
            return _written_components(parts[0])
        return parts
    if node.type == "call_expression":
        function = node.child_by_field_name("function")
        return given_arguments(node) if function is not None and node_text(function) == "dim3" else (node,)
    if node.type == "compound_literal_expression":
        value = node.child_by_field_name("value")
        return () if value is None else _written_components(value)
    return (node,)


def _is_dim3_value(node: Node) -> bool:
    return node_text(node).startswith("dim3") and node.type in {"call_expression", "compound_literal_expression"}


def _declarator(tree: SyntaxTree, name: str, body: Node | None) -> tuple[Node, Node] | None:
    """The only declaration of ``name`` in the host function, else at file scope; None when there is none or several."""
    for region in (body, tree.root):
        if region is None:
            continue
        found = [
            (declaration, declarator)
            for declaration in tree.find("declaration", inside=region)
            if region is body or not any(a.type == "function_definition" for a in tree.ancestors(declaration))
            for declarator in declaration.children_by_field_name("declarator")
            if _declared_name(declarator) == name
        ]
        near = tree.nearest((declarator for _, declarator in found), region if body is None else body)
        if near:
            return next(each for each in found if each[1] == near[0]) if len(near) == 1 else None
    return None


def _declared_name(declarator: Node) -> str:
    inner = declarator.child_by_field_name("declarator")
    return node_text(declarator if inner is None else inner)


def _field_writes(tree: SyntaxTree, name: str, body: Node | None) -> list[tuple[Node, Node]]:
    """(field, value) of each ``name.x = value`` in the host function."""
    found: list[tuple[Node, Node]] = []
    for change in assignments(tree, tree.root if body is None else body):
        owner, field = change.target.child_by_field_name("argument"), change.target.child_by_field_name("field")
        if owner is not None and field is not None and change.value is not None and node_text(owner) == name:
            found.append((field, change.value))
    return found


def _is_reassigned(tree: SyntaxTree, name: str, body: Node | None) -> bool:
    for node in tree.find("assignment_expression", "pointer_expression", inside=tree.root if body is None else body):
        target = node.child_by_field_name("left" if node.type == "assignment_expression" else "argument")
        if target is not None and target.type == "identifier" and node_text(target) == name:
            return True
    return False


def _assigned_shape(expression: Node, name: str, written: list[tuple[Node, Node]]) -> Shape:
    by_field = {node_text(field): (field, value) for field, value in written}
    axes = [axis for axis in ("x", "y", "z") if axis in by_field]
    if len(by_field) != len(written) or axes != ["x", "y", "z"][: len(axes)]:
        return Shape(expression, (), name)
    fields, values = tuple(by_field[a][0] for a in axes), tuple(by_field[a][1] for a in axes)
    return Shape(expression, values, name, fields)
