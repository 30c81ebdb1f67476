"""Which parameter of a kernel holds how many elements another one points to, by what its launches allocate and pass.

Example::

    cudaMalloc(&d_hist, bins * sizeof(int)); … count<<<blocks, 256>>>(d_values, d_hist, n, bins);
    size_parameter(context, "hist", "int")     # the kernel's name for `bins`
"""

from __future__ import annotations

import re

from assistant.cuda.allocations import allocated_places, is_new_allocation
from assistant.cuda.assignments import assignments
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.functions import Function, enclosing_function, functions
from assistant.cuda.launch_shape import Launch
from assistant.cuda.names import mentions
from assistant.cuda.syntax import Node, SyntaxTree, unparenthesized
from assistant.cuda.variables import Variable, locals_of
from assistant.plan.expert.analysis.kernel_launches import launches_of, of_program
from assistant.plan.expert.analysis.struct_members import bytes_of
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["allocation_of", "argument_of", "counting_variables", "factor_of", "size_parameter"]

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
    tree, argument = program.tree, argument_of(program, launch, parameter)
    if argument is None or launch.function is None:
        return None
    calls = tuple(allocated_places(tree, launch.function, tree.text(argument)))
    return calls[0] if len(calls) == 1 else None


def argument_of(program: TransformationContext, launch: Launch, parameter: str) -> Node | None:
    """The name that the launch passes as ``parameter``; None where it passes something else."""
    names = [each.name for each in program.kernel.parameters]
    place = names.index(parameter) if parameter in names else len(launch.site.arguments)
    argument = program.tree.node_at(launch.site.arguments[place].span) if place < len(launch.site.arguments) else None
    plain = None if argument is None else unparenthesized(argument)
    return plain if plain is not None and plain.type == "identifier" else None


def size_parameter(context: TransformationContext, base: str, element_type: str) -> str | None:
    """The parameter that has the number of elements behind ``base`` at every launch; None where that is not to be seen."""
    program = of_program(context)
    found = [_parameter_at(program, launch, base, element_type) for launch in launches_of(context)]
    name = found[0] if found and len(set(found)) == 1 else None
    if name is None or any(context.tree.text(change.target) == name for change in assignments(context.tree, context.body)):
        return None
    return name


def counting_variables(context: TransformationContext, base: str, element_type: str) -> tuple[Variable, ...] | None:
    """At every launch the variable of the launching function that holds how many elements are behind ``base``; None where one has none."""
    program = of_program(context)
    found: list[Variable] = []
    for launch in launches_of(context):
        name = _count_at(program, launch, base, element_type)
        variables = () if name is None or launch.function is None else _variables(program.tree, launch.function, name)
        if len(variables) != 1 or variables[0].is_pointer or variables[0].is_array or variables[0].is_reference:
            return None
        found += variables
    return tuple(found) or None


def _variables(tree: SyntaxTree, body: Node, name: str) -> tuple[Variable, ...]:
    function = enclosing_function(tree, body)
    parameter = None if function is None else function.parameter(name)
    return locals_of(tree, body).get(name, ()) if parameter is None else (parameter,)


def _parameter_at(program: TransformationContext, launch: Launch, base: str, element_type: str) -> str | None:
    """The parameter whose argument is the variable that the allocation was made with, and that nothing changed since."""
    name = _count_at(program, launch, base, element_type)
    arguments = [argument.text.strip() for argument in launch.site.arguments]
    parameters = program.kernel.parameters
    places = [place for place, text in enumerate(arguments) if text == name and place < len(parameters)]
    return parameters[places[0]].name if len(places) == 1 else None


def _count_at(program: TransformationContext, launch: Launch, base: str, element_type: str) -> str | None:
    """The variable that the allocation was made with, and that nothing changed since."""
    found = _counted(program, launch, base, element_type) or _counted_by_helper(program, launch, base)
    if found is None or launch.function is None:
        return None
    name, call = found
    changed = (node for node in mentions(program.tree, launch.function, name) if node.start_byte >= call.start_byte)
    return None if any(_is_changed(node) for node in changed) else name


def _counted(program: TransformationContext, launch: Launch, base: str, element_type: str) -> tuple[str, Node] | None:
    """(``bins``, the call) of ``cudaMalloc(&base, bins * sizeof(int))``."""
    tree, call = program.tree, allocation_of(program, launch, base)
    given = () if call is None else given_arguments(call)
    if call is None or len(given) < 2:
        return None
    found = _FACTOR.fullmatch(tree.text(given[1]).strip())
    counted = None if found is None else found["of_first"] or found["of_last"]
    if found is None or counted is None:
        return None
    one, other = (bytes_of(tree, each, launch.scope.constants) for each in (element_type, counted.strip()))
    is_same = " ".join(counted.split()) == element_type if one is None else one == other
    return (found["first"] or found["last"], call) if is_same else None


def _counted_by_helper(program: TransformationContext, launch: Launch, base: str) -> tuple[str, Node] | None:
    """The same of ``T *base = helper<T>(bins);``, where the helper allocates and returns so many."""
    tree, argument = program.tree, argument_of(program, launch, base)
    variables = () if argument is None or launch.function is None else locals_of(tree, launch.function).get(tree.text(argument), ())
    call = variables[0].value if len(variables) == 1 else None
    if argument is None or call is None or call.type != "call_expression" or not is_new_allocation(tree, call):
        return None
    is_replaced = any(tree.text(change.target) == tree.text(argument) for change in assignments(tree, launch.function or call))
    if is_replaced:
        return None
    helpers = [one for one in functions(tree) if one.name == callee_name(tree, call).split("::")[-1]]
    place = _count_parameter(tree, helpers[0]) if len(helpers) == 1 else None
    given = given_arguments(call)
    is_name = place is not None and place < len(given) and given[place].type == "identifier"
    return (tree.text(given[place]), call) if is_name and place is not None else None


def _count_parameter(tree: SyntaxTree, helper: Function) -> int | None:
    """Which parameter is the number of elements of what the helper allocates."""
    for name, variables in locals_of(tree, helper.body).items():
        calls = tuple(allocated_places(tree, helper.body, name))
        given = given_arguments(calls[0]) if len(calls) == 1 else ()
        found = _FACTOR.fullmatch(tree.text(given[1]).strip()) if len(given) > 1 and len(variables) == 1 else None
        if found is None or (found["of_first"] or found["of_last"] or "").strip() != variables[0].type:
            continue
        count = found["first"] or found["last"]
        is_changed = any(_is_changed(node) for node in mentions(tree, helper.body, count))
        names = [parameter.name for parameter in helper.parameters]
        return names.index(count) if count in names and not is_changed else None
    return None


def _is_changed(node: Node) -> bool:
    """The mention assigns the variable, steps it, or takes its address."""
    parent = node.parent
    if parent is None:
        return False
    is_target = parent.type == "assignment_expression" and parent.child_by_field_name("left") == node
    is_address = parent.type == "pointer_expression" and parent.children[0].type == "&"
    return is_target or is_address or parent.type in ("update_expression", "init_declarator", "reference_declarator")
