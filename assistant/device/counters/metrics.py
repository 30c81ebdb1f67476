"""Which of Nsight Compute's metrics are collected and read, and what they are called here.

Names: Nsight Compute 2025.3, "Metrics Reference"; those of whole launches stand in the metric catalogue. Example::

    targeted_metrics()   # what ``ncu --metrics`` is given: 8 passes of a kernel on an H200, where ``--set full`` takes some 40
"""

from __future__ import annotations

from assistant.model.profile import LaunchMetric
from assistant.profile.catalogue import metric
from assistant.record import Record

__all__ = [
    "INSTRUCTION_METRICS",
    "LAUNCH_METRICS",
    "SASS_METRICS",
    "LaunchMetricSource",
    "launch_metric",
    "targeted_launch_metrics",
    "targeted_metrics",
    "waits_for",
]

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
SASS_METRICS: dict[str, str] = {
    "executions": "smsp__sass_inst_executed",
    "thread_executions": "smsp__sass_thread_inst_executed_pred_on",
    "sectors": "smsp__sass_sectors_mem_global",
    "ideal_sectors": "smsp__sass_sectors_mem_global_ideal",
    "tags": "smsp__sass_l1tex_tags_mem_global",
    "wavefronts": "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared",
    "ideal_wavefronts": "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal",
    "divergent_branches": "smsp__sass_branch_targets_threads_divergent",
}
"""The same fields → what CUPTI's SASS Metrics API calls them (CUPTI 13.0, ``cuptiSassMetricsGetMetrics`` of a GH100)."""
_STALL_PREFIX = "smsp__pcsamp_warps_issue_stalled_"
_ISSUED = "selected"
"""A warp that issues waits for nothing."""
_NOT_ISSUED_SUFFIX = "_not_issued"
"""The same samples again, of cycles in which no warp issued."""
_STALL_GROUP = "group:smsp__pcsamp_warp_stall_reasons"


class LaunchMetricSource(Record):
    """Where a whole launch's metric comes from."""

    name: str
    """Name in the catalogue, which has Nsight Compute's names."""
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


_FACTORS = {("ns", "s"): 1e-9, ("%", "ratio"): 0.01, ("byte", "bytes"): 1.0}
"""(the profiler's unit, the catalogue's) → factor; a metric in any other unit is not read."""


def launch_metric(source: LaunchMetricSource, value: float, unit: str) -> LaunchMetric | None:
    """In the catalogue's unit; None for a profiler's unit that is not known."""
    factor = _FACTORS.get((unit, metric(source.name).unit))
    return None if factor is None else LaunchMetric(source.name, value * factor)


def waits_for(metric: str) -> str | None:
    """What a warp that the sampling metric counts was waiting for (``long_scoreboard``); None for other metrics."""
    reason = metric.removeprefix(_STALL_PREFIX)
    return None if reason in (metric, _ISSUED) or reason.endswith(_NOT_ISSUED_SUFFIX) else reason


def targeted_metrics() -> tuple[str, ...]:
    """What is asked of ``ncu``: counters by instruction, stalls, and the share of its peak that each memory level reaches."""
    return (*INSTRUCTION_METRICS.values(), _STALL_GROUP, *targeted_launch_metrics())


def targeted_launch_metrics() -> tuple[str, ...]:
    """Metrics of whole launches, by Nsight Compute's names, which CUPTI shares but for those that ncu works out itself."""
    return tuple(source.ncu[0] for source in LAUNCH_METRICS if source.is_targeted)
