"""KO105 low occupancy, KO111 grid too small or uneven, KO112 block shape."""

from __future__ import annotations

import math
from dataclasses import replace

from assistant.model.build import Occupancy
from assistant.model.launch import Dim3
from assistant.model.profile import LaunchProfile, Method, Severity
from assistant.profile.context import CountedLaunch, FindContext
from assistant.profile.diagnosis import Diagnosis, Fact, Mended
from assistant.profile.rules.places import kernel_line, launch_line
from assistant.profile.rules.reuse import scaled_access
from assistant.profile.thresholds import threshold
from assistant.profile.wording import number, percent, plural

__all__ = ["block_shape", "grid_size", "low_occupancy"]

_WARP_LANES = 32
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
    if launch.profile.config.grid.count < occupancy.blocks_per_sm * context.target.sm_count:
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
            Mended(launch.profile, _full(occupancy)),
        ),
    )


def _full(occupancy: Occupancy) -> Occupancy:
    factor = occupancy.max_warps_per_sm / max(1, occupancy.active_warps_per_sm)
    blocks = max(1, int(occupancy.blocks_per_sm * factor))
    return replace(occupancy, active_warps_per_sm=occupancy.max_warps_per_sm, blocks_per_sm=blocks, limiter="none")


def grid_size(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO111: SMs without a block, or a last wave that leaves most of them idle."""
    blocks, sms = launch.profile.config.grid.count, context.target.sm_count
    if blocks < sms:
        name = context.target.name
        message = (
            f"A grid of {plural(blocks, 'block')} leaves {sms - blocks} of the {sms} SMs of {name} without work at this size"
        )
        return (_grid_diagnosis(context, launch, message, sms, ()),)
    if launch.occupancy is None:
        return ()
    slots = launch.occupancy.blocks_per_sm * sms
    waves = blocks / slots
    waste = 1 - waves / math.ceil(waves)
    if waves <= 1 or waste < threshold("tail_waste"):
        return ()
    message = f"The grid is {number(waves)} waves of {number(slots)} resident blocks; {percent(waste)} of their slots stay empty"
    wave_fact = Fact("wave_count", waves, None, Method.STATIC)
    return (_grid_diagnosis(context, launch, message, math.ceil(waves) * slots, (wave_fact,)),)


def _grid_diagnosis(
    context: FindContext, launch: CountedLaunch, message: str, even_blocks: int, more: tuple[Fact, ...]
) -> Diagnosis:
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
        Mended(_spread(launch.profile, even_blocks), launch.occupancy),
        Severity.INFORMATION if context.time_s(launch) < threshold("short_launch") else None,
    )


def _spread(profile: LaunchProfile, block_count: int) -> LaunchProfile:
    """The same work over more blocks; the share of counted blocks stays."""
    counted_ratio = profile.blocks_counted / max(1, profile.config.grid.count)
    config = replace(profile.config, grid=Dim3(block_count))
    return replace(profile, config=config, blocks_counted=max(1, round(block_count * counted_ratio)))


def block_shape(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO112: lanes that no thread fills, or blocks too small to fill an SM."""
    threads = launch.profile.config.block.count
    idle_ratio = 1 - threads / (_WARP_LANES * math.ceil(threads / _WARP_LANES))
    is_small = threads < threshold("small_block_threads") and launch.profile.config.grid.count > 1
    if not idle_ratio and not is_small:
        return ()
    reasons: list[str] = []
    if idle_ratio:
        reasons.append(f"fill {percent(1 - idle_ratio)} of the lanes of their warps")
    if is_small:
        reasons.append("are too few for an SM to hold all the warps it could")
    return (
        Diagnosis(
            "KO112",
            launch_line(context, launch.profile),
            f"Blocks of {plural(threads, 'thread')} {' and '.join(reasons)}; use a multiple of {_WARP_LANES}, at least "
            f"{number(threshold('small_block_threads'))}",
            (
                Fact("block_threads", float(threads), None, Method.STATIC),
                Fact("idle_lane_ratio", idle_ratio, None, Method.STATIC),
            ),
            Mended(_full_warps(launch.profile, 1 - idle_ratio), _full(launch.occupancy) if launch.occupancy else None),
        ),
    )


def _full_warps(profile: LaunchProfile, filled_ratio: float) -> LaunchProfile:
    scaled = tuple(scaled_access(a, filled_ratio) for a in profile.accesses)
    executions = tuple(replace(e, warp_executions=math.ceil(e.warp_executions * filled_ratio)) for e in profile.executions)
    return replace(profile, accesses=scaled, executions=executions)
