"""Warp executions of machine code, from its thread executions and from how full the emulator's warps were and where they parted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from assistant.build.cfg import opcode_name
from assistant.build.evidence import Evidence
from assistant.build.loop_map import WARP_LANES
from assistant.build.machine import Machine, MachineBlock, source_of
from assistant.build.matching import EmulatedBlocks, Match
from assistant.build.sites import access_kind, access_width_bytes
from assistant.model.profile import AccessSite, BlockExecution, LaunchProfile

__all__ = ["WarpCounts"]

_Access = tuple[str, int, str]
"""File, line and kind, as ``global load``."""
_EQUAL_RATIO = 1e-6
"""What rounding may leave between two counts that are the same."""
_SAME_RATIO = 0.01
"""By how much two counts may differ that are taken for the same."""


class WarpCounts:
    """Of one launch."""

    def __init__(self, machine: Machine, profile: LaunchProfile, threads: Mapping[str, float], evidence: Evidence) -> None:
        """``threads``: by block."""
        self._machine = machine
        self._threads = threads
        self._emulated = EmulatedBlocks(profile.blocks)
        size = profile.config.block.count
        full = size / math.ceil(size / WARP_LANES)
        self._nearest = {block.name: self._stands_for(block, evidence.seen[block.name]) for block in machine.blocks}
        self._warps = {block.name: _warps(threads[block.name], self._nearest[block.name], full) for block in machine.blocks}
        self._certain = {
            name for name, nearest in self._nearest.items() if nearest is not None and _are_same(nearest.threads, threads[name])
        }
        for name, lanes in self._lanes_of_accesses(profile).items():
            self._warps[name] = threads[name] / lanes
            self._certain.add(name)
        for name, warps in evidence.dealt.items():
            self._warps[name] = min(max(warps, threads[name] / WARP_LANES), threads[name])
            self._certain.add(name)
        for block in machine.blocks:
            self._raise(block)
        for block in machine.blocks:
            self._take_over(block)
        for number in range(1, len(machine.functions)):
            self._divide_callers(machine.block(number, 0))

    def of(self, block: MachineBlock) -> float:
        """Warps that run the block's instructions."""
        return self._warps[block.name]

    def arrivals(self, block: MachineBlock) -> float:
        """Warps that run its first instruction where that waits for the threads that went another way: each group that arrives."""
        if opcode_name(block.instructions[0]) != "BSYNC":
            return self.of(block)
        arriving = sum(self._along(edge) for edge in self._machine.incoming[block.name])
        return min(max(arriving, self.of(block)), self._threads[block.name])

    def _stands_for(self, block: MachineBlock, seen: Match) -> BlockExecution | None:
        """The emulated block that ran as often, of those with a line of the block's; else, as in an unrolled loop, the busiest of
        those with most of its lines."""
        threads = self._threads[block.name]
        places = dict.fromkeys((i.file, i.line) for i in block.instructions)
        sharing = [*seen.blocks, *(other for place in places for other in self._emulated.by_place.get(place, ()))]
        equal = [other for other in sharing if _are_same(other.threads, threads)]
        return _nearest(threads, equal) or max(
            (other for other in seen.blocks if other.warps), key=lambda other: other.threads, default=None
        )

    def _lanes_of_accesses(self, profile: LaunchProfile) -> dict[str, float]:
        """Threads of a warp together, of blocks whose accesses to memory say so: all accesses of that kind on the line move what the
        emulator's moved, and as many threads took part in each of those."""
        sites: dict[_Access, list[AccessSite]] = {}
        for site in profile.sites:
            if site.requests:
                sites.setdefault((site.file, site.line, site.op), []).append(site)
        moved: Counter[_Access] = Counter()
        holding: dict[_Access, set[str]] = {}
        for block in self._machine.blocks:
            for instruction in block.instructions:
                kind = access_kind(instruction)
                if kind is not None and not instruction.predicate:
                    access = (instruction.file, instruction.line, kind)
                    moved[access] += round(self._threads[block.name]) * access_width_bytes(instruction.opcode)
                    holding.setdefault(access, set()).add(block.name)
        found: dict[str, float] = {}
        for access, names in holding.items():
            own = sites.get(access, [])
            lanes = {site.active_threads / site.requests for site in own}
            if (
                own
                and max(lanes) <= min(lanes) * (1 + _SAME_RATIO)
                and _are_same(moved[access], sum(site.active_threads * site.size_bytes for site in own))
            ):
                found |= dict.fromkeys(names, min(lanes))
        return found

    def _take_over(self, block: MachineBlock) -> None:
        """A warp runs no more often than before it, in the same pass of a loop; as often where all threads arrive."""
        before = [other for other in self._beside(block) if self._comes_before(other, block)]
        threads = self._threads[block.name]
        if threads <= 0 or not before:
            return
        all_arrive = [other for other in before if abs(self._threads[other.name] - threads) <= _EQUAL_RATIO * threads]
        if all_arrive:
            self._warps[block.name] = min(self._warps[other.name] for other in all_arrive)
        elif block.name not in self._certain:
            self._warps[block.name] = min(self._warps[block.name], *(self._warps[other.name] for other in before))

    def _raise(self, block: MachineBlock) -> None:
        """A warp runs at least as often as behind it."""
        if block.name not in self._certain and self._threads[block.name] > 0:
            behind = (self._warps[o.name] for o in self._beside(block) if o.name in self._certain and self._comes_before(block, o))
            self._warps[block.name] = min(max((self._warps[block.name], *behind)), self._threads[block.name])

    def _beside(self, block: MachineBlock) -> list[MachineBlock]:
        """The other blocks in the same loop."""
        loop = self._machine.innermost_loop(block)
        same = (other for other in self._machine.blocks if other.function == block.function and other.index != block.index)
        return [other for other in same if self._machine.innermost_loop(other) == loop]

    def _comes_before(self, first: MachineBlock, second: MachineBlock) -> bool:
        return self._machine.functions[first.function].graph.dominates(first.index, second.index)

    def _along(self, edge: str) -> float:
        """Warps that take an edge: both ways out of a branch are taken where its threads part."""
        start = self._machine.block(int(edge.partition(":")[0]), source_of(edge))
        others = [other for other in self._machine.outgoing[start.name] if other != edge]
        if not others:
            return self.of(start)
        nearest = self._branch(start)
        parted = nearest.partings * self._threads[start.name] / nearest.threads if nearest else 0.0
        elsewhere = sum(self._into(start, other) for other in others)
        return max(0.0, self.of(start) + parted - elsewhere)

    def _branch(self, block: MachineBlock) -> BlockExecution | None:
        """The emulated block that ran about as often as this one, of those on the line of its branch."""
        last = block.instructions[-1]
        candidates = self._emulated.by_place.get((last.file, last.line), ())
        return _nearest(self._threads[block.name], candidates)

    def _into(self, start: MachineBlock, edge: str) -> float:
        """Warps that take the other edge of a branch, as far as what it leads to shows them."""
        name = edge.rpartition(">")[2]
        if not name.isdecimal():
            return 0.0
        target = self._machine.block(start.function, int(name))
        before = [self._machine.block(start.function, source_of(other)) for other in self._machine.incoming[target.name] if other != edge]
        return max(0.0, self.of(target) - sum(self.of(block) for block in before))

    def _divide_callers(self, entry: MachineBlock) -> None:
        """A function that threads of a warp call from two places runs once for each, where the emulator lets them meet in it."""
        entered = sum(self._warps[name] * count for name, count in (self._machine.calls_of(entry) or {}).items())
        if self._warps[entry.name] <= 0 or entered <= self._warps[entry.name]:
            return
        factor = entered / self._warps[entry.name]
        for block in self._machine.blocks:
            if block.function == entry.function:
                self._warps[block.name] = min(self._warps[block.name] * factor, self._threads[block.name])


def _are_same(threads: float, others: float) -> bool:
    return abs(threads - others) <= _SAME_RATIO * others


def _nearest(threads: float, blocks: Iterable[BlockExecution]) -> BlockExecution | None:
    """The one that ran about as often."""
    ran = [block for block in blocks if block.threads and block.warps]
    return min(ran, key=lambda block: abs(math.log(block.threads / max(threads, 1.0))), default=None)


def _warps(threads: float, nearest: BlockExecution | None, full: float) -> float:
    return threads / full if nearest is None else threads * nearest.warps / nearest.threads
