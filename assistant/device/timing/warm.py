"""Brings the GPU to the clocks that it keeps under work: by time until the SM clock stands still, not by a count of launches.

Example::

    warm_up(start=run_a_few_calls, clock=time.monotonic, sm_clock_hz=sensor.sm_clock_hz)
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["LEAST_WARM_S", "warm_up"]

LEAST_WARM_S = 0.2
"""Idle clocks are left within this on the GPUs that were looked at (H200: 345 MHz idle); one reading after it is the first that counts."""
MOST_WARM_S = 1.0
_STEADY_RATIO = 0.01
_STEADY_COUNT = 3
"""Readings in a row within 1 %."""
_UNREAD_S = 0.4
"""Where the clock cannot be read, this long."""


def warm_up(start: Callable[[], None], clock: Callable[[], float], sm_clock_hz: Callable[[], float | None]) -> None:
    """Call ``start`` (some milliseconds of work, waited for) again and again until the clock is steady, 1 s at most."""
    began_s = clock()
    readings: list[float] = []
    while clock() - began_s < MOST_WARM_S:
        start()
        if clock() - began_s < LEAST_WARM_S:
            continue
        reading = sm_clock_hz()
        if reading is None:
            if clock() - began_s > _UNREAD_S:
                return
            continue
        readings = [*readings[1 - _STEADY_COUNT :], reading]
        if len(readings) == _STEADY_COUNT and max(readings) <= min(readings) * (1 + _STEADY_RATIO):
            return
