"""Numbers that a launch passes to a kernel, as its text spells them: parameters, and members of structs that are passed by value.

Example::

    parameter_numbers(tree, kernel)     # ('n', 'box.nx', 'box.ny') of `__global__ void k(float *x, int n, Box box)`
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.assignments import assignments
from assistant.cuda.struct_layouts import layout_named
from assistant.cuda.syntax import SyntaxTree, kept, node_text
from assistant.model.elements import parse_element_type
from assistant.model.source import Kernel
from assistant.plan.expert.analysis.element_types import plain_type

__all__ = ["parameter_numbers"]


@kept
def parameter_numbers(tree: SyntaxTree, kernel: Kernel) -> tuple[str, ...]:
    """Names of all parameters that are no pointers; of a struct those of its integers, unless the kernel changes it."""
    body = tree.node_at(kernel.body)
    changed = {node_text(change.target).partition(".")[0].strip() for change in assignments(tree, body)} if body is not None else set[str]()
    found: list[str] = []
    for parameter in kernel.parameters:
        kind = plain_type(tree, parameter.type.replace("const", "").strip())
        inside = [] if parameter.is_pointer else [*_integers(tree, parameter.name, kind)]
        if inside and parameter.name not in changed:
            found += inside
        elif not parameter.is_pointer:
            found.append(parameter.name)
    return tuple(found)


def _integers(tree: SyntaxTree, name: str, kind: str) -> Iterator[str]:
    """Integer members of a struct or a vector; none of a number."""
    if kind == "dim3":
        yield from (f"{name}.{axis}" for axis in "xyz")
        return
    vector = parse_element_type(kind)
    layout = layout_named(tree.program.source, kind) if vector is None else None
    if vector is not None and vector.components > 1 and vector.is_integer:
        yield from (f"{name}.{component}" for component in "xyzw"[: vector.components])
    for member in () if layout is None else layout.members:
        if member.element.is_integer and member.points_to is None and member.count == 1 and "[" not in member.path:
            components = [f".{each}" for each in "xyzw"[: member.element.components]] if member.element.components > 1 else [""]
            yield from (f"{name}.{member.path}{component}" for component in components)
