"""Let a warp bring the elements of its threads' rows to shared memory, where each thread goes along a row of its own.

For rows whose order matters: neighbouring lanes then load neighbouring elements, 32 of each row at a time, and the loop reads them from
shared memory. Each thread's arithmetic stays as it was.

Example::

    for (int i = 0; i < n; i++) state = step(state, x[row * n + i]);
    // becomes
    for (int tile = 0; tile < n; tile += 32) {
        … (32 rows of 32 elements to `x_tile`)
        for (int i = tile; i < n && i < tile + 32; i++) state = step(state, x_tile[threadIdx.x][i - tile]);
        __syncwarp();
    }
"""

from __future__ import annotations

from assistant.cuda.element_size import element_size_bytes
from assistant.cuda.integers import evaluate
from assistant.cuda.scopes import scope_of
from assistant.cuda.shared_arrays import shared_arrays
from assistant.cuda.syntax import Node
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.verification import Label
from assistant.plan.expert.analysis.predictions import predicted_sectors
from assistant.plan.expert.analysis.row_walk import RowWalk, row_walk
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.warp_per_row import WarpPerRow
from assistant.plan.expert.writing.opened_bounds import opened_bounds
from assistant.plan.expert.writing.staged_rows_text import COLUMNS, staged_rows_edits
from assistant.workload.recorded_words import apart_assumption

__all__ = ["StagedRows"]

_FEWEST_ELEMENTS = 2 * COLUMNS
"""Of a row: with fewer, a tile holds little that is used."""
_FEWEST_THREADS = 1 << 15
"""Of a launch: eight warps for each SM of a large GPU. With fewer, L1 keeps up, and a thread's own steps are what takes long."""
_SECTOR_BYTES = 32


class StagedRows:
    """Rows that threads walk along → tiles that their warp loads together."""

    technique = "staged-rows"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        walk = row_walk(context)
        obstacle = walk if isinstance(walk, Obstacle) else _obstacle(context, walk)
        if obstacle is not None or isinstance(walk, Obstacle):
            assert isinstance(obstacle, Obstacle), "one of them is"
            return context.decline(self.technique, obstacle)
        opened = opened_bounds(context, walk.checks, (walk.loop,)) if walk.checks else None
        if isinstance(opened, Obstacle):
            return context.decline(self.technique, opened)
        pairs = [(pair.first, pair.second) for pair in walk.apart]
        apart = (apart_assumption(context.recorded, *pairs),) if pairs and context.recorded is not None else ()
        names = " and ".join(dict.fromkeys(f"`{element.pointer}`" for element in walk.elements))
        rewrite = Rewrite(
            technique=self.technique,
            kernel=context.kernel.key,
            line=context.tree.line(walk.loop),
            edits=staged_rows_edits(context, walk, opened),
            summary=f"Move {COLUMNS} elements of each row of {names} at a time through shared memory, a warp's rows together.",
            labels=(Label.ASSUMPTION,) if apart or walk.seen.assumptions else (),
            predictions=predicted_sectors(context, walk.elements[0].size_bytes / _SECTOR_BYTES),
            assumptions=(*walk.seen.assumptions, *apart),
        )
        return (rewrite,)


def _obstacle(context: TransformationContext, walk: RowWalk) -> Obstacle | None:
    if not isinstance(WarpPerRow().rewrite(context), Decline):
        return Obstacle(DeclineReason.OTHER_TECHNIQUE_FIRST, "the order of the elements does not matter: a warp for each row does more")
    threads = max((launch.grid.count * launch.block.count for launch in context.launches), default=_FEWEST_THREADS)
    if threads < _FEWEST_THREADS:
        words = f"the launch has {threads} threads, and would have to have {_FEWEST_THREADS} or more: L1 serves the rows of so few"
        return Obstacle(DeclineReason.NO_GAIN, words)
    pointers = {element.pointer: element.size_bytes for element in walk.elements}
    if len(pointers) < len(walk.elements):
        return Obstacle(DeclineReason.POINTER_UNCLEAR, "the loop goes along several rows of one pointer, which would need a tile each")
    if any(name.is_dynamic for name in shared_arrays(context.tree, context.body)):
        return Obstacle(DeclineReason.SIZE_UNKNOWN, "the kernel has dynamic shared memory, and how much is left for tiles is not known")
    taken = sum(_bytes_of(context, array.element_type, array.sizes) for array in shared_arrays(context.tree, context.body))
    needed = walk.seen.block.x * (COLUMNS + 1) * sum(pointers.values()) + taken
    limit = context.architecture.shared_bytes_per_block_default
    if needed > limit:
        words = f"the tiles would take {needed} bytes of shared memory, more than the {limit} of a block: smaller blocks would leave room"
        return Obstacle(DeclineReason.LIMIT_EXCEEDED, words)
    scalars = {} if context.recorded is None else {s.name: int(s.highest) for s in context.recorded.scalars}
    length = evaluate(walk.header.bound_node, scope_of(context.tree, context.kernel), scalars)
    if length is not None and length < _FEWEST_ELEMENTS:
        return Obstacle(DeclineReason.NO_GAIN, f"rows have {length} elements, and would have to have {_FEWEST_ELEMENTS} or more")
    return None


def _bytes_of(context: TransformationContext, kind: str, sizes: tuple[Node | None, ...]) -> int:
    """Of a shared array, where its size is known."""
    scope, count = scope_of(context.tree, context.kernel), 1
    for size in sizes:
        count *= (None if size is None else evaluate(size, scope, {})) or 1
    return count * (element_size_bytes(context.tree, kind) or 16)
