"""Loops whose threads iterate differently often and that nvcc split into pieces: how the emulator should deal the iterations.

g++'s loop does one iteration at a time, so the lanes of a warp do the same iteration together. nvcc's main loop does several a
pass, and its remainders, before or after it, the rest: a lane with fewer iterations is then at another iteration than its
neighbours. The pieces' copies are read from the machine code; the order of the code is the order in which they run.
"""

from __future__ import annotations

from assistant.build.corrections import MOVABLE
from assistant.build.regions import RegionFacts, is_uniform
from assistant.build.sites import AccessKey
from assistant.model.profile import Correction

__all__ = ["regroupings"]


def regroupings(facts: RegionFacts) -> tuple[Correction, ...]:
    """One correction per site of every such loop that is in no other: its end is the only one that the emulator sees."""
    keys = [key for key in facts.machine if key in facts.emulated and key.op in MOVABLE and _is_divergent(facts, key)]
    return tuple(
        Correction((site.address,), 0, pieces=pieces) for key in keys if (pieces := _pieces(facts, key)) for site in facts.emulated[key]
    )


def _is_divergent(facts: RegionFacts, key: AccessKey) -> bool:
    """Whether the access runs in every iteration of a loop that threads of a warp leave at different times."""
    chain = facts.chain(key)
    if len(chain) != 1 or chain[0].has_jump or not facts.has_one_context(key) or facts.loops.has_agreeing_trips(chain[0]):
        return False
    sites = facts.emulated[key]
    return is_uniform(sites) and sites[0].active_threads == facts.loops.iterations(chain[0])


def _pieces(facts: RegionFacts, key: AccessKey) -> tuple[int, ...]:
    """Copies of the access in each piece of its loop, in the order of the code; empty where it is in one piece."""
    source, per_iteration = facts.chain(key)[0], len(facts.emulated[key])
    counts: dict[int, int] = {}
    for region, count in sorted(facts.machine[key].items(), key=lambda pair: pair[0].block):
        loop = facts.loops.own_loop(region.block, source)
        start = region.block if loop is None else loop.header
        counts[start] = counts.get(start, 0) + count
    is_whole = all(count % per_iteration == 0 for count in counts.values())
    return tuple(count // per_iteration for count in counts.values()) if is_whole and len(counts) > 1 else ()
