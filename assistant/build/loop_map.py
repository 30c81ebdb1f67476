"""Which source loop a machine loop stands for, and how often the emulator saw it iterate.

A compiler books the branch that decides whether a loop goes on on the line of the loop's condition: its closing branch, or its
only exit where it closes unconditionally (an unrolled loop that may end between two copies). Two loops with conditions on one
line cannot be distinguished and are left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from assistant.build.cfg import ControlFlow, Loop
from assistant.build.induction import deciding_blocks
from assistant.model.build import SassInstruction
from assistant.model.profile import LineExecution
from assistant.model.source import SourceLoop
from assistant.record import Record

__all__ = ["WARP_LANES", "LoopMap", "contains", "holds"]

WARP_LANES = 32


class LoopMap(Record):
    """Machine loops, source loops and what the emulator counted in them."""

    graph: ControlFlow
    loops: tuple[SourceLoop, ...]
    executions: tuple[LineExecution, ...]

    def chain(self, places: Iterable[tuple[str, int]]) -> tuple[SourceLoop, ...]:
        """Source loops around a line that was inlined through calls, outermost first; ``places`` inner before outer."""
        return tuple(loop for place in reversed(tuple(places)) for loop in self._around(*place))

    def stands_for(self, loop: Loop) -> SourceLoop | None:
        """The only source loop whose condition stands where the machine loop's deciding branches are booked."""
        return self._source_by_header[loop.header]

    def calls_around(self, loop: Loop) -> tuple[tuple[str, int], ...]:
        """Places of the calls through which the loop was inlined, by its deciding branches; inner before outer."""
        return next((branch.frames for branch in self._deciding(loop)), ())

    def chain_of(self, block: int) -> tuple[SourceLoop, ...] | None:
        """Source loops around the machine loops of a block; None unless each of these stands for one, nested likewise."""
        machine = self.graph.loop_chain(block)
        if not machine:
            return None
        deciding = self._deciding(machine[-1])
        chain = self.chain(_places(deciding[0])) if deciding else ()
        remaining = iter(chain)
        sources = [self.stands_for(loop) for loop in machine]
        is_nested_likewise = all(source is not None and source in remaining for source in sources)
        return chain if is_nested_likewise and chain and chain[-1] == sources[-1] else None

    def own_loop(self, block: int, source: SourceLoop) -> Loop | None:
        """The machine loop around ``block`` that stands for ``source``."""
        return next((loop for loop in self.graph.loop_chain(block) if self.stands_for(loop) == source), None)

    def machine_loops(self, source: SourceLoop) -> tuple[Loop, ...]:
        return tuple(loop for loop in self.graph.loops if self.stands_for(loop) == source)

    def iterations(self, source: SourceLoop) -> int | None:
        """Thread-level iterations: the loop's busiest line, inner loops left out; None if none was counted."""
        count = self.iteration_count(source)
        return None if count is None else count[0]

    def iteration_count(self, source: SourceLoop) -> tuple[int, int] | None:
        """(threads, warps) of the loop's busiest line, inner loops left out; None if none was counted."""
        inner = [o for o in self.loops if contains(source, o)]
        counts = [
            (e.thread_executions, e.warp_executions)
            for e in self.executions
            if (holds(source, e.file, e.line) and not any(holds(o, e.file, e.line) for o in inner))
            or self._loop_of_inlined_line.get((e.file, e.line)) == source
        ]
        return max(counts, default=None)

    def counts_around(self, source: SourceLoop, parent: SourceLoop | None, lines: tuple[int, int]) -> set[tuple[int, int]]:
        """(threads, warps) of what ran outside ``source`` and directly in ``parent``, or in ``lines`` of its file without one."""
        first, last = (parent.first_line, parent.last_line) if parent is not None else lines
        others = [o for o in self.loops if o.file == source.file and o != parent and first <= o.first_line and o.last_line <= last]
        return {
            (e.thread_executions, e.warp_executions)
            for e in self.executions
            if e.file == source.file and first <= e.line <= last and not any(holds(o, e.file, e.line) for o in (source, *others))
        }

    def has_agreeing_warps(self, source: SourceLoop) -> bool:
        """Whether no branch of the loop's lines ever sent threads of a warp different ways."""
        inside = [e for e in self.executions if holds(source, e.file, e.line)]
        return bool(inside) and all(e.partings == 0 and e.divergent_branches == 0 for e in inside)

    def has_agreeing_trips(self, source: SourceLoop) -> bool:
        """Whether the threads of each warp iterated equally often: every iteration had all lanes, or no branch ever diverged."""
        count = self.iteration_count(source)
        return count is not None and (count[0] == WARP_LANES * count[1] or self.has_agreeing_warps(source))

    @cached_property
    def _source_by_header(self) -> dict[int, SourceLoop | None]:
        return {loop.header: self._source(loop) for loop in self.graph.loops}

    @cached_property
    def _loop_of_inlined_line(self) -> dict[tuple[str, int], SourceLoop | None]:
        """Lines of inlined functions → the loop that every copy of them stands in; None where copies differ."""
        found: dict[tuple[str, int], SourceLoop | None] = {}
        for instruction in (i for block in self.graph.blocks for i in block.instructions if i.frames):
            chain = self.chain(_places(instruction))
            loop = chain[-1] if chain else None
            place = (instruction.file, instruction.line)
            found[place] = loop if found.get(place, loop) == loop else None
        return found

    def _source(self, loop: Loop) -> SourceLoop | None:
        places = {_places(branch) for branch in self._deciding(loop)}
        if len(places) != 1:
            return None
        (file, line), *_ = places.pop()
        candidates = [o for o in self.loops if (o.file, o.condition_line) == (file, line)]
        return candidates[0] if len(candidates) == 1 else None

    def _deciding(self, loop: Loop) -> list[SassInstruction]:
        return [self.graph.blocks[b].last for b in deciding_blocks(self.graph, loop)]

    def _around(self, file: str, line: int) -> list[SourceLoop]:
        around = [o for o in self.loops if holds(o, file, line)]
        return sorted(around, key=lambda loop: (loop.first_line, -loop.last_line))


def _places(instruction: SassInstruction) -> tuple[tuple[str, int], ...]:
    return ((instruction.file, instruction.line), *instruction.frames)


def contains(outer: SourceLoop, inner: SourceLoop) -> bool:
    """Whether ``inner`` is another loop, inside ``outer``."""
    is_around = outer.first_line <= inner.first_line and inner.last_line <= outer.last_line
    return outer != inner and outer.file == inner.file and is_around


def holds(loop: SourceLoop, file: str, line: int) -> bool:
    """Whether the line is one of the loop's."""
    return loop.file == file and loop.first_line <= line <= loop.last_line
