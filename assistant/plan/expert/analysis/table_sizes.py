"""How many elements a table in global memory has that a kernel updates or reads: from its allocation, an index, or what ran.

An index beyond the allocation has no defined result, so the allocation bounds the indices. Where the text shows no allocation, as with
arrays that a notebook binds, the recorded launches have one, and the size is an assumption.

Example::

    cudaMalloc(&d_counts, BINS * sizeof(int)); … count<<<blocks, 256>>>(d_text, d_counts, n);
    table_size(context, updates)     # TableSize(count=64, text='BINS')
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from assistant.cuda.assignments import assignments
from assistant.cuda.calls import given_arguments
from assistant.cuda.constants import constants_of
from assistant.cuda.element_size import element_size_bytes
from assistant.cuda.integers import evaluate
from assistant.cuda.launch_shape import Launch
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, SyntaxTree, parsed_expression, unparenthesized
from assistant.cuda.variables import Variable, locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.kernel_launches import launches_of, of_program, template_environment
from assistant.plan.expert.analysis.new_parameter import CountParameter, count_parameter
from assistant.plan.expert.analysis.size_parameters import allocation_of, factor_of, size_parameter
from assistant.plan.expert.analysis.struct_members import bytes_of
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record
from assistant.workload.recorded_words import size_assumption

__all__ = ["TableSize", "TableUse", "table_size"]

_SIZEOF = re.compile(r"\bsizeof\s*(?:\(\s*(?P<of>[\w:\s<>,]+?)\s*\)|(?P<name>\w+))")
_BYTE = ("unsigned char", "uint8_t", "uchar")


class TableUse(Protocol):
    """Something that is done with elements of a table."""

    @property
    def base(self) -> str:
        """The pointer parameter."""
        ...

    @property
    def index(self) -> Node | None:
        """Which element, where that may say how many there are."""
        ...

    @property
    def element_type(self) -> str:
        """Aliases followed."""
        ...


class TableSize(Record):
    """The number of elements."""

    count: int
    """The most that recorded launches had where it is a parameter; 1 where none was recorded."""
    text: str
    """As the kernel can spell it: a name of the text's, where the allocation has one."""
    is_parameter: bool = False
    """The text is a parameter of the kernel, which every launch gives the number that was allocated."""
    added: CountParameter | None = None
    """The kernel has no such parameter yet."""
    assumption: str | None = None
    """What has to hold where only recorded launches show the size; None where the text does."""


def table_size(context: TransformationContext, updates: Sequence[TableUse], *, may_add: bool = False) -> TableSize | Obstacle:
    """The size of the table that all ``updates`` (or reads) are of, the same at every launch. ``may_add``: by a new parameter, too."""
    program, update = of_program(context), updates[0]
    found = [_allocated(program, launch, update) for launch in launches_of(context)]
    sizes = {each for each in found if each is not None}
    if len(sizes) == 1 and None not in found:
        return sizes.pop()
    parameter = size_parameter(context, update.base, plain_type(context.tree, update.element_type))
    if parameter is not None:
        scalar = None if context.recorded is None else context.recorded.scalar(parameter)
        return TableSize(1 if scalar is None else int(scalar.highest), parameter, is_parameter=True)
    if all(each.index is not None and _is_byte(context, each.index) for each in updates):
        return TableSize(256, "256")
    added = count_parameter(context, update.base, plain_type(context.tree, update.element_type)) if may_add else None
    if added is not None:
        seen = _seen(context, updates)
        return TableSize(1 if seen is None else seen.count, added.name, is_parameter=True, added=added)
    return _seen(context, updates) or Obstacle(
        DeclineReason.SIZE_UNKNOWN,
        f"how many elements `{update.base}` has is not seen: the function that launches the kernel should allocate a constant number, "
        "or one that it passes on",
    )


def _seen(context: TransformationContext, updates: Sequence[TableUse]) -> TableSize | None:
    """What the array had that every recorded launch passed."""
    base, facts = updates[0].base, context.recorded
    reach = next((one for one in context.reaches if one.name == base), None)
    size = bytes_of(context.tree, updates[0].element_type, template_environment(context))
    if facts is None or reach is None or size is None or reach.least_bytes != reach.most_bytes or reach.most_bytes < size:
        return None
    count = reach.most_bytes // size
    return TableSize(count, _constant_of_index(context, updates, count) or str(count), assumption=size_assumption(facts, base, count))


def _constant_of_index(context: TransformationContext, updates: Sequence[TableUse], count: int) -> str | None:
    """The constant of this value that an index, or a local in it, is made with: ``BINS`` of ``x[i] % BINS``."""
    tree, constants, local = context.tree, constants_of(context.tree), locals_of(context.tree, context.body)
    indices = [each.index for each in updates if each.index is not None]
    values = [one.value for node in indices for name in names_in(tree, node) for one in local.get(name, ()) if one.value is not None]
    own = {*local, *(parameter.name for parameter in context.kernel.parameters)}
    names = (name for node in (*indices, *values) for name in sorted(names_in(tree, node) - own))
    return next((name for name in names if constants.get(name) == count), None)


def _allocated(program: TransformationContext, launch: Launch, update: TableUse) -> TableSize | None:
    """What the launching function allocates for the argument."""
    tree, call = program.tree, allocation_of(program, launch, update.base)
    given = () if call is None else given_arguments(call)
    size = bytes_of(tree, update.element_type, template_environment(program))
    if len(given) < 2 or size is None or launch.function is None:
        return None
    written = _written(tree, launch.function, given[1])
    bytes_count = _value(tree, launch, written)
    if bytes_count is None or bytes_count % size or not bytes_count:
        return None
    count = bytes_count // size
    return TableSize(count, _named(program, tree.text(written), count, launch, tree) or str(count))


def _written(tree: SyntaxTree, function: Node, size: Node) -> Node:
    """What a local that holds the number of bytes was made from."""
    name = tree.text(unparenthesized(size))
    variables = locals_of(tree, function).get(name, ())
    value = variables[0].value if len(variables) == 1 else None
    is_changed = any(tree.text(change.target) == name for change in assignments(tree, function))
    return size if value is None or is_changed else value


def _value(tree: SyntaxTree, launch: Launch, size: Node) -> int | None:
    """The bytes, ``sizeof`` followed."""

    def bytes_text(match: re.Match[str]) -> str:
        name = " ".join((match["of"] or match["name"]).split())
        array = _array_bytes(tree, launch, name)
        return str(array or bytes_of(tree, name, launch.scope.constants) or "unknown_size")

    text = _SIZEOF.sub(bytes_text, tree.text(size))
    node = parsed_expression(text)
    return None if node is None else evaluate(node, launch.scope, {})


def _array_bytes(tree: SyntaxTree, launch: Launch, name: str) -> int | None:
    variable = None if launch.function is None else _array(tree, launch.function, name)
    length = None if variable is None else variable.declarator.child_by_field_name("size")
    count = None if length is None else evaluate(length, launch.scope, {})
    size = None if variable is None else element_size_bytes(tree, plain_type(tree, variable.type))
    return None if count is None or size is None else count * size


def _array(tree: SyntaxTree, function: Node, name: str) -> Variable | None:
    found = locals_of(tree, function).get(name, ())
    return found[0] if len(found) == 1 and found[0].is_array and found[0].value is None else None


def _named(program: TransformationContext, size: str, count: int, launch: Launch, tree: SyntaxTree) -> str | None:
    """The constant that the allocation or the array names, where the kernel can name it, too."""
    name = factor_of(size)
    sized = _SIZEOF.fullmatch(size.strip())
    if sized is not None and launch.function is not None:
        variable = _array(tree, launch.function, sized["of"] or sized["name"])
        length = None if variable is None else variable.declarator.child_by_field_name("size")
        name = None if length is None else tree.text(length)
    is_before = name is not None and re.search(rf"\b{re.escape(name)}\b", program.text[: program.kernel.span.start]) is not None
    is_free = name is not None and not program.kernel.span.start <= launch.site.span.start < program.kernel.span.end
    return name if is_before and is_free and name is not None and constants_of(tree).get(name) == count else None


def _is_byte(context: TransformationContext, index: Node) -> bool:
    """An element of an array of bytes, or a local byte."""
    tree, node = context.tree, unparenthesized(index)
    base = node.child_by_field_name("argument") if node.type == "subscript_expression" else node
    if base is None or base.type != "identifier":
        return False
    name = tree.text(base)
    parameter = next((p for p in context.kernel.parameters if p.name == name), None)
    variables = locals_of(tree, context.body).get(name, ())
    if node.type == "subscript_expression" and parameter is not None:
        spelled = parameter.type.replace("*", "").replace("const", "").replace("__restrict__", "").strip()
        return plain_type(tree, spelled) in _BYTE
    return node.type == "identifier" and len(variables) == 1 and plain_type(tree, variables[0].type) in _BYTE
