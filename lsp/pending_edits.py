"""Edits that the editor was asked for and has not shown yet: one at a time in a document, as the next is made for the text that it leaves.

Editors that take edits without versions would make both, one upon the other. Example::

    pending.begin(uri, Edit(key, before, after, is_versioned=True))  # raises UsageError while another one is under way
    pending.seen(uri, {key: text})                                   # the text has come back
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from assistant.errors import UsageError
from assistant.record import Record

__all__ = ["Edit", "PendingEdits"]

_AWAITED_S = 5.0
"""How long an edit may take to come back: some editors never say that they did not make it, and a person waits for the next one."""


class Edit(Record):
    """The text ``before`` of one source becomes ``after``."""

    key: str
    before: str
    after: str
    is_versioned: bool
    """The editor refuses it once the document has changed: any other text than ``before`` ends it."""

    def is_over(self, text: str | None) -> bool:
        """Whether it was made, or never will be; ``text`` is the source's now, None where it is gone."""
        return text in (self.after, None) or (self.is_versioned and text != self.before)


class _Asked(Record):
    edit: Edit
    at_s: float


class PendingEdits:
    """Of one client."""

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._clock_s = clock_s
        self._asked: dict[str, _Asked] = {}

    def check(self, uri: str) -> None:
        """Raises UsageError while an edit of the document is under way."""
        asked = self._asked.get(uri)
        if asked is not None and self._clock_s() < asked.at_s + _AWAITED_S:
            raise UsageError("the editor is still making the edit before this one", "try again when the text has changed")

    def begin(self, uri: str, edit: Edit) -> None:
        """The editor is asked for ``edit``. Raises UsageError as ``check`` does."""
        self.check(uri)
        self._asked[uri] = _Asked(edit, self._clock_s())

    def seen(self, uri: str, texts: Mapping[str, str]) -> None:
        """What the document's texts are now, by key."""
        asked = self._asked.get(uri)
        if asked is not None and asked.edit.is_over(texts.get(asked.edit.key)):
            del self._asked[uri]

    def refused(self, uri: str) -> None:
        """The editor did not make it."""
        self._asked.pop(uri, None)
