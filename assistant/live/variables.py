"""What the ``__device__`` variables of a text hold before a launch: as its declarations say, since each launch begins with them.

A kernel that writes one leaves a result there, which is compared like an array's. Example::

    variables_of("__device__ int hits; __device__ float best[2] = {1, 2};").known[1].data        # the bytes of 1.0f, 2.0f
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from assistant.cuda.functions import function_declarator
from assistant.cuda.integers import evaluate
from assistant.cuda.recovery import recover
from assistant.cuda.scopes import scope_inside
from assistant.cuda.struct_layouts import layout_named
from assistant.cuda.syntax import Node, SyntaxTree, node_text
from assistant.cuda.tokens import words_in_code
from assistant.cuda.variables import Variable, declared_variables
from assistant.model.elements import ElementType, parse_element_type
from assistant.model.source import Kernel, ParsedSource
from assistant.record import Record
from assistant.workload.arrays import encode

__all__ = ["TextVariables", "VariableState", "lost_variables", "uncompared_variables", "variables_of"]

_SPACES = frozenset({"__device__", "__managed__"})
_SCOPES = frozenset({"namespace_definition", "class_specifier", "struct_specifier", "template_declaration", "function_definition"})
_MOST_BYTES = 64 << 20
"""A larger variable is copied for no case."""


class VariableState(Record):
    """One variable before a launch."""

    name: str
    element_type: str
    data: bytes


class TextVariables(Record):
    known: tuple[VariableState, ...]
    unknown: tuple[str, ...]
    """Names of those whose size or first value the declaration does not say plainly."""


def variables_of(text: str) -> TextVariables:
    """Variables that a kernel of the text may write: ``__device__`` and ``__managed__`` ones without const."""
    known, unknown = list[VariableState](), list[str]()
    for tree, variable in _declared(text):
        data = _contents(tree, variable, text)
        if data is None:
            unknown.append(variable.name)
        else:
            known.append(VariableState(variable.name, variable.type, data))
    return TextVariables(tuple(known), tuple(unknown))


def uncompared_variables(variables: TextVariables, parsed: ParsedSource, kernel: Kernel) -> tuple[str, ...]:
    """A sentence where the kernel's body names some whose first value is not known."""
    words = words_in_code(parsed.source.text[kernel.body.start : kernel.body.end])
    named = [name for name in variables.unknown if name in words]
    if not named:
        return ()
    return (f"what {kernel.name} leaves in {', '.join(named)} is not compared: its declaration does not say plainly what is in it",)


def lost_variables(parsed: ParsedSource, kernel: Kernel) -> str:
    """A sentence where another kernel of the text uses variables of this one; empty where none does."""
    variables = variables_of(parsed.source.text)
    bodies = [words_in_code(parsed.source.text[one.body.start : one.body.end]) for one in parsed.kernels if one.body != kernel.body]
    own = words_in_code(parsed.source.text[kernel.body.start : kernel.body.end])
    names = [*(variable.name for variable in variables.known), *variables.unknown]
    shared = [name for name in names if name in own and any(name in body for body in bodies)]
    if not shared:
        return ""
    are = "is" if len(shared) == 1 else "are"
    return (
        f"{', '.join(shared)} {are} used by several kernels of the text: each call begins with what the declaration says, so that nothing "
        "that one kernel leaves there reaches another; pass an array to hand values on"
    )


def _declared(text: str) -> Iterator[tuple[SyntaxTree, Variable]]:
    for tree in recover(text).trees:
        for declaration in tree.find("declaration"):
            words = {tree.text(word).strip() for word in declaration.children}
            if words & _SPACES and "extern" not in words and function_declarator(declaration) is None:
                yield from ((tree, one) for one in declared_variables(tree, declaration) if not one.is_const)


def _contents(tree: SyntaxTree, variable: Variable, text: str) -> bytes | None:
    element = parse_element_type(variable.type)
    layout = None if element is not None else layout_named(text, variable.type)
    item_bytes = element.size_bytes if element is not None else None if layout is None else layout.size_bytes
    count = _count(tree, variable.declarator)
    is_inside = any(parent.type in _SCOPES for parent in tree.ancestors(variable.node))
    if item_bytes is None or count is None or variable.is_pointer or variable.is_reference or is_inside:
        return None
    size_bytes = count * item_bytes
    if not 0 < size_bytes <= _MOST_BYTES:
        return None
    if variable.value is None:
        return bytes(size_bytes)
    values = _values(tree, variable.value)
    if values is None or (element is None and any(values)):
        return None
    data = b"" if element is None else _encoded(values, element)
    return data.ljust(size_bytes, b"\0") if len(data) <= size_bytes else None


def _count(tree: SyntaxTree, declarator: Node) -> int | None:
    """Elements of all dimensions; 1 without any."""
    node: Node | None = declarator
    sizes: list[int | None] = []
    while node is not None and node.type != "identifier":
        if node.type == "array_declarator":
            size = node.child_by_field_name("size")
            sizes.append(None if size is None else evaluate(size, scope_inside(tree, None), {}))
        node = node.child_by_field_name("declarator")
    known = [size for size in sizes if size is not None]
    return math.prod(known) if node is not None and len(known) == len(sizes) else None


def _values(tree: SyntaxTree, value: Node) -> Sequence[float] | None:
    """Numbers of an initializer, in order; None where one is none."""
    if value.type == "initializer_list":
        parts = [_values(tree, part) for part in value.named_children if part.type != "comment"]
        if any(part is None for part in parts) or any(part.type == "initializer_list" for part in value.named_children):
            return None  # a row that is not full is followed by zeros
        return [number for part in parts if part is not None for number in part]
    whole = evaluate(value, scope_inside(tree, None), {})
    if whole is not None:
        return [whole]
    try:
        return [float(node_text(value).rstrip("fF"))]
    except ValueError:
        return None


def _encoded(values: Sequence[float], element: ElementType) -> bytes:
    return encode(np.array(values), element)
