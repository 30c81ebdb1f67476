"""Which source loop a machine loop stands for, and how often the emulator saw it iterate.

A compiler books a loop's closing branch on the line of the loop's condition; two loops with conditions on one line cannot be
told apart and stand for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from assistant.build.cfg import ControlFlow, Loop
from assistant.model.profile import LineExecution
from assistant.model.source import SourceLoop

__all__ = ["LoopMap"]


@dataclass(frozen=True)
class LoopMap:
    """Machine loops, source loops and what the emulator counted in them."""

    graph: ControlFlow
    loops: tuple[SourceLoop, ...]
    executions: tuple[LineExecution, ...]

    def chain(self, file: str, line: int) -> tuple[SourceLoop, ...]:
        """Source loops around a line, outermost first."""
        around = [o for o in self.loops if o.file == file and o.first_line <= line <= o.last_line]
        return _outermost_first(around)

    def stands_for(self, loop: Loop) -> SourceLoop | None:
        """The only source loop whose condition stands where the machine loop's closing branches are booked."""
        return self._source_by_header[loop.header]

    def chain_of(self, block: int) -> tuple[SourceLoop, ...] | None:
        """Source loops around the machine loops of a block; None unless each of these stands for one, nested likewise."""
        machine = self.graph.loop_chain(block)
        sources = [self.stands_for(loop) for loop in machine]
        found = [source for source in sources if source is not None]
        if len(found) != len(machine) or not found:
            return None
        if any(not _contains(outer, inner) for outer, inner in pairwise(found)):
            return None
        innermost = found[-1]
        return _outermost_first([o for o in self.loops if o == innermost or _contains(o, innermost)])

    def own_loop(self, block: int, source: SourceLoop) -> Loop | None:
        """The machine loop around ``block`` that stands for ``source``."""
        return next((loop for loop in self.graph.loop_chain(block) if self.stands_for(loop) == source), None)

    def machine_loops(self, source: SourceLoop) -> tuple[Loop, ...]:
        return tuple(loop for loop in self.graph.loops if self.stands_for(loop) == source)

    def iterations(self, source: SourceLoop) -> int | None:
        """Thread-level iterations: the loop's busiest line, inner loops left out; None if none was counted."""
        inner = [o for o in self.loops if _contains(source, o)]
        counts = [
            e.thread_executions
            for e in self.executions
            if _holds(source, e.file, e.line) and not any(_holds(o, e.file, e.line) for o in inner)
        ]
        return max(counts, default=None)

    def has_agreeing_warps(self, source: SourceLoop) -> bool:
        """Whether no branch of the loop's lines ever sent threads of one warp different ways."""
        inside = [e for e in self.executions if _holds(source, e.file, e.line)]
        return bool(inside) and all(e.divergent_branches == 0 for e in inside)

    @cached_property
    def _source_by_header(self) -> dict[int, SourceLoop | None]:
        return {loop.header: self._source(loop) for loop in self.graph.loops}

    def _source(self, loop: Loop) -> SourceLoop | None:
        closing = [self.graph.blocks[b].last for b in loop.blocks if loop.header in self.graph.blocks[b].successors]
        places = {(branch.file, branch.line) for branch in closing}
        candidates = [o for o in self.loops if places == {(o.file, o.condition_line)}]
        return candidates[0] if len(candidates) == 1 else None


def _outermost_first(loops: list[SourceLoop]) -> tuple[SourceLoop, ...]:
    return tuple(sorted(loops, key=lambda loop: (loop.first_line, -loop.last_line)))


def _contains(outer: SourceLoop, inner: SourceLoop) -> bool:
    is_around = outer.first_line <= inner.first_line and inner.last_line <= outer.last_line
    return outer != inner and outer.file == inner.file and is_around


def _holds(loop: SourceLoop, file: str, line: int) -> bool:
    return loop.file == file and loop.first_line <= line <= loop.last_line
