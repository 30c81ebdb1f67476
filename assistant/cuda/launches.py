"""Launch sites: ``k<<<grid, block, shared, stream>>>(…)`` and ``cudaLaunchKernel``; ``cudaLaunchKernelEx`` to be read alone.

Example::

    launch_sites(SyntaxTree("int main() { k<float><<<g, 256>>>(a, n); }"))[0].block.text   # '256'
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.cuda.assignments import assignments
from assistant.cuda.functions import callee, enclosing_definition, function_declarator
from assistant.cuda.loops import LOOPS
from assistant.cuda.macro_kernels import spelled_out
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.source import Expression, LaunchSite

__all__ = ["configured_launch_sites", "launch_sites"]

_LAUNCH_FUNCTIONS = frozenset({"cudaLaunchKernel", "cudaLaunchCooperativeKernel"})
"""CUDA runtime API reference, execution control: (func, gridDim, blockDim, args, sharedMem, stream)."""
_CONFIGURED = "cudaLaunchKernelEx"
"""(config, func, arguments …); the first fields of ``cudaLaunchConfig_t`` are these."""
_GRID, _BLOCK = "gridDim", "blockDim"
_BEFORE_NAME = frozenset({"cast_expression", "pointer_expression", "parenthesized_expression"})
_MINIMUM_CONFIGURATION = 2
_LAUNCH_FUNCTION_ARGUMENTS = range(4, 7)


def launch_sites(tree: SyntaxTree) -> tuple[LaunchSite, ...]:
    """Every finished launch, in source order."""
    calls = tree.find("call_expression")
    return tuple(site for call in calls for site in (*_chevron_launch(tree, call), *_function_launch(tree, call)))


def configured_launch_sites(tree: SyntaxTree) -> tuple[LaunchSite, ...]:
    """Launches by ``cudaLaunchKernelEx`` whose grid and block their function says once.

    These stand in other statements than the launch, so that what edits launches does not take them for one.
    """
    return tuple(site for call in tree.find("call_expression") for site in _configured_launch(tree, call))


def _configured_launch(tree: SyntaxTree, call: Node) -> Iterator[LaunchSite]:
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    around = enclosing_definition(tree, call)
    if function is None or arguments is None or around is None or tree.text(function) != _CONFIGURED:
        return
    values = _without_comments(arguments)
    named = _addressed(values[0]) if len(values) > 1 else None
    kernel = _behind_casts(values[1]) if named is not None else None
    if named is None or kernel is None:
        return
    grids, blocks = (_field_values(tree, around, tree.text(named), field) for field in (_GRID, _BLOCK))
    if len(grids) == len(blocks) == 1:
        yield _site(tree, call, kernel, (grids[0], blocks[0]), values[2:])


def _field_values(tree: SyntaxTree, around: Node, config: str, field: str) -> list[Node]:
    """Everything that a field of the variable is set to."""
    found = [
        change.value
        for change in assignments(tree, around)
        if change.value is not None and change.operator == "=" and tree.text(change.target).replace(" ", "") == f"{config}.{field}"
    ]
    for declarator in tree.find("init_declarator", inside=around):
        name, value = declarator.child_by_field_name("declarator"), declarator.child_by_field_name("value")
        if name is not None and value is not None and tree.text(name) == config and value.type == "initializer_list":
            found += _initial_values(tree, _without_comments(value), field)
    return found


def _initial_values(tree: SyntaxTree, values: Sequence[Node], field: str) -> list[Node]:
    """Of a field, by its place or by its name."""
    place = (_GRID, _BLOCK).index(field)
    named = [value for value in values if value.type == "initializer_pair"]
    if not named:
        return list(values[place : place + 1])
    pairs = ((pair.child_by_field_name("designator"), pair.child_by_field_name("value")) for pair in named)
    return [value for name, value in pairs if name is not None and value is not None and tree.text(name) == f".{field}"]


def _chevron_launch(tree: SyntaxTree, call: Node) -> Iterator[LaunchSite]:
    chevrons = next((child for child in call.children if child.type == "kernel_call_syntax"), None)
    function = call.child_by_field_name("function")
    arguments = call.child_by_field_name("arguments")
    if chevrons is None or function is None or arguments is None:
        return
    configuration = _without_comments(chevrons)
    if len(configuration) >= _MINIMUM_CONFIGURATION:
        yield _site(tree, call, function, configuration, _without_comments(arguments))


def _function_launch(tree: SyntaxTree, call: Node) -> Iterator[LaunchSite]:
    function = call.child_by_field_name("function")
    arguments = call.child_by_field_name("arguments")
    if function is None or arguments is None or tree.text(function) not in _LAUNCH_FUNCTIONS:
        return
    values = _without_comments(arguments)
    if len(values) not in _LAUNCH_FUNCTION_ARGUMENTS:
        return
    kernel = _behind_casts(values[0])
    if kernel is not None:
        configuration = (values[1], values[2], *values[4:])
        yield _site(tree, call, kernel, configuration, _pointed_arguments(tree, call, values[3]))


def _site(tree: SyntaxTree, call: Node, function: Node, configuration: Sequence[Node], arguments: Sequence[Node]) -> LaunchSite:
    name, template_arguments = callee(tree, function)
    shown = [_expression(tree, node) for node in configuration]
    return LaunchSite(
        kernel_name=spelled_out(name, tree.source),
        template_arguments=template_arguments,
        grid=shown[0],
        block=shown[1],
        shared=shown[2] if len(shown) > 2 else None,
        stream=shown[3] if len(shown) > 3 else None,
        arguments=tuple(_expression(tree, node) for node in arguments),
        span=tree.span(call),
        line=tree.line(call),
        function=_enclosing_function(tree, call),
        is_in_loop=any(node.type in LOOPS for node in tree.ancestors(call)),
    )


def _expression(tree: SyntaxTree, node: Node) -> Expression:
    return Expression(tree.text(node), tree.span(node))


def _without_comments(node: Node) -> list[Node]:
    return [child for child in node.named_children if child.type != "comment" and not child.is_error]


def _behind_casts(node: Node) -> Node | None:
    """The function that ``(void *)&k<int>`` names."""
    named = _addressed(node)
    if named is not None and named.type == "call_expression":
        function, arguments = named.child_by_field_name("function"), named.child_by_field_name("arguments")
        is_cast = function is not None and function.type == "template_function" and arguments is not None
        return _behind_casts(arguments.named_children[0]) if is_cast and arguments and arguments.named_children else None
    return named if named is not None and named.type in ("identifier", "qualified_identifier", "template_function") else None


def _pointed_arguments(tree: SyntaxTree, call: Node, array: Node) -> list[Node]:
    """What ``void *args[] = {&a, &n}`` points to; nothing when the array is not set up in the same function."""
    function = enclosing_definition(tree, call)
    for declarator in tree.find("init_declarator", inside=function) if function is not None else ():
        name = declarator.child_by_field_name("declarator")
        value = declarator.child_by_field_name("value")
        if name is None or value is None or value.type != "initializer_list":
            continue
        if tree.text(name).split("[")[0].strip("* ") == tree.text(array):
            return [inner for inner in map(_addressed, _without_comments(value)) if inner is not None]
    return []


def _addressed(node: Node) -> Node | None:
    """``a`` of ``(void *)&a``."""
    while node.type in _BEFORE_NAME:
        inner = node.child_by_field_name("value") or node.child_by_field_name("argument")
        inner = inner or next(iter(node.named_children), None)
        if inner is None:
            return None
        node = inner
    return node


def _enclosing_function(tree: SyntaxTree, call: Node) -> str:
    definition = enclosing_definition(tree, call)
    declarator = None if definition is None else function_declarator(definition)
    name = None if declarator is None else declarator.child_by_field_name("declarator")
    return "" if name is None else callee(tree, name)[0]
