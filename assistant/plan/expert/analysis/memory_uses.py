"""Every use of memory that threads share in a piece of a kernel, by what it is reached through: pointers, and the members of objects.

A struct that is passed by value may hold pointers (``f.fx[i] += ax``), and so may a view (``out(i, j) = sum``) and a reference.
Pointers of the kernel alone are `global_pointers`; who asks what a statement stores has to ask here.

Example::

    memory_uses(tree, function, statement)["f.fx"][0].kind    # Use.UPDATE of `f.fx[i] += ax;`
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.cuda.accesses import PointerUse, Use, canonical, kind_of, uses_of
from assistant.cuda.functions import Function
from assistant.cuda.syntax import Node, SyntaxTree, unparenthesized
from assistant.cuda.variables import Variable, locals_of
from assistant.plan.expert.analysis.pointer_roots import global_pointers, pointer_names

__all__ = ["changed_own_array", "changed_unclearly", "member_declarator", "memory_uses", "object_uses", "pointed_type"]

_CHANGES = (Use.WRITE, Use.UPDATE)
_STRUCTS = ("struct_specifier", "class_specifier")


def memory_uses(tree: SyntaxTree, function: Function, region: Node) -> Mapping[str, tuple[PointerUse, ...]]:
    """Uses in ``region`` by the pointer, or the path to it, that they are made through."""
    pointers = {name: uses_of(tree, region, name) for name in sorted(global_pointers(tree, function, region))}
    return {**pointers, **object_uses(tree, function, region)}


def object_uses(tree: SyntaxTree, function: Function, region: Node) -> Mapping[str, tuple[PointerUse, ...]]:
    """Those that are made through members, views and references, and through names of the file."""
    found: dict[str, list[PointerUse]] = {}
    for path, element in _elements(tree, function, region):
        kind = kind_of(tree, element)
        found.setdefault(path, []).append(PointerUse(kind, None if kind is Use.ESCAPE else canonical(tree, element), element))
    return {path: tuple(uses) for path, uses in sorted(found.items())}


def changed_unclearly(tree: SyntaxTree, function: Function, region: Node) -> str | None:
    """What ``region`` changes through an object of the thread's own, of which this file does not say whether it is the thread's, too."""
    for path, uses in object_uses(tree, function, region).items():
        owner, _, member = path.partition(".")
        local = _local(tree, function, owner)
        is_pointer = local is not None and (local.is_reference or _is_pointer_member(tree, local, member))
        if local is not None and not is_pointer:
            changed = next((use for use in uses if use.kind in _CHANGES), None)
            if changed is not None:
                return tree.text(changed.node)
    return None


def changed_own_array(tree: SyntaxTree, function: Function, region: Node) -> str | None:
    """An array in a struct of the thread's own (``acc.v``) that ``region`` changes and does not declare; None where there is none."""
    for node in tree.find("subscript_expression", inside=region):
        owner, _, member = _base_text(tree, node).partition(".")
        local = _local(tree, function, owner)
        is_own = local is not None and owner not in locals_of(tree, region) and _is_array_member(tree, local, member)
        if is_own and kind_of(tree, _whole(node)) is not Use.READ:
            return f"{owner}.{member}"
    return None


def _base_text(tree: SyntaxTree, element: Node) -> str:
    base = element.child_by_field_name("argument")
    return "" if base is None else tree.text(unparenthesized(base))


def _elements(tree: SyntaxTree, function: Function, region: Node) -> list[tuple[str, Node]]:
    """(what it is reached through, the element) of each that no plain pointer or array of the function leads to."""
    found: list[tuple[str, Node]] = []
    for node in tree.find("subscript_expression", "call_expression", inside=region):
        path = _path(tree, function, node)
        if path is not None:
            found.append((path, _whole(node)))
    for node in tree.find("identifier", inside=region):
        if _is_changed(node) and _is_shared_name(tree, function, tree.text(node)):
            found.append((tree.text(node), _whole(node)))
    return found


def _path(tree: SyntaxTree, function: Function, node: Node) -> str | None:
    """``f.fx`` of ``f.fx[i]``, ``m`` of ``m(i, j)``; None for elements of pointers and of the thread's own arrays, and for functions."""
    field = "argument" if node.type == "subscript_expression" else "function"
    base = node.child_by_field_name(field)
    base = None if base is None else unparenthesized(base)
    if base is None or (node.type == "call_expression" and base.type != "identifier"):
        return None
    names: list[str] = []
    root = base
    while root.type == "field_expression" and "->" not in tree.text(root):
        owner, member = root.child_by_field_name("argument"), root.child_by_field_name("field")
        if owner is None or member is None:
            return None
        names.insert(0, tree.text(member))
        root = unparenthesized(owner)
    name = tree.text(root)
    if root.type != "identifier" or name in pointer_names(tree, function):
        return None
    local = _local(tree, function, name)
    if (local is None and function.parameter(name) is None) or (local is not None and _is_array_member(tree, local, ".".join(names))):
        return None
    return ".".join((name, *names))


def _whole(node: Node) -> Node:
    """The element with all that is asked of it: ``m[i][j].x`` of ``m[i]``."""
    parent = node.parent
    while parent is not None and parent.type in ("subscript_expression", "field_expression", "parenthesized_expression"):
        if parent.type != "parenthesized_expression" and parent.child_by_field_name("argument") != node:
            break
        node, parent = parent, parent.parent
    return unparenthesized(node)


def _is_changed(name: Node) -> bool:
    """An assignment, ``++`` or ``--`` has the name, or a member of it, as its target."""
    whole = _whole(name)
    parent = whole.parent
    while parent is not None and parent.type == "parenthesized_expression":
        whole, parent = parent, parent.parent
    if parent is None:
        return False
    return parent.type == "update_expression" or (parent.type == "assignment_expression" and parent.child_by_field_name("left") == whole)


def _is_shared_name(tree: SyntaxTree, function: Function, name: str) -> bool:
    """A reference to an element in memory, or a name that is declared outside of the function."""
    local = _local(tree, function, name)
    if local is None:
        return function.parameter(name) is None and name not in pointer_names(tree, function)
    into_memory = ("subscript_expression", "pointer_expression", "call_expression")
    return local.is_reference and local.value is not None and next(tree.find(*into_memory, inside=local.value), None) is not None


def _local(tree: SyntaxTree, function: Function, name: str) -> Variable | None:
    return next(iter(locals_of(tree, function.body).get(name, ())), None)


def _is_pointer_member(tree: SyntaxTree, local: Variable, member: str) -> bool:
    return member_declarator(tree, local, member) == "pointer_declarator"


def _is_array_member(tree: SyntaxTree, local: Variable, member: str) -> bool:
    return member_declarator(tree, local, member) == "array_declarator"


def member_declarator(tree: SyntaxTree, local: Variable, member: str) -> str | None:
    """``pointer_declarator`` or the like: how the variable's struct declares this member; None where not one struct has that name."""
    found = _member(tree, local, member)
    return None if found is None else found[1].type


def pointed_type(tree: SyntaxTree, local: Variable, member: str) -> str | None:
    """What a member of the variable's struct points to, as the struct spells it; None where it is no plain pointer."""
    field, declarator = _member(tree, local, member) or (None, None)
    kind = None if field is None else field.child_by_field_name("type")
    is_plain = declarator is not None and declarator.type == "pointer_declarator" and tree.program.text(declarator).count("*") == 1
    return tree.program.text(kind) if kind is not None and is_plain else None


def _member(tree: SyntaxTree, local: Variable, member: str) -> tuple[Node, Node] | None:
    """(the declaration in the variable's struct, this member's declarator)."""
    name = local.type.split("<")[0].strip()
    program = tree.program
    structs = [n for n in program.find(*_STRUCTS) if n.child_by_field_name("body") is not None and _tag(program, n) == name]
    body = structs[0].child_by_field_name("body") if len(structs) == 1 else None
    for field in () if body is None else program.find("field_declaration", inside=body):
        for declarator in field.children_by_field_name("declarator"):
            names = (program.text(n) for n in program.find("field_identifier", inside=declarator))
            if next(names, None) == member:
                return field, declarator
    return None


def _tag(tree: SyntaxTree, struct: Node) -> str:
    tag = struct.child_by_field_name("name")
    alias = struct.parent.child_by_field_name("declarator") if struct.parent is not None and tag is None else None
    found = tag or alias
    return "" if found is None else tree.text(found)
