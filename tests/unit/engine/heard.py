"""A listener that keeps what it is told."""

from __future__ import annotations

from assistant.model import events


class Heard:
    def __init__(self) -> None:
        self.events: list[events.Event] = []

    def emit(self, event: events.Event) -> None:
        self.events.append(event)

    async def delivered(self) -> None:
        pass

    def taken(self) -> tuple[events.Event, ...]:
        """What was told since the last call."""
        taken, self.events = tuple(self.events), []
        return taken
