"""What one call of a model consists of: its functions of PyTorch, what each takes at least, and which of them one kernel could do together.

Pure. A function takes at least as long as its tensors need at the target's bandwidths (what fits into L2 may lie there), and its operations
at the target's peak; nothing is timed. Example::

    found = broken_down(graph, target("h200"))
    found.groups[0].saved_bytes     # read and written between the functions of the group, and by a kernel of its own not at all
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.model.device import Target
from assistant.operators.graph import FunctionCall, Graph, TensorUse, moved
from assistant.record import Record

__all__ = ["Breakdown", "FusibleGroup", "broken_down", "least_time_s"]

_HALF = frozenset({"float16", "bfloat16"})
_PER_LANE = 2
"""Operations of a lane and clock: a fused multiply-add has two (CUDA C++ Programming Guide, Arithmetic Instructions)."""


class FusibleGroup(Record):
    """Functions called one after another that one kernel could do, so that what is between them stays in registers."""

    calls: tuple[FunctionCall, ...]
    moved_bytes: int
    """What one kernel reads and writes."""
    least_time_s: float

    @property
    def saved_bytes(self) -> int:
        return sum(call.moved_bytes for call in self.calls) - self.moved_bytes


class Breakdown(Record):
    """All of one call."""

    calls: tuple[FunctionCall, ...]
    times_s: tuple[float, ...]
    """The least time of each."""
    groups: tuple[FusibleGroup, ...]
    """Those that save something, the most first."""
    moved_bytes: int
    """Inputs, weights and results, each once: what any implementation moves."""
    least_time_s: float


def broken_down(graph: Graph, target: Target) -> Breakdown:
    calls, results = graph.calls, graph.results
    groups = [group for run in _runs(calls) for group in _groups(run, calls, results, target)]
    outside = {use.memory for use in graph.given}
    moved_bytes = moved([use for call in calls for use in call.reads if use.memory in outside]) + moved(results)
    compute_s = sum(_compute_s(call, target) for call in calls if call.kind == "product")
    return Breakdown(
        calls=calls,
        times_s=tuple(least_time_s(call, target) for call in calls),
        groups=tuple(sorted(groups, key=lambda group: -group.saved_bytes)),
        moved_bytes=moved_bytes,
        least_time_s=max(_moving_s(moved_bytes, target), compute_s),
    )


def least_time_s(call: FunctionCall, target: Target) -> float:
    return max(_moving_s(call.moved_bytes, target), _compute_s(call, target))


def _moving_s(moved_bytes: int, target: Target) -> float:
    """As much as L2 holds may have been there before, or stay there."""
    return max(moved_bytes / target.l2_bytes_per_s, max(0, moved_bytes - target.l2_bytes) / target.dram_bytes_per_s)


def _compute_s(call: FunctionCall, target: Target) -> float:
    """float32 at its own units, as PyTorch multiplies by default; products of 16 bits at the tensor cores'."""
    dtype = call.reads[0].dtype if call.reads else "float32"
    if call.kind == "product" and dtype in _HALF:
        return call.operations / target.tensor.half_flop_per_s
    lanes = target.fp64_lanes_per_sm if dtype == "float64" else target.fp32_lanes_per_sm
    return call.operations / (_PER_LANE * lanes * target.sm_count * target.clock_hz)


def _runs(calls: Sequence[FunctionCall]) -> Iterator[list[int]]:
    """Places of calls that follow each other and are element by element or row by row. Another reduction ends a run: what uses its result
    has to wait for all blocks."""
    run: list[int] = []
    for place, call in enumerate(calls):
        if call.kind in ("pointwise", "rows", "reduction"):
            run.append(place)
        if run and call.kind not in ("pointwise", "rows"):
            yield run
            run = []
    if run:
        yield run


def _groups(run: list[int], calls: Sequence[FunctionCall], results: Sequence[TensorUse], target: Target) -> Iterator[FusibleGroup]:
    """The parts of a run that hand tensors to each other, wherever in it they are called."""
    parts: list[list[int]] = []
    for place in run:
        read = {use.memory for use in calls[place].reads}
        joined = [part for part in parts if any(use.memory in read for at in part for use in calls[at].writes)]
        parts = [part for part in parts if part not in joined]
        parts.append(sorted([place, *(at for part in joined for at in part)]))
    for part in parts:
        yield from _saving(part, calls, results, target)


def _saving(part: list[int], calls: Sequence[FunctionCall], results: Sequence[TensorUse], target: Target) -> Iterator[FusibleGroup]:
    mine = [calls[place] for place in part]
    written = {use.memory for call in mine for use in call.writes}
    others = (call for place, call in enumerate(calls) if place > part[0] and place not in part)
    later = {use.memory for call in others for use in call.reads} | {use.memory for use in results}
    reads = [use for call in mine for use in call.reads if use.memory not in written]
    writes = [use for call in mine for use in call.writes if use.memory in later]
    moved_bytes = moved(reads) + moved(writes)
    group = FusibleGroup(tuple(mine), moved_bytes, _moving_s(moved_bytes, target))
    if len(mine) > 1 and group.saved_bytes > 0:
        yield group
