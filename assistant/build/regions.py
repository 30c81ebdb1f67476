"""How often each region of machine code ran, as far as the emulator's account of the same launch proves it.

A region is code under one condition (`sites.Region`). What is known comes from three places only: the launch's shape (code
that every thread runs), accesses that the emulator saw one by one (guarded code), and a loop's control register (`induction`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from assistant.build.cfg import ControlFlow, Loop
from assistant.build.induction import is_unrolled_by
from assistant.build.loop_map import WARP_LANES, LoopMap
from assistant.build.sites import AccessKey, Region
from assistant.model.profile import AccessSite
from assistant.model.source import SourceLoop
from assistant.record import Record

__all__ = ["COUNT", "DIVERGENT", "ITERATIONS", "UNROLLED", "WARP_LANES", "Ran", "RegionFacts", "is_full", "is_uniform"]

COUNT = "nvcc and the emulator differ in how often this access runs"
CONDITION = "no other access proves how often its condition holds in nvcc's code"
UNROLLED = "how far nvcc unrolled the loop is not proved"
ITERATIONS = "the run does not show that the access happens in every iteration"
DIVERGENT = "threads of a warp leave the unrolled loop at different times"
JUMP = "threads may leave an iteration early, and hardware may group them otherwise"

_BARRIER = "BAR.SYNC"
"""``__syncthreads`` (CUDA Binary Utilities 13.0, "Instruction Set Reference")."""


class Ran(Record):
    """How often code ran."""

    threads: int
    warps: int


class RegionFacts(Record):
    """What is proved about the regions of a launch."""

    graph: ControlFlow
    loops: LoopMap
    emulated: Mapping[AccessKey, tuple[AccessSite, ...]]
    machine: Mapping[AccessKey, Counter[Region]]
    everyone: Ran
    """All threads and warps of the launch."""
    frames: Mapping[AccessKey, frozenset[tuple[tuple[str, int], ...]]]
    """Chains of calls through which each access was inlined; one empty chain for the kernel's own lines."""
    kernel_lines: tuple[int, int]

    def reason(self, key: AccessKey) -> str:
        """Why the key's count is not proved by what is known of its regions; empty where it is."""
        expected = Ran(0, 0)
        for region, site_count in self.machine[key].items():
            ran = self._ran(region)
            if isinstance(ran, str):
                return ran
            expected = Ran(expected.threads + site_count * ran.threads, expected.warps + site_count * ran.warps)
        sites = self.emulated[key]
        seen = Ran(sum(s.active_threads for s in sites), sum(s.requests for s in sites))
        return "" if seen == expected else COUNT

    def chain(self, key: AccessKey) -> tuple[SourceLoop, ...]:
        """Source loops around an access; those of its own function alone where it was inlined through several calls."""
        frames = self.frames.get(key, frozenset())
        calls = next(iter(frames)) if len(frames) == 1 else ()
        return self.loops.chain(((key.file, key.line), *calls))

    def is_missing_in_a_piece(self, key: AccessKey) -> bool:
        """Whether only some machine loops of the access's source loop hold it: the others use a value of these, or of before."""
        chain = self.chain(key)
        pieces = self.loops.machine_loops(chain[-1]) if chain else ()
        holding = [any(region.block in loop.blocks for region in self.machine[key]) for loop in pieces]
        return any(holding) and not all(holding)

    def threads_of(self, chain: tuple[SourceLoop, ...]) -> int | None:
        """Threads that run the innermost loop's iterations, or the kernel outside loops."""
        return self.loops.iterations(chain[-1]) if chain else self.everyone.threads

    def common_chain(self, key: AccessKey) -> tuple[SourceLoop, ...] | None:
        """Source loops around every copy of the access, also of one inlined through several calls; None where these differ."""
        first, last = self.kernel_lines
        is_own = first <= key.line <= last
        chains = {self.loops.chain(((key.file, key.line), *calls)) for calls in self.frames[key] if calls or is_own}
        if len(chains) != 1 or (frozenset({()}) & self.frames[key] and not is_own):
            return None
        chain = chains.pop()
        is_of_caller = all(first <= loop.first_line and loop.last_line <= last for loop in chain)
        return chain if len(self.frames[key]) == 1 or is_of_caller else None

    def does_iterations(self, loop: Loop, count: int, source: SourceLoop) -> bool:
        """Whether one pass of a machine loop does ``count`` iterations: proved by its control register, or by its barriers."""
        return is_unrolled_by(self.graph, loop, count, source) or self._has_barriers(loop, count, source)

    def _has_barriers(self, loop: Loop, count: int, source: SourceLoop) -> bool:
        """Whether each pass meets ``count`` barriers of the line that has the fewest, of those that stand in every iteration.

        A barrier is never merged, repeated or left out, so a line's barriers in a pass are its iterations. Two calls on one line
        would count twice: that claims more iterations than the pass has copies of any access, which proves nothing.
        """
        found: Counter[tuple[str, int]] = Counter()
        for block in loop.blocks:
            if self.graph.loop_chain(block)[-1] != loop or self.is_guarded(Region(block, "", 0)):
                continue
            for instruction in self.graph.blocks[block].instructions:
                place = (instruction.file, instruction.line)
                chain = self.loops.chain((place, *instruction.frames))
                if instruction.opcode.startswith(_BARRIER) and not instruction.predicate and chain and chain[-1] == source:
                    found[place] += 1
        return count == min(found.values(), default=0)

    def is_guarded(self, region: Region) -> bool:
        """Whether a condition other than the ends of the loops around it decides if the region runs in an iteration."""
        around = self.graph.loop_chain(region.block)
        guards = [b for b in self.graph.guards(region.block) if not self._only_ends_or_enters(b, around)]
        return bool(region.predicate) or bool(guards)

    def has_one_context(self, key: AccessKey) -> bool:
        """Whether the line stands for one known chain of calls; several may be in different loops."""
        first, last = self.kernel_lines
        is_own = first <= key.line <= last
        return len(self.frames[key]) == 1 and (is_own or frozenset({()}) != self.frames[key])

    def _only_ends_or_enters(self, block: int, around: tuple[Loop, ...]) -> bool:
        if not around:
            return False
        holding = [loop for loop in around if block in loop.blocks]
        successors = self.graph.blocks[block].successors
        return not holding or any(successor not in loop.blocks for loop in holding for successor in successors)

    def _ran(self, region: Region) -> Ran | str:
        """How often the region ran, or why that is not known."""
        if self.graph.loop_chain(region.block):
            return self._ran_in_loop(region)
        if not region.predicate and not self.graph.guards(region.block):
            return self.everyone
        ran = self._agreed(region, ())
        if isinstance(ran, str):
            return ran
        is_possible = ran.threads <= self.everyone.threads and ran.warps <= self.everyone.warps
        return ran if is_possible else COUNT

    def _ran_in_loop(self, region: Region) -> Ran | str:
        chain = self.loops.chain_of(region.block)
        if chain is None:
            return UNROLLED
        source = chain[-1]
        loop = self.loops.own_loop(region.block, source)
        is_guarded = self.is_guarded(region)
        copies = self._copies(region, chain)
        if isinstance(copies, str):
            return copies
        is_proved = loop is not None and self.does_iterations(loop, copies, source)
        if not is_proved or (is_guarded and copies != 1):
            return UNROLLED
        ran = self._agreed(region, chain, copies)
        if isinstance(ran, str):
            return ran
        if not is_guarded and ran.threads != self.loops.iterations(source):
            return ITERATIONS
        return self._per_pass(ran, copies, source)

    def _per_pass(self, ran: Ran, copies: int, source: SourceLoop) -> Ran | str:
        """From iterations of the source to passes of the machine loop."""
        agrees = ran.threads == WARP_LANES * ran.warps or self.loops.has_agreeing_warps(source)
        if not agrees and copies > 1:
            return DIVERGENT
        if not agrees and source.has_jump:
            return JUMP
        if ran.threads % copies or ran.warps % copies:
            return COUNT
        return Ran(ran.threads // copies, ran.warps // copies)

    def _agreed(self, region: Region, chain: tuple[SourceLoop, ...], copies: int = 1) -> Ran | str:
        """What all accesses that were seen one by one in the region agree on, per source iteration."""
        votes = {
            Ran(sites[0].active_threads, sites[0].requests)
            for key, sites in self._witnesses(region, chain)
            if len(sites) * copies == self.machine[key][region]
        }
        if not votes:
            return CONDITION
        return votes.pop() if len(votes) == 1 else COUNT

    def _copies(self, region: Region, chain: tuple[SourceLoop, ...]) -> int | str:
        """Machine sites per emulated site, the same for all witnesses."""
        ratios = {self.machine[key][region] / len(sites) for key, sites in self._witnesses(region, chain)}
        if not ratios:
            return CONDITION
        ratio = ratios.pop()
        return int(ratio) if not ratios and ratio >= 1 and ratio == int(ratio) else COUNT

    def _witnesses(self, region: Region, chain: tuple[SourceLoop, ...]) -> list[tuple[AccessKey, tuple[AccessSite, ...]]]:
        """Accesses of this region alone, in exactly these source loops, whose emulated sites all ran equally often."""
        return [
            (key, self.emulated[key])
            for key, regions in self.machine.items()
            if set(regions) == {region}
            and key in self.emulated
            and self.chain(key) == chain
            and self.has_one_context(key)
            and is_uniform(self.emulated[key])
        ]


def is_uniform(sites: tuple[AccessSite, ...]) -> bool:
    """Whether all sites ran equally often."""
    return len({(site.active_threads, site.requests) for site in sites}) == 1


def is_full(sites: tuple[AccessSite, ...]) -> bool:
    """Whether every request had all lanes of its warp."""
    return all(site.active_threads == WARP_LANES * site.requests for site in sites)
