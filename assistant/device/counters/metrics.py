"""Which of Nsight Compute's metrics are collected and read, and what they are called here.

Names: Nsight Compute 2025.3, "Metrics Reference"; those of whole launches stand in the metric catalogue. Example::

    targeted_metrics()   # what ``ncu --metrics`` is given: 8 passes of a kernel on an H200, where ``--set full`` takes some 40
"""

from __future__ import annotations

from dataclasses import dataclass

from assistant.profile.catalogue import metric

__all__ = ["INSTRUCTION_METRICS", "LAUNCH_METRICS", "STALL_PREFIX", "LaunchMetricSource", "targeted_metrics"]

INSTRUCTION_METRICS: dict[str, str] = {
    "executions": "inst_executed",
    "thread_executions": "thread_inst_executed_true",
    "sectors": "memory_l2_theoretical_sectors_global",
    "ideal_sectors": "memory_l2_theoretical_sectors_global_ideal",
    "tags": "memory_l1_tag_requests_global",
    "wavefronts": "memory_l1_wavefronts_shared",
    "ideal_wavefronts": "memory_l1_wavefronts_shared_ideal",
    "divergent_branches": "smsp__branch_targets_threads_divergent",
}
"""Field of `InstructionCounters` → metric with one instance per machine instruction."""
STALL_PREFIX = "smsp__pcsamp_warps_issue_stalled_"
_STALL_GROUP = "group:smsp__pcsamp_warp_stall_reasons"


@dataclass(frozen=True)
class LaunchMetricSource:
    """Where a whole launch's metric comes from."""

    name: str
    """Of the catalogue, which knows Nsight Compute's."""
    is_targeted: bool
    """Collected by ourselves; others are read where a report has them."""
    also: tuple[str, ...] = ()
    """What Nsight Compute's own sections collect in its place."""

    @property
    def ncu(self) -> tuple[str, ...]:
        """Nsight Compute's names, the one to collect first."""
        named = metric(self.name).ncu
        return (*((named,) if named else ()), *self.also)


LAUNCH_METRICS: tuple[LaunchMetricSource, ...] = (
    LaunchMetricSource("profiled_duration", is_targeted=True),
    LaunchMetricSource("achieved_occupancy", is_targeted=True),
    LaunchMetricSource("theoretical_occupancy", is_targeted=True),
    LaunchMetricSource("issue_utilisation", is_targeted=True),
    LaunchMetricSource("dram_utilisation", is_targeted=True, also=("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",)),
    LaunchMetricSource("l2_utilisation", is_targeted=True),
    LaunchMetricSource("l1_utilisation", is_targeted=True),
    LaunchMetricSource("compute_utilisation", is_targeted=False),
    LaunchMetricSource("dram_read_bytes", is_targeted=False),
    LaunchMetricSource("dram_write_bytes", is_targeted=False),
)
"""``compute_utilisation`` alone would take four passes more (12 instead of 8, H200)."""


def targeted_metrics() -> tuple[str, ...]:
    """What is asked of ``ncu``: counters by instruction, stalls, and the share of its peak that each memory level reaches."""
    return (*INSTRUCTION_METRICS.values(), _STALL_GROUP, *(source.ncu[0] for source in LAUNCH_METRICS if source.is_targeted))
