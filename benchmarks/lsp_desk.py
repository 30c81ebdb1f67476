"""Typing without an editor: the desk in this process, no protocol."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from assistant.config import Settings, TrustStore
from assistant.desk.desk import Desk
from assistant.desk.guard import Guard
from assistant.desk.jobs import JobHost
from assistant.desk.lanes import Lane, Work
from assistant.desk.parts import DeskParts
from assistant.desk.staging import Trigger
from assistant.errors import KernelOptError
from assistant.memory.store import open_store
from assistant.model.events import Event
from assistant.model.proposal import AlreadyDecided, Decision

__all__ = ["typing_in_process"]


async def typing_in_process(text: str, edits: int) -> list[float]:
    """Seconds from each changed text to its view, keystroke by keystroke in the middle of ``text``."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = open_store(folder / "memory.sqlite")
        guard = Guard(TrustStore(folder / "trust.json"), _nobody, is_trusted=False)
        lanes = Lane(JobHost("bench")), Lane(JobHost("bench"))
        desk = Desk(store, DeskParts(*lanes, guard, _Deaf(), lambda _: Settings(), "bench"))
        try:
            return [_typed(desk, folder / "large.cu", text, index) for index in range(edits + 1)][1:]
        finally:
            await desk.close()
            store.close()


def _typed(desk: Desk, path: Path, text: str, index: int) -> float:
    middle = text.index("\n", len(text) // 2)
    typed = f"{text[:middle]}  // {'x' * index}{text[middle:]}"
    begun = time.perf_counter()
    desk.put("large", path, typed, Trigger.TYPED)
    view = desk.view("large")
    seconds = time.perf_counter() - begun
    assert view.notes, "the file has something to find"
    return seconds


async def _nobody(_: object) -> None:
    return None


class _Deaf:
    """Implements ``DeskListener``."""

    def shown(self, key: str) -> None: ...

    def decided(self, key: str, decision: Decision) -> None: ...

    def lost(self, key: str, outcome: AlreadyDecided) -> None: ...

    def job_started(self, work: Work) -> None: ...

    def job_told(self, work: Work, event: Event) -> None: ...

    def job_waits(self, work: Work, reason: str) -> None: ...

    def job_ended(self, work: Work, refusal: KernelOptError | None, is_cancelled: bool) -> None: ...
