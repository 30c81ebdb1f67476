"""How often the pieces of one source loop go round, from how often the emulator saw that loop iterate.

nvcc makes of a loop a main loop that does several iterations a pass, straight code for as many again, and remainders, and sometimes
makes all of that twice, for a condition that does not change. Example::

    shares(TripCounts(10.0, 1.0), (main, remainder))   # (Share(2.0, 1.0), Share(2.0, 1.0)), where main does 4 iterations a pass
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence

from assistant.build.cfg import ControlFlow, Loop, opcode_name
from assistant.build.induction import control_updates, is_unrolled_by
from assistant.build.loop_map import LoopMap, contains, holds
from assistant.build.matching import WORK, is_placed_freely
from assistant.build.sites import access_kind, access_width_bytes
from assistant.model.build import SassInstruction
from assistant.model.source import SourceLoop
from assistant.record import Record

__all__ = ["Piece", "Share", "TripCounts", "contexts_of", "iterations_per_pass", "shares", "versions_of"]

Moved = Mapping[tuple[str, int, str], int]
"""(file, line, kind of access) → bytes."""

_MOST_UNROLLED = 64
"""In a body of any length; beyond it a control register that advances by so much is believed where the body has as many instructions: one
that counts bytes would be taken for copies. nvcc 13.0 unrolled a loop of 2600 iterations by 104 of its own accord."""
_WHOLE = 1e-9
_FULL = 0.98
"""Share of the lanes from which the threads of a warp are taken to iterate equally often."""


class Piece(Record):
    """A machine loop, or straight code (``loop`` None), that does ``copies`` iterations of a source loop in a pass."""

    block: int
    """The header, or the block itself."""
    copies: int
    loop: Loop | None
    is_left_inside: bool = False
    """Whether a pass may end before all its iterations are done."""


class TripCounts(Record):
    """How often a source loop iterates for each time that it is entered."""

    mean: float
    full_ratio: float
    """Mean share of a warp's lanes that are in the loop: as the warp stays for its longest, the mean of its lanes / the most."""

    @property
    def is_certain(self) -> bool:
        """Whether it is the same number each time, as far as the means show."""
        return abs(self.mean - round(self.mean)) < _WHOLE and self.full_ratio > _FULL


class Share(Record):
    """What a piece does for each time that the source loop is entered."""

    passes: float
    entered: float
    """How often it is begun, at most once."""


def contexts_of(loops: LoopMap, source: SourceLoop) -> tuple[tuple[Loop, ...], ...]:
    """The machine loops of a source loop, those together that were inlined through the same calls, in the order of the code."""
    found: dict[tuple[tuple[str, int], ...], list[Loop]] = {}
    for loop in loops.machine_loops(source):
        found.setdefault(loops.calls_around(loop), []).append(loop)
    return tuple(sorted((tuple(group) for group in found.values()), key=lambda group: group[0].header))


def versions_of(loops: LoopMap, source: SourceLoop, machine: tuple[Loop, ...], moved: Moved) -> tuple[tuple[Piece, ...], ...]:
    """The pieces of a source loop, those together that can run one after another.

    ``machine``: its loops of one context; ``moved``: bytes that a line and kind of access moves in the source.
    """
    graph = loops.graph
    looped = [Piece(loop.header, iterations_per_pass(loops, loop, source, moved), loop, _is_left_inside(graph, loop)) for loop in machine]
    around = [loop for loop in graph.loops if all(loop != own and own.blocks < loop.blocks for own in machine)]
    parent = around[-1] if around else None
    pieces = sorted((*looped, *_straight_pieces(loops, source, looped, parent)), key=lambda piece: piece.block)
    versions: list[list[Piece]] = []
    for piece in pieces:
        joined = [v for v in versions if any(_reaches(graph, other.block, piece.block, parent) for other in v)]
        versions = [v for v in versions if v not in joined] + [[*(p for v in joined for p in v), piece]]
    return tuple(tuple(version) for version in versions)


def iterations_per_pass(loops: LoopMap, loop: Loop, source: SourceLoop, moved: Moved) -> int:
    """By its control register, else by what it stores, by its arithmetic or by what it loads; 1 where nothing says.

    A register that counts bytes may look like one of many iterations: each kind of arithmetic on each line is done equally often in each.
    """
    graph = loops.graph
    most = max(_MOST_UNROLLED, sum(len(graph.blocks[block].instructions) for block in loop.blocks))
    advances = {update.amount // (source.step or 1) for update in control_updates(graph, loop).values()}
    work = Counter((opcode_name(i), i.file, i.line) for b in loop.blocks for i in graph.blocks[b].instructions if opcode_name(i) in WORK)
    done = math.gcd(*work.values())
    likely = sorted({1} | {copies for copies in advances if 1 <= copies <= most and done % copies == 0})
    proved = next((copies for copies in likely if is_unrolled_by(graph, loop, copies, source)), None)
    stored, loaded = _by_accesses(loops, loop, source, moved)
    counts_other = len(loop.blocks) == 1 and done > 1 and any(done < copies and copies % done == 0 for copies in advances)
    return proved or stored or (done if counts_other else loaded or 1)


def _by_accesses(loops: LoopMap, loop: Loop, source: SourceLoop, moved: Moved) -> tuple[int | None, int | None]:
    """Iterations in a pass, by stores and by loads: how often each line does what it does in the source once."""
    graph, inner = loops.graph, [other for other in loops.loops if contains(source, other)]
    made: Counter[tuple[str, int, str]] = Counter()
    for block in loop.blocks:
        for instruction in graph.blocks[block].instructions if graph.loop_chain(block)[-1] == loop else ():
            kind = access_kind(instruction)
            is_inner = any(holds(other, instruction.file, instruction.line) for other in inner)
            if kind is not None and not instruction.predicate and not is_inner:
                made[instruction.file, instruction.line, kind] += access_width_bytes(instruction.opcode)
    ratios = {key: count / moved[key] for key, count in made.items() if moved.get(key)}
    whole = {key: round(ratio) for key, ratio in ratios.items() if ratio >= 1 and ratio == int(ratio)}
    stored = {copies for key, copies in whole.items() if not key[2].endswith("load")}
    loaded = {copies for key, copies in whole.items() if key[2].endswith("load")}
    return stored.pop() if len(stored) == 1 else None, loaded.pop() if len(loaded) == 1 else None


def shares(trips: TripCounts, pieces: Sequence[Piece]) -> tuple[Share, ...]:
    """What each piece does for each time that the loop is entered: the most unrolled take what they can."""
    order = sorted(range(len(pieces)), key=lambda index: -pieces[index].copies)
    passes, entered = [0.0] * len(pieces), [0.0] * len(pieces)
    for rest, weight in _weighed(trips):
        for index in order:
            piece = pieces[index]
            count = rest // piece.copies if piece.loop else int(rest >= piece.copies)
            if piece.is_left_inside and index == order[-1]:
                count = -(-rest // piece.copies)
            rest = max(0, rest - count * piece.copies)
            passes[index] += weight * count
            entered[index] += weight * (count > 0)
    return tuple(Share(*both) for both in zip(passes, entered, strict=True))


def _weighed(trips: TripCounts) -> list[tuple[int, float]]:
    """(trip count, share of the entries), evenly between the least and the most."""
    mean = trips.mean
    if trips.is_certain:
        return [(round(mean), 1.0)]
    spread = mean * min(1.0, 1 / trips.full_ratio - 1)
    low, high = int(mean - spread), max(int(mean) + 1, math.ceil(mean + spread))
    counts = range(low, high + 1)
    share = 1.0 / len(counts)
    weighed = [(count, share) for count in counts]
    missing = mean - sum(count * weight for count, weight in weighed)
    shift = missing / (high - low)  # from the one end to the other
    return [(count, weight + (shift if count == high else -shift if count == low else 0.0)) for count, weight in weighed]


def _is_left_inside(graph: ControlFlow, loop: Loop) -> bool:
    def may_leave(block: int) -> bool:
        is_exit = opcode_name(graph.blocks[block].last) == "EXIT"
        return is_exit or any(successor not in loop.blocks for successor in graph.blocks[block].successors)

    return any(may_leave(block) for block in loop.blocks if loop.header not in graph.blocks[block].successors)


def _straight_pieces(loops: LoopMap, source: SourceLoop, looped: Sequence[Piece], parent: Loop | None) -> list[Piece]:
    """Blocks next to the machine loops that hold whole copies of their work."""
    graph = loops.graph
    if source.first_line == source.last_line:
        return []
    units: dict[tuple[str, str, int], float] = {}
    for piece in looped:
        assert piece.loop is not None
        for marker, count in _markers(loops, source, [b for b in piece.loop.blocks if graph.loop_chain(b)[-1] == piece.loop]).items():
            units[marker] = min(units.get(marker, float("inf")), count / piece.copies)
    found: list[Piece] = []
    for block in sorted(graph.reachable - {b for piece in looped if piece.loop for b in piece.loop.blocks}):
        chain = graph.loop_chain(block)
        ratios = [count / units[marker] for marker, count in _markers(loops, source, [block]).items() if marker in units]
        if (chain[-1] if chain else None) == parent and ratios and (copies := round(statistics.median(ratios))) >= 1:
            found.append(Piece(block, copies, None))
    return found


def _markers(loops: LoopMap, source: SourceLoop, blocks: Sequence[int]) -> Counter[tuple[str, str, int]]:
    """Work of the loop's lines that always runs with its block, by kind and line; without that of machine loops inside."""
    inner = [other for other in loops.loops if contains(source, other) and loops.machine_loops(other)]
    return Counter(
        (opcode_name(i), i.file, i.line)
        for block in blocks
        for i in loops.graph.blocks[block].instructions
        if not i.predicate and _is_work_of(i, source, inner)
    )


def _is_work_of(instruction: SassInstruction, source: SourceLoop, inner: Sequence[SourceLoop]) -> bool:
    place = (instruction.file, instruction.line)
    return not is_placed_freely(instruction) and holds(source, *place) and not any(holds(other, *place) for other in inner)


def _reaches(graph: ControlFlow, start: int, end: int, parent: Loop | None) -> bool:
    """Whether ``end`` can run after ``start`` in the same pass of the loop around both."""
    seen, stack = {start}, [start]
    while stack:
        for successor in graph.blocks[stack.pop()].successors:
            if successor == end:
                return True
            is_outside = parent is not None and (successor == parent.header or successor not in parent.blocks)
            if successor not in seen and not is_outside:
                seen.add(successor)
                stack.append(successor)
    return False
