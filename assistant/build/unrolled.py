"""Accesses of a loop that nvcc split into a main loop and remainders: exact if every piece holds whole iterations.

If a piece that advances u iterations holds u times the accesses of one, then no access was merged, hoisted or carried over,
and however the iterations are dealt to the pieces, the sum is that of the source.
"""

from __future__ import annotations

from dataclasses import dataclass

from assistant.build.cfg import Loop
from assistant.build.induction import advances_by, control_updates, is_unrolled_by
from assistant.build.regions import COUNT, DIVERGENT, ITERATIONS, UNROLLED, RegionFacts, is_full, is_uniform
from assistant.build.sites import AccessKey, Region
from assistant.model.source import SourceLoop

__all__ = ["is_split_loop", "split_loop_reason"]


def is_split_loop(facts: RegionFacts, key: AccessKey) -> bool:
    """Whether the access stands in several regions, some of them in machine loops for its innermost source loop."""
    chain = facts.chain(key)
    regions = facts.machine[key]
    return len(regions) > 1 and bool(chain) and any(facts.loops.own_loop(r.block, chain[-1]) for r in regions)


def split_loop_reason(facts: RegionFacts, key: AccessKey) -> str:
    """Why the counts of the key's loop are not proved; empty where they are."""
    chain = facts.chain(key)
    source = chain[-1]
    members = tuple(k for k in facts.machine if k in facts.emulated and facts.chain(k) == chain)
    if any(not facts.is_in_kernel(k) or not is_uniform(facts.emulated[k]) for k in members):
        return COUNT
    pieces = _pieces(facts, members)
    if pieces is None:
        return COUNT
    if not _all_hold_iterations(facts, source, pieces):
        return UNROLLED
    sites = tuple(site for k in members for site in facts.emulated[k])
    if {site.active_threads for site in sites} != {facts.loops.iterations(source)}:
        return ITERATIONS
    return "" if is_full(sites) or facts.loops.has_agreeing_warps(source) else DIVERGENT


@dataclass(frozen=True)
class _Piece:
    """One region of the split loop and how many source iterations its accesses amount to."""

    region: Region
    copies: int


def _pieces(facts: RegionFacts, members: tuple[AccessKey, ...]) -> tuple[_Piece, ...] | None:
    """None where the accesses of some region amount to different numbers of iterations."""
    found: list[_Piece] = []
    for region in sorted({r for k in members for r in facts.machine[k]}, key=lambda r: r.block):
        ratios = {facts.machine[k][region] / len(facts.emulated[k]) for k in members}
        ratio = ratios.pop()
        if ratios or ratio < 1 or ratio != int(ratio):
            return None
        found.append(_Piece(region, int(ratio)))
    return tuple(found)


def _all_hold_iterations(facts: RegionFacts, source: SourceLoop, pieces: tuple[_Piece, ...]) -> bool:
    looped = [(p, loop) for p in pieces if (loop := facts.loops.own_loop(p.region.block, source))]
    straight = [p for p in pieces if facts.loops.own_loop(p.region.block, source) is None]
    if any(p.region.predicate or not is_unrolled_by(facts.graph, loop, p.copies, source) for p, loop in looped):
        return False
    main, main_loop = max(looped, key=lambda pair: pair[0].copies)
    single = [p for p in straight if p.copies == 1]
    main_count = sum(p.copies == main.copies for p, _ in looped)
    return (
        len(single) <= (main.copies - 1) * main_count
        and all(_follows(facts, p.region.block, source) for p in single)
        and all(_advances(facts, p, main, main_loop) for p in straight if p.copies > 1)
    )


def _advances(facts: RegionFacts, piece: _Piece, main: _Piece, main_loop: Loop) -> bool:
    if piece.region.predicate:
        return False
    instructions = facts.graph.blocks[piece.region.block].instructions
    return advances_by(instructions, control_updates(facts.graph, main_loop), piece.copies / main.copies)


def _follows(facts: RegionFacts, block: int, source: SourceLoop) -> bool:
    """A single copy before the loop would be a hoisted access, not a remainder."""
    return not any(facts.graph.dominates(block, loop.header) for loop in facts.loops.machine_loops(source))
