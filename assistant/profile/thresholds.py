"""When a counter becomes a finding: every limit once, with unit and reason.

``docs/reference/findings/`` shows the same values; a test compares them.
"""

from __future__ import annotations

from assistant.record import Record

__all__ = ["THRESHOLDS", "Threshold", "threshold"]


class Threshold(Record):
    """One limit."""

    name: str
    value: float
    unit: str
    source: str
    """Where it comes from, or why it was chosen."""


THRESHOLDS: tuple[Threshold, ...] = (
    Threshold(
        "uncoalesced_ratio",
        4.0,
        "sectors/ideal sector",
        "Best Practices Guide 13.0, 'Coalesced Access': from a stride of four 4-byte values on, at most a quarter of every "
        "sector moved is used",
    ),
    Threshold(
        "wasted_ratio",
        1.2,
        "sectors/ideal sector",
        "an access shifted by one element costs 5 sectors for 4 (1.25; same guide, 'Sequential but Misaligned Access'); "
        "below that edges of the grid dominate",
    ),
    Threshold(
        "conflict_factor",
        1.5,
        "wavefronts/ideal wavefront",
        "Nsight Compute warns of bank conflicts that cost time; half as much again is the least that a padding can visibly win",
    ),
    Threshold("spill_bytes", 1.0, "bytes/thread", "ptxas reports 0 when nothing is spilled"),
    Threshold("stack_bytes", 16.0, "bytes/thread", "a shorter one holds no array of more than a few elements"),
    Threshold("local_share", 0.25, "requests/request", "below, global accesses decide"),
    Threshold(
        "low_occupancy",
        0.5,
        "ratio",
        "Best Practices Guide 13.0, 'Occupancy': more does not always help, but low occupancy interferes with hiding "
        "latency; half is where most kernels stop gaining",
    ),
    Threshold(
        "accumulator_requests",
        2.0,
        "requests/warp",
        "a value kept in a register is loaded and stored once per warp; two or more stores come from a loop",
    ),
    Threshold(
        "load_reuse",
        4.0,
        "loads/sector",
        "a tile in shared memory costs one store and one load per use; below four uses it hardly pays",
    ),
    Threshold(
        "tile_reads",
        8.0,
        "reads/store",
        "half of what a tile of 16 by 16 elements gives a matrix product; reductions and stencils read an element less often",
    ),
    Threshold("divergent_branch_ratio", 0.1, "ratio", "one warp in ten; edges of a grid stay below it"),
    Threshold("active_lanes", 28.8, "lanes", "nine in ten lanes: above it divergence costs less than a tenth of the issue slots"),
    Threshold(
        "atomic_lanes_per_sector",
        8.0,
        "atomics/sector",
        "a 32-byte sector holds eight 4-byte counters: more atomics than that must share an address",
    ),
    Threshold(
        "atomic_sector_reuse", 8.0, "warps/sector", "a sector holds eight counters: warps meet at each of them, were they spread evenly"
    ),
    Threshold("atomic_share", 0.03125, "atomics/thread", "fewer than one atomic per warp is already aggregated"),
    Threshold(
        "short_launch",
        2e-5,
        "s",
        "a shorter launch has few blocks because its data are small; a grid that is too small is then only information",
    ),
    Threshold(
        "scarce_warps",
        4.0,
        "warps/SM",
        "an SM has four schedulers: with fewer warps some have nothing to issue, and threads that walk rows by themselves are too few",
    ),
    Threshold("tail_waste", 0.2, "ratio", "slots left empty in the last wave, over all waves; block times vary more"),
    Threshold("small_block_threads", 64.0, "threads", "Best Practices Guide 13.0, 'Thread and Block Heuristics'"),
    Threshold("reload_requests", 2.0, "requests/warp", "a value loaded once per warp needs no hoisting"),
    Threshold("unroll_trip_count", 64.0, "iterations", "nvcc unrolls loops of small constant count by itself; longer ones grow the code"),
    Threshold("loop_overhead_ratio", 0.5, "ratio", "half of the loop's instructions do no work of the algorithm"),
    Threshold(
        "narrow_waves",
        1.0,
        "waves",
        "left where a thread does the work of several: below, the GPU holds all threads at once, and has all their loads under way",
    ),
    Threshold(
        "narrow_gain",
        1.1,
        "ratio",
        "where a thread's work for several leaves fewer waves than that, the model has to predict it; half of its ratios are off by 1.08",
    ),
    Threshold("narrow_vectors", 1.0, "vectors/thread", "of a loop that deals elements out: with less, most threads have no whole vector"),
    Threshold("block_starts", 2.6e-6, "s", "what a launch takes by itself, with the host's part: with less, there is little to gain"),
    Threshold("pass_launches", 4.0, "launches", "from one loop: below, there is little that one launch could do at once"),
    Threshold("diagonal_launches", 128.0, "launches", "from one loop: a table of 64 rows and 64 columns, four tiles of 32 x 32, has 127"),
    Threshold("row_loads", 0.9, "loads/load", "of a thread of four rows over four threads: above, the rows share too little"),
    Threshold("narrow_reuse", 1.5, "loads/sector", "a kernel that loads elements again is better served by a tile or by registers"),
    Threshold(
        "power_conversions",
        3.0,
        "conversions/power",
        "nvcc 13.0, sm_80 and sm_90: a general float power has one of each of FRND, F2I and I2F; the one of -use_fast_math has none",
    ),
    Threshold(
        "alone_bytes",
        256.0,
        "bytes/block",
        "a value of 8 bytes for each of 32 warps, what one thread may well go through; sharing less would occupy less than a warp",
    ),
    Threshold(
        "least_saving",
        0.01,
        "ratio",
        "a hundredth of the predicted time is below what the model can distinguish; what costs less is only named",
    ),
    Threshold(
        "near_peak",
        0.6,
        "ratio",
        "Nsight Compute 2025.3, rule 'GPU Speed Of Light': below 60 % of every peak it calls a kernel bound by latency",
    ),
    Threshold("warning_saving", 0.1, "ratio", "a tenth of the predicted time is worth an edit; less is information"),
)

_BY_NAME = {t.name: t.value for t in THRESHOLDS}


def threshold(name: str) -> float:
    """Value of the threshold of that name; ``KeyError`` for an unknown name (a defect of ours)."""
    return _BY_NAME[name]
