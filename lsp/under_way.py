"""Edits that the editor was asked for and has not shown yet: one at a time in a document, as the next is made for the text that it leaves.

Editors that take edits without versions would make both, one upon the other. Example::

    under_way.begin(uri, key, after)      # raises UsageError while another one is under way
    under_way.seen(uri, {key: text})      # the text has come back
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from assistant.errors import UsageError

__all__ = ["UnderWay"]

_AWAITED_S = 5.0
"""How long an edit may take to come back: some editors never say that they did not make it, and a person waits for the next one."""


@dataclass(frozen=True)
class _Edit:
    key: str
    after: str
    asked_s: float


class UnderWay:
    """Of one client."""

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._clock_s = clock_s
        self._edits: dict[str, _Edit] = {}

    def check(self, uri: str) -> None:
        """Raises UsageError while an edit of the document is under way."""
        edit = self._edits.get(uri)
        if edit is not None and self._clock_s() < edit.asked_s + _AWAITED_S:
            raise UsageError("the editor is still making the edit before this one", "try again when the text has changed")

    def begin(self, uri: str, key: str, after: str) -> None:
        """The editor is asked to make ``after`` of the text ``key``. Raises UsageError as ``check`` does."""
        self.check(uri)
        self._edits[uri] = _Edit(key, after, self._clock_s())

    def seen(self, uri: str, texts: Mapping[str, str]) -> None:
        """What the document's texts are now, by key."""
        edit = self._edits.get(uri)
        if edit is not None and texts.get(edit.key) in (edit.after, None):
            del self._edits[uri]

    def refused(self, uri: str) -> None:
        """The editor did not make it."""
        self._edits.pop(uri, None)
