"""Numbers that a launch passes to a kernel, as its text spells them: parameters, and members of structs that are passed by value.

Example::

    parameter_numbers(tree, kernel)     # ('n', 'box.nx', 'box.ny') of `__global__ void k(float *x, int n, Box box)`
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.assignments import assignments
from assistant.cuda.syntax import SyntaxTree, kept, node_text
from assistant.model.elements import parse_element_type
from assistant.model.source import Kernel
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.struct_members import plain_members

__all__ = ["parameter_numbers"]

_DEEPEST = 3
"""Structs in structs that are followed."""


@kept
def parameter_numbers(tree: SyntaxTree, kernel: Kernel) -> tuple[str, ...]:
    """Names of all parameters that are no pointers; of a struct those of its integers, unless the kernel changes it."""
    body = tree.node_at(kernel.body)
    changed = {node_text(change.target).partition(".")[0].strip() for change in assignments(tree, body)} if body is not None else set[str]()
    found: list[str] = []
    for parameter in kernel.parameters:
        kind = plain_type(tree, parameter.type.replace("const", "").strip())
        inside = [] if parameter.is_pointer else [*_integers(tree, parameter.name, kind, _DEEPEST)]
        if inside and parameter.name not in changed:
            found += inside
        elif not parameter.is_pointer:
            found.append(parameter.name)
    return tuple(found)


def _integers(tree: SyntaxTree, name: str, kind: str, depth: int) -> Iterator[str]:
    """Integer members of a struct or a vector; none of a number."""
    element = parse_element_type(kind)
    if kind == "dim3" or (element is not None and element.is_integer and element.components > 1):
        yield from (f"{name}.{component}" for component in "xyzw"[: 3 if element is None else element.components])
    for member, inner in plain_members(tree, kind) if element is None and depth else ():
        number = parse_element_type(inner)
        if number is not None and number.is_integer and number.components == 1:
            yield f"{name}.{member}"
        else:
            yield from _integers(tree, f"{name}.{member}", inner, depth - 1)
