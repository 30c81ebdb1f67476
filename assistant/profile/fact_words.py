"""A metric and its value as an engineer would say them: no identifiers, no ``1 calls``, shares in percent.

Events, models and `docs/reference/metrics.md` name metrics by their identifiers; people read these words. Example::

    fact_in_words("constant_powers", 1, "calls")      # "general powers: 1 call"
    fact_in_words("occupancy", 0.75, "ratio")         # "occupancy: 75 %"
"""

from __future__ import annotations

from assistant.profile.quantity import format_quantity

__all__ = ["change_in_words", "fact_in_words", "metric_in_words", "quantity_in_words", "value_in_words"]

_TIMES_FASTER = "time_ratio"
_WORDS = {
    "global_active_threads": "threads in global requests",
    "global_ideal_sectors": "global sectors needed",
    "global_sectors_per_request": "sectors a request",
    "global_ideal_sectors_per_request": "sectors a request needs",
    "global_access_bytes": "bytes a thread moves at once",
    "global_requests_per_warp": "global requests a warp",
    "carried_requests_per_warp": "requests a warp for what it stored before",
    "shared_wavefronts": "passes through shared memory",
    "shared_ideal_wavefronts": "passes through shared memory needed",
    "shared_conflict_factor": "passes through shared memory per pass needed",
    "atomic_lanes": "atomic operations of threads",
    "atomic_steps": "steps of atomics",
    "atomic_lanes_per_sector": "atomics that meet in a sector",
    "atomic_sector_reuse": "warps that update the same sector",
    "unique_sectors": "different global sectors",
    "block_unique_sectors": "different global sectors of each block, summed",
    "load_reuse_in_block": "loads of each sector by a block",
    "divergent_branch_ratio": "branches that split a warp",
    "warp_instructions": "warp instructions",
    "active_lanes_per_execution": "active lanes of a warp",
    "fp64_instructions": "double-precision instructions",
    "fp64_and_conversion_instructions": "instructions in double precision and conversions",
    "load_store_instructions": "instructions that load or store",
    "memory_requests": "requests to memory",
    "conversion_instructions": "type conversions",
    "loop_overhead_ratio": "loop overhead",
    "local_requests": "requests to local memory",
    "loop_trip_count": "iterations of the loop",
    "one_warp_step_ratio": "steps with work for one warp alone",
    "alone_bytes": "bytes that one thread moves alone",
    "barrier_steps": "steps with a barrier",
    "own_row_loads_ratio": "loads that neighbouring rows would need together",
    "registers_per_thread": "registers a thread",
    "stack_bytes": "local memory",
    "spill_bytes": "spilled registers",
    "resident_warps_per_sm": "warps an SM holds",
    "launch_count": "launches",
    "block_count": "grid",
    "sm_count": "GPU",
    "block_threads": "block",
    "idle_lane_ratio": "lanes without a thread",
    "occupied_lane_ratio": "lanes in use on an SM",
    "wave_count": "waves of blocks",
    "constant_powers": "general powers",
    "cheaper_functions": "functions with a cheaper form",
    "divided_roots": "roots that are only divided by",
    "double_literals": "literals in double",
    "predicted_time": "predicted time",
    "predicted_saving_ratio": "predicted saving",
    "time_ratio": "speed",
    "stall_ratio": "share of stalls",
    "profiled_duration": "time under the profiler",
    "achieved_occupancy": "achieved occupancy",
    "theoretical_occupancy": "theoretical occupancy",
    "issue_utilisation": "schedulers in use",
    "dram_utilisation": "use of device memory",
    "l2_utilisation": "use of the L2 cache",
    "l1_utilisation": "use of the L1 cache",
    "compute_utilisation": "use of the SMs",
    "dram_read_bytes": "read from device memory",
    "dram_write_bytes": "written to device memory",
    "problem_count": "seen",
}
"""By identifier; what is not here is said by its identifier's own words."""
_UNITS = {
    "events": "times",
    "iterations": "",
    "lanes": "",
    "wavefronts": "",
    "atomics": "",
    "wavefronts/ideal wavefront": "",
}
"""Instead of a metric's unit."""


def metric_in_words(name: str) -> str:
    """``sectors a request`` for ``global_sectors_per_request``."""
    return _WORDS.get(name) or name.replace("_", " ")


def quantity_in_words(value: float, unit: str) -> str:
    """As `format_quantity`, with ``1 call``, and shares in percent."""
    if unit == "ratio":
        return f"{value * 100:.3g} %"
    shown = _UNITS.get(unit, unit)
    text = format_quantity(value, shown)
    number, _, counted = text.partition(" ")
    return f"1 {_singular(counted)}".rstrip() if number == "1" and counted == shown and len(shown) > 1 else text


def fact_in_words(name: str, value: float, unit: str, line: int | None = None) -> str:
    """``sectors a request on line 7: 32``."""
    place = "" if line is None else f" on line {line}"
    return f"{metric_in_words(name)}{place}: {value_in_words(name, value, unit)}"


def value_in_words(name: str, value: float, unit: str) -> str:
    """``32`` of ``sectors a request``: its unit is left out, as the words have it; ``1 call``, ``75 %``, ``1.57x``."""
    if name == _TIMES_FASTER:
        return f"{value:.2f}x"
    return format_quantity(value, "") if _is_said(name, unit) else quantity_in_words(value, unit)


def change_in_words(name: str, before: float, after: float, unit: str) -> str:
    """``32 → 4``, ``50 → 100 %``, ``4 → 1 call``: both values, the unit once."""
    old, new = value_in_words(name, before, unit), value_in_words(name, after, unit)
    number, _, counted = old.partition(" ")
    return f"{number if counted and unit != 's' else old} → {new}"


def _is_said(name: str, unit: str) -> bool:
    """``sectors a request: 32`` needs no ``sectors/request`` behind it."""
    first = unit.partition("/")[0]
    return unit not in ("ratio", "s") and len(first) > 1 and first in metric_in_words(name).split()


def _singular(unit: str) -> str:
    """``sector/request`` for ``sectors/request``."""
    noun, _, rest = unit.partition("/")
    one = noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun
    return one + unit[len(noun) :] if rest else one
