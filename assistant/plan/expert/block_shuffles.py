"""Let a block put one value of each thread together with shuffles, where it goes through shared memory step by step, or one thread does.

Each warp's lanes exchange their values in registers; one element of shared memory for each warp, and one barrier, do the rest.

Example::

    buf[threadIdx.x] = v;
    __syncthreads();
    for (int s = 1; s < blockDim.x; s *= 2) { if (threadIdx.x % (2 * s) == 0) buf[threadIdx.x] += buf[threadIdx.x + s]; __syncthreads(); }
    if (threadIdx.x == 0) partial[blockIdx.x] = buf[0];
    // becomes
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffff, v, offset);
    if (threadIdx.x % 32 == 0)
        buf[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 8; warp++)
            v += buf[warp];
        partial[blockIdx.x] = v;
    }
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from assistant.cuda.accesses import canonical
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.counted_loops import counted_header
from assistant.cuda.files import line_end
from assistant.cuda.integers import evaluate
from assistant.cuda.names import free_name, mentions
from assistant.cuda.scopes import scope_of
from assistant.cuda.shared_arrays import SharedArray
from assistant.cuda.syntax import Node
from assistant.model.launch import Dim3
from assistant.model.plan import Decline, Rewrite
from assistant.model.source import Span, TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.block_helpers import BlockHelper, block_helper
from assistant.plan.expert.analysis.block_steps import flat_sizes
from assistant.plan.expert.analysis.coarser_work import elements_a_thread
from assistant.plan.expert.analysis.element_types import launched_types
from assistant.plan.expert.analysis.guarded_element import GuardedElement, guarded_element
from assistant.plan.expert.analysis.kernel_launches import by_file
from assistant.plan.expert.analysis.large_gpu import FULL_BLOCKS
from assistant.plan.expert.analysis.launch_block import SeenBlock, seen_block
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.row_reductions import Combination
from assistant.plan.expert.analysis.scaled_grids import coarser_grid
from assistant.plan.expert.analysis.shared_memory import uses_shared_memory
from assistant.plan.expert.analysis.shared_totals import SharedPart, SharedTotal, shared_totals
from assistant.plan.expert.analysis.thread_stores import is_for_first_thread
from assistant.plan.expert.analysis.workload_block import launch_labels
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import comments_of, indentation, without_line
from assistant.plan.expert.writing.strided_sum import strided_in_place, strided_lines
from assistant.plan.expert.writing.style import style_of
from assistant.plan.expert.writing.thread_values import ThreadValue, thread_values
from assistant.plan.expert.writing.warp_count import divided_by_warp, warp_count

__all__ = ["BlockShuffles"]

_LANES = 32
"""Threads of a warp (CUDA C++ Programming Guide, "SIMT Architecture")."""
_PLACES_IN_GRID = ("blockIdx", "gridDim")


class BlockShuffles:
    """Steps through shared memory → shuffles, and an element of shared memory for each warp."""

    technique = "block-shuffles"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        helper = block_helper(context)
        if isinstance(helper, BlockHelper):
            return self._rewritten(context, helper.inside, helper.seen, helper.lent)
        if not uses_shared_memory(context):
            return ()
        seen = seen_block(context) if helper is None else helper
        return context.decline(self.technique, seen) if isinstance(seen, Obstacle) else self._rewritten(context, context, seen)

    def _rewritten(
        self, context: TransformationContext, inside: TransformationContext, seen: SeenBlock, lent: tuple[SharedArray, ...] = ()
    ) -> tuple[Rewrite, ...] | Decline:
        """``inside``: the question about the function that the reduction stands in."""
        found = shared_totals(inside, seen.block, lent)
        if found is None:
            return ()
        if isinstance(found, Obstacle):
            return context.decline(self.technique, found)
        plain = _rewrite(context, seen, found, _edits(inside, found, seen.block))
        coarse = _coarse(context, seen, found) if inside is context and not found[0].is_repeated else None
        return (plain,) if coarse is None else (coarse, plain)


def _coarse(context: TransformationContext, seen: SeenBlock, totals: tuple[SharedTotal, ...]) -> Rewrite | None:
    """With several elements for each thread first, where a thread has one, and blocks may be fewer."""
    element, elements = _one_element(context, totals, seen.block), elements_a_thread(context, FULL_BLOCKS)
    grid = coarser_grid(context, {"x": elements}) if element is not None and elements > 1 else ()
    if element is None or isinstance(grid, Obstacle) or not grid:
        return None
    rewrite = _rewrite(context, seen, totals, (*_edits(context, totals, seen.block, element), *grid), elements)
    return replace(rewrite, labels=tuple(dict.fromkeys((*rewrite.labels, *launch_labels(context, ())))))


def _rewrite(
    context: TransformationContext, seen: SeenBlock, totals: tuple[SharedTotal, ...], edits: Iterable[TextEdit], elements: int = 1
) -> Rewrite:
    own, in_others = by_file(context, edits)
    parts = [part for total in totals for part in total.parts]
    names = " and ".join(dict.fromkeys(f"`{part.array.name}`" for part in parts))
    return Rewrite(
        technique=BlockShuffles.technique,
        kernel=context.kernel.key,
        line=context.tree.line(totals[0].loop),
        edits=own,
        summary=f"Put the values of {names} together with shuffles"
        + (f", and let a thread take {elements} elements." if elements > 1 else "."),
        labels=(*seen.labels, *((Label.REASSOCIATION,) if any(_is_rounded(context, part) for part in parts) else ())),
        predictions=predicted_values(context, {"one_warp_step_ratio": 0.0}),
        assumptions=seen.assumptions,
        in_others=in_others,
    )


def _one_element(context: TransformationContext, totals: tuple[SharedTotal, ...], block: Dim3) -> GuardedElement | None:
    """What each thread adds, where it is one element, and the blocks' sums are only added up, so that their number does not matter."""
    total = totals[0]
    then = _first_threads(context, total, block) if total.alone is None else None
    if len(totals) != 1 or len(total.parts) != 1 or then is None or any(n in context.tree.text(then) for n in _PLACES_IN_GRID):
        return None
    branch = then.child_by_field_name("consequence")
    only = None if branch is None else lone_statement(branch)
    call = None if only is None else only.named_children[0]
    if call is None or call.type != "call_expression" or callee_name(context.tree, call) != "atomicAdd":
        return None
    given = given_arguments(call)
    if len(given) != 2:
        return None
    is_sum = canonical(context.tree, given[1]) == f"{total.parts[0].array.name}[0]"
    return guarded_element(context, total.parts[0]) if is_sum else None


def _is_rounded(context: TransformationContext, part: SharedPart) -> bool:
    """Another order gives another result."""
    is_exact = launched_types(context, part.array.element_type).isdisjoint(("float", "double"))
    return part.combination in (Combination.SUM, Combination.PRODUCT) and not is_exact


def _edits(
    context: TransformationContext, totals: tuple[SharedTotal, ...], block: Dim3, element: GuardedElement | None = None
) -> Iterator[TextEdit]:
    """``element``: what each thread adds several of."""
    needed: set[str] = set()
    taken: set[str] = set()
    for total in totals:
        values = thread_values(context, total, taken, is_sum=element is not None)
        taken |= {value.name for value in values}
        then = None if total.alone is not None else _first_threads(context, total, block)
        if then is None or not _is_one_warp(context, block):
            needed |= {part.array.name for part in total.parts}
        begun = [line for value in values if value.is_new for line in _begun(context, value, element)]
        yield from _of_total(context, total, values, begun, then, block)
    if element is not None:
        yield without_line(context.text, context.tree.span(element.index.node))
        yield from () if element.local is None else strided_in_place(context, element)
    for array in {part.array.name: part.array for total in totals for part in total.parts}.values():
        yield from _smaller_array(context, array) if array.name in needed else _without_array(context, array)


def _begun(context: TransformationContext, value: ThreadValue, element: GuardedElement | None) -> list[str]:
    """A local that has no name yet: it is set where its value was stored."""
    if element is not None:
        return strided_lines(context, element, value.part.array.element_type, value.name)
    tree, part, declared = context.tree, value.part, f"{value.part.array.element_type} {value.name}"
    if part.before is not None and part.choice is not None:
        otherwise, condition, then = (tree.text(n) for n in (part.choice.otherwise, part.choice.condition, part.choice.then))
        return [f"{declared} = {otherwise};", *_headed(context, f"if ({condition})", [f"{value.name} = {then};"])]
    return [f"{declared} = {_stored_text(context, part)};"]


def _stored_text(context: TransformationContext, part: SharedPart) -> str:
    tree, choice = context.tree, part.choice
    if part.value is not None:
        return tree.text(part.value)
    assert choice is not None, "either is there"
    return f"{tree.text(choice.condition)} ? {tree.text(choice.then)} : {tree.text(choice.otherwise)}"


def _of_total(
    context: TransformationContext, total: SharedTotal, values: tuple[ThreadValue, ...], begun: list[str], then: Node | None, block: Dim3
) -> Iterator[TextEdit]:
    tree, start = context.tree, context.tree.span(total.parts[0].first).start
    lines = [*begun, *_shuffled(context, values)]
    if total.alone is not None:
        lines += _kept(context, total, values)
        yield from _fewer(context, total)
        yield _laid_out(context, Span(start, tree.span(total.parts[-1].store).end), lines)
        return
    if not _is_one_warp(context, block):
        lines += [*_kept(context, total, values), "__syncthreads();"]
    stop = total.loop if then is None else then
    lines += () if then is None else comments_of(tree, then)[0]
    lines += _put_together(context, total, values, then, block)
    yield _laid_out(context, Span(start, tree.span(stop).end), lines)
    if total.counter is not None and tree.span(total.counter.node).start < start:
        yield without_line(context.text, tree.span(total.counter.node))


def _shuffled(context: TransformationContext, values: tuple[ThreadValue, ...]) -> list[str]:
    """Until the first lane of each warp has the warp's part."""
    offset = free_name(context.tree, context.body, "offset", "distance")
    inner = [value.joined(f"__shfl_down_sync(0xffffffff, {value.name}, {offset})") for value in values]
    return _headed(context, f"for (int {offset} = {_LANES // 2}; {offset} > 0; {offset} /= 2)", inner)


def _kept(context: TransformationContext, total: SharedTotal, values: tuple[ThreadValue, ...]) -> list[str]:
    """Each warp's part goes to shared memory."""
    inner = [f"{value.part.array.name}[{total.thread} / {_LANES}] = {value.name};" for value in values]
    return _headed(context, f"if ({total.thread} % {_LANES} == 0)", inner)


def _headed(context: TransformationContext, head: str, inner: list[str]) -> list[str]:
    """A loop or a branch, in braces where it is of several statements."""
    style = style_of(context)
    return [head, style.indent + inner[0]] if len(inner) == 1 else [*style.opened(head), *(style.indent + line for line in inner), "}"]


def _first_threads(context: TransformationContext, total: SharedTotal, block: Dim3) -> Node | None:
    """The ``if`` of the first thread right behind the loop, where nothing else looks at the totals, nor uses their arrays again."""
    tree, then = context.tree, total.loop.next_named_sibling
    while then is not None and then.type == "comment":
        then = then.next_named_sibling
    if then is None or then.type != "if_statement" or then.child_by_field_name("alternative") is not None:
        return None
    condition, names = condition_of(then), [name for part in total.parts for name in (part.array.name, part.local) if name is not None]
    later = [n for part in total.parts for n in mentions(tree, context.body, part.array.name) if n.start_byte >= then.end_byte]
    is_asked = condition is None or any(mentions(tree, condition, name) for name in names)
    return then if not later and not is_asked and is_for_first_thread(context, condition, block) else None


def _put_together(
    context: TransformationContext, total: SharedTotal, values: tuple[ThreadValue, ...], then: Node | None, block: Dim3
) -> list[str]:
    """The first thread puts the warps' parts together, and does what followed."""
    added, style = _warps_added(context, values, block), style_of(context)
    step = style.indent
    if then is None:
        inner = [*added, *(f"{value.part.array.name}[0] = {value.name};" for value in values)]
        waits = () if _waits_behind(context, total.loop) else ("__syncthreads();",)
        return [*style.opened(f"if ({total.thread} == 0)"), *(step + line for line in inner), "}", *waits]
    condition = condition_of(then)
    asked = f"if ({'' if condition is None else context.tree.text(condition)})"
    inner = _then(context, values, then)
    if not added and len(inner) == 1:
        return [asked, inner[0]]
    return [*style.opened(asked), *(step + line for line in added), *inner, "}"]


def _waits_behind(context: TransformationContext, loop: Node) -> bool:
    """The author has a barrier there already."""
    following = loop.next_named_sibling
    while following is not None and following.type == "comment":
        following = following.next_named_sibling
    return following is not None and canonical(context.tree, following) == "__syncthreads ( ) ;"


def _warps_added(context: TransformationContext, values: tuple[ThreadValue, ...], block: Dim3) -> list[str]:
    warp = free_name(context.tree, context.body, "warp", "warp_index")
    if _is_one_warp(context, block):
        return []
    warps = _warp_count(context, values[0].part.array, block)
    added = [value.joined(f"{value.part.array.name}[{1 if warps == '2' else warp}]") for value in values]
    return added if warps == "2" else _headed(context, f"for (int {warp} = 1; {warp} < {warps}; {warp}++)", added)


def _is_one_warp(context: TransformationContext, block: Dim3) -> bool:
    """And stays one: the number has no name."""
    return warp_count(context, block.x) == "1"


def _warp_count(context: TransformationContext, array: SharedArray, block: Dim3) -> str:
    """As the array is sized, where its size is the block's."""
    size = None if array.is_dynamic else array.sizes[0]
    known = None if size is None else evaluate(size, scope_of(context.tree, context.kernel).fixed(), flat_sizes(context, block))
    is_of_block = size is not None and known == block.x
    return divided_by_warp(context.tree.text(size)) if is_of_block and size is not None else warp_count(context, block.x)


def _then(context: TransformationContext, values: tuple[ThreadValue, ...], then: Node) -> list[str]:
    """What the first thread did with the totals, line by line, with the locals in place of the arrays' first elements."""
    tree, branch = context.tree, then.child_by_field_name("consequence")
    assert branch is not None, "an if has a branch"
    span = tree.span(branch)
    text, names = context.text[span.start : span.end], {f"{value.part.array.name}[0]": value.name for value in values}
    firsts = [n for n in tree.find("subscript_expression", inside=branch) if canonical(tree, n) in names]
    for node in sorted(firsts, key=lambda n: -n.start_byte):
        start, stop = tree.span(node).start - span.start, tree.span(node).end - span.start
        text = text[:start] + names[canonical(tree, node)] + text[stop:]
    step, outer = style_of(context).indent, indentation(context.text, tree.span(then).start)
    if branch.type != "compound_statement":
        return [step + text.strip()]
    lines = [line.rstrip() for line in text.strip()[1:-1].split("\n")]
    return [line.removeprefix(outer) if line.startswith(outer) else step + line.strip() for line in lines if line.strip()]


def _smaller_array(context: TransformationContext, array: SharedArray) -> Iterator[TextEdit]:
    """An element for each warp, where the declaration says how many there are."""
    size = array.sizes[0]
    if size is not None and not array.is_dynamic:
        yield TextEdit(context.tree.span(size), divided_by_warp(context.tree.text(size)))


def _without_array(context: TransformationContext, array: SharedArray) -> Iterator[TextEdit]:
    """Lanes of a warp need no shared memory: the array's declaration is removed, where nothing else stands in its line."""
    declaration = next((a for a in context.tree.ancestors(array.declarator) if a.type == "declaration"), None)
    if declaration is None or array.sizes[0] is None or len(declaration.children_by_field_name("declarator")) != 1:
        return
    edit = without_line(context.text, context.tree.span(declaration))
    if edit.span != context.tree.span(declaration):
        yield edit


def _fewer(context: TransformationContext, total: SharedTotal) -> Iterator[TextEdit]:
    """The one thread's loop goes through the warps' parts."""
    header = counted_header(context.tree, total.loop)
    assert header is not None, "its bound was looked at"
    yield TextEdit(context.tree.span(header.bound_node), divided_by_warp(context.tree.text(header.bound_node)))


def _laid_out(context: TransformationContext, span: Span, lines: list[str]) -> TextEdit:
    newline = f"{line_end(context.text)}{indentation(context.text, span.start)}"
    return TextEdit(span, newline.join(lines))
