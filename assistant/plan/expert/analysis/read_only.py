"""Whether a function only reads what a pointer names, and the edits that let its declaration say so.

Example::

    const_edits(tree, function, "in")   # (), or `const ` before a local pointer and a helper's parameter; None if it may write
"""

from __future__ import annotations

from assistant.cuda.accesses import Use, uses_of
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.functions import Function, functions
from assistant.cuda.macros import hidden_names
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import Variable, locals_of
from assistant.model.source import Span, TextEdit

__all__ = ["const_edits", "make_const", "passed_on"]

_MAX_DEPTH = 6
"""Local pointers and helpers that are followed; ends recursion."""
_COMPARISONS = ("==", "!=", "<", ">", "<=", ">=", "&&", "||")


def make_const(tree: SyntaxTree, variable: Variable) -> TextEdit:
    """Puts ``const`` before the pointer's element type."""
    start = tree.span(variable.node).start
    return TextEdit(Span(start, start), "const ")


def const_edits(tree: SyntaxTree, function: Function, name: str, depth: int = 0) -> tuple[TextEdit, ...] | None:
    """Edits outside the variable's own declaration that make everything it flows into const; None if it may be written."""
    if depth > _MAX_DEPTH or len(locals_of(tree, function.body).get(name, ())) > 1:
        return None
    if name in hidden_names(tree, function.body):
        return None
    edits: list[TextEdit] = []
    for use in uses_of(tree, function.body, name):
        if use.kind is Use.READ:
            continue
        flow = _flow(tree, function, use.node, depth) if use.kind is Use.ESCAPE else None
        if flow is None:
            return None
        edits.extend(flow)
    return tuple(dict.fromkeys(edits))


def passed_on(tree: SyntaxTree, function: Function, region: Node, name: str) -> bool:
    """Whether ``region`` hands the pointer to something that may store through it: a helper, a method, an atomic behind a cast, a local
    pointer that is stored through."""
    if name in hidden_names(tree, region):
        return True
    escapes = (use for use in uses_of(tree, region, name) if use.kind is Use.ESCAPE)
    return any(_flow(tree, function, use.node, 0) is None for use in escapes)


def _flow(tree: SyntaxTree, function: Function, node: Node, depth: int) -> tuple[TextEdit, ...] | None:
    """What happens to a pointer value: follows sums, ``&p[i]`` and parentheses to the variable or call that takes it."""
    parent = node.parent
    while parent is not None and _passes_on(tree, parent, node):
        node, parent = parent, parent.parent
    if parent is None:
        return None
    if parent.type == "argument_list":
        return _into_call(tree, parent, node, depth)
    if parent.type == "init_declarator":
        declarator = parent.child_by_field_name("declarator")
        return None if declarator is None else _into_variable(tree, function, _name(tree, declarator), depth)
    operator = parent.child_by_field_name("operator")
    spelled = "" if operator is None else tree.text(operator)
    if parent.type == "assignment_expression":
        left = parent.child_by_field_name("left")
        if left == node:
            return () if spelled in ("+=", "-=") else None
        return None if left is None else _into_variable(tree, function, tree.text(left), depth)
    is_harmless = parent.type in ("update_expression", "condition_clause") or spelled in _COMPARISONS
    return () if is_harmless else None


def _passes_on(tree: SyntaxTree, parent: Node, node: Node) -> bool:
    operator = parent.child_by_field_name("operator")
    spelled = "" if operator is None else tree.text(operator)
    if parent.type == "binary_expression":
        return spelled in ("+", "-") and parent.child_by_field_name("left") == node
    return parent.type == "parenthesized_expression" or (parent.type == "pointer_expression" and spelled == "&")


def _into_variable(tree: SyntaxTree, function: Function, name: str, depth: int) -> tuple[TextEdit, ...] | None:
    declared = locals_of(tree, function.body).get(name, ())
    if len(declared) != 1:
        return None
    variable = declared[0]
    if variable.is_const and variable.is_pointer and "**" not in tree.text(variable.node).replace(" ", ""):
        return ()
    deeper = const_edits(tree, function, name, depth + 1)
    if deeper is None or variable.type == "auto":
        return deeper
    is_alone = len(variable.node.children_by_field_name("declarator")) == 1
    return (make_const(tree, variable), *deeper) if variable.is_pointer and is_alone else None


def _into_call(tree: SyntaxTree, arguments: Node, node: Node, depth: int) -> tuple[TextEdit, ...] | None:
    call = arguments.parent
    if call is None or call.type != "call_expression":
        return None
    name = callee_name(tree, call).split("::")[-1]
    known = [f for f in functions(tree) if f.name == name]
    given = given_arguments(call)
    if len(known) != 1 or node not in given or len(known[0].parameters) <= given.index(node):
        return None
    helper, parameter = known[0], known[0].parameters[given.index(node)]
    if parameter.is_const and parameter.is_pointer:
        return ()
    deeper = const_edits(tree, helper, parameter.name, depth + 1)
    if deeper is None or not parameter.is_pointer:
        return deeper if parameter.type != "auto" and not parameter.is_reference else None
    return (make_const(tree, parameter), *deeper) if parameter.indirection == 1 else None


def _name(tree: SyntaxTree, declarator: Node) -> str:
    return tree.text(next(tree.find("identifier", inside=declarator), declarator))
