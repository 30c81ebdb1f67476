"""Every metric once: name, unit, meaning, Nsight Compute's name, and which method gives it.

No other module spells a metric's unit or meaning. Example::

    metric("global_sectors_per_request").unit   # "sectors/request"
"""

from __future__ import annotations

from assistant.model.profile import Method
from assistant.record import Record

__all__ = ["METRICS", "Metric", "metric"]

_COUNTED = (Method.EMULATOR, Method.NCU, Method.CUPTI)


class Metric(Record):
    """One kind of number that evidence can hold."""

    name: str
    unit: str
    meaning: str
    """Shown to people next to the number."""
    ncu: str | None
    """Nsight Compute's metric or formula; None where it has none."""
    methods: tuple[Method, ...]


def _counted(name: str, unit: str, meaning: str, ncu: str | None) -> Metric:
    return Metric(name, unit, meaning, ncu, _COUNTED)


def _modelled(name: str, unit: str, meaning: str) -> Metric:
    return Metric(name, unit, meaning, None, (Method.MODEL,))


def _measured(name: str, unit: str, meaning: str, ncu: str) -> Metric:
    return Metric(name, unit, meaning, ncu, (Method.NCU, Method.CUPTI))


METRICS: tuple[Metric, ...] = (
    # memory, per line
    _counted("global_requests", "requests", "warp-level global requests with at least one active lane", None),
    _counted("global_active_threads", "threads", "lanes that took part in global requests", None),
    _counted(
        "global_sectors",
        "sectors",
        "32-byte sectors that the addresses of the requests touch (theoretical)",
        "memory_l1_theoretical_sectors_global",
    ),
    _counted(
        "global_ideal_sectors",
        "sectors",
        "32-byte sectors that would do if the active lanes were contiguous (theoretical)",
        "memory_l1_theoretical_sectors_global_ideal",
    ),
    _counted(
        "global_sectors_per_request",
        "sectors/request",
        "theoretical sectors per global request; 4 for 32 consecutive 4-byte values",
        "memory_l1_theoretical_sectors_global / requests",
    ),
    _counted(
        "global_ideal_sectors_per_request",
        "sectors/request",
        "least theoretical sectors per request for its width and active lanes",
        "memory_l1_theoretical_sectors_global_ideal / requests",
    ),
    _counted("global_access_bytes", "bytes/thread", "width of one thread's access", None),
    _counted("global_requests_per_warp", "requests/warp", "global requests of the line divided by the warps of the grid", None),
    _counted(
        "carried_requests_per_warp",
        "requests/warp",
        "requests of the line for elements that the iteration before stored, divided by the warps of the grid",
        None,
    ),
    _counted(
        "shared_wavefronts",
        "wavefronts",
        "passes through shared memory that the requests need (theoretical)",
        "memory_l1_wavefronts_shared",
    ),
    _counted(
        "shared_ideal_wavefronts",
        "wavefronts",
        "passes through shared memory without bank conflicts (theoretical)",
        "memory_l1_wavefronts_shared_ideal",
    ),
    _counted(
        "shared_conflict_factor",
        "wavefronts/ideal wavefront",
        "how many times more passes bank conflicts cause; 1 without any",
        "memory_l1_wavefronts_shared / memory_l1_wavefronts_shared_ideal",
    ),
    _counted("atomic_lanes", "atomics", "thread-level atomic operations", None),
    _counted("atomic_steps", "steps", "thread-level global atomics, and passes through shared memory of shared ones", None),
    _counted("atomic_lanes_per_sector", "atomics/sector", "thread-level atomics per 32-byte sector of a request", None),
    _counted("atomic_sector_reuse", "warps/sector", "warps whose atomics update each distinct sector, at least this many", None),
    # memory, per launch
    _counted("unique_sectors", "sectors", "distinct 32-byte global sectors that the grid touches", None),
    _counted("block_unique_sectors", "sectors", "distinct global sectors of each block, summed over blocks", None),
    _counted("load_reuse_in_block", "loads/sector", "ideal load sectors per distinct sector of a block", None),
    # execution
    _counted(
        "divergent_branch_ratio", "ratio", "share of the warp executions of the line's branches after which lanes go different ways", None
    ),
    _counted("warp_instructions", "instructions", "machine instructions that warps issue", "inst_executed"),
    _counted("active_lanes_per_execution", "lanes", "mean active lanes of a warp, over all executed code", None),
    _counted(
        "fp64_instructions",
        "instructions",
        "thread-level double-precision instructions",
        "sm__sass_thread_inst_executed_op_fp64_pred_on",
    ),
    _counted(
        "conversion_instructions",
        "instructions",
        "thread-level type conversions",
        "sm__sass_thread_inst_executed_op_conversion_pred_on",
    ),
    _counted("loop_overhead_ratio", "ratio", "share of integer and control instructions in a loop's code", None),
    _counted("local_requests", "requests", "requests of warps to local memory, from the source's arrays", None),
    _counted("loop_trip_count", "iterations", "constant number of iterations, from the source", None),
    Metric(
        "one_warp_step_ratio",
        "ratio",
        "share of a tree reduction's steps in which one warp has work while the whole block waits",
        None,
        (Method.STATIC,),
    ),
    _counted("alone_bytes", "bytes/block", "bytes that the first thread of a block moves alone through one access of a loop", None),
    Metric("barrier_steps", "steps", "steps of a scan in each of which all threads of a block wait at a barrier", None, (Method.STATIC,)),
    Metric(
        "own_row_loads_ratio",
        "ratio",
        "different elements that four neighbouring rows load, over those of four threads that load them each for itself",
        None,
        (Method.STATIC,),
    ),
    # resources and launch
    Metric("registers_per_thread", "registers", "registers of one thread", "launch__registers_per_thread", (Method.PTXAS, Method.NCU)),
    Metric("stack_bytes", "bytes/thread", "local memory of one thread: arrays and spilled registers", None, (Method.PTXAS,)),
    Metric("spill_bytes", "bytes/thread", "register contents stored to and loaded from local memory", None, (Method.PTXAS,)),
    Metric(
        "occupancy",
        "ratio",
        "resident warps over the most an SM holds",
        "sm__maximum_warps_per_active_cycle_pct",
        (Method.OCCUPANCY,),
    ),
    Metric("resident_warps_per_sm", "warps", "warps an SM holds at once", None, (Method.OCCUPANCY,)),
    Metric("launch_count", "launches", "launches of the kernel", None, (Method.EMULATOR, Method.NCU)),
    Metric("block_count", "blocks", "blocks of the grid", "launch__grid_size", (Method.STATIC,)),
    Metric("sm_count", "SMs", "multiprocessors of the target", None, (Method.STATIC,)),
    Metric("block_threads", "threads", "threads of a block", "launch__block_size", (Method.STATIC,)),
    Metric("idle_lane_ratio", "ratio", "share of lanes in a block's warps that no thread fills", None, (Method.STATIC,)),
    Metric("occupied_lane_ratio", "ratio", "share of the lanes that an SM can hold that threads fill", None, (Method.OCCUPANCY,)),
    Metric(
        "wave_count",
        "waves",
        "grid over the blocks that the target holds at once",
        "launch__waves_per_multiprocessor",
        (Method.STATIC,),
    ),
    Metric(
        "constant_powers",
        "calls",
        "general powers on a line with an exponent of 2 to 6, -1, 0.5, or a loop's counter",
        None,
        (Method.STATIC,),
    ),
    Metric("cheaper_functions", "calls", "math functions on a line that a cheaper one replaces", None, (Method.STATIC,)),
    Metric("divided_roots", "roots", "square roots on a line that nothing but divisions use", None, (Method.STATIC,)),
    Metric("double_literals", "literals", "floating literals without f on a line", None, (Method.STATIC,)),
    # model
    _modelled("predicted_time", "s", "the performance model's time of one launch; nothing was timed"),
    _modelled("predicted_saving_ratio", "ratio", "share of the predicted time that goes away with this cause"),
    _modelled("time_ratio", "ratio", "time before an edit over time after it: what its plan predicted next to what its judge found"),
    # sampled
    Metric(
        "stall_ratio",
        "ratio",
        "share of the stalled warp samples that fall on a line, or on one reason of it",
        "smsp__pcsamp_warps_issue_stalled_*",
        (Method.NCU, Method.CUPTI),
    ),
    # measured of a whole launch
    _measured(
        "profiled_duration",
        "s",
        "time of the launch under the profiler, whose clocks and caches are its own: never a speed",
        "gpu__time_duration.sum",
    ),
    _measured(
        "achieved_occupancy",
        "ratio",
        "mean resident warps of the SMs that had work, over the most an SM holds",
        "sm__warps_active.avg.pct_of_peak_sustained_active",
    ),
    _measured(
        "theoretical_occupancy",
        "ratio",
        "resident warps that the launch's resources allow, over the most an SM holds",
        "sm__maximum_warps_per_active_cycle_pct",
    ),
    _measured(
        "issue_utilisation",
        "ratio",
        "share of cycles in which a scheduler with work issued an instruction",
        "smsp__issue_active.avg.pct_of_peak_sustained_active",
    ),
    _measured("dram_utilisation", "ratio", "traffic to device memory over its peak", "dram__throughput.avg.pct_of_peak_sustained_elapsed"),
    _measured(
        "l2_utilisation", "ratio", "the busiest part of the L2 cache over its peak", "lts__throughput.avg.pct_of_peak_sustained_elapsed"
    ),
    _measured(
        "l1_utilisation",
        "ratio",
        "the busiest part of the L1 cache and shared memory over its peak",
        "l1tex__throughput.avg.pct_of_peak_sustained_active",
    ),
    _measured(
        "compute_utilisation", "ratio", "the busiest pipe of the SMs over its peak", "sm__throughput.avg.pct_of_peak_sustained_elapsed"
    ),
    _measured("dram_read_bytes", "bytes", "bytes read from device memory", "dram__bytes_read.sum"),
    _measured("dram_write_bytes", "bytes", "bytes written to device memory", "dram__bytes_write.sum"),
    # defects
    Metric("problem_count", "events", "how often a defect was seen", None, (Method.EMULATOR,)),
)

_BY_NAME = {m.name: m for m in METRICS}


def metric(name: str) -> Metric:
    """The metric of that name; ``KeyError`` for a name that is not in the catalogue (a defect of ours)."""
    return _BY_NAME[name]
