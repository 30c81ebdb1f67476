"""Which parameter of a kernel holds how many elements another one points to, by what its launches allocate and pass.

Example::

    cudaMalloc(&d_hist, bins * sizeof(int)); … count<<<blocks, 256>>>(d_values, d_hist, n, bins);
    size_parameter(context, "hist", "int")     # the kernel's name for `bins`
"""

from __future__ import annotations

import re

from assistant.cuda.allocations import allocated_places
from assistant.cuda.assignments import assignments
from assistant.cuda.calls import given_arguments
from assistant.cuda.element_size import element_size_bytes
from assistant.cuda.launch_shape import Launch
from assistant.cuda.names import mentions
from assistant.cuda.syntax import Node, unparenthesized
from assistant.plan.expert.analysis.kernel_launches import launches_of, of_program
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["allocation_of", "factor_of", "size_parameter"]

_FACTOR = re.compile(
    r"(?:(?:\(\s*size_t\s*\)\s*)?(?P<first>\w+)\s*\*\s*sizeof\b\s*(?:\((?P<of_first>[^()]*)\)|\w+)"
    r"|sizeof\s*(?:\((?P<of_last>[^()]*)\)|\w+)\s*\*\s*(?P<last>\w+))"
)


def factor_of(size: str) -> str | None:
    """``bins`` of ``bins * sizeof(int)`` and ``sizeof(int) * bins``."""
    found = _FACTOR.fullmatch(size.strip())
    return None if found is None else found["first"] or found["last"]


def allocation_of(program: TransformationContext, launch: Launch, parameter: str) -> Node | None:
    """The only call of the launching function that allocates what it passes as ``parameter``."""
    tree, names = program.tree, [each.name for each in program.kernel.parameters]
    place = names.index(parameter) if parameter in names else len(launch.site.arguments)
    if place >= len(launch.site.arguments) or launch.function is None:
        return None
    argument = tree.node_at(launch.site.arguments[place].span)
    if argument is None or unparenthesized(argument).type != "identifier":
        return None
    calls = tuple(allocated_places(tree, launch.function, tree.text(unparenthesized(argument))))
    return calls[0] if len(calls) == 1 else None


def size_parameter(context: TransformationContext, base: str, element_type: str) -> str | None:
    """The parameter that has the number of elements behind ``base`` at every launch; None where that is not to be seen."""
    program = of_program(context)
    found = [_parameter_at(program, launch, base, element_type) for launch in launches_of(context)]
    name = found[0] if found and len(set(found)) == 1 else None
    if name is None or any(context.tree.text(change.target) == name for change in assignments(context.tree, context.body)):
        return None
    return name


def _parameter_at(program: TransformationContext, launch: Launch, base: str, element_type: str) -> str | None:
    """The parameter whose argument is the variable that the allocation was made with, and that nothing changed since."""
    tree, call = program.tree, allocation_of(program, launch, base)
    given = () if call is None else given_arguments(call)
    if call is None or len(given) < 2 or launch.function is None:
        return None
    found = _FACTOR.fullmatch(tree.text(given[1]).strip())
    counted = None if found is None else found["of_first"] or found["of_last"]
    size = element_size_bytes(tree, element_type)
    if found is None or counted is None or size is None or element_size_bytes(tree, counted.strip()) != size:
        return None
    name = found["first"] or found["last"]
    if any(_is_changed(node) for node in mentions(tree, launch.function, name) if node.start_byte >= call.start_byte):
        return None
    arguments = [argument.text.strip() for argument in launch.site.arguments]
    parameters = program.kernel.parameters
    places = [place for place, text in enumerate(arguments) if text == name and place < len(parameters)]
    return parameters[places[0]].name if len(places) == 1 else None


def _is_changed(node: Node) -> bool:
    """The mention assigns the variable, steps it, or takes its address."""
    parent = node.parent
    if parent is None:
        return False
    is_target = parent.type == "assignment_expression" and parent.child_by_field_name("left") == node
    is_address = parent.type == "pointer_expression" and parent.children[0].type == "&"
    return is_target or is_address or parent.type in ("update_expression", "init_declarator", "reference_declarator")
