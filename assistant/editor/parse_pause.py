"""When a source that is typed in is parsed: once keystrokes pause, and so that at most half of the time goes into parsing.

Example::

    pause.typed("file:///a.cu", last_parse_s)    # the source is parsed 40 ms later, or after a parse as long as the last one
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

__all__ = ["ParsePause"]

_PAUSE_S = 0.04
"""Keystrokes closer than this are parsed once."""


class ParsePause:
    """The sources that wait for their parse."""

    def __init__(self, parse: Callable[[str], None]) -> None:
        """``parse``: parses the source of that key."""
        self._parse = parse
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def typed(self, key: str, parse_s: float) -> None:
        """A source changed; ``parse_s``: how long its last parse took."""
        self.drop(key)
        self._timers[key] = asyncio.get_running_loop().call_later(max(_PAUSE_S, parse_s), self._end, key)

    def drop(self, key: str) -> None:
        """The source needs no parse any more."""
        timer = self._timers.pop(key, None)
        if timer is not None:
            timer.cancel()

    def _end(self, key: str) -> None:
        del self._timers[key]
        self._parse(key)
