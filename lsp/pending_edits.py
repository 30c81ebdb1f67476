"""Edits that the editor was asked for and that have not arrived yet: one at a time per document, as each is based on the text before it.

Editors that accept edits without versions would apply both, one on top of the other. Example::

    pending.begin(uri, Edit(key, before, after, is_versioned=True))  # raises UsageError while another one is pending
    pending.seen(uri, {key: text})                                   # the text has come back
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from assistant.errors import UsageError
from assistant.record import Record

__all__ = ["Edit", "PendingEdits"]

_AWAITED_S = 5.0
"""How long an edit may take to come back: some editors never report that they did not make it, and the next edit waits."""


class Edit(Record):
    """The text ``before`` of a source becomes ``after``."""

    key: str
    before: str
    after: str
    is_versioned: bool
    """The editor refuses it once the document has changed: any other text than ``before`` ends it."""

    def is_over(self, text: str | None) -> bool:
        """Whether it was made, or never will be; ``text`` is the source's now, None where it is gone."""
        return text in (self.after, None) or (self.is_versioned and text != self.before)


class _TimedEdit(Record):
    edit: Edit
    at_s: float


class PendingEdits:
    """The edits that one client was asked for."""

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._clock_s = clock_s
        self._asked: dict[str, _TimedEdit] = {}

    def check(self, uri: str) -> None:
        """Raises UsageError while an edit of the document is under way."""
        asked = self._asked.get(uri)
        if asked is not None and self._clock_s() < asked.at_s + _AWAITED_S:
            raise UsageError("the editor is still making the previous edit", "try again when the text has changed")

    def begin(self, uri: str, edit: Edit) -> None:
        """The editor is asked for ``edit``. Raises UsageError as ``check`` does."""
        self.check(uri)
        self._asked[uri] = _TimedEdit(edit, self._clock_s())

    def seen(self, uri: str, texts: Mapping[str, str]) -> None:
        """What the document's texts are now, by key."""
        asked = self._asked.get(uri)
        if asked is not None and asked.edit.is_over(texts.get(asked.edit.key)):
            del self._asked[uri]

    def refused(self, uri: str) -> None:
        """The editor did not make it."""
        self._asked.pop(uri, None)
