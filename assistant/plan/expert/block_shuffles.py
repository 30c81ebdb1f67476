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

from assistant.cuda.accesses import canonical
from assistant.cuda.branches import condition_of
from assistant.cuda.counted_loops import counted_header
from assistant.cuda.files import line_end
from assistant.cuda.functions import enclosing_function
from assistant.cuda.names import free_name, mentions
from assistant.cuda.shared_arrays import SharedArray
from assistant.cuda.syntax import Node
from assistant.cuda.variables import Variable, locals_of
from assistant.model.launch import Dim3
from assistant.model.plan import Decline, Rewrite
from assistant.model.source import Span, TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.block_helpers import BlockHelper, block_helper
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.launch_block import SeenBlock, seen_block
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.row_reductions import Combination
from assistant.plan.expert.analysis.shared_totals import SharedTotal, is_first_thread, shared_total
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import indentation
from assistant.plan.expert.writing.shared_rows import combined_values
from assistant.plan.expert.writing.style import is_simple_term, style_of

__all__ = ["BlockShuffles"]

_LANES = 32
"""Threads of a warp (CUDA C++ Programming Guide, "SIMT Architecture")."""


class BlockShuffles:
    """Steps through shared memory → shuffles, and an element of shared memory for each warp."""

    technique = "block-shuffles"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        helper = block_helper(context)
        if isinstance(helper, BlockHelper):
            return self._rewritten(context, helper.inside, helper.seen, helper.lent)
        seen = seen_block(context) if helper is None else helper
        return context.decline(self.technique, seen) if isinstance(seen, Obstacle) else self._rewritten(context, context, seen)

    def _rewritten(
        self, context: TransformationContext, inside: TransformationContext, seen: SeenBlock, lent: tuple[SharedArray, ...] = ()
    ) -> tuple[Rewrite, ...] | Decline:
        """``inside``: the question about the function that the reduction stands in."""
        found = shared_total(inside, seen.block, lent)
        if isinstance(found, Obstacle):
            return context.decline(self.technique, found)
        is_exact = plain_type(context.tree, found.array.element_type) not in ("float", "double")
        is_sum = found.combination in (Combination.SUM, Combination.PRODUCT)
        return (
            Rewrite(
                technique=self.technique,
                kernel=context.kernel.key,
                line=context.tree.line(found.loop),
                edits=tuple(sorted(_edits(inside, found, seen.block))),
                summary=f"Put the values of `{found.array.name}` together with shuffles.",
                labels=(*seen.labels, *((Label.REASSOCIATION,) if is_sum and not is_exact else ())),
                predictions=predicted_values(context, {"one_warp_step_ratio": 0.0}),
                assumptions=seen.assumptions,
            ),
        )


def _edits(context: TransformationContext, found: SharedTotal, block: Dim3) -> list[TextEdit]:
    name = _held(context, found)
    lines = _shuffled(context, found, name or _fresh(context))
    if name is None:
        lines.insert(0, f"{found.array.element_type} {_fresh(context)} = {context.tree.text(found.value)};")
    name = name or _fresh(context)
    if found.alone is not None:
        lines += _kept(context, found, name)
        return [*_smaller_array(context, found), *_fewer(context, found), _laid_out(context, context.tree.span(found.store), lines)]
    then = _first_threads(context, found, block)
    is_array_needed = then is None or block.x > _LANES
    if block.x > _LANES:
        lines += [*_kept(context, found, name), "__syncthreads();"]
    edits = _smaller_array(context, found) if is_array_needed else _without_array(context, found)
    stop = found.loop if then is None else then
    lines += _put_together(context, found, name, then, block.x // _LANES)
    return [*edits, _laid_out(context, Span(context.tree.span(found.store).start, context.tree.span(stop).end), lines)]


def _fresh(context: TransformationContext) -> str:
    return free_name(context.tree, context.body, "value", "thread_value")


def _held(context: TransformationContext, found: SharedTotal) -> str | None:
    """The local that holds a thread's value, where it has the array's type and nothing looks at it later."""
    tree, name = context.tree, context.tree.text(found.value)
    variables = locals_of(tree, context.body).get(name, ()) or _parameters(context, name)
    if len(variables) != 1 or variables[0].is_const or variables[0].is_pointer or variables[0].is_array:
        return None
    is_last = not any(n.start_byte >= found.store.end_byte for n in mentions(tree, context.body, name))
    is_whole = variables[0].node.parent == context.body or variables[0].node.type == "parameter_declaration"
    return name if is_last and variables[0].type == found.array.element_type and is_whole else None


def _parameters(context: TransformationContext, name: str) -> tuple[Variable, ...]:
    """The parameter of the name that the function around the reduction has for itself."""
    function = enclosing_function(context.tree, context.body)
    return () if function is None else tuple(p for p in function.parameters if p.name == name and not p.is_reference)


def _shuffled(context: TransformationContext, found: SharedTotal, name: str) -> list[str]:
    """Until the first lane of each warp has the warp's part."""
    offset, step = free_name(context.tree, context.body, "offset", "distance"), style_of(context).indent
    joined = _joined(found, name, f"__shfl_down_sync(0xffffffff, {name}, {offset})")
    return [
        f"for (int {offset} = {_LANES // 2}; {offset} > 0; {offset} /= 2)",
        step + joined,
    ]


def _kept(context: TransformationContext, found: SharedTotal, name: str) -> list[str]:
    """Each warp's part goes to shared memory."""
    stored = f"{found.array.name}[{found.thread} / {_LANES}] = {name};"
    return [f"if ({found.thread} % {_LANES} == 0)", style_of(context).indent + stored]


def _joined(found: SharedTotal, name: str, other: str) -> str:
    return combined_values(name, found.array.element_type, found.combination, other)


def _first_threads(context: TransformationContext, found: SharedTotal, block: Dim3) -> Node | None:
    """The ``if`` of the first thread right behind the loop, where nothing else looks at the total."""
    tree, then = context.tree, found.loop.next_named_sibling
    while then is not None and then.type == "comment":
        then = then.next_named_sibling
    if then is None or then.type != "if_statement" or then.child_by_field_name("alternative") is not None:
        return None
    later = [n for n in mentions(tree, context.body, found.array.name) if n.start_byte >= then.end_byte]
    return then if not later and is_first_thread(context, condition_of(then), block) else None


def _put_together(context: TransformationContext, found: SharedTotal, name: str, then: Node | None, warps: int) -> list[str]:
    """The first thread puts the warps' parts together, and does what followed."""
    warp, step = free_name(context.tree, context.body, "warp", "warp_index"), style_of(context).indent
    joined = _joined(found, name, f"{found.array.name}[{1 if warps == 2 else warp}]")
    head = f"for (int {warp} = 1; {warp} < {warps}; {warp}++)"
    added = [head, step + joined] if warps > 2 else [joined] if warps == 2 else []
    if then is None:
        inner = [*added, f"{found.array.name}[0] = {name};"]
        return [f"if ({found.thread} == 0) {{", *(step + line for line in inner), "}", "__syncthreads();"]
    condition = condition_of(then)
    asked = f"if ({'' if condition is None else context.tree.text(condition)})"
    inner = _then(context, found, then, name)
    if not added and len(inner) == 1:
        return [asked, inner[0]]
    return [f"{asked} {{", *(step + line for line in added), *inner, "}"]


def _then(context: TransformationContext, found: SharedTotal, then: Node, name: str) -> list[str]:
    """What the first thread did with the total, line by line, with the local in place of the array's first element."""
    tree, branch = context.tree, then.child_by_field_name("consequence")
    assert branch is not None, "an if has a branch"
    span = tree.span(branch)
    text = context.text[span.start : span.end]
    firsts = [n for n in tree.find("subscript_expression", inside=branch) if canonical(tree, n) == f"{found.array.name}[0]"]
    for node in sorted(firsts, key=lambda n: -n.start_byte):
        start, stop = tree.span(node).start - span.start, tree.span(node).end - span.start
        text = text[:start] + name + text[stop:]
    step, outer = style_of(context).indent, indentation(context.text, tree.span(then).start)
    if branch.type != "compound_statement":
        return [step + text.strip()]
    lines = [line.rstrip() for line in text.strip()[1:-1].split("\n")]
    return [line.removeprefix(outer) if line.startswith(outer) else step + line.strip() for line in lines if line.strip()]


def _smaller_array(context: TransformationContext, found: SharedTotal) -> list[TextEdit]:
    """An element for each warp, where the declaration says how many there are."""
    size = found.array.sizes[0]
    if size is None or found.array.is_dynamic:
        return []
    return [TextEdit(context.tree.span(size), _divided(context.tree.text(size)))]


def _without_array(context: TransformationContext, found: SharedTotal) -> list[TextEdit]:
    """Lanes of a warp need no shared memory: the array's declaration is removed, where nothing else stands in its line."""
    text, size = context.text, found.array.sizes[0]
    declaration = next((a for a in context.tree.ancestors(found.array.declarator) if a.type == "declaration"), None)
    if declaration is None or size is None or len(declaration.children_by_field_name("declarator")) != 1:
        return []
    span = context.tree.span(declaration)
    start, stop = text.rfind("\n", 0, span.start) + 1, text.find("\n", span.end) + 1
    is_alone = not text[start : span.start].strip() and not text[span.end : stop].strip()
    return [TextEdit(Span(start, stop), "")] if is_alone else []


def _fewer(context: TransformationContext, found: SharedTotal) -> list[TextEdit]:
    """The one thread's loop goes through the warps' parts."""
    header = counted_header(context.tree, found.loop)
    assert header is not None, "its bound was looked at"
    return [TextEdit(context.tree.span(header.bound_node), _divided(context.tree.text(header.bound_node)))]


def _divided(text: str) -> str:
    if text.isdigit():
        return str(int(text) // _LANES)
    return f"{text} / {_LANES}" if is_simple_term(text) else f"({text}) / {_LANES}"


def _laid_out(context: TransformationContext, span: Span, lines: list[str]) -> TextEdit:
    newline = f"{line_end(context.text)}{indentation(context.text, span.start)}"
    return TextEdit(span, newline.join(lines))
