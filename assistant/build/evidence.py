"""What the emulator's account says of the blocks of machine code, as equations in the order of trust.

1. Branches that are never taken: slow paths of division and roots (denormal, huge and infinite operands), divergent shuffles.
2. Loads, stores and atomics: the bytes that a line's machine accesses move are those that its emulated accesses moved.
3. Loops: passes, from iterations and how far the loop is unrolled.
4. Blocks that hold the lines of one emulated block: all copies together ran as often as it.
5. What is left open: copies share alike, a library routine's rare side is left out and its body is not, else both ways are equally
   likely; parts of a loop of which only the sum is known did half of it each.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from assistant.build.cfg import opcode_name
from assistant.build.equations import Equations
from assistant.build.library_bodies import library_bodies
from assistant.build.loop_iterations import iterations_of
from assistant.build.loop_map import WARP_LANES
from assistant.build.loop_passes import Piece, TripCounts, contexts_of, shares, versions_of
from assistant.build.machine import Machine, MachineBlock, source_of
from assistant.build.matching import NO_MATCH, EmulatedBlocks, Match, has_work, is_placed_freely, match_of, signature
from assistant.build.witnesses import Equation, accesses, iterations_alike, unrolled_loops, work
from assistant.model.build import SassInstruction
from assistant.model.profile import LaunchProfile
from assistant.model.source import SourceLoop

__all__ = ["Evidence"]

_SLOW_PATH = re.compile(r"slowpath|mediumpath|_(?:f32|f64)_full")
"""In the names of nvcc's functions for operands out of the common range (``__cuda_sm20_div_rn_f64_full``,
``…_dsqrt_rn_f64_mediumpath_v1``): each call stands behind a branch by which the fast path jumps over it. Not the 64-bit integer
divisions (``__cuda_sm20_div_s64``), whose operands may well be that wide."""
_WIDE_DIVISION = re.compile(r"__cuda_sm\d+_(?:div|rem)_[su]64")


class Evidence:
    """Fills a system of equations that holds the flow of ``machine`` already."""

    def __init__(self, machine: Machine, profile: LaunchProfile, system: Equations) -> None:
        self._machine = machine
        self._profile = profile
        self._system = system
        self._emulated = EmulatedBlocks(profile.blocks)
        self._moved: Counter[tuple[str, int, str]] = Counter()
        for site in profile.sites:
            self._moved[site.file, site.line, site.op] += site.size_bytes
        self.seen: dict[str, Match] = {
            block.name: NO_MATCH if machine.functions[block.function].is_routine else match_of(block, self._emulated)
            for block in machine.blocks
        }
        """Block → the emulated blocks that it may stand for."""
        self.dealt: dict[str, float] = {}
        """Warps of blocks in the pieces of loops that threads of a warp leave at different times."""

    def settle(self) -> None:
        """Afterwards every block has a count."""
        self._of_library = frozenset(block.name for block in self._machine.blocks if self._is_inside_library(block))
        self._accept_rare()
        self._accept_limits()
        stored, loaded, copied = accesses(self._machine, self._profile)
        unrolled = unrolled_loops(self._machine, self._moved)
        worked = work(self._machine, self._emulated, self._of_library, unrolled)
        self._accept_loops(is_certain=True)
        self._accept_all((*stored, *loaded, *worked, *copied, *iterations_alike(worked, unrolled)))
        self._accept_loops(is_certain=False)
        self._accept_bodies()
        self._accept_in_order()
        self._accept_copies()
        self._accept_open()
        self._accept_middles()

    def _accept_all(self, equations: Iterable[Equation]) -> None:
        for terms, value in equations:
            self._system.accept(terms, value)

    def _count(self, name: str) -> float | None:
        return self._system.value({name: 1.0})

    def _accept_rare(self) -> None:
        for block in self._machine.blocks:
            if any(opcode_name(i) == "CALL" and self._is_rare(i, block) for i in block.instructions):
                self._system.accept({block.name: 1.0}, 0.0)
            if ".DIV" in block.instructions[-1].opcode and len(self._machine.outgoing[block.name]) > 1:
                self._system.accept({self._machine.outgoing[block.name][0]: 1.0}, 0.0)

    def _is_rare(self, call: SassInstruction, block: MachineBlock) -> bool:
        """A slow path; likewise a wide division on the line of a loop's condition, by which nvcc works out how often to go round."""
        if _SLOW_PATH.search(call.operands):
            return True
        loops = self._machine.functions[block.function].loops.loops
        is_of_loop = any((loop.file, loop.condition_line) == (call.file, call.line) for loop in loops)
        return is_of_loop and _WIDE_DIVISION.search(call.operands) is not None

    def _accept_limits(self) -> None:
        """No block runs more often than the busiest of the lines whose work it does, or whose condition it tests."""
        for block in self._machine.blocks:
            last = block.instructions[-1]
            kept = [i for i in block.instructions if not is_placed_freely(i)] + ([last] if last.predicate else [])
            places = [(i.file, i.line) for i in kept]
            is_routine = self._machine.functions[block.function].is_routine
            if kept and not is_routine and all(place in self._emulated.by_place for place in places):
                busiest = max(b.threads for place in places for b in self._emulated.by_place[place])
                self._system.accept({block.name: 1.0, f"{block.name}<": 1.0}, float(busiest))

    def _accept_loops(self, *, is_certain: bool) -> None:
        """Those whose trip counts are always the same, or those where they differ."""
        for number, function in enumerate(self._machine.functions):
            done: set[SourceLoop] = set()
            for loop in function.graph.loops:  # outer ones come first
                source = function.loops.stands_for(loop)
                if source is None or source in done:
                    continue
                done.add(source)
                contexts = contexts_of(function.loops, source)
                for context, iterations in zip(contexts, iterations_of(self._emulated, function, source, len(contexts)), strict=True):
                    if iterations[0]:
                        self._accept_loop(number, versions_of(function.loops, source, context, self._moved), iterations, is_certain)

    def _accept_loop(self, number: int, versions: tuple[tuple[Piece, ...], ...], iterations: tuple[int, int], is_certain: bool) -> None:
        entered = self._entered(number, [piece for version in versions for piece in version])
        if entered is None:
            return
        entries, lanes = entered
        trips = TripCounts(iterations[0] / entries, min(1.0, iterations[0] / iterations[1] / lanes))
        is_single = len(versions) == 1 and [piece.copies for piece in versions[0]] == [1]
        if (trips.is_certain or is_single) != is_certain:
            return
        if any(_is_repeated(version) for version in versions):
            self._accept_sum(number, versions, iterations[0])
            return
        for version in versions:
            before = self._before(number, version, [piece for other in versions if other is not version for piece in other])
            passes = shares(trips, version)
            for piece, share in zip(version, passes, strict=True):
                if is_single:
                    self._system.accept(self._passes(number, piece), float(iterations[0]))
                elif before and share.passes >= 1:
                    self._system.accept({**self._passes(number, piece), before[0].name: -share.passes}, 0.0)
            count = entries if len(versions) == 1 else self._count(before[0].name) if before else None
            if count is None:
                continue
            for piece, share in zip(version, passes, strict=True):
                if trips.is_divergent and not is_single and not self._is_shared(number):
                    self._deal(number, piece, share.warp_passes * count / lanes)
                self._system.accept(self._passes(number, piece), share.passes * count)
                if trips.is_certain or not is_single:
                    self._system.accept(self._entering(number, piece), share.entered * count)

    def _is_shared(self, number: int) -> bool:
        """Whether it is a function that is called from several places: threads of a warp that meet in the emulator do not on a GPU."""
        return sum((self._machine.calls_of(self._machine.block(number, 0)) or {}).values()) > 1

    def _deal(self, number: int, piece: Piece, warps: float) -> None:
        """``warps``: how often they go round it."""
        graph = self._machine.functions[number].graph
        for index in piece.loop.blocks if piece.loop else (piece.block,):
            if piece.loop is None or (graph.loop_chain(index)[-1] == piece.loop and graph.dominates(index, piece.block)):
                self.dealt[self._machine.block(number, index).name] = warps

    def _accept_sum(self, number: int, versions: tuple[tuple[Piece, ...], ...], iterations: int) -> None:
        """Of a loop that was split in two, as at the iteration that is left out, nothing says where."""
        terms: dict[str, float] = {}
        for piece in (piece for version in versions for piece in version):
            terms |= {name: weight * piece.copies for name, weight in self._passes(number, piece).items()}
        self._system.accept(terms, float(iterations))

    def _before(self, number: int, pieces: Sequence[Piece], others: Sequence[Piece] = ()) -> list[MachineBlock]:
        """Blocks that all the pieces stand behind, and none of ``others``, the nearest first."""
        graph = self._machine.functions[number].graph
        inside = {b for piece in pieces for b in (piece.loop.blocks if piece.loop else {piece.block})}
        behind = [
            block
            for block in self._machine.blocks
            if block.function == number
            and block.index not in inside
            and all(graph.dominates(block.index, p.block) for p in pieces)
            and not any(graph.dominates(block.index, p.block) for p in others)
        ]
        return sorted(behind, key=lambda block: -sum(graph.dominates(other.index, block.index) for other in behind))

    def _entered(self, number: int, pieces: Sequence[Piece]) -> tuple[float, float] | None:
        """How often threads enter the loop, and how many of a warp together: as in the nearest block before it of which that is known."""
        for block in self._before(number, pieces):
            count = self._known(block)
            if count:
                lanes = [threads / warps for threads, warps in self.seen[block.name].counts if warps and abs(threads - count) <= 1]
                return count, lanes[0] if lanes else float(WARP_LANES)
        return None if number else (float(self._profile.config.thread_count), float(WARP_LANES))

    def _known(self, block: MachineBlock) -> float | None:
        """Its count by the equations, else by the only emulated block that it can stand for."""
        low, high = self._system.bounds({block.name: 1.0})
        counts = {float(threads) for threads, _ in self.seen[block.name].counts if low - 1 <= threads <= high + 1}
        if high - low <= 1:
            return low
        return counts.pop() if len(counts) == 1 else None

    def _entering(self, number: int, piece: Piece) -> dict[str, float]:
        """Edges that lead into the piece; of straight code, where the loop's condition is tested before it."""
        if piece.gate is not None:
            graph = self._machine.functions[number].graph
            ways = graph.blocks[piece.gate].successors
            return {f"{number}:{piece.gate}>{way}": 1.0 for way in ways if graph.dominates(way, piece.block)}
        inside = piece.loop.blocks if piece.loop else {piece.block}
        header = self._machine.block(number, piece.block)
        return {edge: 1.0 for edge in self._machine.incoming[header.name] if source_of(edge) not in inside}

    def _passes(self, number: int, piece: Piece) -> dict[str, float]:
        """The header, unless it is the test of a loop that closes without one: then the edges back to it."""
        header = self._machine.block(number, piece.block)
        graph = self._machine.functions[number].graph
        if piece.loop is None:
            return {header.name: 1.0}
        blocks = piece.loop.blocks
        closing = [edge for edge in self._machine.incoming[header.name] if source_of(edge) in blocks]
        has_test = any(len(graph.blocks[source_of(edge)].successors) > 1 for edge in closing)
        is_test = any(successor not in blocks for successor in graph.blocks[piece.block].successors)
        return dict.fromkeys(closing, 1.0) if is_test and not has_test else {header.name: 1.0}

    def _accept_in_order(self) -> None:
        """As many machine blocks as emulated ones that each of them may stand for are these, in the order of the code."""
        groups: dict[tuple[int, ...], list[MachineBlock]] = {}
        for block in self._machine.blocks:
            if block.name not in self._of_library:
                groups.setdefault(tuple(sorted(e.address for e in self.seen[block.name].blocks)), []).append(block)
        by_address = {block.address: block for block in self._emulated.blocks}
        for addresses, group in sorted(groups.items()):
            if len(addresses) == len(group) > 1:
                for address, block in zip(addresses, group, strict=True):
                    self._system.accept({block.name: 1.0}, float(by_address[address].threads))

    def _accept_copies(self) -> None:
        """Blocks with the same work on the same lines are copies of the same emulated block; those first that can be copies of only one."""
        groups: dict[object, list[MachineBlock]] = {}
        for block in self._machine.blocks:
            if self.seen[block.name].blocks and block.name not in self._of_library and not _divides_widely(block):
                groups.setdefault((block.function, signature(block)), []).append(block)

        def rank(group: list[MachineBlock]) -> tuple[float, ...]:
            match = self.seen[group[0].name]
            return (len(match.counts) > 1, len(group), -match.share, group[0].instructions[0].offset_bytes)

        for group in sorted(groups.values(), key=rank):
            match = self.seen[group[0].name]
            if len(match.counts) == len(group) == 1 or (len(group) > 1 and has_work(group[0])):
                self._accept_group(group, sorted({threads for threads, _ in match.counts}, reverse=True))

    def _accept_group(self, group: Sequence[MachineBlock], counts: Sequence[int]) -> None:
        terms = {block.name: 1.0 for block in group}
        low, high = self._system.bounds(terms)
        fitting = [threads for threads in counts if low - 1 <= threads <= high + 1]
        guarded = [threads for threads in fitting if threads < high] if len(counts) > 1 else fitting
        threads = float(next(iter(guarded or fitting), min(counts[0], high)))
        self._system.accept(terms, threads)
        self._accept_shares(group, threads)

    def _accept_shares(self, group: Sequence[MachineBlock], threads: float) -> None:
        """Copies in pieces of a loop run as often as these go round."""
        passes = {block.name: self._around(block) for block in group}
        known = {name: count for name, count in passes.items() if count is not None}
        total = sum(known.values())
        if len(group) > 1 and len(known) == len(group) and total > 0:
            for name, count in known.items():
                self._system.accept({name: 1.0}, threads * count / total)

    def _around(self, block: MachineBlock) -> float | None:
        loop = self._machine.innermost_loop(block)
        if loop is None:
            return float(self._profile.config.thread_count)
        return self._system.value(self._passes(block.function, Piece(loop.header, 1, loop)))

    def _accept_open(self) -> None:
        """In the order of the code, so that what comes before a branch is known."""
        for block in self._machine.blocks:
            self._end_empty_loops(block)
            if self._count(block.name) is None:
                self._accept_guess(block)
            count = self._count(block.name)
            open_edges = [edge for edge in self._machine.outgoing[block.name] if self._count(edge) is None]
            if count is None or not open_edges:
                continue
            self._accept_branch(block, open_edges, count)

    def _accept_middles(self) -> None:
        """What two parts of a loop did together, of which nothing says how much each did, as one that was split where an iteration is left
        out: half each."""
        for block in self._machine.blocks:
            if self._count(block.name) is None:
                low, high = self._system.bounds({block.name: 1.0})
                self._system.accept({block.name: 1.0}, (low + high) / 2 if math.isfinite(high) else low)

    def _end_empty_loops(self, block: MachineBlock) -> None:
        """A loop that is never entered goes never round."""
        loop = self._machine.innermost_loop(block)
        if loop is None or loop.header != block.index or self._count(block.name) is not None:
            return
        entering = [edge for edge in self._machine.incoming[block.name] if source_of(edge) not in loop.blocks]
        if self._system.value(dict.fromkeys(entering, 1.0)) == 0:
            self._system.accept({block.name: 1.0}, 0.0)

    def _accept_guess(self, block: MachineBlock) -> None:
        """The largest count of its lines that the equations allow."""
        for threads in sorted({threads for threads, _ in self.seen[block.name].counts}, reverse=True):
            if self._system.accept({block.name: 1.0}, float(threads)):
                return

    def _accept_branch(self, block: MachineBlock, open_edges: Sequence[str], count: float) -> None:
        for edge in open_edges:
            target = self._target(block, edge)
            if target is None or self._count(edge) is not None or len(self._machine.incoming[target.name]) > 1:
                continue
            if target.name in self._of_library:
                self._system.accept({edge: 1.0}, 0.0)
                continue
            if _divides_widely(target):
                self._system.accept({edge: 1.0}, count if self._is_only_way(block, target) else 0.0)
                continue
            for threads in sorted({t for t, _ in self.seen[target.name].counts if t < count}, reverse=True):
                if self._system.accept({edge: 1.0}, float(threads)):
                    break
            else:
                self._accept_alike(edge, target, count)
        still_open = [edge for edge in open_edges if self._count(edge) is None]
        known = sum(self._count(edge) or 0.0 for edge in self._machine.outgoing[block.name])
        for edge in still_open:
            self._system.accept({edge: 1.0}, max(0.0, count - known) / len(still_open))

    def _accept_bodies(self) -> None:
        for edge, branch in library_bodies(self._machine, self.seen, self._of_library):
            self._system.accept({edge: 1.0, branch: -1.0}, 0.0)

    def _is_only_way(self, branch: MachineBlock, target: MachineBlock) -> bool:
        """Whether the branch's other way only leads past ``target``: nvcc mostly divides operands of 32 bits there instead."""
        blocks = self._machine.functions[branch.function].graph.blocks
        return set(blocks[branch.index].successors) - {target.index} <= set(blocks[target.index].successors)

    def _accept_alike(self, edge: str, target: MachineBlock, count: float) -> None:
        """Every thread takes the branch where what its target alone stands for ran as often."""
        alike = [other for other in self._machine.of_source if signature(other) == signature(target)]
        if len(alike) == 1 and any(threads == count for threads, _ in self.seen[target.name].counts):
            self._system.accept({edge: 1.0}, count)

    def _target(self, block: MachineBlock, edge: str) -> MachineBlock | None:
        target = edge.rpartition(">")[2]
        return self._machine.block(block.function, int(target)) if target.isdecimal() else None

    def _is_inside_library(self, block: MachineBlock) -> bool:
        """Whether only a branch inside a library routine decides about the block: more branches on its line than the source has there."""
        graph = self._machine.functions[block.function].graph
        if self._machine.functions[block.function].is_routine:
            return bool(graph.guards(block.index))
        places = {(i.file, i.line) for i in block.instructions}
        place = next(iter(places))
        if len(places) != 1 or place not in self._emulated.by_place or any(opcode_name(i) == "CALL" for i in block.instructions):
            return False
        depth, at, seen = 0, block.index, set[int]()
        while at not in seen:
            seen.add(at)
            guards = [g for g in graph.guards(at) if g != at and g < at]
            if not guards or not _ends_on(graph.blocks[guards[-1]].last, place):
                break
            depth, at = depth + 1, guards[-1]
        return depth > max(0, len(self._emulated.by_place.get(place, ())) - 1)


def _divides_widely(block: MachineBlock) -> bool:
    return any(opcode_name(i) == "CALL" and _WIDE_DIVISION.search(i.operands) for i in block.instructions)


def _ends_on(branch: SassInstruction, place: tuple[str, int]) -> bool:
    return (branch.file, branch.line) == place


def _is_repeated(version: Sequence[Piece]) -> bool:
    """Whether several loops that can run one after another do as many iterations a pass."""
    copies = [piece.copies for piece in version if piece.loop]
    return len(set(copies)) < len(copies)
