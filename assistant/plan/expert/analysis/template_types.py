"""Which types a kernel's template parameter stands for, as far as the text shows.

Example::

    instance_types(tree, function, "T")    # frozenset({'float', 'double'}), or None where some launch does not say
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.calls import calls_of, given_arguments
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.syntax import Node, SyntaxTree, unparenthesized
from assistant.cuda.variables import locals_of

__all__ = ["instance_types"]


def instance_types(tree: SyntaxTree, function: Function, parameter: str) -> frozenset[str] | None:
    """Types of every launch, call and explicit instantiation in the program; None where one is not known or there are none."""
    program = tree.program
    found = {*_instantiated(program, function, parameter)}
    for call in calls_of(program, function.name):
        found.add(_spelled(program, function, call, parameter) or _deduced(program, function, call, parameter))
    return None if None in found or not found else frozenset(t for t in found if t is not None)


def _position(tree: SyntaxTree, function: Function, parameter: str) -> int | None:
    template = function.node.parent
    parameters = None if template is None else template.child_by_field_name("parameters")
    if parameters is None:
        return None
    for index, node in enumerate(parameters.named_children):
        if parameter in (tree.text(n) for n in node.named_children):
            return index
    return None


def _spelled(tree: SyntaxTree, function: Function, call: Node, parameter: str) -> str | None:
    """The type in ``k<float>``; a type that is a template parameter of the caller is not known."""
    head = call.child_by_field_name("function")
    arguments = None if head is None else next(tree.find("template_argument_list", inside=head), None)
    return _at(tree, arguments, _position(tree, function, parameter), call)


def _at(tree: SyntaxTree, arguments: Node | None, position: int | None, call: Node) -> str | None:
    if arguments is None or position is None or position >= len(arguments.named_children):
        return None
    return _concrete(tree, tree.text(arguments.named_children[position]), call)


def _concrete(tree: SyntaxTree, name: str, node: Node) -> str | None:
    """``name``, unless a template around ``node`` declares it."""
    for ancestor in tree.ancestors(node):
        if ancestor.type == "template_declaration":
            declared = tree.find("type_parameter_declaration", inside=ancestor)
            if any(name in (tree.text(n) for n in d.named_children) for d in declared):
                return None
    return name


def _deduced(tree: SyntaxTree, function: Function, call: Node, parameter: str) -> str | None:
    """From the declared type of a variable that is passed where the kernel takes a ``T`` or a ``T *``."""
    caller = enclosing_function(tree, call)
    given = (unparenthesized(argument) for argument in given_arguments(call))
    for expected, argument in zip(function.parameters, given, strict=False):
        if expected.type != parameter or caller is None or argument.type != "identifier":
            continue
        name = tree.text(argument)
        known = caller.parameter(name)
        declared = locals_of(tree, caller.body).get(name, ()) if known is None else (known,)
        if len(declared) == 1 and declared[0].type != "auto":
            return _concrete(tree, declared[0].type, call)
    return None


def _instantiated(tree: SyntaxTree, function: Function, parameter: str) -> Iterator[str | None]:
    for node in tree.find("template_instantiation"):
        head = next(tree.find("template_function", inside=node), None)
        name = None if head is None else head.child_by_field_name("name")
        if head is not None and name is not None and tree.text(name) == function.name:
            arguments = next(tree.find("template_argument_list", inside=head), None)
            yield _at(tree, arguments, _position(tree, function, parameter), node)
