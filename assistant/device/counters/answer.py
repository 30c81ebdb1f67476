"""What the CUPTI helper (``helper/``) answers: lines of fields between tabs, read into counters by machine instruction. Pure.

Example::

    read_answer("count\\t_Z1kPf\\t16\\tsmsp__sass_inst_executed\\t8\\n", "_Z1kPf").counts   # {"executions": {16: 8}}
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import field

from assistant.device.counters.metrics import LAUNCH_METRICS, SASS_METRICS, launch_metric, waits_for
from assistant.model.profile import LaunchMetric
from assistant.record import Record

__all__ = ["Answer", "read_answer"]

_FIELD_OF = {metric: name for name, metric in SASS_METRICS.items()}
_SOURCE_OF = {source.ncu[0]: source for source in LAUNCH_METRICS if source.ncu}


class Answer(Record):
    """Everything that was counted and sampled in one launch of one kernel."""

    counts: dict[str, dict[int, int]] = field(default_factory=dict[str, dict[int, int]])
    """Field of `InstructionCounters` → offset of the instruction → value; a field that the chip cannot count is not there."""
    stalls: dict[int, tuple[tuple[str, int], ...]] = field(default_factory=dict[int, tuple[tuple[str, int], ...]])
    """Offset of the instruction → (reason, warp samples)."""
    measured: tuple[LaunchMetric, ...] = ()
    """Metrics of the launch as a whole."""
    sampled_count: int = 0
    """Warp samples that the hardware took of all that ran meanwhile."""
    dropped_count: int = 0
    """Samples among these that it lost."""


def read_answer(text: str, symbol: str) -> Answer:
    """The lines about the kernel with this mangled name, and those about the launch as a whole."""
    counts: dict[str, dict[int, int]] = {}
    stalls: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
    measured: list[LaunchMetric] = []
    sampled_count = dropped_count = 0
    for line in text.splitlines():
        match line.split("\t"):
            case ["counted", metric] if metric in _FIELD_OF:
                counts.setdefault(_FIELD_OF[metric], {})
            case ["count", function, offset, metric, value] if function == symbol and metric in _FIELD_OF:
                counts.setdefault(_FIELD_OF[metric], {})[int(offset)] = int(value)
            case ["stall", function, offset, metric, samples] if function == symbol and (reason := waits_for(metric)) is not None:
                stalls[int(offset)].append((reason, int(samples)))
            case ["launch", metric, value] if metric in _SOURCE_OF and math.isfinite(float(value)):
                measured.extend(_launch_metric(metric, float(value)))
            case ["samples", every, dropped]:
                sampled_count, dropped_count = int(every), int(dropped)
            case _:
                pass  # other kernels, and what we have no name for
    by_offset = {offset: tuple(found) for offset, found in stalls.items()}
    return Answer(counts, by_offset, tuple(measured), sampled_count, dropped_count)


def _launch_metric(metric: str, value: float) -> tuple[LaunchMetric, ...]:
    found = launch_metric(_SOURCE_OF[metric], value, _unit_of(metric))
    return () if found is None else (found,)


def _unit_of(metric: str) -> str:
    """The unit of CUPTI's value, in Nsight Compute's words: both go by the metric's name (CUPTI, "Metrics Mapping", and its submetrics)."""
    if "pct" in metric:
        return "%"
    return "ns" if "time" in metric else "byte"
