"""Blocks of timed slots → pairs, the half-width of A against A, and the comparison they amount to.

One block gives one pair: the geometric mean of its two A's and of its two B's, so that a steady drift cancels. Example::

    compare_timing(timing, seed=7).outcome      # SpeedOutcome.FASTER
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from assistant.measure.statistics import Pairs, WeightedPairs, aa_half_width, compare_pairs
from assistant.model.comparison import Comparison
from assistant.model.timing import Block, CaseTiming, GpuState, PairTiming

__all__ = ["aa_half_width_of", "compare_timing", "method_of", "pairs_of", "time_of"]

_LEAST_S = 1e-10
"""A kernel that takes no longer than an empty one gets this time, a fifth of a clock: logarithms need one."""
_PLACEMENT_S = 6e-9
"""Twice the spread of the same comparison between loads of the code, a launch: 3 ns (1 sd, 15 comparisons each of two kernels of 3 µs;
H200, driver 580.159.04, graphs). Blocks of one comparison share a load and cannot show it."""
_MOST_SYSTEMATIC = 100.0
"""On the log scale: no gain clears this, and its exponential is still a number."""
_PLACEMENT_RATIOS = {"graph": 3e-3, "events": 3e-4}
"""The same where kernels are longer, by method: 0.05 to 0.16 % (1 sd) of 16 to 36 µs between the nodes of a graph (5 kernels), at most
0.018 % of 0.8 and 4.7 ms between events (2 kernels; 15 to 30 comparisons each, H200); twice the largest, nearly."""


def pairs_of(blocks: Sequence[Block]) -> Pairs:
    """One pair a block."""
    return Pairs(tuple(_mean(block.a_s) for block in blocks), tuple(_mean(block.b_s) for block in blocks))


def aa_half_width_of(blocks: Sequence[Block], seed: int) -> float:
    """Half-width of the interval of each block's first A against its second."""
    first = tuple(max(block.a_s[0], _LEAST_S) for block in blocks)
    second = tuple(max(block.a_s[1], _LEAST_S) for block in blocks)
    return aa_half_width(Pairs(first, second), seed)


def time_of(blocks: Sequence[Block], version: str) -> float:
    """Median seconds a call of ``A`` or ``B``."""
    times = sorted(_mean(block.a_s if version == "A" else block.b_s) for block in blocks)
    middle = len(times) // 2
    return times[middle] if len(times) % 2 else (times[middle - 1] + times[middle]) / 2


def compare_timing(timing: PairTiming, seed: int) -> Comparison:
    """The verdict over all shapes; the margin is that of the shape that is known worst. At least one shape must have weight."""
    shapes = tuple(WeightedPairs(case.shape, case.weight, pairs_of(case.blocks), systematic_ratio(case)) for case in timing.cases)
    half_width = max(math.hypot(aa_half_width_of(case.blocks, seed), systematic_ratio(case)) for case in timing.cases if case.weight > 0)
    comparison = compare_pairs(shapes, half_width, seed, method_of(timing))
    cases = tuple(
        replace(speed, before_s=time_of(case.blocks, "A"), after_s=time_of(case.blocks, "B"))
        for speed, case in zip(comparison.cases, timing.cases, strict=True)
    )
    return replace(comparison, cases=cases)


def systematic_ratio(case: CaseTiming) -> float:
    """What two loads of the same code may differ by, and what is not known of times that were added, as a share of the faster version's
    time."""
    least_s = max(_LEAST_S, min(time_of(case.blocks, "A"), time_of(case.blocks, "B")))
    parts = (_PLACEMENT_S * case.launches_per_call / least_s, _PLACEMENT_RATIOS[case.method], case.added_half_width_s / least_s)
    return min(_MOST_SYSTEMATIC, math.hypot(*parts))


def method_of(timing: PairTiming) -> str:
    """How the times were taken, in a line that goes with every number of them."""
    ways = dict.fromkeys(_way(case) for case in timing.cases)
    block_counts = [len(case.blocks) for case in timing.cases]
    count = f"{min(block_counts)}" if len(set(block_counts)) == 1 else f"{min(block_counts)} to {max(block_counts)}"
    device = timing.device
    return (
        f"paired ABBA blocks in random order, queued behind a blocking kernel, {'; '.join(ways)}; n={count} blocks a shape; "
        f"{device.name}, driver {device.driver_version}, {device.compiler}{_state(device.after)}; {_second_opinion(timing)}"
    )


def _second_opinion(timing: PairTiming) -> str:
    methods = dict.fromkeys(case.profiled.method for case in timing.cases if case.profiled is not None)
    if not methods or any(case.profiled is None for case in timing.cases):
        return "A's times were held against no profiler's"
    return f"A's times held against {' and '.join(methods)}"


def _way(case: CaseTiming) -> str:
    calls = case.calls_per_slot
    slot = f"graphs of {calls} calls" if case.method == "graph" else f"events around each of {calls} calls a slot"
    cold = case.cold_call_count
    warm = "" if cold is None or cold >= calls else f" (the first {cold} calls of each cold, the others warm)"
    copies = f"{case.copy_count} sets of buffers{warm}"
    return f"{slot}, {case.empty_s * 1e6:.2f} µs of an empty kernel subtracted, L2 emptied before each, {copies}"


def _state(state: GpuState) -> str:
    known = (
        None if state.sm_clock_hz is None else f"SM {state.sm_clock_hz / 1e6:.0f} MHz",
        None if state.temperature_c is None else f"{state.temperature_c:.0f} °C",
        f"clocks held down by {', '.join(state.throttle_reasons)}" if state.throttle_reasons else None,
    )
    return "".join(f", {item}" for item in known if item is not None)


def _mean(times_s: tuple[float, ...]) -> float:
    return math.exp(sum(math.log(max(time_s, _LEAST_S)) for time_s in times_s) / len(times_s))
