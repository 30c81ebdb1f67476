"""Let each block count in shared memory, and add what it counted to the table in global memory once.

Applies where the threads add to elements of a small table that the kernel looks at in no other way.

Example::

    atomicAdd(&counts[digit[i]], 1);
    // becomes
    __shared__ int block_counts[256];
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        block_counts[bin] = 0;
    __syncthreads();
    …
    atomicAdd(&block_counts[digit[i]], 1);
    …
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        atomicAdd(&counts[bin], block_counts[bin]);
"""

from __future__ import annotations

import re

from assistant.cuda.constants import constants_of
from assistant.cuda.element_size import element_size_bytes
from assistant.cuda.files import line_end
from assistant.cuda.functions import enclosing_function
from assistant.cuda.launch_shape import Launch
from assistant.cuda.names import free_name, fresh_name, mentions
from assistant.cuda.shared_arrays import shared_arrays
from assistant.cuda.syntax import Node
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import Span, TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.coarser_work import elements_a_thread
from assistant.plan.expert.analysis.element_types import launched_types
from assistant.plan.expert.analysis.kernel_launches import by_file, launches_of, of_program, template_environment
from assistant.plan.expert.analysis.large_gpu import BUSY_BLOCKS
from assistant.plan.expert.analysis.launch_block import SeenBlock, seen_block
from assistant.plan.expert.analysis.own_element import is_own_element
from assistant.plan.expert.analysis.plain_updates import Update, Updates, plain_updates
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.scaled_grids import GRID_ELSEWHERE, coarser_grid
from assistant.plan.expert.analysis.size_parameters import argument_of
from assistant.plan.expert.analysis.struct_members import bytes_of, is_plain_struct
from assistant.plan.expert.analysis.table_sizes import TableSize, table_size
from assistant.plan.expert.analysis.updated_places import Member
from assistant.plan.expert.analysis.workload_block import declared_shapes, launch_labels
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import before_statement, indentation
from assistant.plan.expert.writing.meeting_end import met_at_end, strided
from assistant.plan.expert.writing.style import style_of
from assistant.record import Record

__all__ = ["PrivateHistogram"]

_SHARED_BYTES = 48 * 1024
"""Static shared memory of a block at most (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability")."""
_MOST_ELEMENT_BYTES = 8
_ADDED_TYPES = frozenset({"int", "unsigned", "unsigned int", "uint32_t", "unsigned long long", "unsigned long long int", "float", "double"})
"""What ``atomicAdd`` takes in shared memory (CUDA C++ Programming Guide, "Atomic Functions")."""


class _Table(Record):
    """One table that blocks count in shared memory."""

    base: str
    private: str
    element_type: str
    """As the kernel spells it: of a number, or of a struct with the numbers."""
    element_bytes: int
    size: TableSize
    updates: tuple[Update, ...]
    members: tuple[Member, ...]
    """The numbers of a struct that are added to; none where the elements are numbers."""


class _Element(Record):
    """What is asked for the size of its table."""

    base: str
    index: Node | None
    element_type: str


class PrivateHistogram:
    """A table in global memory → one for each block."""

    technique = "private-histogram"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        updates = plain_updates(context)
        if isinstance(updates, Obstacle):
            return context.decline(self.technique, updates)
        block = seen_block(context)
        if isinstance(block, Obstacle):
            return context.decline(self.technique, block)
        tables = _tables(context, updates)
        if isinstance(tables, Obstacle):
            return context.decline(self.technique, tables)
        written = _rewrite(context, updates, tables, block, 1)
        if isinstance(written, Obstacle):
            return context.decline(self.technique, written)
        coarse = _rewrite(context, updates, tables, block, elements_a_thread(context, BUSY_BLOCKS))
        return (written,) if isinstance(coarse, Obstacle) or coarse.edits == written.edits else (coarse, written)


def _tables(context: TransformationContext, updates: Updates) -> tuple[_Table, ...] | Obstacle:
    if updates.at_line.is_of_block:
        return Obstacle(DeclineReason.OTHER_TECHNIQUE_FIRST, f"all threads of a block update one element of `{updates.at_line.base}`")
    if all(is_own_element(context, update) for update in updates.all):
        base = updates.at_line.base
        return Obstacle(
            DeclineReason.NO_GAIN, f"each thread of a block adds once to an element of `{base}` of its own: a block has nothing to combine"
        )
    found: list[_Table] = []
    for base in dict.fromkeys(update.base for update in updates.all if not update.is_of_block):
        table = _table(context, tuple(update for update in updates.all if update.base == base))
        if isinstance(table, Obstacle):
            return table
        found.append(table)
    bytes_count = sum(max(table.element_bytes, _MOST_ELEMENT_BYTES) * table.size.count for table in found)
    if bytes_count > _SHARED_BYTES or any(shared_arrays(context.tree, context.body)):
        largest = max(found, key=lambda table: table.size.count)
        return Obstacle(
            DeclineReason.LIMIT_EXCEEDED,
            f"the {largest.size.count:,} elements of `{largest.base}` would have to fit in a block's shared memory with what is there",
        )
    return tuple(found)


def _table(context: TransformationContext, updates: tuple[Update, ...]) -> _Table | Obstacle:
    first = updates[0]
    for update in updates:
        is_number = launched_types(context, update.element_type) <= _ADDED_TYPES
        if update.operation != "atomicAdd" or update.is_of_block or not is_number:
            line = context.tree.line(update.statement)
            return Obstacle(
                DeclineReason.STORE_FORM, f"line {line} does not add a number to an element of `{update.base}` that depends on the thread"
            )
    members = {update.member.path: update.member for update in updates if update.member is not None}
    kind = first.element_type if first.member is None else first.pointed_type
    types = launched_types(context, kind)
    bytes_count = _element_bytes(context, updates, kind, types)
    if isinstance(bytes_count, Obstacle):
        return bytes_count
    only = next(iter(types)) if len(types) == 1 else kind
    size = table_size(context, [_Element(update.base, update.index, only) for update in updates], may_add=True)
    if isinstance(size, Obstacle):
        return size
    style = style_of(context)
    name = free_name(context.tree, context.body, style.name("block", first.base), style.name("own", first.base))
    if size.is_parameter:
        name = fresh_name(context.tree, name)  # all arrays of a file that are sized at the launch share one name space
    return _Table(first.base, name, kind, bytes_count, size, updates, tuple(members.values()))


def _element_bytes(context: TransformationContext, updates: tuple[Update, ...], kind: str, types: frozenset[str]) -> int | Obstacle:
    """Of an element that a block can declare and clear in shared memory."""
    tree, first = context.tree, updates[0]
    sizes = [bytes_of(tree, each, template_environment(context)) for each in types]
    is_alike = all((update.member is None) == (first.member is None) for update in updates)
    if None in sizes or not is_alike or (first.member is not None and not is_plain_struct(tree, kind)):
        words = f"`{kind}` of `{first.base}` would have to be a plain struct of numbers, of one size at all launches"
        return Obstacle(DeclineReason.TYPE_UNKNOWN, words)
    return max(size for size in sizes if size is not None)


def _rewrite(
    context: TransformationContext, updates: Updates, tables: tuple[_Table, ...], seen: SeenBlock, elements: int
) -> Rewrite | Obstacle:
    loop = strided(context, updates.function, updates.guard) if elements > 1 else None
    grid = coarser_grid(context, {"x": elements}) if loop is not None else ()
    if loop is not None and not grid:
        return GRID_ELSEWHERE
    shared = _shared_edits(context, tables)
    if isinstance(grid, Obstacle):
        return grid
    if isinstance(shared, Obstacle):
        return shared
    first = next(n for n in updates.function.body.named_children if n.type != "comment")
    renamed = [edit for table in tables for edit in _renamed(context, table)]
    begun = before_statement(context.tree, first, _begun(context, tables))
    edits = met_at_end(context, updates.function, updates.guard, [*renamed, *begun], _added(context, tables), loop)
    if isinstance(edits, Obstacle):
        return edits
    own, in_others = by_file(context, (*edits, *grid, *shared))
    assumed = _assumed(context, tables)
    types = {each for table in tables for update in table.updates for each in launched_types(context, update.element_type)}
    is_exact = types.isdisjoint(("float", "double"))
    blocks = max((launch.grid.count for launch in context.launches), default=0) // elements
    added = float(max(1, blocks) * sum(table.size.count * _numbers(context, table) for table in tables))
    return Rewrite(
        technique=PrivateHistogram.technique,
        kernel=context.kernel.key,
        line=context.line,
        edits=own,
        summary=f"Let each block count {' and '.join(f'`{t.base}`' for t in tables)} in shared memory and add it up once"
        + (f", and let a thread take {elements} elements." if loop is not None else "."),
        labels=(
            *seen.labels,
            *(launch_labels(context, ()) if grid or shared else ()),
            *((Label.ASSUMPTION,) if assumed and not seen.assumptions else ()),
            *(() if is_exact else (Label.REASSOCIATION,)),
        ),
        predictions=predicted_values(context, {"atomic_lanes": added}) if blocks else (),
        assumptions=(*seen.assumptions, *assumed),
        in_others=in_others,
    )


def _shared_edits(context: TransformationContext, tables: tuple[_Table, ...]) -> tuple[TextEdit, ...] | Obstacle:
    """The bytes of a table that is sized at run time, at every launch."""
    sized = [table for table in tables if table.size.is_parameter]
    if not sized:
        return ()
    program, table = of_program(context), sized[0]
    if len(sized) > 1:
        return Obstacle(DeclineReason.SIZE_UNKNOWN, "several tables are sized at run time, and a launch gives the bytes of one array")
    if len(launched_types(context, table.element_type)) > 1:
        words = f"an array that is sized at the launch has one type in all instances, and `{table.element_type}` stands for several"
        return Obstacle(DeclineReason.TYPE_UNKNOWN, words)
    edits = _new_parameter(context, table)
    for place, launch in enumerate(launches_of(context)):
        count = _passed(program, launch, table.size, place)
        if launch.site.shared is not None and launch.site.shared.text.strip() != "0":
            where = program.tree.place(launch.site.span)
            return Obstacle(DeclineReason.LAUNCH_FORM, f"the launch on {where} gives its blocks shared memory for something else already")
        span = Span(launch.site.block.span.end, launch.site.block.span.end) if launch.site.shared is None else launch.site.shared.span
        bytes_count = f"{count} * sizeof({_type_at(program, launch, table)})"
        edits.append(TextEdit(span, bytes_count if launch.site.shared is not None else f", {bytes_count}"))
    of_cell = _shared_of_cell(context, table)
    return of_cell if isinstance(of_cell, Obstacle) else (*edits, *of_cell)


def _new_parameter(context: TransformationContext, table: _Table) -> list[TextEdit]:
    """The parameter with the number of elements, and what the launches pass for it; none where the kernel has it already."""
    function, added = enclosing_function(context.tree, context.body), table.size.added
    if added is None or function is None:
        return []
    behind = context.tree.span(function.parameters[-1].node).end
    edits = [TextEdit(Span(behind, behind), f", {added.type} {added.name}")]
    for launch, argument in zip(launches_of(context), added.arguments, strict=True):
        end = launch.site.arguments[-1].span.end
        edits.append(TextEdit(Span(end, end), f", {argument}"))
    return edits


def _passed(program: TransformationContext, launch: Launch, size: TableSize, place: int) -> str:
    """The number of elements, as the launching function has it."""
    if size.added is not None:
        return size.added.arguments[place]
    names = [parameter.name for parameter in program.kernel.parameters]
    return launch.site.arguments[names.index(size.text)].text


def _type_at(program: TransformationContext, launch: Launch, table: _Table) -> str:
    """The element's type where the launch stands, which need not have the kernel's template parameters."""
    argument, own = argument_of(program, launch, table.base), {parameter.name for parameter in program.kernel.template_parameters}
    is_common = argument is None or own.isdisjoint(re.findall(r"\w+", table.element_type))
    return table.element_type if is_common or argument is None else f"*{program.tree.text(argument)}"


def _shared_of_cell(context: TransformationContext, table: _Table) -> tuple[TextEdit, ...] | Obstacle:
    """The same on the line of a notebook's cell, which is no C++."""
    element_bytes = element_size_bytes(context.tree, table.element_type)
    given = [item for shape in declared_shapes(context) for item in shape.shared]
    if given and (element_bytes is None or any(item.text != "0" for item in given)):
        reason = "the line of the cell gives its blocks shared memory for something else already"
        return Obstacle(DeclineReason.LAUNCH_FORM, reason)
    return tuple(TextEdit(item.span, f'"{table.size.text} * {element_bytes}"') for item in given)


def _assumed(context: TransformationContext, tables: tuple[_Table, ...]) -> tuple[str, ...]:
    """What must hold for a launch to start, and for its tables to have room for every element."""
    found = [table.size.assumption for table in tables if table.size.assumption is not None]
    for table in (table for table in tables if table.size.is_parameter):
        most = _SHARED_BYTES // table.element_bytes
        found.append(f"`{table.size.text}` is at most {most:,}, so that the elements of `{table.base}` fit in shared memory")
    return tuple(found)


def _renamed(context: TransformationContext, table: _Table) -> list[TextEdit]:
    places = [node for update in table.updates for node in (update.target, None if update.alias is None else update.alias.value)]
    found = (node for place in places if place is not None for node in mentions(context.tree, place, table.base))
    return sorted({TextEdit(context.tree.span(node), table.private) for node in found})


def _begun(context: TransformationContext, tables: tuple[_Table, ...]) -> str:
    declared = [
        f"extern __shared__ {table.element_type} {table.private}[];"
        if table.size.is_parameter
        else f"__shared__ {table.element_type} {table.private}[{table.size.text}];"
        for table in tables
    ]
    bin_name = _bin(context)
    cleared: list[str] = []
    for size, of_size in _by_size(tables):
        cleared += _loop(context, size, [f"{table.private}[{bin_name}] = {'{}' if table.members else '0'};" for table in of_size])
    return _indented(context, [*declared, *cleared, "__syncthreads();"])


def _added(context: TransformationContext, tables: tuple[_Table, ...]) -> str:
    name, lines = _bin(context), ["__syncthreads();"]
    for size, of_size in _by_size(tables):
        lines += _loop(context, size, [line for table in of_size for line in _added_element(context, table, name)])
    return "\n".join(lines)


def _added_element(context: TransformationContext, table: _Table, index: str) -> list[str]:
    """An element of the block's table is added to the one in global memory, number by number."""
    style, lines = style_of(context), list[str]()
    item = free_name(context.tree, context.body, "j", "e", "item")
    for bound in dict.fromkeys(member.bound for member in table.members):
        inside = "" if bound is None else f"[{item}]"
        places = [f"[{index}].{member.path}{inside}" for member in table.members if member.bound == bound]
        added = [f"atomicAdd(&{table.base}{place}, {table.private}{place});" for place in places]
        lines += added if bound is None else style.headed(f"for (int {item} = 0; {item} < {bound}; {item}++)", added)
    return lines or [f"atomicAdd(&{table.base}[{index}], {table.private}[{index}]);"]


def _by_size(tables: tuple[_Table, ...]) -> list[tuple[str, list[_Table]]]:
    sizes = dict.fromkeys(table.size.text for table in tables)
    return [(size, [table for table in tables if table.size.text == size]) for size in sizes]


def _loop(context: TransformationContext, size: str, lines: list[str]) -> list[str]:
    """The block's threads share the elements of a table."""
    name = _bin(context)
    return [*style_of(context).headed(f"for (int {name} = threadIdx.x; {name} < {size}; {name} += blockDim.x)", lines)]


def _numbers(context: TransformationContext, table: _Table) -> int:
    """Of an element of the table; a bound that is not known counts as one."""
    values = {**constants_of(context.tree.program), **template_environment(context)}
    counts = [1 if m.bound is None else int(m.bound) if m.bound.isdigit() else values.get(m.bound, 1) for m in table.members]
    return sum(counts) or 1


def _bin(context: TransformationContext) -> str:
    return free_name(context.tree, context.body, "bin", "b", "k", "table_index")


def _indented(context: TransformationContext, lines: list[str]) -> str:
    first = next(n for n in context.body.named_children if n.type != "comment")
    indent = indentation(context.text, context.tree.span(first).start)
    return f"{line_end(context.text)}{indent}".join(lines)
