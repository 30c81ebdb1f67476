"""The catalogue of performance rules ``KO1nn`` and the defects ``KO2nn``.

A rule is a pure function from a kernel's context and its costliest launch to diagnoses; each has a page
``docs/reference/findings/KOnnn.md``.
"""

from __future__ import annotations

from collections.abc import Callable

from assistant.profile.context import CountedLaunch, FindContext
from assistant.profile.diagnosis import Diagnosis
from assistant.profile.rules.alone import first_threads_loops
from assistant.profile.rules.block_starts import long_block_starts
from assistant.profile.rules.coalescing import uncoalesced_access, wasted_sectors
from assistant.profile.rules.conflicts import bank_conflicts, contended_atomics
from assistant.profile.rules.defects import defects
from assistant.profile.rules.execution import (
    accidental_double,
    constant_powers,
    divergence,
    loop_overhead,
    reduction_tail,
    scan_steps,
)
from assistant.profile.rules.functions import dear_functions
from assistant.profile.rules.launch import block_shape, grid_size, low_occupancy
from assistant.profile.rules.local_memory import local_arrays, register_spills
from assistant.profile.rules.narrow import narrow_accesses
from assistant.profile.rules.passes import separate_diagonals, separate_passes
from assistant.profile.rules.reuse import aliasing_reloads, carried_through_memory, global_accumulator, redundant_loads
from assistant.profile.rules.roots import roots_divided_by
from assistant.profile.rules.rows import shared_rows
from assistant.record import Record

__all__ = ["DEFECT_TITLES", "RULES", "Rule", "defects", "documentation_page", "title"]


class Rule(Record):
    """One performance rule."""

    code: str
    title: str
    thresholds: tuple[str, ...]
    """Names in ``assistant.profile.thresholds``."""
    examine: Callable[[FindContext, CountedLaunch], tuple[Diagnosis, ...]]


RULES: tuple[Rule, ...] = (
    Rule("KO101", "Uncoalesced global access", ("uncoalesced_ratio", "scarce_warps"), uncoalesced_access),
    Rule("KO102", "Sectors used in part", ("wasted_ratio", "uncoalesced_ratio"), wasted_sectors),
    Rule("KO103", "Shared memory bank conflicts", ("conflict_factor",), bank_conflicts),
    Rule("KO104", "Register spills", ("spill_bytes",), register_spills),
    Rule("KO105", "Low occupancy", ("low_occupancy",), low_occupancy),
    Rule("KO106", "Double precision in float code", (), accidental_double),
    Rule("KO107", "Accumulator in global memory", ("accumulator_requests",), global_accumulator),
    Rule("KO108", "Redundant loads", ("load_reuse", "accumulator_requests", "tile_reads"), redundant_loads),
    Rule("KO109", "Divergent branches", ("divergent_branch_ratio", "active_lanes"), divergence),
    Rule(
        "KO110",
        "Contended atomics",
        ("atomic_share", "atomic_lanes_per_sector", "atomic_sector_reuse", "conflict_factor"),
        contended_atomics,
    ),
    Rule("KO111", "Grid too small or uneven", ("tail_waste", "short_launch", "scarce_warps"), grid_size),
    Rule("KO112", "Block shape wastes lanes", ("small_block_threads",), block_shape),
    Rule("KO113", "Reloads forced by possible aliasing", ("reload_requests",), aliasing_reloads),
    Rule("KO114", "Loop overhead", ("loop_overhead_ratio", "unroll_trip_count"), loop_overhead),
    Rule("KO115", "Barriers for one warp's work", (), reduction_tail),
    Rule("KO116", "Power with a small constant or counting exponent", ("power_conversions",), constant_powers),
    Rule("KO117", "Arrays in local memory", ("stack_bytes", "local_share"), local_arrays),
    Rule("KO118", "Narrow accesses", ("narrow_waves", "narrow_gain", "narrow_reuse"), narrow_accesses),
    Rule("KO119", "Barriers in the steps of a scan", (), scan_steps),
    Rule("KO120", "Value carried through memory", ("accumulator_requests",), carried_through_memory),
    Rule("KO121", "Loads that neighbouring rows share", ("row_loads", "narrow_waves"), shared_rows),
    Rule("KO122", "Loop that one thread runs for its block", ("alone_bytes",), first_threads_loops),
    Rule("KO123", "Root that is only divided by", (), roots_divided_by),
    Rule("KO124", "Passes that each go through memory", ("pass_launches",), separate_passes),
    Rule("KO125", "Diagonals launched one by one", ("diagonal_launches", "short_launch"), separate_diagonals),
    Rule("KO126", "Math function with a cheaper form", (), dear_functions),
    Rule(
        "KO127", "Blocks that take longer to start than to run", ("block_starts", "small_block_threads", "narrow_gain"), long_block_starts
    ),
)

DEFECT_TITLES: tuple[tuple[str, str], ...] = (
    ("KO201", "Access out of bounds"),
    ("KO202", "Data race"),
    ("KO203", "Read of uninitialised memory"),
    ("KO204", "Barrier in divergent code"),
    ("KO205", "Use of freed memory"),
    ("KO206", "Invalid launch configuration"),
    ("KO207", "Other defects of a kernel"),
    ("KO208", "Asynchronous copy used before it has arrived"),
    ("KO209", "Read of an outdated value"),
    ("KO210", "Missing fence between blocks"),
    ("KO211", "Wait for a block that may not run"),
)


def title(code: str) -> str:
    """Title of a finding's code; ``KeyError`` for an unknown one."""
    return (dict(DEFECT_TITLES) | {rule.code: rule.title for rule in RULES})[code]


def documentation_page(code: str) -> str:
    """Path of the page inside the documentation."""
    return f"reference/findings/{code}.md"
