"""How often the pieces of one source loop go round, from how often the emulator saw that loop iterate.

nvcc makes of a loop a main loop that does several iterations a pass, straight code for as many again, and remainders, and sometimes
makes all of that twice, for a condition that does not change. Example::

    shares(TripCounts(10.0, 1.0), (main, remainder))   # (Share(2.0, 1.0), Share(2.0, 1.0)), where main does 4 iterations a pass
"""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence

from assistant.build.cfg import ControlFlow, Loop, opcode_name
from assistant.build.induction import control_updates, is_unrolled_by
from assistant.build.loop_map import LoopMap, contains, holds
from assistant.build.matching import is_placed_freely, is_work
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
_STORES, _LOADS, _CHANGES = ("store",), ("load",), ("store", "atomic")
"""Ends of the names of kinds of accesses."""
_LEAST_COPIED = 0.5
"""Share of an iteration's work that a copy in front of the loop has: what has less is what nvcc moved out of it."""
_FULL = 0.98
"""Share of the lanes from which the threads of a warp are taken to iterate equally often."""
_EVEN = 2.0
"""Up to so many times the mean, counts can lie evenly around it."""
_MOST_COUNTS = 4096
_OWN_SUM = re.compile(r"(R\d+), \1(?:\.reuse)?, -?[1-9]\d*$")
"""A register to which a whole number is added."""
_HALVINGS = 30


class Piece(Record):
    """A machine loop, or straight code (``loop`` None), that does ``copies`` iterations of a source loop in a pass."""

    block: int
    """The header, or the block itself."""
    copies: int
    loop: Loop | None
    is_left_inside: bool = False
    """Whether a pass may end before all its iterations are done."""
    gate: int | None = None
    """Of straight code: the block before it that tests the loop's condition."""


class TripCounts(Record):
    """How often a source loop iterates for each time that it is entered."""

    mean: float
    full_ratio: float
    """Mean share of a warp's lanes that are in the loop: as the warp stays for its longest, the mean of its lanes / the most."""

    @property
    def is_certain(self) -> bool:
        """Whether it is the same number each time, as far as the means show."""
        return abs(self.mean - round(self.mean)) < _WHOLE and not self.is_divergent

    @property
    def is_divergent(self) -> bool:
        """Whether threads of a warp leave the loop at different times."""
        return self.full_ratio <= _FULL


class Share(Record):
    """What a piece does for each time that the source loop is entered."""

    passes: float
    entered: float
    """How often it is begun, at most once."""
    warp_passes: float = 0.0
    """For each time that a warp enters the source loop: as the lane that does most."""


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
    work = _without_counter([i for b in loop.blocks for i in graph.blocks[b].instructions if is_work(i)])
    done = math.gcd(*Counter((opcode_name(i), i.file, i.line) for i in work).values())
    likely = sorted({1} | {copies for copies in advances if 1 <= copies <= most and done % copies == 0})
    proved = next((copies for copies in likely if is_unrolled_by(graph, loop, copies, source)), None)
    stored, loaded, written = (_by_accesses(loops, loop, source, moved, kinds) for kinds in (_CHANGES, _LOADS, _STORES))
    counts_other = len(loop.blocks) == 1 and done > 1 and any(done < copies and copies % done == 0 for copies in advances)
    if proved == 1 and written:  # what a line writes is never written twice
        return written
    moved_copies = stored or loaded
    if proved and moved_copies and _is_multiple(proved, moved_copies):
        return moved_copies
    if proved:
        return proved
    return stored or (done if counts_other else loaded or 1)


def _without_counter(work: list[SassInstruction]) -> list[SassInstruction]:
    """Without conversions of a counter of which nvcc advances one by itself (``DADD R10, R10, 4``): these are fewer than the iterations."""
    sums = [i for i in work if opcode_name(i) in ("DADD", "FADD") and _OWN_SUM.match(i.operands)]
    return [i for i in work if i not in sums and opcode_name(i) != "I2F"] if sums else work


def _is_multiple(advance: int, copies: int) -> bool:
    """Whether a register that advances so much may be the count of iterations times some other number: nvcc unrolls by powers of 2."""
    is_usual = advance <= _MOST_UNROLLED and advance & (advance - 1) == 0
    return not is_usual and 1 < copies < advance and advance % copies == 0


def _by_accesses(loops: LoopMap, loop: Loop, source: SourceLoop, moved: Moved, kinds: tuple[str, ...]) -> int | None:
    """Iterations in a pass, by accesses of some kinds: how often each line does what it does in the source once."""
    graph, inner = loops.graph, [other for other in loops.loops if contains(source, other)]
    made: Counter[tuple[str, int, str]] = Counter()
    for block in loop.blocks:
        for instruction in graph.blocks[block].instructions if graph.loop_chain(block)[-1] == loop else ():
            kind = access_kind(instruction)
            is_inner = any(holds(other, instruction.file, instruction.line) for other in inner)
            if kind is not None and kind.endswith(kinds) and not instruction.predicate and not is_inner:
                made[instruction.file, instruction.line, kind] += access_width_bytes(instruction.opcode)
    ratios = [count / moved[key] for key, count in made.items() if moved.get(key)]
    whole = {round(ratio) for ratio in ratios if ratio >= 1 and ratio == int(ratio)}
    return whole.pop() if len(whole) == 1 else None


def shares(trips: TripCounts, pieces: Sequence[Piece]) -> tuple[Share, ...]:
    """What each piece does for each time that the loop is entered: the most unrolled take what they can."""
    passes, entered = [0.0] * len(pieces), [0.0] * len(pieces)
    most = trips.mean / trips.full_ratio  # of a warp's lanes, on average over the warps
    warp_passes: dict[int, list[int]] = {limit: [0] * len(pieces) for limit in (math.floor(most), math.ceil(most))}
    for count, weight in _weighed(trips):
        for index, dealt in enumerate(_dealt(count, pieces)):
            passes[index] += weight * dealt
            entered[index] += weight * (dealt > 0)
            for limit, own in warp_passes.items():
                own[index] = max(own[index], dealt if count <= limit else 0)
    low, high = warp_passes[math.floor(most)], warp_passes[math.ceil(most)]
    part = most - math.floor(most)
    mixed = [(1 - part) * below + part * above for below, above in zip(low, high, strict=True)]
    return tuple(Share(*of_piece) for of_piece in zip(passes, entered, mixed, strict=True))


def _dealt(trip_count: int, pieces: Sequence[Piece]) -> list[int]:
    """Passes of each piece."""
    order = sorted(range(len(pieces)), key=lambda index: -pieces[index].copies)
    rest, passes = trip_count, [0] * len(pieces)
    for index in order:
        piece = pieces[index]
        count = rest // piece.copies if piece.loop else int(rest >= piece.copies)
        if piece.is_left_inside and index == order[-1]:
            count = -(-rest // piece.copies)
        rest = max(0, rest - count * piece.copies)
        passes[index] = count
    return passes


def _weighed(trips: TripCounts) -> list[tuple[int, float]]:
    """(trip count, share of the entries) between the least and the most: evenly, or where the most is far above the mean, each count
    more seldom than the one before it."""
    mean = trips.mean
    if trips.is_certain:
        return [(round(mean), 1.0)]
    most = math.ceil(mean / trips.full_ratio - _WHOLE)
    if _EVEN * mean < most <= _MOST_COUNTS:
        return _falling(mean, most)
    spread = mean * min(1.0, 1 / trips.full_ratio - 1)
    low, high = math.ceil(mean - spread), max(int(mean) + 1, math.ceil(mean + spread))
    counts = range(min(low, int(mean)), high + 1)
    share = 1.0 / len(counts)
    weighed = [(count, share) for count in counts]
    missing = mean - sum(count * weight for count, weight in weighed)
    shift = missing / (high - counts[0])  # from the one end to the other
    shifted = [(count, weight + (shift if count == high else -shift if count == counts[0] else 0.0)) for count, weight in weighed]
    if all(weight >= 0.0 for _, weight in shifted):
        return shifted
    more = mean - math.floor(mean)  # the mean is too near the least or the most: only the two counts next to it
    return [(math.floor(mean), 1.0 - more), (math.floor(mean) + 1, more)]


def _falling(mean: float, most: int) -> list[tuple[int, float]]:
    """Each count from 0 to ``most`` in the same ratio to the one before it, so that the mean is ``mean``, which is below the middle."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        ratio = (low + high) / 2
        weights = [ratio**count for count in range(most + 1)]
        is_above = sum(count * weight for count, weight in enumerate(weights)) > mean * sum(weights)
        low, high = (low, ratio) if is_above else (ratio, high)
    weights = [low**count for count in range(most + 1)]
    total = sum(weights)
    return [(count, weight / total) for count, weight in enumerate(weights)]


def _is_left_inside(graph: ControlFlow, loop: Loop) -> bool:
    def may_leave(block: int) -> bool:
        is_exit = opcode_name(graph.blocks[block].last) == "EXIT"
        return is_exit or any(successor not in loop.blocks for successor in graph.blocks[block].successors)

    return any(may_leave(block) for block in loop.blocks if loop.header not in graph.blocks[block].successors)


def _straight_pieces(loops: LoopMap, source: SourceLoop, looped: Sequence[Piece], parent: Loop | None) -> list[Piece]:
    """Blocks next to the machine loops that hold whole copies of their work."""
    graph = loops.graph
    for is_predicated in (False, True):  # a condition may have become a predicate in the loop, and a branch behind it
        units: dict[tuple[str, str, int], float] = {}
        for piece in looped:
            assert piece.loop is not None
            own = [b for b in piece.loop.blocks if graph.loop_chain(b)[-1] == piece.loop]
            for marker, count in _markers(loops, source, own, is_predicated=is_predicated).items():
                units[marker] = min(units.get(marker, float("inf")), count / piece.copies)
        if units:
            break
    found: list[Piece] = []
    for block in sorted(graph.reachable - {b for piece in looped if piece.loop for b in piece.loop.blocks}):
        chain = graph.loop_chain(block)
        made = {marker: count for marker, count in _markers(loops, source, [block]).items() if marker in units}
        if all(graph.dominates(block, piece.block) for piece in looped) and sum(made.values()) < _LEAST_COPIED * sum(units.values()):
            continue
        ratios = [count / units[marker] for marker, count in made.items()]
        if (chain[-1] if chain else None) == parent and ratios and (copies := round(statistics.median(ratios))) >= 1:
            found.append(Piece(block, copies, None, gate=_gate(graph, block, source, looped)))
    return found


def _gate(graph: ControlFlow, block: int, source: SourceLoop, looped: Sequence[Piece]) -> int | None:
    """The nearest block before it that tests the source loop's condition and need not lead to it; not that before all pieces."""
    chain = graph.loop_chain(block)
    tests = [
        other
        for other in graph.reachable
        if other != block and graph.dominates(other, block) and graph.loop_chain(other) == chain
        if (graph.blocks[other].last.file, graph.blocks[other].last.line) == (source.file, source.condition_line)
        if len(graph.blocks[other].successors) > 1 and not any(graph.dominates(other, piece.block) for piece in looped)
    ]
    return max(tests, key=lambda other: sum(graph.dominates(before, other) for before in graph.reachable), default=None)


def _markers(loops: LoopMap, source: SourceLoop, blocks: Sequence[int], *, is_predicated: bool = False) -> Counter[tuple[str, str, int]]:
    """Work of the loop's lines that always runs with its block, or may, by kind and line; without that of machine loops inside."""
    inner = [other for other in loops.loops if contains(source, other) and loops.machine_loops(other)]
    return Counter(
        (opcode_name(i), i.file, i.line)
        for block in blocks
        for i in loops.graph.blocks[block].instructions
        if (is_predicated or not i.predicate) and _is_work_of(i, source, inner)
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
