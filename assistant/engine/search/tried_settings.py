"""Settings of an edit's numbers that an interrupted search had judged: a search that goes on with it does not judge them again.

Each is handed out once, in the order in which they were judged, as a setting may have been timed twice. Example::

    tried = TriedSettings(earlier.log)
    tried.next(step.kernel, node.key, after.key, "timed")     # SettingTried(…)
    tried.next(step.kernel, node.key, after.key, "timed")     # None: it was judged once
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from hashlib import sha256

from assistant.model import events

__all__ = ["TriedSettings", "key_sha256"]


def key_sha256(key: str) -> str:
    """What stands for ``SearchNode.key`` in an event."""
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


class TriedSettings:
    """What became of settings, as a log of events has it."""

    def __init__(self, log: Iterable[events.Event] = ()) -> None:
        found = [event for event in log if isinstance(event, events.SettingTried)]
        self._candidates = frozenset(event.candidate for event in found)
        self._waiting: dict[tuple[str, str, str, str], deque[events.SettingTried]] = {}
        for event in found:
            place = (event.kernel, event.before_sha256, event.after_sha256, event.method)
            self._waiting.setdefault(place, deque()).append(event)

    def has_next(self, kernel: str, before: str, after: str, method: str) -> bool:
        """Whether `next` would find one."""
        return bool(self._waiting.get((kernel, key_sha256(before), key_sha256(after), method)))

    def next(self, kernel: str, before: str, after: str, method: str) -> events.SettingTried | None:
        """How the candidate with the key ``after``, made of the version with the key ``before``, fared; None where nothing is left."""
        waiting = self._waiting.get((kernel, key_sha256(before), key_sha256(after), method))
        return waiting.popleft() if waiting else None

    def was_reported(self, candidate: str) -> bool:
        """Whether the log has the candidate of that id."""
        return candidate in self._candidates
