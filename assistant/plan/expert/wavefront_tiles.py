"""Fill a table in tiles, one launch for each diagonal of tiles, where each launch filled one diagonal of cells.

A cell of a dynamic-programming table needs the cells above, left of, and above left of it, so a host loop launches a kernel for each
diagonal: thousands of launches of a few microseconds that wait for each other. A block of the new kernel walks along the diagonals of a
tile in shared memory, with a barrier where a launch was, and stores the tile once. Each cell is computed by the same operations.

Example::

    for (int d = 2; d <= 2 * n; d++) fill<<<(cells + 127) / 128, 128>>>(score, a, b, n, d, first);     // 8,000 launches, becomes
    for (int d = 0; d < 2 * tiles - 1; d++) fill<<<last - first + 1, TILE>>>(score, a, b, n, d, first);     // 249
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.cuda.element_size import element_size_bytes
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.verification import Label
from assistant.plan.expert.analysis.diagonal_loop import DiagonalLoop, diagonal_loop
from assistant.plan.expert.analysis.kernel_launches import by_file, of_program, out_of_sight
from assistant.plan.expert.analysis.pointer_roots import ApartAsRecorded, apart_from_others
from assistant.plan.expert.analysis.wavefront import Wavefront, wavefront
from assistant.plan.expert.analysis.workload_block import launch_labels
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.wavefront_text import WaveText, wavefront_edits
from assistant.workload.recorded_words import apart_assumption

__all__ = ["WavefrontTiles"]

_EDGES = (32, 64)
"""Rows and columns of a tile, the better first: a warp needs no other one for the barrier of 32 threads. Our own choice."""
_WIDEST_BYTES = 8
"""Of an element whose type the text does not spell."""


class WavefrontTiles:
    """One launch for each diagonal of cells → one for each diagonal of tiles."""

    technique = "wavefront-tiles"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        program = of_program(context)
        loop = diagonal_loop(program)
        if loop is None:
            return ()
        found = loop if isinstance(loop, Obstacle) else out_of_sight(context) or _form(program, loop) or wavefront(program, loop)
        if found is None:
            return ()
        if isinstance(found, Obstacle) or isinstance(loop, Obstacle):
            return context.decline(self.technique, found if isinstance(found, Obstacle) else Obstacle(DeclineReason.LOOP_FORM, ""))
        unknown = _unknown_type(program, found)
        if unknown is not None:
            return context.decline(self.technique, unknown)
        held = [table.pointer for table in found.tables if table.loads]
        apart = apart_from_others(program.tree, found.function, [table.pointer for table in found.tables], program.recorded)
        edges = [edge for edge in _EDGES if _bytes(program, found, held, edge) <= program.architecture.shared_bytes_per_block_default]
        if isinstance(apart, Obstacle) or not edges:
            words = f"{_bytes(program, found, held, _EDGES[0]):,} bytes of a tile would have to fit in a block's shared memory"
            return context.decline(self.technique, apart if isinstance(apart, Obstacle) else Obstacle(DeclineReason.LIMIT_EXCEEDED, words))
        return tuple(_rewrite(context, program, loop, found, apart, edge) for edge in edges)


def _form(context: TransformationContext, loop: DiagonalLoop) -> Obstacle | None:
    """Why the kernel or its launch could not be written anew."""
    kernel, site = context.kernel, loop.launch.site
    if kernel.macro or kernel.launch_bounds or "__shared__" in context.tree.text(context.body):
        words = f"{kernel.name} would have to be written out, without __launch_bounds__ and without shared memory of its own"
        return Obstacle(DeclineReason.BLOCK_SIZE_MATTERS, words)
    declared = [n for n in context.tree.find("function_declarator") if (name := n.child_by_field_name("declarator")) is not None
                and context.tree.text(name) == kernel.name]  # fmt: skip
    if len(declared) > 1:
        return Obstacle(DeclineReason.LAUNCH_FORM, f"{kernel.name} would have to be declared in one place alone, with its text")
    if site.span.start < kernel.span.end or (site.shared is not None and site.shared.text.strip() != "0"):
        words = f"{kernel.name} would have to be launched below its text, without dynamic shared memory"
        return Obstacle(DeclineReason.LAUNCH_FORM, words)
    return None


def _unknown_type(context: TransformationContext, wave: Wavefront) -> Obstacle | None:
    """Why shared memory could not hold a table's elements: a class may have to be constructed."""
    if "auto" in (wave.row.type, wave.column.type):
        words = f"`{wave.row.name}` and `{wave.column.name}` would have to be declared with their types, instead of `auto`"
        return Obstacle(DeclineReason.TYPE_UNKNOWN, words)
    templates = {parameter.name for parameter in context.kernel.template_parameters}
    for parameter in wave.function.parameters:
        is_held = any(table.pointer == parameter.name and table.loads for table in wave.tables)
        if is_held and parameter.type not in templates and element_size_bytes(context.tree, parameter.type) is None:
            words = f"the elements of `{parameter.name}` would have to be numbers or plain structs: `{parameter.type}` may be a class"
            return Obstacle(DeclineReason.TYPE_UNKNOWN, words)
    return None


def _bytes(context: TransformationContext, wave: Wavefront, held: Sequence[str], edge: int) -> int:
    """Of shared memory that a block needs."""
    types = [parameter.type for parameter in wave.function.parameters if parameter.name in held]
    return sum((element_size_bytes(context.tree, each) or _WIDEST_BYTES) * (edge + 1) * (edge + 2) for each in types)


def _rewrite(
    context: TransformationContext,
    program: TransformationContext,
    loop: DiagonalLoop,
    wave: Wavefront,
    apart: Sequence[ApartAsRecorded],
    edge: int,
) -> Rewrite:
    pairs = [(pair.first, pair.second) for pair in apart]
    assumed = (apart_assumption(context.recorded, *pairs),) if pairs and context.recorded is not None else ()
    if wave.is_pitch_free:
        assumed = (*assumed, f"rows of `{wave.tables[0].pointer}` are longer than what is filled of them")
    own, in_others = by_file(context, wavefront_edits(WaveText(program, loop, wave, edge)))
    names = " and ".join(f"`{table.pointer}`" for table in wave.tables if table.loads)
    return Rewrite(
        technique=WavefrontTiles.technique,
        kernel=context.kernel.key,
        line=context.line,
        edits=own,
        summary=f"Fill {names} in tiles of {edge} x {edge} cells in shared memory, one launch for each diagonal of tiles.",
        labels=(*launch_labels(context, ()), *((Label.ASSUMPTION,) if apart or assumed else ())),
        assumptions=assumed,
        in_others=in_others,
        numbers=(("tile_edge", edge),),
    )
