"""How often the threads of a launch ran each basic block of machine code, estimated from what the emulator saw per line.

Straight code ran once a thread. A machine loop ran as often as its source loop iterated, divided by how far it is unrolled; several
machine loops for one source loop (main loop, remainders) share its iterations, the most unrolled first. No loop ran less often than the
accesses prove that stand in no other loop: a pass makes at most as many as it has load and store instructions for them. A block under a
condition ran at most as often as the busiest of its lines. What is behind a call runs as often as the calls, but for the slow paths of
division, reciprocal and square root, which only denormal, huge and infinite operands take: of these the fast path in front of the call is
counted alone. Used for instruction mixes, which are estimates; `grading` proves what it needs by itself. Pure; example::

    thread_executions(graph, LoopMap(graph, loops, profile.executions), thread_count)[3]
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from assistant.build.cfg import Block, ControlFlow, Loop, opcode_name
from assistant.build.induction import control_updates, is_unrolled_by
from assistant.build.loop_map import LoopMap
from assistant.model.build import SassInstruction
from assistant.model.source import SourceLoop

__all__ = ["Accesses", "thread_executions"]

NO_ACCESSES: Mapping[tuple[str, int], tuple[int, int]] = {}
_MOST_UNROLLED = 64
"""In a body of any length; beyond it a control register that advances by so much is believed where the body has as many instructions: one
that counts bytes would be taken for copies. nvcc 13.0 unrolled a loop of 2600 iterations by 104 of its own accord."""
_MEMORY = re.compile(r"(?:LD|ST)[GSL]?$")
"""Loads and stores that `LineAccess` counts; not those of constants, and no asynchronous copies."""
_WIDTHS = {"128": 16, "64": 8}
_WORD_BYTES = 4
_SLOW_PATH = re.compile(r"slowpath|mediumpath|_(?:f32|f64)_full")
"""In the names of nvcc's functions for operands out of the common range (``__cuda_sm20_div_rn_f64_full``,
``…_dsqrt_rn_f64_mediumpath_v1``): each call stands behind a branch by which the fast path jumps over it. Not the 64-bit integer
divisions (``__cuda_sm20_div_s64``), whose operands may well be that wide."""


Accesses = Mapping[tuple[str, int], tuple[int, int]]
"""(file, line) → (thread-level loads and stores, bytes of the narrowest of them)."""


def thread_executions(graph: ControlFlow, loops: LoopMap, thread_count: int, accesses: Accesses = NO_ACCESSES) -> dict[int, float]:
    """Block index → how many threads ran it, summed over its executions."""
    return _Estimate(graph, loops, thread_count, accesses).counts()


class _Estimate:
    def __init__(self, graph: ControlFlow, loops: LoopMap, thread_count: int, accesses: Accesses) -> None:
        self._proved = _proved_passes(graph, thread_count, accesses)
        self._graph = graph
        self._loops = loops
        self._thread_count = thread_count
        self._ran: Mapping[tuple[str, int], int] = {(e.file, e.line): e.thread_executions for e in loops.executions}
        self._passes: dict[int, float] = {}

    def counts(self) -> dict[int, float]:
        for loop in self._graph.loops:  # outer ones come first
            self._passes[loop.header] = max(self._loop_passes(loop), self._proved.get(loop.header, 0.0))
        found = {b.index: self._block_count(b) for b in self._graph.blocks if b.index in self._graph.reachable}
        return found | self._called(found)

    def _block_count(self, block: Block) -> float:
        if _calls_slow_path(block):
            return 0.0
        around = self._graph.loop_chain(block.index)
        most = self._passes[around[-1].header] if around else float(self._thread_count)
        return min(most, self._busiest_line(block, most)) if self._is_guarded(block.index, around) else most

    def _is_guarded(self, block: int, around: tuple[Loop, ...]) -> bool:
        inside = around[-1].blocks if around else self._graph.reachable
        return any(guard in inside and not self._leaves(guard, around) for guard in self._graph.guards(block))

    def _leaves(self, guard: int, around: tuple[Loop, ...]) -> bool:
        """Whether the branch only ends the loop around it."""
        return bool(around) and any(s not in around[-1].blocks for s in self._graph.blocks[guard].successors)

    def _busiest_line(self, block: Block, otherwise: float) -> float:
        counts = [self._ran[i.file, i.line] for i in block.instructions if (i.file, i.line) in self._ran]
        return float(max(counts)) if counts else otherwise

    def _loop_passes(self, loop: Loop) -> float:
        """How often the loop's body ran."""
        source = self._loops.stands_for(loop)
        iterations = None if source is None else self._loops.iterations(source)
        if source is None or not iterations:
            return max(self._busiest_line(self._graph.blocks[b], 0.0) for b in loop.blocks)
        entries = self._entries(loop)
        rest = iterations / entries if entries else 0.0
        for other, copies in self._unrolled(source):
            passes = float(int(rest / copies)) if copies > 1 else rest
            if other == loop:
                return passes * entries
            rest -= passes * copies
        return 0.0

    def _entries(self, loop: Loop) -> float:
        outer = [o for o in self._graph.loops if o != loop and loop.blocks < o.blocks]
        return self._passes[outer[-1].header] if outer else float(self._thread_count)

    def _unrolled(self, source: SourceLoop) -> list[tuple[Loop, int]]:
        """The machine loops of a source loop with their iterations per pass, most unrolled first."""
        loops = [(loop, _copies(self._graph, loop, source)) for loop in self._loops.machine_loops(source)]
        return sorted(loops, key=lambda pair: -pair[1])

    def _called(self, found: Mapping[int, float]) -> dict[int, float]:
        """Blocks of called functions: as often as all their calls."""
        counts: dict[int, float] = {}
        calls = [(b, i) for b in self._graph.blocks for i in b.instructions if opcode_name(i) == "CALL" and not _is_slow_path(i)]
        for block, call in calls:
            for callee in self._graph.blocks_called(call) & self._graph.called_blocks:
                counts[callee] = counts.get(callee, 0.0) + found.get(block.index, 0.0)
        return counts


def _proved_passes(graph: ControlFlow, thread_count: int, accesses: Accesses) -> dict[int, float]:
    """Header of each innermost loop → the fewest passes in which its lines can have made their accesses.

    Of lines in one loop alone; copies in front of and behind it ran at most once a thread.
    """
    proved: dict[int, float] = {}
    for place, by_loop in _accesses_made(graph, accesses).items():
        outside = by_loop.pop(None, 0.0) * thread_count
        if len(by_loop) == 1:
            ((header, per_pass),) = by_loop.items()
            if header is not None:
                proved[header] = max(proved.get(header, 0.0), (accesses[place][0] - outside) / per_pass)
    return proved


def _accesses_made(graph: ControlFlow, accesses: Accesses) -> dict[tuple[str, int], dict[int | None, float]]:
    """For each line in question, the accesses that one pass of each innermost loop makes; under None those outside of loops."""
    made: dict[tuple[str, int], dict[int | None, float]] = {}
    for block in graph.blocks:
        around = graph.loop_chain(block.index)
        header = around[-1].header if around else None
        for instruction in block.instructions:
            place = (instruction.file, instruction.line)
            if place in accesses and _MEMORY.match(opcode_name(instruction)):
                by_loop = made.setdefault(place, {})
                by_loop[header] = by_loop.get(header, 0.0) + max(1.0, _width_bytes(instruction) / accesses[place][1])
    return made


def _width_bytes(access: SassInstruction) -> int:
    """Bytes per thread of a load or store, as its modifiers say (CUDA Binary Utilities 13.0)."""
    return next((bytes_ for modifier, bytes_ in _WIDTHS.items() if modifier in access.opcode.split(".")[1:]), _WORD_BYTES)


def _calls_slow_path(block: Block) -> bool:
    return any(opcode_name(i) == "CALL" and _is_slow_path(i) for i in block.instructions)


def _is_slow_path(call: SassInstruction) -> bool:
    return _SLOW_PATH.search(call.operands) is not None


def _copies(graph: ControlFlow, loop: Loop, source: SourceLoop) -> int:
    """Source iterations per pass; 1 where the control register does not say."""
    most = max(_MOST_UNROLLED, sum(len(graph.blocks[block].instructions) for block in loop.blocks))
    advances = {update.amount // (source.step or 1) for update in control_updates(graph, loop).values()}
    likely = sorted({1} | {copies for copies in advances if 1 <= copies <= most})
    return next((copies for copies in likely if is_unrolled_by(graph, loop, copies, source)), 1)
