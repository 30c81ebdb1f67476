"""Kernel-level values of the metrics that findings cite: the same question asked before and after an edit.

Evidence stands on a line, and an edit moves lines; so a metric is compared over all of the kernel's launches. Counters are summed with
the launches' counts, ratios are taken from those sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from assistant.measure.instructions import warp_instructions
from assistant.record import Record

if TYPE_CHECKING:
    from assistant.engine.evaluate.assessment import AssessedLaunch, KernelAssessment

    _Assessed = tuple[KernelAssessment, ...]

__all__ = ["WatchedMetric", "metric_value", "watched", "watched_codes"]


_LANES = 32
"""Of a warp (CUDA C++ Programming Guide, "SIMT Architecture")."""


class WatchedMetric(Record):
    """A metric that must improve if an edit answers its finding."""

    name: str
    is_higher_better: bool
    unit: str


def _global_sectors(kernels: _Assessed) -> float:
    return _counted(kernels, "global ", "sectors")


def _global_requests(kernels: _Assessed) -> float:
    return _counted(kernels, "global ", "requests")


def _wavefronts(kernels: _Assessed) -> float:
    return _counted(kernels, "shared ", "wavefronts")


def _double_work(kernels: _Assessed) -> float:
    return _instructions(kernels, "fp64", "conversion")


def _arithmetic(kernels: _Assessed) -> float:
    return _instructions(kernels, "fp32", "fp64", "conversion", "special")


def _loop_overhead(kernels: _Assessed) -> float:
    return _instructions(kernels, "integer", "control")


def _loads_and_stores(kernels: _Assessed) -> float:
    """By the machine code, which loads once what several rows of a thread need."""
    return _instructions(kernels, "load_store")


def _requests(kernels: _Assessed) -> float:
    """Of all memory: a warp's for what one thread asked for by itself."""
    return _counted(kernels, "", "requests")


def _spills(kernels: _Assessed) -> float:
    resources = [kernel.resources for kernel in kernels if kernel.resources is not None]
    return float(sum(item.spill_load_bytes + item.spill_store_bytes for item in resources))


def _stack(kernels: _Assessed) -> float:
    return float(sum(kernel.resources.stack_bytes for kernel in kernels if kernel.resources is not None))


def _occupancy(kernels: _Assessed) -> float:
    """Occupancy of the launch with most threads."""
    launch = _largest(kernels)
    return 0.0 if launch is None or launch.occupancy is None else launch.occupancy.ratio


def _occupied_lanes(kernels: _Assessed) -> float:
    """The same, of lanes that a thread fills: a block of one thread occupies a warp."""
    launch = _largest(kernels)
    if launch is None:
        return 0.0
    threads = launch.profile.config.block.count
    return _occupancy(kernels) * threads / (_LANES * -(-threads // _LANES))


def _largest(kernels: _Assessed) -> AssessedLaunch | None:
    """The launch with most threads, of those whose occupancy is known."""
    known = (launch for kernel in kernels for launch in kernel.launches if launch.occupancy is not None)
    return max(known, key=lambda launch: launch.profile.config.thread_count, default=None)


def _warp_instructions(kernels: _Assessed) -> float:
    """What warps issue, as lanes that go different ways go them one after the other; 0 without machine code. Branches that part say
    less: where a way is short, its instructions are issued for all lanes, and no warp parts."""
    counted = ((launch.profile, weight) for launch, weight in _weighted(kernels) if launch.profile.instructions)
    return sum(weight * warp_instructions(profile).total for profile, weight in counted)


def _atomics(kernels: _Assessed) -> float:
    """What is carried out one after the other: threads in L2, passes in shared memory, to which an edit moves them for that reason."""
    return _counted(kernels, "global atomic", "active_threads") + _counted(kernels, "shared atomic", "wavefronts")


def _blocks(kernels: _Assessed) -> float:
    return float(max((launch.profile.config.grid.count for launch, _ in _weighted(kernels)), default=0))


def _launches(kernels: _Assessed) -> float:
    return float(sum(weight for _, weight in _weighted(kernels)))


_WATCHED: dict[str, tuple[WatchedMetric, Callable[[_Assessed], float]]] = {
    "KO101": (WatchedMetric("global_sectors", False, "sectors"), _global_sectors),
    "KO102": (WatchedMetric("global_sectors", False, "sectors"), _global_sectors),
    "KO103": (WatchedMetric("shared_wavefronts", False, "wavefronts"), _wavefronts),
    "KO104": (WatchedMetric("spill_bytes", False, "bytes/thread"), _spills),
    "KO105": (WatchedMetric("occupancy", True, "ratio"), _occupancy),
    "KO106": (WatchedMetric("fp64_and_conversion_instructions", False, "instructions"), _double_work),
    "KO107": (WatchedMetric("global_requests", False, "requests"), _global_requests),
    "KO124": (WatchedMetric("global_sectors", False, "sectors"), _global_sectors),
    "KO125": (WatchedMetric("launch_count", False, "launches"), _launches),
    "KO108": (WatchedMetric("global_sectors", False, "sectors"), _global_sectors),
    "KO109": (WatchedMetric("warp_instructions", False, "instructions"), _warp_instructions),
    "KO126": (WatchedMetric("warp_instructions", False, "instructions"), _warp_instructions),
    "KO110": (WatchedMetric("atomic_steps", False, "steps"), _atomics),
    "KO111": (WatchedMetric("block_count", True, "blocks"), _blocks),
    "KO127": (WatchedMetric("block_count", False, "blocks"), _blocks),
    "KO112": (WatchedMetric("occupied_lane_ratio", True, "ratio"), _occupied_lanes),
    "KO113": (WatchedMetric("global_requests", False, "requests"), _global_requests),
    "KO118": (WatchedMetric("global_requests", False, "requests"), _global_requests),
    "KO120": (WatchedMetric("global_requests", False, "requests"), _global_requests),
    "KO114": (WatchedMetric("integer_and_control_instructions", False, "instructions"), _loop_overhead),
    "KO115": (WatchedMetric("shared_wavefronts", False, "wavefronts"), _wavefronts),
    "KO119": (WatchedMetric("shared_wavefronts", False, "wavefronts"), _wavefronts),
    "KO116": (WatchedMetric("arithmetic_instructions", False, "instructions"), _arithmetic),
    "KO123": (WatchedMetric("arithmetic_instructions", False, "instructions"), _arithmetic),
    "KO121": (WatchedMetric("load_store_instructions", False, "instructions"), _loads_and_stores),
    "KO122": (WatchedMetric("memory_requests", False, "requests"), _requests),
    "KO117": (WatchedMetric("stack_bytes", False, "bytes/thread"), _stack),
}


def watched(finding_code: str) -> WatchedMetric | None:
    """What an answer to this finding must improve; None where nothing of the kind is counted."""
    entry = _WATCHED.get(finding_code)
    return None if entry is None else entry[0]


def watched_codes() -> tuple[str, ...]:
    """One finding code for each watched metric."""
    return tuple({entry.name: code for code, (entry, _) in reversed(_WATCHED.items())}.values())[::-1]


def metric_value(finding_code: str, kernels: Iterable[KernelAssessment]) -> float:
    """The watched metric of that finding over all instances of a kernel."""
    return _WATCHED[finding_code][1](tuple(kernels))


def _weighted(kernels: _Assessed) -> list[tuple[AssessedLaunch, float]]:
    return [(launch, launch.count) for kernel in kernels for launch in kernel.launches]


def _counted(kernels: _Assessed, op: str, counter: str) -> float:
    return sum(weight * launch.profile.total(op, counter) for launch, weight in _weighted(kernels))


def _instructions(kernels: _Assessed, *classes: str) -> float:
    return sum(
        weight * sum(getattr(line.mix, name) for line in launch.profile.instructions for name in classes)
        for launch, weight in _weighted(kernels)
    )
