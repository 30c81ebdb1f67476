"""Accesses proved copy by copy: the machine code holds as many copies of the access as the source runs iterations.

The proof, for an access that the emulated program has e times on its line:

* a loop that the machine code does not have was unrolled wholly, so its N iterations are N copies in what surrounds it; N is how
  often the emulator ran the loop for each time that it ran something around it, equally for threads and for warps (copies of
  several iterations under one condition show that not everyone entered the loop);
* every machine loop that stands for the innermost remaining source loop does u iterations in a pass, which its control register
  or its barriers prove (`RegionFacts.does_iterations`), and holds u × N × e copies;
* copies behind such a loop, in its remainder, are as many as those of an access that is proved to run in every iteration.

Fewer copies would mean that an access was merged or hoisted, more that it was repeated. So each copy is one iteration's access.
A compiler keeps when an access happens, so each copy runs under the condition that the source gives it, whatever that is: no
witness for the condition is needed. What this cannot see is one access standing for those of two lines; `grading` looks for
accesses of the same kind that are unaccounted for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from assistant.build.regions import COUNT, DIVERGENT, JUMP, UNROLLED, RegionFacts
from assistant.build.sites import AccessKey, Region
from assistant.build.unrolled import is_split_loop, split_loop_reason
from assistant.model.profile import AccessSite
from assistant.model.source import SourceLoop

__all__ = ["copies_reason"]


def copies_reason(facts: RegionFacts, key: AccessKey) -> str:
    """Why counting copies does not prove the key's count; empty where it does."""
    chain = facts.common_chain(key)
    if chain is None or not _is_distinct(facts, key):
        return COUNT
    kept = _kept(facts, chain)
    if any(not _stands_in(facts, region, kept) for region in facts.machine[key]):
        return UNROLLED
    if not any(_holds(facts, key, chain, kept, count) for count in _wholly_unrolled(facts, key, chain, kept)):
        return UNROLLED
    if not any(facts.is_guarded(region) for region in facts.machine[key]) and not _runs_always(facts, key, chain):
        return COUNT
    return _leaving_reason(facts, key, chain, kept)


def _is_distinct(facts: RegionFacts, key: AccessKey) -> bool:
    """Whether emulated sites that ran differently often can be distinguished: as many conditions in the machine code."""
    emulated = Counter((s.active_threads, s.requests) for s in facts.emulated[key])
    return len(emulated) == 1 or sorted(emulated.values()) == sorted(facts.machine[key].values())


def _kept(facts: RegionFacts, chain: tuple[SourceLoop, ...]) -> tuple[SourceLoop, ...]:
    """The loops of ``chain`` down to the innermost one that the machine code has."""
    count = len(chain)
    while count and not facts.loops.machine_loops(chain[count - 1]):
        count -= 1
    return chain[:count]


def _stands_in(facts: RegionFacts, region: Region, kept: tuple[SourceLoop, ...]) -> bool:
    """Whether every machine loop around the region stands for a source loop around the access."""
    return all(facts.loops.stands_for(loop) in kept for loop in facts.graph.loop_chain(region.block))


def _wholly_unrolled(facts: RegionFacts, key: AccessKey, chain: tuple[SourceLoop, ...], kept: tuple[SourceLoop, ...]) -> Iterator[int]:
    """What the copies per iteration of the loops that are not in the machine code may be; 1 where it has them all."""
    if kept == chain:
        yield 1
        return
    inner = facts.loops.iteration_count(chain[-1])
    around = facts.loops.counts_around(chain[len(kept)], kept[-1] if kept else None, facts.kernel_lines)
    everyone = (facts.everyone.threads, facts.everyone.warps)
    is_entered_under_condition = any(facts.is_guarded(r) and n > len(facts.emulated[key]) for r, n in facts.machine[key].items())
    for threads, warps in {everyone, *around} - ({everyone} if is_entered_under_condition else set()):
        if inner and threads and inner == (inner[0] // threads * threads, inner[0] // threads * warps):
            yield inner[0] // threads


def _holds(facts: RegionFacts, key: AccessKey, chain: tuple[SourceLoop, ...], kept: tuple[SourceLoop, ...], unrolled: int) -> bool:
    """Whether all machine loops, and what is behind them, hold the copies that their iterations need."""
    regions, per_iteration = facts.machine[key], len(facts.emulated[key]) * unrolled
    if not kept:
        return regions.total() == per_iteration
    behind = 0
    held: Counter[int] = Counter()
    for region, count in regions.items():
        loop = facts.loops.own_loop(region.block, kept[-1])
        if loop is None:
            behind += count
        else:
            held[loop.header] += count
    passes = [(loop, held[loop.header]) for loop in facts.loops.machine_loops(kept[-1])]
    is_whole = all(n % per_iteration == 0 and facts.does_iterations(loop, n // per_iteration, kept[-1]) for loop, n in passes)
    return is_whole and (not behind or (unrolled == 1 and _has_companion(facts, key, chain, behind)))


def _has_companion(facts: RegionFacts, key: AccessKey, chain: tuple[SourceLoop, ...], behind: int) -> bool:
    """Whether an access that runs in every iteration has as many copies behind the loop."""
    for other in facts.machine:
        if other == key or other not in facts.emulated or facts.chain(other) != chain or not is_split_loop(facts, other):
            continue
        others = sum(n for r, n in facts.machine[other].items() if facts.loops.own_loop(r.block, chain[-1]) is None)
        if others * len(facts.emulated[key]) == behind * len(facts.emulated[other]) and not split_loop_reason(facts, other):
            return True
    return False


def _runs_always(facts: RegionFacts, key: AccessKey, chain: tuple[SourceLoop, ...]) -> bool:
    """Whether the emulator ran the access wherever machine code without a condition does."""
    iterations = facts.loops.iteration_count(chain[-1]) if chain else (facts.everyone.threads, facts.everyone.warps)
    return all(_ran(site) == iterations for site in facts.emulated[key])


def _ran(site: AccessSite) -> tuple[int, int]:
    return site.active_threads, site.requests


def _leaving_reason(facts: RegionFacts, key: AccessKey, chain: tuple[SourceLoop, ...], kept: tuple[SourceLoop, ...]) -> str:
    """Threads that leave a loop early are grouped otherwise by unrolled code, and may be by code that jumps."""
    if not chain or facts.loops.has_agreeing_trips(chain[-1]):
        return ""
    if any(source.has_jump for source in chain):
        return JUMP
    copies = facts.machine[key].total()
    return DIVERGENT if kept and copies > len(facts.emulated[key]) else ""
