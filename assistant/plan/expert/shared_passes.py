"""Do the passes of a butterfly or a sorting network that stay within a block's elements in one launch, in shared memory.

A host loop launches a kernel once for each pass, and each pass reads and writes the whole array. Pairs that are closer than a block has
elements need no other block: the block loads its elements once, does these passes with a barrier between them, and stores once. The other
passes are launched as before, and all of them where the elements do not fill whole blocks.

Example::

    for (unsigned half = 1; half < n; half *= 2)
        butterfly<<<pairs / 256, 256>>>(w, half);           // becomes, for half up to 256: butterfly_tile<<<pairs / 256, 256>>>(w);
"""

from __future__ import annotations

from assistant.cuda.assignments import assignments, changed_names
from assistant.cuda.element_size import element_size_bytes
from assistant.cuda.integers import evaluate
from assistant.cuda.launch_shape import block_dims
from assistant.cuda.loops import LOOPS
from assistant.cuda.names import names_in, words_in
from assistant.cuda.scopes import scope_inside
from assistant.cuda.syntax import Node
from assistant.cuda.variables import locals_of
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.verification import Label
from assistant.plan.expert.analysis.kernel_launches import by_file, of_program, out_of_sight
from assistant.plan.expert.analysis.loop_effects import leaves_or_synchronizes
from assistant.plan.expert.analysis.paired_elements import PairedElements, paired_elements
from assistant.plan.expert.analysis.pass_bound import pass_bound
from assistant.plan.expert.analysis.pass_loop import PassLoop, pass_loop
from assistant.plan.expert.analysis.pointer_roots import ApartAsRecorded, apart_from_others
from assistant.plan.expert.analysis.workload_block import launch_labels
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.shared_passes_text import PassesText, shared_passes_edits, tile_kernel_name
from assistant.workload.recorded_words import apart_assumption

__all__ = ["SharedPasses"]

_MOST_BYTES = 48 * 1024
"""Of shared memory that a block may declare (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability")."""


class SharedPasses:
    """One launch a pass → one launch for all passes within a block's elements."""

    technique = "shared-passes"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        program = of_program(context)
        passes = pass_loop(program)
        if passes is None:
            return ()
        found = passes if isinstance(passes, Obstacle) else out_of_sight(context) or _found(program, passes)
        if found is None:
            return ()
        if isinstance(found, Obstacle):
            return context.decline(self.technique, found)
        text, apart = found
        pairs = [(pair.first, pair.second) for pair in apart]
        own, in_others = by_file(context, shared_passes_edits(text))
        names = " and ".join(f"`{name}`" for name in text.pairs.arrays)
        return (
            Rewrite(
                technique=self.technique,
                kernel=context.kernel.key,
                line=context.line,
                edits=own,
                summary=f"Do the passes of {context.kernel.name} whose pairs lie in a block's part of {names} in one launch, "
                f"`{tile_kernel_name(program)}`, in shared memory.",
                labels=(*launch_labels(context, ()), *((Label.ASSUMPTION,) if apart else ())),
                assumptions=(apart_assumption(context.recorded, *pairs),) if pairs and context.recorded is not None else (),
                in_others=in_others,
            ),
        )


def _found(context: TransformationContext, passes: PassLoop) -> tuple[PassesText, tuple[ApartAsRecorded, ...]] | Obstacle | None:
    """What the edit is made from, and what only recorded launches show; None where the loop's passes are no such passes."""
    kernel, block = context.kernel.name, block_dims(passes.launch)
    if block is None or block.y * block.z != 1 or block.x & (block.x - 1) != 0:
        words = f"the blocks of {kernel} would have to have a power of two of threads, in one dimension, that the text shows"
        return _if_geometric(passes, Obstacle(DeclineReason.BLOCK_SHAPE, words))
    if any(evaluate(component, passes.launch.scope, {}) != 1 for component in passes.launch.grid.components[1:]):
        words = f"the grid of {kernel} would have to have one dimension"
        return _if_geometric(passes, Obstacle(DeclineReason.GRID_FORM, words))
    hidden = _hidden_number(context, passes)
    if hidden is not None:
        return _if_geometric(passes, hidden)
    pairs = paired_elements(context, passes, block.x)
    if pairs is None or isinstance(pairs, Obstacle):
        return None if pairs is None else _if_geometric(passes, pairs)
    bound = pass_bound(context, passes, block.x, pairs.count, pairs.last)
    obstacle = bound if isinstance(bound, Obstacle) else _obstacle(context, passes, pairs)
    if obstacle is not None:
        return obstacle
    size = sum(element_size_bytes(context.tree, p.type) or 0 for p in pairs.function.parameters if p.name in pairs.arrays)
    if size * pairs.count * block.x > _MOST_BYTES:
        words = f"{size * pairs.count * block.x:,} bytes of a block's elements are more than the {_MOST_BYTES:,} that it may declare"
        return Obstacle(DeclineReason.LIMIT_EXCEEDED, words)
    apart = apart_from_others(context.tree, pairs.function, pairs.arrays, context.recorded)
    assert not isinstance(bound, Obstacle), "an obstacle was met above"
    return apart if isinstance(apart, Obstacle) else (PassesText(context, passes, pairs, bound, block.x), apart)


def _if_geometric(passes: PassLoop, obstacle: Obstacle) -> Obstacle | None:
    """Loops that count are mostly of time steps or layers, of which there is nothing to say."""
    return obstacle if passes.step.is_geometric else None


def _obstacle(context: TransformationContext, passes: PassLoop, pairs: PairedElements) -> Obstacle | None:
    """Why the kernel's text could not stand in a loop of its own."""
    tree, kernel, body = context.tree, context.kernel.name, context.body
    if context.kernel.macro or passes.launch.site.span.start < pairs.function.span.end:
        words = f"{kernel} would have to be written out above the function that launches it"
        return Obstacle(DeclineReason.HIDDEN_BY_MACRO if context.kernel.macro else DeclineReason.LAUNCH_FORM, words)
    if next(tree.find(*LOOPS, inside=body), None) is not None or "__shared__" in tree.text(body):
        words = f"{kernel} would have to do a pass without a loop and without shared memory of its own"
        return Obstacle(DeclineReason.LOOP_FORM, words)
    changed = changed_names(tree, body) & passes.given.keys()
    if changed:
        return Obstacle(DeclineReason.LOOP_FORM, f"{kernel} would have to leave `{min(changed)}` as it is passed")
    for part in _parts_without_returns(context, body):
        found = leaves_or_synchronizes(tree, part)
        if found is not None:
            words = f"{kernel} would have to touch its elements alone, without waiting, calling what is not known, or leaving from a branch"
            return Obstacle(found.code, words)
    known = {*locals_of(tree, body), *(parameter.name for parameter in pairs.function.parameters)}
    targets = [tree.text(change.target) for change in assignments(tree, body) if change.target.type == "identifier"]
    outer = next((name for name in targets if name not in known), None)
    if outer is not None:
        words = f"{kernel} would have to change no other variables than its own: it sets `{outer}`"
        return Obstacle(DeclineReason.LOOP_HAS_EFFECTS, words)
    return None


def _parts_without_returns(context: TransformationContext, body: Node) -> tuple[Node, ...]:
    """The body's statements; of those that let a thread return, what they ask."""
    found: list[Node] = []
    for statement in body.named_children:
        then = statement.child_by_field_name("consequence") if statement.type == "if_statement" else None
        inner = then.named_children if then is not None and then.type == "compound_statement" else [then]
        if then is not None and len(inner) == 1 and inner[0] is not None and inner[0].type == "return_statement":
            condition = statement.child_by_field_name("condition")
            found += [] if condition is None else [condition]
        else:
            found.append(statement)
    return tuple(found)


def _hidden_number(context: TransformationContext, passes: PassLoop) -> Obstacle | None:
    """A name of the host's that the new kernel would need and does not see."""
    tree, above = context.tree, words_in(context.text[: context.kernel.span.start])
    constants = above & scope_inside(tree, None).constants.keys()
    asked = [passes.start] if passes.step.grows else [passes.condition]
    asked += passes.given.values()
    hidden = {name for node in asked for name in names_in(tree, node)} - {passes.variable} - constants
    if not hidden:
        return None
    words = f"the kernel would have to find its passes from `{passes.variable}` alone, and `{min(hidden)}` is the host's"
    return Obstacle(DeclineReason.LOOP_FORM, words)
