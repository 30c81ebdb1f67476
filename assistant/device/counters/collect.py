"""The GPU worker's ``counters`` operation: recorded launches run once more with the hardware's counters on, by Nsight Compute or by CUPTI.

``ncu`` looks at a process of its own (``device.relaunch``), CUPTI at another one that stays warm (``counters.sampling``); the worker's
context stays as it is. The way that is preferred counts; where it cannot, or did not in time, the other one does. Example::

    collect(state, request).launches[0].stalls
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Protocol

from assistant.device.counters.cupti import CuptiRuns
from assistant.device.counters.failure import CountingFailure
from assistant.device.counters.ncu_run import NcuRuns
from assistant.device.counters.protocol import CountersReply, CountersRequest
from assistant.device.gpu_state import GpuState
from assistant.model.profile import Method

__all__ = ["Way", "collect", "counted", "get_ready_to_collect"]

_FORBIDDEN = "forbidden"
"""What keeps one way from the counters by right keeps the other from them, too."""


class Way(Protocol):
    """One way to count."""

    def collect(self, request: CountersRequest) -> CountersReply: ...


class _Ways:
    """What the worker keeps of them between requests."""

    def __init__(self, cupti: CuptiRuns) -> None:
        self.ncu = NcuRuns(os.environ)
        self.cupti = cupti


def collect(state: GpuState, request: CountersRequest) -> CountersReply:
    """Counters of the launches of the named kernels, in the order of the cases."""
    ways = _ways(state)
    return counted({Method.NCU: ways.ncu, Method.CUPTI: ways.cupti}, request)


def get_ready_to_collect(state: GpuState, request: CountersRequest) -> None:
    """Start CUPTI's processes, where it is CUPTI that ``collect`` will ask first."""
    ways = _ways(state)
    if request.preferred is Method.CUPTI or not ways.ncu.can_count:
        ways.cupti.get_ready_to_collect(request)


def _ways(state: GpuState) -> _Ways:
    cupti = state.part(CuptiRuns, lambda: CuptiRuns(os.environ, state.facts.name))
    return state.part(_Ways, lambda: _Ways(cupti))


def counted(ways: Mapping[Method, Way], request: CountersRequest) -> CountersReply:
    """By the way that is preferred, else by the other; with why not, in the order in which they were tried."""
    refusals: list[CountingFailure] = []
    for method in sorted(ways, key=lambda method: method is not request.preferred):
        reply = ways[method].collect(request)
        refusals += reply.refusals
        if reply.launches:
            return CountersReply(reply.launches, tuple(refusals))
        if any(refusal.kind == _FORBIDDEN for refusal in reply.refusals):
            break
    return CountersReply((), tuple(refusals))
