"""Runs one launch at a time with a part of CUPTI's counters on. Every part runs it again, on the same contents.

A part that CUPTI refuses is left out, and why is remembered. Example::

    profilers = Profilers(helper, clock_hz=1.98e9)
    profilers.whole(launch)                                  # the helper's lines
    with profilers.sampling(longest_s=20e-6):
        ...                                                  # here the code is loaded
        profilers.stalls(launch, code="sha256 of the cubin")
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

from assistant.device.counters.library import CuptiError, Helper
from assistant.device.counters.metrics import SASS_METRICS, targeted_launch_metrics
from assistant.record import Record

__all__ = ["Launch", "Profilers", "StaleSamplesError", "period_exponent"]

_SHORTEST_PERIOD, _LONGEST_PERIOD = 8, 31
"""Exponents of two, in cycles. CUPTI takes 5 to 31 (cupti_pcsampling.h). An H200 drops samples of shorter ones: 44 % at 2^6."""
_SAMPLES_PER_SM = 512
"""Wanted of each SM's samplers: some ten thousand on a large GPU, a few megabytes of the helper's buffer."""


class StaleSamplesError(Exception):
    """CUPTI took samples for those of code that it knew before at the same place."""


class Launch(Record):
    """One launch that can be run again and again."""

    symbol: str
    """Mangled name of its kernel."""
    prepare: Callable[[], None]
    """Everything it starts from, in place; nothing is left queued."""
    run: Callable[[], None]
    """Queues it."""
    wait: Callable[[], None]
    """Until it has ended."""


def period_exponent(duration_s: float, clock_hz: float) -> int:
    """Exponent of the sampling period that gives every SM a few hundred samples of a launch."""
    cycles = max(1.0, duration_s * clock_hz)
    return min(_LONGEST_PERIOD, max(_SHORTEST_PERIOD, math.ceil(math.log2(cycles / _SAMPLES_PER_SM))))


class Profilers:
    """CUPTI in one process."""

    def __init__(self, helper: Helper, clock_hz: float) -> None:
        self._helper = helper
        self._clock_hz = clock_hz
        self._failures: dict[str, None] = {}
        self._code_of: dict[str, str] = {}
        """CUPTI's checksum of a module → what was loaded when it was seen."""
        self._sampled: set[str] = set()
        """Codes whose stalls this process sampled."""
        self._is_sampling = False

    def failures(self) -> tuple[str, ...]:
        """Calls that failed since it was last asked, each once, in order."""
        failures, self._failures = tuple(self._failures), {}
        return failures

    def whole(self, launch: Launch) -> str:
        """Counters of the launch as a whole."""
        return self._tried(self._whole, launch)

    @contextmanager
    def sampling(self, longest_s: float) -> Generator[None]:
        """Stalls can be sampled within, of launches up to so long; the hardware's counters are taken from all others.

        Code is to be loaded and unloaded within: CUPTI does not notice what changes at other times, and takes new code for the old.
        """
        try:
            self._helper.call("stalls_enable", period_exponent(longest_s, self._clock_hz))
            self._is_sampling = True
        except CuptiError as error:
            self._failures[str(error)] = None
        try:
            yield
        finally:
            self._is_sampling = False
            self._released("stalls_disable")

    def stalls(self, launch: Launch, code: str) -> str:
        """Where its warps wait. ``code``: identity of what is loaded. Raises StaleSamplesError."""
        if not self._is_sampling:
            return ""
        lines = self._tried(self._stalls, launch)
        if self._sampled - {code} and _is_stale(
            lines, launch.symbol, {checksum for checksum, known in self._code_of.items() if known != code}
        ):
            raise StaleSamplesError
        self._sampled.add(code)
        self._code_of |= dict.fromkeys(_checksums(lines, launch.symbol), code)
        return lines

    def durations(self, launch: Launch) -> str:
        """How long every kernel takes that is started meanwhile."""
        return self._tried(self._durations, launch)

    def instructions(self, launch: Launch) -> str:
        """Counters by machine instruction; of one launch in the life of the process."""
        return self._tried(self._instructions, launch)

    def _tried(self, part: Callable[[Launch], str], launch: Launch) -> str:
        try:
            return part(launch)
        except CuptiError as error:
            self._failures[str(error)] = None
            return ""

    def _whole(self, launch: Launch) -> str:
        try:
            self._helper.call("launch_enable", "\n".join(targeted_launch_metrics()).encode())
            self._counted(launch, "launch_start", "launch_stop")
            return self._helper.answer()
        finally:
            self._released("launch_disable")

    def _stalls(self, launch: Launch) -> str:
        self._counted(launch, "stalls_start", "stalls_stop")
        return self._helper.answer()

    def _instructions(self, launch: Launch) -> str:
        self._counted(launch, "instructions_start", "instructions_stop", "\n".join(SASS_METRICS.values()).encode())
        return self._helper.answer()

    def _durations(self, launch: Launch) -> str:
        self._counted(launch, "durations_start", "durations_stop")
        return self._helper.answer()

    def _counted(self, launch: Launch, start: str, stop: str, *arguments: object) -> None:
        launch.prepare()
        self._helper.call(start, *arguments)
        launch.run()
        launch.wait()
        self._helper.call(stop)

    def _released(self, name: str) -> None:
        with suppress(CuptiError):  # of what never started
            self._helper.call(name)


def _checksums(lines: str, symbol: str) -> set[str]:
    """Checksums of the modules that CUPTI found the kernel in."""
    return {fields[2] for line in lines.splitlines() if (fields := line.split("\t"))[:2] == ["code", symbol]}


def _is_stale(lines: str, symbol: str, others: set[str]) -> bool:
    """Whether CUPTI took samples for another module's, or for none."""
    found = _checksums(lines, symbol)
    totals = [int(fields[1]) for line in lines.splitlines() if (fields := line.split("\t"))[0] == "samples"]
    return bool(found & others) or (not found and any(totals))
