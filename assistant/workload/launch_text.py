"""What a launch site's text says of grid, block and shared memory, in the exact grammar of a workload block.

Example::

    carried_grid(launch, kernel, ("n",))    # ('ceil(n/128)',) of k<<<(count + 127) / 128, 128>>>(count, …)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from assistant.cuda.casts import without_integer_casts
from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.launch_shape import Launch
from assistant.cuda.sums import terms_of
from assistant.cuda.syntax import Node, binary_parts, node_text, unparenthesized
from assistant.model.elements import parse_element_type
from assistant.model.source import Kernel

__all__ = ["carried_block", "carried_expression", "carried_grid", "one_line"]

_T = TypeVar("_T")


def carried_block(launch: Launch) -> tuple[int, ...] | None:
    """Threads per axis where the launch says them with numbers or constants; None otherwise."""
    return _all_known(evaluate(component, launch.scope, {}) for component in launch.block.components)


def carried_grid(launch: Launch, kernel: Kernel, sizes: tuple[str, ...]) -> tuple[str, ...] | None:
    """The launch's grid in the kernel's own names; None where its text is more than a rounded-up quotient."""
    names = _kernel_names(launch, kernel, sizes)
    scope = launch.scope.without(names)
    return _all_known(_exact(component, scope, names) for component in launch.grid.components)


def carried_expression(node: Node, launch: Launch, kernel: Kernel, sizes: tuple[str, ...]) -> str | None:
    """An expression at the launch in the kernel's own names; None where it holds anything but sizes, numbers and types."""
    names = _kernel_names(launch, kernel, sizes)
    return _rewritten(node, launch.scope.without(names), names)


def one_line(text: str) -> str:
    """Safe inside a comment's line."""
    return " ".join(text.replace("*/", "* /").split())


def _all_known(values: Iterable[_T | None]) -> tuple[_T, ...] | None:
    found = tuple(values)
    known = tuple(value for value in found if value is not None)
    return known if known and len(known) == len(found) else None


def _kernel_names(launch: Launch, kernel: Kernel, sizes: tuple[str, ...]) -> dict[str, str]:
    """Host variable → the kernel's size that it is passed as."""
    passed = zip(launch.site.arguments, kernel.parameters, strict=False)
    return {argument.text: parameter.name for argument, parameter in passed if argument.text.isidentifier() and parameter.name in sizes}


def _exact(node: Node, scope: Scope, names: Mapping[str, str]) -> str | None:
    """``(n + 255) / 256`` or ``n / 32`` of C's integers in the block's exact grammar; None for anything else."""
    node = without_integer_casts(node)
    if node_text(node) in names:
        return names[node_text(node)]
    value, definition = evaluate(node, scope, {}), scope.definition(node_text(node))
    if value is not None:
        return str(value)
    if definition is not None:
        return _exact(definition, scope.without((node_text(node),)), names)
    parts = binary_parts(node)
    divisor = None if parts is None or parts[0] != "/" else evaluate(parts[2], scope, {})
    if parts is None or divisor is None:
        return None
    sizes, total = list[str](), 0
    for term in terms_of(parts[1]):
        name, added = names.get(node_text(term.node)), evaluate(term.node, scope, {})
        if name is not None and not term.is_subtracted:
            sizes.append(name)
        elif added is not None:
            total += -added if term.is_subtracted else added
        else:
            return None
    return f"ceil({sizes[0]}/{divisor})" if len(sizes) == 1 and total in (0, divisor - 1) else None


def _rewritten(node: Node, scope: Scope, names: Mapping[str, str]) -> str | None:
    if node.type == "parenthesized_expression":
        inside = _rewritten(unparenthesized(node), scope, names)
        return None if inside is None else f"({inside})"
    node = without_integer_casts(node)
    if node_text(node) in names:
        return names[node_text(node)]
    kind = node.child_by_field_name("type")
    if node.type == "sizeof_expression" and kind is not None:
        element = parse_element_type(node_text(kind))
        return None if element is None else str(element.size_bytes)
    parts = binary_parts(node)
    if parts is None or parts[0] not in "+-*/%":
        value = evaluate(node, scope, {})
        return None if value is None else str(value)
    left, right = (_rewritten(part, scope, names) for part in parts[1:])
    return None if left is None or right is None else f"{left} {parts[0]} {right}"
