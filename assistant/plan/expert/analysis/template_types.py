"""Which types a kernel's template parameter stands for, as far as the text shows.

Example::

    instance_types(tree, function, "T")    # frozenset({'float', 'double'}), or None where some launch does not say

Where the launch stands in a template and says its parameter, the calls of that template say the types.
"""

from __future__ import annotations

from assistant.cuda.calls import calls_of, given_arguments
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.syntax import Node, SyntaxTree, kept, node_text, unparenthesized
from assistant.cuda.variables import locals_of

__all__ = ["instance_types"]

_MOST_CALLERS = 4
"""Templates that hand their own parameter on, one to the next. Our own limit."""


@kept
def instance_types(tree: SyntaxTree, function: Function, parameter: str) -> frozenset[str] | None:
    """Types of every launch, call and explicit instantiation in the program; None where one is not known or there are none."""
    return _types(tree.program, function, parameter, _MOST_CALLERS)


def _types(program: SyntaxTree, function: Function, parameter: str, callers: int) -> frozenset[str] | None:
    place, found = _position(function, parameter), frozenset[str]()
    if place is None:
        return None
    every = [_instantiated(program, node, function, place) for node in program.find("template_instantiation")]
    named = [(text, node) for text, node in (each for each in every if each is not None)]
    for call in calls_of(program, function.name):
        named.append((_spelled(program, call, place) or _deduced(program, function, call, parameter), call))
    for text, node in named:
        types = None if text is None else _concrete(program, text, node, callers)
        if types is None:
            return None
        found |= types
    return found or None


def _position(function: Function, parameter: str) -> int | None:
    template = function.node.parent
    parameters = None if template is None else template.child_by_field_name("parameters")
    if parameters is None:
        return None
    for index, node in enumerate(parameters.named_children):
        is_type = node.type in ("type_parameter_declaration", "optional_type_parameter_declaration")
        if is_type and parameter in (node_text(n) for n in node.named_children):
            return index
    return None


def _spelled(tree: SyntaxTree, call: Node, place: int | None) -> str | None:
    """The type in ``k<float>``."""
    head = call.child_by_field_name("function")
    return _at(tree, None if head is None else next(tree.find("template_argument_list", inside=head), None), place)


def _at(tree: SyntaxTree, arguments: Node | None, place: int | None) -> str | None:
    if arguments is None or place is None or place >= len(arguments.named_children):
        return None
    return tree.text(arguments.named_children[place])


def _concrete(tree: SyntaxTree, name: str, node: Node, callers: int) -> frozenset[str] | None:
    """``name``; where a template around ``node`` declares it, the types of that template."""
    for ancestor in tree.ancestors(node):
        if ancestor.type == "template_declaration":
            declared = tree.find("type_parameter_declaration", "optional_type_parameter_declaration", inside=ancestor)
            if any(name in (tree.text(n) for n in d.named_children) for d in declared):
                caller = enclosing_function(tree, node)
                is_own = caller is not None and caller.node.parent == ancestor and callers > 0
                return _types(tree, caller, name, callers - 1) if caller is not None and is_own else None
    return frozenset({name})


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
            return declared[0].type
    return None


def _instantiated(tree: SyntaxTree, node: Node, function: Function, place: int | None) -> tuple[str | None, Node] | None:
    """(the type, ``node``) of an explicit instantiation of the function; None where it is of another one."""
    head = next(tree.find("template_function", inside=node), None)
    name = None if head is None else head.child_by_field_name("name")
    if head is None or name is None or tree.text(name) != function.name:
        return None
    return _at(tree, next(tree.find("template_argument_list", inside=head), None), place), node
