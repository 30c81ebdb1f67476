"""Delayed reading: a Python document that is slow to read is read in pauses of typing, not at every keystroke.

Requests are still answered on the current text: `catch_up` is called before each. Example::

    late.put_off(uri, read)      # at a keystroke; again at the next
    late.catch_up()              # before a request: calls read, if it has not been called since
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

__all__ = ["LateReads"]

_QUICK_S = 0.01
"""What is read faster is read at once."""
_PAUSE_S = 0.04
"""Keystrokes closer than this are read once, as the session parses them once."""


class LateReads:
    """Documents of a client that were changed and not read since."""

    def __init__(self) -> None:
        self._late: dict[str, tuple[Callable[[], None], asyncio.TimerHandle]] = {}
        self._took_s: dict[str, float] = {}
        self._unpublished: set[str] = set()

    def read(self, uri: str, read: Callable[[], None]) -> None:
        """Read now, instead of later."""
        self._drop(uri)
        read()

    def put_off(self, uri: str, read: Callable[[], None]) -> None:
        """Read when no further change comes for a while, so that at most half of the time goes into reading; a short one at once."""
        took_s = self._took_s.get(uri, 0.0)
        if took_s < _QUICK_S:
            self.read(uri, read)
            return
        self._drop(uri)
        timer = asyncio.get_running_loop().call_later(max(_PAUSE_S, took_s), self.read, uri, read)
        self._late[uri] = (read, timer)

    def took(self, uri: str, took_s: float) -> None:
        """CPU time of the last reading: a busy machine does not make a document long."""
        self._took_s[uri] = took_s

    def is_late(self, uri: str) -> bool:
        """Whether the document still has to be read."""
        return uri in self._late

    def publish_when_read(self, uri: str) -> None:
        """The document's diagnostics changed: they are to be published once it is read."""
        self._unpublished.add(uri)

    def take_unpublished(self, uri: str) -> bool:
        """Whether its diagnostics were to be published; from now on they are not."""
        is_unpublished = uri in self._unpublished
        self._unpublished.discard(uri)
        return is_unpublished

    def catch_up(self) -> None:
        """Read everything that was put off."""
        for uri, (read, _) in tuple(self._late.items()):
            self.read(uri, read)

    def forget(self, uri: str) -> None:
        """The document was closed."""
        self._drop(uri)
        self._took_s.pop(uri, None)
        self._unpublished.discard(uri)

    def _drop(self, uri: str) -> None:
        found = self._late.pop(uri, None)
        if found is not None:
            found[1].cancel()
