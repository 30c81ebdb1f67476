"""KO105 low occupancy, KO111 grid too small or uneven, KO112 block shape."""

from __future__ import annotations

import math
from dataclasses import replace

from assistant.model.build import Occupancy
from assistant.model.profile import Method, Severity
from assistant.profile.context import CountedLaunch, FindContext, accesses, warps_of
from assistant.profile.diagnosis import Diagnosis, Fact, FixedLaunch
from assistant.profile.rules.places import kernel_line, launch_line
from assistant.profile.rules.reshaped import in_blocks_of, in_smaller_blocks, with_blocks
from assistant.profile.rules.walks import row_walk
from assistant.profile.thresholds import threshold
from assistant.profile.wording import number, percent, plural
from assistant.record import Record

__all__ = ["block_shape", "grid_size", "low_occupancy"]

_WARP_LANES = 32
_FEW_WAVES = 0.5
"""Of resident blocks: with less an SM has room for as many blocks again."""
_CLEARLY = 0.9
"""Predicted time with more blocks, over that without, from which on a grid with a block for each SM is called too small."""
_MOST_BLOCKS_PER_SM = 32
"""Assumed where occupancy is not known (CUDA C++ Programming Guide, "Compute Capabilities", sm_90)."""
_LEAST_TRIPS = 2.0
"""Below, each thread has little more than one element: there is no loop to share."""
_BLOCK_SIZES = (64, 128, 256)
"""Threads a block to try: Best Practices Guide 13.0, "Thread and Block Heuristics"."""
_LIMITERS = {
    "registers": "the registers of a thread",
    "shared": "the shared memory of a block",
    "threads": "the block size, which does not divide an SM's thread slots",
    "blocks": "the number of blocks an SM can hold",
}


def low_occupancy(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO105: too few resident warps to hide latency, though the grid has enough blocks."""
    occupancy = launch.occupancy
    if occupancy is None or occupancy.ratio >= threshold("low_occupancy") or occupancy.limiter not in _LIMITERS:
        return ()
    if launch.profile.config.grid.count < occupancy.blocks_per_sm * context.target.sm_count or not occupancy.active_warps_per_sm:
        return ()
    facts = [
        Fact("occupancy", occupancy.ratio, None, Method.OCCUPANCY),
        Fact("resident_warps_per_sm", float(occupancy.active_warps_per_sm), None, Method.OCCUPANCY),
    ]
    if context.resources is not None and occupancy.limiter == "registers":
        facts.append(Fact("registers_per_thread", float(context.resources.registers_per_thread), None, Method.PTXAS))
    return (
        Diagnosis(
            "KO105",
            kernel_line(context, launch.profile),
            f"An SM holds {occupancy.active_warps_per_sm} of {occupancy.max_warps_per_sm} warps ({percent(occupancy.ratio)} "
            f"occupancy), limited by {_LIMITERS[occupancy.limiter]}",
            tuple(facts),
            _raised(context, launch, occupancy),
        ),
    )


def _raised(context: FindContext, launch: CountedLaunch, occupancy: Occupancy) -> FixedLaunch:
    """Twice the resident blocks at half the registers or half the shared memory; another block size where that is the limit."""
    profile = launch.profile
    if occupancy.limiter in ("blocks", "threads"):
        return _fastest(context, launch, tuple(in_blocks_of(n, profile, occupancy, context.resources) for n in _BLOCK_SIZES))
    blocks = min(2 * occupancy.blocks_per_sm, max(1, occupancy.max_warps_per_sm * occupancy.blocks_per_sm // occupancy.active_warps_per_sm))
    warps = occupancy.active_warps_per_sm * blocks // occupancy.blocks_per_sm
    return FixedLaunch(profile, replace(occupancy, active_warps_per_sm=warps, blocks_per_sm=blocks))


def _fastest(context: FindContext, launch: CountedLaunch, candidates: tuple[FixedLaunch, ...]) -> FixedLaunch:
    """The candidate of the least predicted time; the launch as it is where none is faster."""

    return min((FixedLaunch(launch.profile, launch.occupancy), *candidates), key=lambda fixed: _time_s(context, fixed))


def _time_s(context: FindContext, fixed: FixedLaunch) -> float:
    return context.predict(fixed.profile, context.resources, fixed.occupancy, context.target).time_s


def grid_size(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO111: SMs without a block, or a last wave that leaves most of them idle."""
    blocks, sms = launch.profile.config.grid.count, context.target.sm_count
    if blocks < sms:
        name = context.target.name
        message = f"A grid of {plural(blocks, 'block')} leaves {sms - blocks} of the {sms} SMs of {name} without work at this size"
        walk = row_walk(context, launch)
        ways = _smaller_blocks(context, launch)
        if walk is not None:
            message += f"; {walk.words} (line {walk.line}), a warp per row would be 32 times as many"
            ways = (*ways, walk.fixed)
        shared = _shared_loop(context, launch, sms)
        if shared is not None:
            message, ways = f"{message}; {shared.words}", (*ways, shared.fixed)
        return (_grid_diagnosis(context, launch, message, (), ways),)
    if launch.occupancy is None:
        return ()
    slots = launch.occupancy.blocks_per_sm * sms
    waves = blocks / slots
    if waves <= _FEW_WAVES:
        return _half_empty(context, launch, slots)
    waste = 1 - waves / math.ceil(waves)
    if waves <= 1 or waste < threshold("tail_waste"):
        return ()
    message = f"The grid is {number(waves)} waves of {number(slots)} resident blocks; {percent(waste)} of their slots stay empty"
    wave_fact = Fact("wave_count", waves, None, Method.STATIC)
    whole_waves = FixedLaunch(with_blocks(launch.profile, math.floor(waves) * slots), launch.occupancy)
    return (_grid_diagnosis(context, launch, message, (wave_fact,), (whole_waves, *_smaller_blocks(context, launch))),)


def _half_empty(context: FindContext, launch: CountedLaunch, slots: int) -> tuple[Diagnosis, ...]:
    """KO111 where each SM has a block, and room for as many again: only where more could share a loop, and would be clearly faster."""
    shared = _shared_loop(context, launch, slots)
    if shared is None or _time_s(context, shared.fixed) > _CLEARLY * context.time_s(launch):
        return ()
    blocks = launch.profile.config.grid.count
    message = f"A grid of {plural(blocks, 'block')} is {percent(blocks / slots)} of what the SMs of {context.target.name} hold at once"
    return (_grid_diagnosis(context, launch, f"{message}; {shared.words}", (), (shared.fixed,)),)


class _SharedLoop(Record):
    """A loop whose iterations more blocks could share."""

    line: int
    requests_per_warp: float
    """That the line with most of them makes in it: as many as iterations, or a multiple where it accesses memory several times."""
    fixed: FixedLaunch

    @property
    def words(self) -> str:
        requests = f"a warp makes {number(self.requests_per_warp)} requests at one line on average"
        return f"more blocks could share the iterations of the loop at line {self.line}, in which {requests}"


def _shared_loop(context: FindContext, launch: CountedLaunch, most_blocks: int) -> _SharedLoop | None:
    """The loop without barriers that makes most global requests, dealt to up to ``most_blocks``; None without one."""
    profile = launch.profile
    blocks, warps = profile.config.grid.count, warps_of(profile)
    looped = [
        (access, loop)
        for access in accesses(profile, "global load", "global store")
        if context.facts.is_of(access.file) and (loop := context.facts.innermost_loop(access.line)) is not None and not loop.has_barrier
    ]
    if not looped:
        return None
    access, loop = max(looped, key=lambda pair: pair[0].requests)
    trips = access.requests / warps
    if trips < _LEAST_TRIPS:
        return None
    fixed = FixedLaunch(with_blocks(profile, min(most_blocks, math.floor(blocks * trips))), launch.occupancy)
    return _SharedLoop(loop.line, trips, fixed)


def _smaller_blocks(context: FindContext, launch: CountedLaunch) -> tuple[FixedLaunch, ...]:
    return in_smaller_blocks(launch.profile, launch.occupancy, context.resources)


def _grid_diagnosis(
    context: FindContext, launch: CountedLaunch, message: str, more: tuple[Fact, ...], ways: tuple[FixedLaunch, ...]
) -> Diagnosis:
    """``ways``: launches of the same work that fix it; the model's fastest is what it costs not to have it."""
    facts = (
        *more,
        Fact("block_count", float(launch.profile.config.grid.count), None, Method.STATIC),
        Fact("sm_count", float(context.target.sm_count), None, Method.STATIC),
    )
    return Diagnosis(
        "KO111",
        launch_line(context, launch.profile),
        message,
        facts,
        _fastest(context, launch, ways),
        Severity.INFORMATION if context.time_s(launch) < threshold("short_launch") else None,
    )


def block_shape(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO112: lanes that no thread fills, or blocks too small to fill an SM."""
    threads = launch.profile.config.block.count
    idle_ratio = 1 - threads / (_WARP_LANES * math.ceil(threads / _WARP_LANES))
    reason = _too_small(context, launch) if threads < threshold("small_block_threads") else None
    if not idle_ratio and reason is None:
        return ()
    reasons: list[str] = []
    wanted = f"use a multiple of {_WARP_LANES}"
    if idle_ratio:
        reasons.append(f"fill {percent(1 - idle_ratio)} of the lanes of their warps")
    if reason is not None:
        reasons.append(reason)
        wanted = f"{wanted}, at least {number(threshold('small_block_threads'))}"
    return (
        Diagnosis(
            "KO112",
            launch_line(context, launch.profile),
            f"Blocks of {plural(threads, 'thread')} {' and '.join(reasons)}; {wanted}",
            (
                Fact("block_threads", float(threads), None, Method.STATIC),
                Fact("idle_lane_ratio", idle_ratio, None, Method.STATIC),
            ),
            _fastest(
                context,
                launch,
                tuple(in_blocks_of(n, launch.profile, launch.occupancy, context.resources) for n in _BLOCK_SIZES),
            ),
        ),
    )


def _too_small(context: FindContext, launch: CountedLaunch) -> str | None:
    """What larger blocks of the same threads would change; None where they would bring an SM nothing."""
    held = launch.occupancy
    most = _MOST_BLOCKS_PER_SM if held is None else held.blocks_per_sm
    is_limit = held is None or held.limiter == "blocks"
    is_full = math.ceil(launch.profile.config.grid.count / context.target.sm_count) >= most
    return "are too few for an SM to hold all the warps it could" if is_limit and is_full else None
