"""When a request may be sent: not more a minute than the user allows, and later after each failure.

Delays double from half a second to eight seconds with a quarter of chance, as the ``openai`` client does (``_constants.py`` of 3.51);
an endpoint's own ``Retry-After`` stands above them.
"""

from __future__ import annotations

import asyncio
import email.utils
import math
import time
from collections.abc import Awaitable, Callable, Mapping

__all__ = ["TRY_COUNT", "Pace", "back_off_s", "retry_after_s"]

TRY_COUNT = 4
"""Requests sent at most for one answer."""
_FIRST_DELAY_S = 0.5
_LONGEST_DELAY_S = 8.0
_CHANCE_RATIO = 0.25
_MINUTE_S = 60.0


def back_off_s(failure_count: int, chance: float) -> float:
    """Delay after the ``failure_count``-th failure (1, 2, …); ``chance`` in 0..1 shortens it by up to a quarter."""
    return min(_FIRST_DELAY_S * 2 ** (failure_count - 1), _LONGEST_DELAY_S) * (1 - _CHANCE_RATIO * chance)


def retry_after_s(headers: Mapping[str, str], now_s: float) -> float | None:
    """The delay that an endpoint asks for: ``retry-after-ms``, or ``Retry-After`` as seconds or a date (RFC 9110, 10.2.3).

    ``headers`` has lower-case names, ``now_s`` is Unix time. None where it asks for none.
    """
    for name, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        delay_s = _number(headers.get(name), divisor)
        if delay_s is not None:
            return delay_s
    try:
        moment = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
        return max(moment.timestamp() - now_s, 0.0)
    except (ValueError, TypeError, OverflowError):
        return None


class Pace:
    """Spaces the requests to one endpoint evenly."""

    def __init__(
        self,
        per_minute: float | None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._gap_s = 0.0 if per_minute is None else _MINUTE_S / per_minute
        self._clock = clock
        self._sleep = sleep
        self._next_s = 0.0

    async def turn(self) -> None:
        """Returns when the next request may be sent."""
        now_s = self._clock()
        start_s = max(now_s, self._next_s)
        self._next_s = start_s + self._gap_s
        if start_s > now_s:
            await self._sleep(start_s - now_s)


def _number(text: str | None, divisor: float) -> float | None:
    try:
        value = float(text or "") / divisor
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None
