"""Accesses of a loop that nvcc split into a main loop and remainders: exact if every piece holds whole iterations.

If a piece that advances u iterations holds u times the accesses of one, then no access was merged, hoisted or carried over,
and however the iterations are dealt to the pieces, the sum is that of the source.

How far a piece advances is read from its control register. Where the source's step is no literal (``c += kThreads``), it is the
amount by which the piece with single accesses advances, if every other piece advances by that for each of its copies: nvcc
splits a loop because any trip count must come out, so the finest piece does one iteration.
"""

from __future__ import annotations

from dataclasses import replace

from assistant.build.cfg import Loop
from assistant.build.induction import Update, all_updates, control_updates
from assistant.build.regions import COUNT, DIVERGENT, ITERATIONS, UNROLLED, RegionFacts, is_full, is_uniform
from assistant.build.sites import AccessKey, Region
from assistant.model.source import SourceLoop
from assistant.record import Record

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
    members = tuple(k for k in facts.machine if k in facts.emulated and facts.chain(k) == chain and _is_inside(facts, k))
    if any(not facts.has_one_context(k) or not is_uniform(facts.emulated[k]) for k in members):
        return COUNT
    pieces = _pieces(facts, source, members)
    if pieces is None:
        return COUNT
    if not _all_hold_iterations(facts, source, pieces):
        return UNROLLED
    sites = tuple(site for k in members for site in facts.emulated[k])
    if {site.active_threads for site in sites} != {facts.loops.iterations(source)}:
        return ITERATIONS
    return "" if is_full(sites) or facts.loops.has_agreeing_warps(source) else DIVERGENT


def _is_inside(facts: RegionFacts, key: AccessKey) -> bool:
    """Whether nvcc left the access in its loop; one that was hoisted as a whole is no measure of the others."""
    source = facts.chain(key)[-1]
    return any(facts.loops.own_loop(region.block, source) for region in facts.machine[key])


class _Piece(Record):
    """Code that runs once a pass of a machine loop, or a straight copy; and how many source iterations its accesses amount to."""

    block: int
    is_predicated: bool
    loop: Loop | None
    """The machine loop it is the body of; None for a straight copy."""
    copies: int


def _pieces(facts: RegionFacts, source: SourceLoop, members: tuple[AccessKey, ...]) -> tuple[_Piece, ...] | None:
    """None where the accesses of some piece amount to different numbers of iterations."""
    grouped: dict[Region | int, list[Region]] = {}
    for region in sorted({r for k in members for r in facts.machine[k]}, key=lambda r: (r.block, r.predicate)):
        loop = facts.loops.own_loop(region.block, source)
        is_once_per_pass = loop is not None and not facts.is_guarded(region) and _is_innermost(facts, region, loop)
        grouped.setdefault(loop.header if loop and is_once_per_pass else region, []).append(region)
    found: list[_Piece] = []
    for regions in grouped.values():
        ratios = {sum(facts.machine[k][r] for r in regions) / len(facts.emulated[k]) for k in members}
        ratio = ratios.pop()
        if ratios or ratio < 1 or ratio != int(ratio):
            return None
        first = regions[0]
        loop = facts.loops.own_loop(first.block, source)
        found.append(_Piece(first.block, bool(first.predicate), loop, int(ratio)))
    return tuple(found)


def _is_innermost(facts: RegionFacts, region: Region, loop: Loop) -> bool:
    return facts.graph.loop_chain(region.block)[-1] == loop


def _all_hold_iterations(facts: RegionFacts, source: SourceLoop, pieces: tuple[_Piece, ...]) -> bool:
    """Loops prove their copies by their control register; a straight copy must be a remainder of such a loop.

    A loop of u copies leaves up to u - 1 iterations over: so many single copies, unless a loop takes them one by one.
    """
    looped = [p for p in pieces if p.loop is not None]
    source = _with_step(facts, looped, source)
    stride = _stride(facts, looped, source)
    if any(p.is_predicated or not (_is_proved(facts, p, source) or _counts_down(facts, p, stride)) for p in looped):
        return False
    most = max(p.copies for p in looped)
    least = min(p.copies for p in looped)
    least_count = sum(p.copies == least for p in looped)
    remainders = [p for p in pieces if p.loop is None]
    larger = [p for p in remainders if p.copies > 1]
    single_count = len(remainders) - len(larger)
    return (
        (single_count == (least - 1) * least_count if least > 1 else single_count < most)
        and all(_follows(facts, p.block, source) for p in remainders)
        and all(most % p.copies == 0 and p.copies < most and not p.is_predicated for p in larger)
    )


def _with_step(facts: RegionFacts, looped: list[_Piece], source: SourceLoop) -> SourceLoop:
    """The loop with the constant step that all its pieces agree on; as it is where it has one, or they do not."""
    largest = max(looped, key=lambda piece: piece.copies, default=None)
    is_open = source.step is None and source.shift is None and min((p.copies for p in looped), default=0) == 1
    if largest is None or largest.loop is None or largest.copies == 1 or not is_open:
        return source
    amounts = [u.amount for u in control_updates(facts.graph, largest.loop).values() if u.kind == "constant"]
    stepped = [replace(source, step=amount // largest.copies) for amount in amounts if amount % largest.copies == 0]
    return next((s for s in stepped if s.step and all(_is_proved(facts, piece, s) for piece in looped)), source)


def _stride(facts: RegionFacts, looped: list[_Piece], source: SourceLoop) -> str:
    """The register that a proved piece adds to its control register for each of several copies; empty without one."""
    return next(
        (
            update.register
            for piece in looped
            if piece.loop is not None and piece.copies > 1 and _is_proved(facts, piece, source)
            for update in control_updates(facts.graph, piece.loop).values()
            if update.kind == "register" and update.amount == piece.copies
        ),
        "",
    )


def _counts_down(facts: RegionFacts, piece: _Piece, stride: str) -> bool:
    """Whether a remainder advances by one ``stride`` a pass and ends after a counted number of passes."""
    if piece.loop is None or piece.copies != 1 or not stride:
        return False
    advances = Update("register", 1, stride) in all_updates(facts.graph, piece.loop).values()
    return advances and Update("constant", 1) in control_updates(facts.graph, piece.loop).values()


def _is_proved(facts: RegionFacts, piece: _Piece, source: SourceLoop) -> bool:
    assert piece.loop is not None
    return facts.does_iterations(piece.loop, piece.copies, source)


def _follows(facts: RegionFacts, block: int, source: SourceLoop) -> bool:
    """A copy that always runs before a loop would be a hoisted access, not a remainder."""
    return not any(facts.graph.dominates(block, loop.header) for loop in facts.loops.machine_loops(source))
