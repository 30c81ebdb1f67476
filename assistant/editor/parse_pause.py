"""When a source that is typed in is parsed: once keystrokes pause, and so that at most half of the time goes into parsing.

Example::

    pause.typed("file:///a.cu")    # the source is parsed 10 ms later, but never sooner after its last parse than that took
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

__all__ = ["ParsePause"]

_PAUSE_S = 0.01
"""Keystrokes closer than this are parsed once."""


class ParsePause:
    """The sources that wait for their parse."""

    def __init__(self, parse: Callable[[str], None]) -> None:
        """``parse``: parses the source of that key."""
        self._parse = parse
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._rested_s: dict[str, float] = {}
        """When as much time has passed since the last parse as that took, by the loop's clock."""

    def typed(self, key: str) -> None:
        """A source changed."""
        self.drop(key)
        loop = asyncio.get_running_loop()
        self._timers[key] = loop.call_at(max(loop.time() + _PAUSE_S, self._rested_s.get(key, 0.0)), self._end, key)

    def closed(self, key: str) -> None:
        self.drop(key)
        self._rested_s.pop(key, None)

    def drop(self, key: str) -> None:
        """The source needs no parse any more."""
        timer = self._timers.pop(key, None)
        if timer is not None:
            timer.cancel()

    def _end(self, key: str) -> None:
        del self._timers[key]
        clock = asyncio.get_running_loop().time
        begin_s = clock()
        self._parse(key)
        end_s = clock()
        self._rested_s[key] = end_s + (end_s - begin_s)
