"""The last answer of a command on a source, from which its view is built."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from assistant.model import events
from assistant.record import Record

__all__ = ["Analysis"]

_E = TypeVar("_E")


class Analysis(Record):
    """The last answer of a command on a source."""

    text: str
    """The text that was looked at."""
    events: tuple[events.Event, ...]

    def all(self, kind: type[_E]) -> Iterator[_E]:
        """Its events of that kind, in order."""
        return (event for event in self.events if isinstance(event, kind))
