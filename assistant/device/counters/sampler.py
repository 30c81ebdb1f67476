"""Counts one launch at a time through the CUPTI helper. Every part runs the launch again, on the same contents.

A part that CUPTI refuses is left out, and why is remembered. Example::

    sampler = StallSampler(helper, clock_hz=1.98e9)
    sampler.counted(Launch(prepare, run, wait, duration_s=20e-6))      # the helper's lines: stalls, and the launch as a whole
    sampler.close()
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from assistant.device.counters.library import CuptiError, Helper
from assistant.device.counters.metrics import SASS_METRICS, targeted_launch_metrics

__all__ = ["InstructionCounter", "Launch", "LaunchCounter", "StallSampler", "period_exponent"]

_SHORTEST_PERIOD, _LONGEST_PERIOD = 8, 31
"""Exponents of two, in cycles. CUPTI takes 5 to 31 (cupti_pcsampling.h). An H200 drops samples of shorter ones: 44 % at 2^6."""
_SAMPLES_PER_SM = 512
"""Wanted of each SM's samplers: some ten thousand on a large GPU, a few megabytes of the helper's buffer."""


@dataclass(frozen=True)
class Launch:
    """One launch that can be run again and again."""

    prepare: Callable[[], None]
    """Everything it starts from, in place; nothing is left queued."""
    run: Callable[[], None]
    """Queues it."""
    wait: Callable[[], None]
    """Until it has ended."""
    duration_s: float
    """Without counters."""


class LaunchCounter(Protocol):
    """One part of what is counted."""

    failures: dict[str, None]
    """Calls that failed, each once, in order."""

    def counted(self, launch: Launch) -> str:
        """The helper's lines; empty where CUPTI refused."""
        ...

    def close(self) -> None:
        """Let others use the GPU's counters."""
        ...


def period_exponent(duration_s: float, clock_hz: float) -> int:
    """Of the sampling period that gives every SM a few hundred samples of a launch."""
    cycles = max(1.0, duration_s * clock_hz)
    return min(_LONGEST_PERIOD, max(_SHORTEST_PERIOD, math.ceil(math.log2(cycles / _SAMPLES_PER_SM))))


class StallSampler:
    """Stalls by instruction, then counters of the launch as a whole. Implements `LaunchCounter`."""

    def __init__(self, helper: Helper, clock_hz: float) -> None:
        self.failures: dict[str, None] = {}
        self._helper = helper
        self._clock_hz = clock_hz
        self._period: int | None = None
        """Exponent of the period with which stalls are sampled now."""

    def counted(self, launch: Launch) -> str:
        return self._tried(self._stalls, launch) + self._tried(self._whole, launch)

    def close(self) -> None:
        if self._period is not None:
            self._period = None
            self._released("stalls_disable")

    def _tried(self, part: Callable[[Launch], str], launch: Launch) -> str:
        try:
            return part(launch)
        except CuptiError as error:
            self.failures[str(error)] = None
            return ""

    def _stalls(self, launch: Launch) -> str:
        period = period_exponent(launch.duration_s, self._clock_hz)
        if period != self._period:
            self.close()
            self._period = period
            self._helper.call("stalls_enable", period)
        launch.prepare()
        self._helper.call("stalls_start")
        launch.run()
        launch.wait()
        self._helper.call("stalls_stop")
        return self._helper.answer()

    def _whole(self, launch: Launch) -> str:
        self.close()  # both need the hardware's counters
        self._helper.call("launch_enable", "\n".join(targeted_launch_metrics()).encode())
        try:
            launch.prepare()
            self._helper.call("launch_start")
            launch.run()
            launch.wait()
            self._helper.call("launch_stop")
            return self._helper.answer()
        finally:
            self._released("launch_disable")

    def _released(self, name: str) -> None:
        with suppress(CuptiError):  # of what never started
            self._helper.call(name)


class InstructionCounter:
    """Counters by machine instruction, of one launch in the life of the process. Implements `LaunchCounter`."""

    def __init__(self, helper: Helper) -> None:
        self.failures: dict[str, None] = {}
        self._helper = helper

    def counted(self, launch: Launch) -> str:
        launch.prepare()
        try:
            self._helper.call("instructions_start", "\n".join(SASS_METRICS.values()).encode())
            launch.run()
            launch.wait()
            self._helper.call("instructions_stop")
        except CuptiError as error:
            self.failures[str(error)] = None
            return ""
        return self._helper.answer()

    def close(self) -> None:
        """Its process ends."""
