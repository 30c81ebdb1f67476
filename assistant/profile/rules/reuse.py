"""KO107 accumulator in global memory, KO108 redundant loads, KO113 reloads forced by possible aliasing, KO120 values carried through
memory."""

from __future__ import annotations

from dataclasses import replace

from assistant.model.profile import LaunchProfile, LineAccess
from assistant.profile.context import CountedLaunch, FindContext, accesses, warps_of
from assistant.profile.diagnosis import Diagnosis, Fact, FixedLaunch, fact_of, replace_accesses
from assistant.profile.facts import InvariantLoad, LineFacts, SourceFacts
from assistant.profile.thresholds import threshold
from assistant.profile.wording import number

__all__ = ["aliasing_reloads", "carried_through_memory", "global_accumulator", "redundant_loads", "scaled_access"]

_TILE_WAVEFRONTS_PER_REQUEST = 0.75
"""Shared wavefronts that take the place of a repeated global request: the compiler fuses reads of one operand to 128 bits
(tiled against naive matrix product of 256² on an H200: 786,432 wavefronts for 1,048,576 requests)."""


_REGISTER_TILE_RATIO = 0.25
"""Reads of a tile that are left where a thread computes 4 x 4 elements: 8 for 16 products, not 32."""


def global_accumulator(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO107: a loop reads, adds and writes the same global element in every iteration."""
    found: list[Diagnosis] = []
    for facts in context.facts.lines:
        stores = _on_line(context.facts, launch.profile, "global store", facts.line)
        if not facts.accumulated_pointers or context.facts.innermost_loop(facts.line) is None or not stores:
            continue
        per_warp = sum(a.requests for a in stores) / max(1, warps_of(launch.profile))
        if per_warp >= threshold("accumulator_requests"):
            found.append(_accumulator(context.facts, launch, facts, stores, per_warp))
    return tuple(found)


def _accumulator(
    source: SourceFacts, launch: CountedLaunch, facts: LineFacts, stores: tuple[LineAccess, ...], per_warp: float
) -> Diagnosis:
    loads = _on_line(source, launch.profile, "global load", facts.line)
    names = " and ".join(facts.accumulated_pointers)
    load_factor = _kept_loads_ratio(facts, stores, loads, per_warp)
    fixed = {a: scaled_access(a, 1 / per_warp) for a in stores} | {a: scaled_access(a, load_factor) for a in loads}
    facts_cited = (
        fact_of(stores[0], launch.profile, "global_requests_per_warp", per_warp),
        fact_of(stores[0], launch.profile, "global_sectors", float(sum(a.sectors or 0 for a in stores))),
    )
    return Diagnosis(
        "KO107",
        facts.line,
        f"The loop keeps its running value in global memory: every warp stores {names} {number(per_warp)} times where once after "
        "the loop would do",
        facts_cited,
        FixedLaunch(replace_accesses(launch.profile, fixed), launch.occupancy),
    )


def _kept_loads_ratio(facts: LineFacts, stores: tuple[LineAccess, ...], loads: tuple[LineAccess, ...], per_warp: float) -> float:
    """Share of the line's loads that stay when the value lives in a register.

    The compiler may already forward the stored value to the next iteration: then all loads are of other elements, and all stay.
    """
    store_requests = sum(a.requests for a in stores)
    load_requests = sum(a.requests for a in loads)
    own_requests = max(0, load_requests - facts.read_count * store_requests)
    saved_requests = min(own_requests, store_requests) * (1 - 1 / per_warp)
    return 1 - saved_requests / load_requests if load_requests else 1.0


def redundant_loads(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO108: the threads of a block load the same elements many times, from global memory or from a tile in shared memory."""
    return (*_redundant_sectors(launch), *_tile_reads(context, launch))


def _redundant_sectors(launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """The same global sectors, in a loop or by several loads of neighbours."""
    profile = launch.profile
    loads = accesses(profile, "global load")
    ideal = sum(a.ideal_sectors or 0 for a in loads)
    if not profile.block_unique_sectors or not ideal:
        return ()
    reuse = ideal / profile.block_unique_sectors
    repeated = [a for a in loads if a.requests >= threshold("accumulator_requests") * warps_of(profile)]
    if not repeated and sum(a.requests for a in loads) >= threshold("load_reuse") * warps_of(profile):
        repeated = list(loads)
    if reuse < threshold("load_reuse") or not repeated:
        return ()
    top = max(repeated, key=lambda a: a.ideal_sectors or 0)
    return (
        Diagnosis(
            "KO108",
            top.line,
            f"The threads of a block load each distinct global sector {number(reuse)} times over (theoretical sectors, "
            "coalescing aside); a tile in shared memory or registers would load it once",
            (
                fact_of(top, profile, "load_reuse_in_block", reuse),
                Fact("block_unique_sectors", float(profile.block_unique_sectors), None, profile.method, top.grade),
                fact_of(top, profile, "global_sectors", float(top.sectors or 0)),
            ),
            FixedLaunch(_tiled(profile, tuple(repeated), reuse), launch.occupancy),
        ),
    )


def _tile_reads(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """Elements of tiles in shared memory, in a loop that reads each many times as often as it was stored."""
    profile = launch.profile
    loads = [a for a in accesses(profile, "shared load") if context.facts.innermost_loop(a.line) is not None]
    stores = sum(a.requests for a in accesses(profile, "shared store"))
    top = max(loads, key=lambda a: a.requests, default=None)
    if top is None or not stores or top.requests < threshold("tile_reads") * stores:
        return ()
    wavefronts = float(sum(a.wavefronts or 0 for a in loads if a.line == top.line))
    fixed = {a: scaled_access(a, _REGISTER_TILE_RATIO) for a in loads if a.line == top.line}
    return (
        Diagnosis(
            "KO108",
            top.line,
            f"The loop reads its tiles in shared memory by {number(top.requests / stores)} times as many requests as fill them, as each "
            "thread computes one element; threads that compute several read what these share once",
            (fact_of(top, profile, "shared_wavefronts", wavefronts),),
            FixedLaunch(replace_accesses(profile, fixed), launch.occupancy),
        ),
    )


def _tiled(profile: LaunchProfile, repeated: tuple[LineAccess, ...], reuse: float) -> LaunchProfile:
    """Repeated loads served by shared memory, filled once, without bank conflicts."""
    once = replace_accesses(profile, {a: scaled_access(a, 1 / reuse) for a in repeated})
    tile = tuple(
        replace(
            a,
            op="shared load",
            sectors=None,
            ideal_sectors=None,
            tags=None,
            passes=None,
            wavefronts=round(a.requests * _TILE_WAVEFRONTS_PER_REQUEST),
            ideal_wavefronts=round(a.requests * _TILE_WAVEFRONTS_PER_REQUEST),
        )
        for a in repeated
    )
    return replace(once, accesses=(*once.accesses, *tile))


def aliasing_reloads(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO113: a loop loads an unchanging element again each time, because a store in it might have changed it."""
    found: list[Diagnosis] = []
    for facts in context.facts.lines:
        readers = _unprotected(context.facts, facts)
        loads = _on_line(context.facts, launch.profile, "global load", facts.line)
        once = sum(load.inner_count for load in readers)
        if readers and sum(a.requests for a in loads) >= threshold("reload_requests") * once * warps_of(launch.profile):
            found.append(_reload(launch, facts, readers, loads))
    return tuple(found)


def _reload(launch: CountedLaunch, facts: LineFacts, readers: tuple[InvariantLoad, ...], loads: tuple[LineAccess, ...]) -> Diagnosis:
    names = tuple(dict.fromkeys(load.pointer for load in readers))
    verb = "is" if len(names) == 1 else "are"
    per_warp = max(a.requests for a in loads) / max(1, warps_of(launch.profile))
    of_members = all(load.is_of_member for load in readers)
    keyword = "" if of_members else "without __restrict__ "
    repeated = per_warp * _unchanging_share(facts, readers)
    requests = (
        f"{number(per_warp)} requests per warp" if repeated == per_warp else f"{number(repeated)} of {number(per_warp)} requests per warp"
    )
    fixed = {a: scaled_access(a, _hoisted_ratio(launch, facts, readers, loads)) for a in loads}
    return Diagnosis(
        "KO113",
        facts.line,
        f"{' and '.join(names)} {verb} loaded again in each iteration ({requests}) though the index does not "
        f"change: {keyword}the compiler must assume that the loop's store may have changed it",
        (fact_of(loads[0], launch.profile, "global_requests_per_warp", per_warp),),
        FixedLaunch(replace_accesses(launch.profile, fixed), launch.occupancy),
    )


def _unchanging_share(facts: LineFacts, readers: tuple[InvariantLoad, ...]) -> float:
    """Of the line's loads, by their number: ``b[j].x - b[i].x`` loads one that the loop changes and one that it does not."""
    once = sum(load.inner_count for load in readers)
    return once / (once + _other_loads(facts, readers))


def _other_loads(facts: LineFacts, readers: tuple[InvariantLoad, ...]) -> int:
    return (facts.varying_load_count + len(facts.accumulated_pointers)) * max(load.inner_count for load in readers)


def _hoisted_ratio(launch: CountedLaunch, facts: LineFacts, readers: tuple[InvariantLoad, ...], loads: tuple[LineAccess, ...]) -> float:
    """Share of the line's requests that stays when each warp makes the unchanging loads once: those of the other loads, and one round."""
    once = sum(load.inner_count for load in readers)
    others = _other_loads(facts, readers)
    rounds = sum(a.requests for a in loads) / (once + others) / max(1, warps_of(launch.profile))
    return (others + once / max(1.0, rounds)) / (once + others)


def carried_through_memory(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO120: a loop loads in each iteration what the iteration before stored."""
    found: list[Diagnosis] = []
    for facts in context.facts.lines:
        loads = _on_line(context.facts, launch.profile, "global load", facts.line)
        saved = _carried_requests(context.facts, launch.profile, facts, loads)
        per_warp = saved / max(1, warps_of(launch.profile))
        if per_warp >= threshold("accumulator_requests"):
            found.append(_carried(launch, facts, loads, per_warp, 1 - saved / sum(a.requests for a in loads)))
    return tuple(found)


def _carried_requests(source: SourceFacts, profile: LaunchProfile, facts: LineFacts, loads: tuple[LineAccess, ...]) -> int:
    """Of the line's loads those of carried elements: an iteration has one for each of its stores, if the compiler left it there."""
    if not facts.carried_loads or not loads:
        return 0
    stores = [_on_line(source, profile, "global store", carried.store_line) for carried in facts.carried_loads]
    rounds = min(min((a.requests for a in each), default=0) for each in stores)
    others = max(0, facts.read_count - len(facts.carried_loads))
    return max(0, min(sum(a.requests for a in loads) - others * rounds, len(facts.carried_loads) * rounds))


def _carried(launch: CountedLaunch, facts: LineFacts, loads: tuple[LineAccess, ...], per_warp: float, kept_ratio: float) -> Diagnosis:
    names = " and ".join(dict.fromkeys(carried.pointer for carried in facts.carried_loads))
    fixed = {a: scaled_access(a, kept_ratio) for a in loads}
    return Diagnosis(
        "KO120",
        facts.line,
        f"Each iteration loads the element of {names} that the iteration before stored, by {number(per_warp)} requests per warp, and waits "
        "for it; a register could hold it",
        (
            fact_of(loads[0], launch.profile, "carried_requests_per_warp", per_warp),
            fact_of(loads[0], launch.profile, "global_sectors", float(sum(a.sectors or 0 for a in loads))),
        ),
        FixedLaunch(replace_accesses(launch.profile, fixed), launch.occupancy),
    )


def _unprotected(facts: SourceFacts, line: LineFacts) -> tuple[InvariantLoad, ...]:
    """Loads of unchanging elements that a store through another pointer may alias."""
    open_to_stores = {p.name for p in facts.pointers if not p.is_restrict and not p.is_written}
    return tuple(load for load in line.invariant_loads if load.is_of_member or load.pointer in open_to_stores)


def _on_line(source: SourceFacts, profile: LaunchProfile, op: str, line: int) -> tuple[LineAccess, ...]:
    return tuple(a for a in accesses(profile, op) if a.line == line and source.is_of(a.file))


def scaled_access(access: LineAccess, factor: float) -> LineAccess:
    """The access happening ``factor`` times as often."""

    def scaled(count: int | None) -> int | None:
        return None if count is None else round(count * factor)

    return replace(
        access,
        requests=round(access.requests * factor),
        active_threads=round(access.active_threads * factor),
        sectors=scaled(access.sectors),
        ideal_sectors=scaled(access.ideal_sectors),
        wavefronts=scaled(access.wavefronts),
        ideal_wavefronts=scaled(access.ideal_wavefronts),
        tags=scaled(access.tags),
        passes=scaled(access.passes),
    )
