"""Let the threads of a block put their values together before one of them updates the total.

Applies where every thread of a block updates the same element of global memory, and the kernel looks at that element in no other way.

Example::

    atomicAdd(total, x[i] * w[i]);
    // becomes
    thread_total += x[i] * w[i];
    …
    for (int offset = 16; offset > 0; offset /= 2)
        thread_total += __shfl_down_sync(0xffffffff, thread_total, offset);
    __shared__ float warp_total[8];
    if (threadIdx.x % 32 == 0)
        warp_total[threadIdx.x / 32] = thread_total;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 8; warp++)
            thread_total += warp_total[warp];
        atomicAdd(total, thread_total);
    }
"""

from __future__ import annotations

from itertools import pairwise

from assistant.cuda.files import line_end
from assistant.cuda.functions import enclosing_function
from assistant.cuda.syntax import Node, unparenthesized
from assistant.cuda.variables import locals_of
from assistant.model.launch import Dim3
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import Span, TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.coarser_work import elements_a_thread
from assistant.plan.expert.analysis.element_types import launched_types, plain_type
from assistant.plan.expert.analysis.kernel_launches import by_file
from assistant.plan.expert.analysis.large_gpu import FULL_BLOCKS
from assistant.plan.expert.analysis.launch_block import SeenBlock, seen_block
from assistant.plan.expert.analysis.plain_updates import Update, Updates, plain_updates, same_element
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.row_reductions import is_shuffled
from assistant.plan.expert.analysis.scaled_grids import GRID_ELSEWHERE, coarser_grid
from assistant.plan.expert.analysis.workload_block import launch_labels
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.block_total import COMBINATIONS, Total, joined, total_names, totalled
from assistant.plan.expert.writing.layout import before_statement, indentation
from assistant.plan.expert.writing.meeting_end import StridedLoop, met_at_end, strided
from assistant.plan.expert.writing.neutral_values import neutral_value
from assistant.plan.expert.writing.style import is_simple_term
from assistant.record import Record

__all__ = ["BlockAtomics"]


class _Plan(Record):
    """What becomes of the updates."""

    totals: tuple[Total, ...]
    is_in_place: bool
    """Each thread has its part in a local already, and all get to the updates: what is written stands where the updates stood."""


class BlockAtomics:
    """An atomic a thread → an atomic a block."""

    technique = "block-atomics"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        updates = plain_updates(context)
        if isinstance(updates, Obstacle):
            return context.decline(self.technique, updates)
        obstacle = _obstacle(context, updates)
        if obstacle is not None:
            return context.decline(self.technique, obstacle)
        block = seen_block(context)
        if isinstance(block, Obstacle):
            return context.decline(self.technique, block)
        plan = _plan(context, updates)
        if isinstance(plan, Obstacle):
            return context.decline(self.technique, plan)
        written = _rewrite(context, updates, plan, block, 1)
        if isinstance(written, Obstacle):
            return context.decline(self.technique, written)
        coarse = _rewrite(context, updates, plan, block, elements_a_thread(context, FULL_BLOCKS))
        return (written,) if isinstance(coarse, Obstacle) or coarse.edits == written.edits else (coarse, written)


def _obstacle(context: TransformationContext, updates: Updates) -> Obstacle | None:
    if not updates.at_line.is_of_block:
        return Obstacle(
            DeclineReason.ELEMENT_CHANGES,
            f"the threads of a block update different elements of `{updates.at_line.base}`: there is no one value to put together",
        )
    for update in updates.all:
        if update.is_of_block and not is_shuffled(context, update.element_type):
            return Obstacle(DeclineReason.TYPE_UNKNOWN, f"`{update.base}` of type `{update.element_type}` cannot surely be shuffled")
    return None


def _plan(context: TransformationContext, updates: Updates) -> _Plan | Obstacle:
    mine = tuple(update for update in updates.all if update.is_of_block)
    groups: list[list[Update]] = []
    for update in mine:
        group = next((g for g in groups if same_element(context.tree, g[0], update)), None)
        if group is None:
            groups.append([update])
        else:
            group.append(update)
    held = [_held(context, updates, update) for update in mine]
    if all(held) and len(groups) == len(mine) and _follow_each_other(mine):
        totals = (Total(name or "", (update,)) for name, update in zip(held, mine, strict=True))
        return _Plan(tuple(totals), is_in_place=True)
    starts = [_start(context, group[0]) for group in groups]
    for group, start in zip(groups, starts, strict=True):
        if start is None:
            words = f"a thread would have to begin with a value that {group[0].operation} leaves alone, and the text shows none"
            return Obstacle(DeclineReason.TYPE_UNKNOWN, f"{words} for `{group[0].base}` of type `{group[0].element_type}`")
    names = total_names(context, [group[0] for group in groups])
    totals = (Total(name, tuple(group), start or "0") for name, group, start in zip(names, groups, starts, strict=True))
    return _Plan(tuple(totals), is_in_place=False)


def _start(context: TransformationContext, update: Update) -> str | None:
    """What a thread's part begins with, which leaves the element as it is."""
    return "0" if update.operation == "atomicAdd" else neutral_value(context, update.element_type, COMBINATIONS[update.operation])


def _held(context: TransformationContext, updates: Updates, update: Update) -> str | None:
    """The local that a thread's part is in and that nothing uses afterwards, where all threads get to the update."""
    tree, function = context.tree, updates.function
    name = tree.text(update.value)
    variables = locals_of(tree, function.body).get(name, ())
    if updates.guard is not None or update.statement.parent != function.body or len(variables) != 1:
        return None
    variable = variables[0]
    is_last = not any(
        tree.text(n) == name and n.start_byte > update.statement.end_byte for n in tree.find("identifier", inside=function.body)
    )
    is_plain = not variable.is_const and not variable.is_pointer and not variable.is_array and variable.type == update.element_type
    return name if is_last and is_plain and variable.node.parent == function.body else None


def _follow_each_other(updates: tuple[Update, ...]) -> bool:
    return all(one.statement.next_named_sibling == two.statement for one, two in pairwise(updates))


def _rewrite(context: TransformationContext, updates: Updates, plan: _Plan, seen: SeenBlock, elements: int) -> Rewrite | Obstacle:
    loop = strided(context, updates.function, updates.guard) if elements > 1 and not plan.is_in_place else None
    grid = coarser_grid(context, {"x": elements}) if loop is not None else ()
    if loop is not None and not grid:
        return GRID_ELSEWHERE
    if isinstance(grid, Obstacle):
        return grid
    edits = _in_place(context, plan, seen.block) if plan.is_in_place else _at_end(context, updates, plan, seen.block, loop)
    if isinstance(edits, Obstacle):
        return edits
    own, in_others = by_file(context, (*edits, *grid))
    is_exact = all(launched_types(context, t.updates[0].element_type).isdisjoint(("float", "double")) for t in plan.totals)
    blocks = max((launch.grid.count for launch in context.launches), default=0)
    return Rewrite(
        technique=BlockAtomics.technique,
        kernel=context.kernel.key,
        line=context.line,
        edits=own,
        summary="Put the values of a block together before one thread updates "
        + _named(context, plan)
        + (f", and let a thread take {elements} elements." if loop is not None else "."),
        labels=(
            *seen.labels,
            *(launch_labels(context, ()) if grid else ()),
            *(() if is_exact else (Label.REASSOCIATION,)),
        ),
        predictions=predicted_values(context, {"atomic_lanes": float(-(-blocks // elements))}) if blocks else (),
        assumptions=seen.assumptions,
        in_others=in_others,
    )


def _named(context: TransformationContext, plan: _Plan) -> str:
    return " and ".join(f"`{context.tree.text(total.updates[0].target)}`" for total in plan.totals)


def _in_place(context: TransformationContext, plan: _Plan, block: Dim3) -> tuple[TextEdit, ...]:
    first, last = plan.totals[0].updates[0].statement, plan.totals[-1].updates[0].statement
    span = Span(context.tree.span(first).start, context.tree.span(last).end)
    lines = totalled(context, plan.totals, block.x).split("\n")
    return (TextEdit(span, f"{line_end(context.text)}{indentation(context.text, span.start)}".join(lines)),)


def _at_end(
    context: TransformationContext, updates: Updates, plan: _Plan, block: Dim3, loop: StridedLoop | None
) -> tuple[TextEdit, ...] | Obstacle:
    tree = context.tree
    first = _top_level(context, loop.index if loop is not None else updates.guard or plan.totals[0].updates[0].statement)
    inner = [TextEdit(tree.span(u.statement), joined(t, _value(context, u))) for t in plan.totals for u in t.updates]
    declared = (f"{total.updates[0].element_type} {total.name} = {total.start};" for total in plan.totals)
    newline = f"{line_end(context.text)}{indentation(context.text, tree.span(first).start)}"
    inner += before_statement(tree, first, newline.join(declared))
    return met_at_end(context, updates.function, updates.guard, inner, totalled(context, plan.totals, block.x), loop)


def _value(context: TransformationContext, update: Update) -> str:
    """What the thread brings; to a maximum or a minimum in the element's type, as the atomic took it."""
    tree, kind = context.tree, update.element_type
    is_plain = update.operation == "atomicAdd" or _type_of(context, unparenthesized(update.value)) == kind
    text = tree.text(update.value)
    return text if is_plain else f"({kind}){text}" if is_simple_term(text) and "*" not in text else f"({kind})({text})"


def _type_of(context: TransformationContext, node: Node) -> str | None:
    """Of a variable, an element of an array, or a cast."""
    tree = context.tree
    cast = node.child_by_field_name("type") if node.type == "cast_expression" else None
    if cast is not None:
        return plain_type(tree, tree.text(cast))
    base = node.child_by_field_name("argument") if node.type == "subscript_expression" else node
    name = "" if base is None or base.type != "identifier" else tree.text(base)
    function = enclosing_function(tree, context.body)
    parameter = None if function is None else function.parameter(name)
    found = locals_of(tree, context.body).get(name, ()) if parameter is None else (parameter,)
    is_element = node.type == "subscript_expression"
    is_known = len(found) == 1 and (found[0].is_pointer or found[0].is_array) == is_element and found[0].indirection <= 1
    return plain_type(tree, found[0].type) if is_known else None


def _top_level(context: TransformationContext, node: Node) -> Node:
    """The statement of the kernel's own body that holds ``node``."""
    while node.parent is not None and node.parent != context.body:
        node = node.parent
    return node
