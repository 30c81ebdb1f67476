"""Typing without an editor: the editor session in this process, no protocol."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from assistant.config import Settings, TrustStore
from assistant.editor.guard import Guard
from assistant.editor.jobs import JobHost
from assistant.editor.lanes import Lane, Work
from assistant.editor.parts import EditorParts
from assistant.editor.session import EditorSession
from assistant.editor.staging import Trigger
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
        editor = EditorSession(store, EditorParts(*lanes, guard, _Deaf(), lambda _: Settings(), "bench"))
        try:
            return [_typed(editor, folder / "large.cu", text, index) for index in range(edits + 1)][1:]
        finally:
            await editor.close()
            store.close()


def _typed(editor: EditorSession, path: Path, text: str, index: int) -> float:
    middle = text.index("\n", len(text) // 2)
    typed = f"{text[:middle]}  // {'x' * index}{text[middle:]}"
    begun = time.perf_counter()
    editor.put("large", path, typed, Trigger.TYPED)
    view = editor.view("large")
    seconds = time.perf_counter() - begun
    assert view.notes, "the file has something to find"
    return seconds


async def _nobody(_: object) -> None:
    return None


class _Deaf:
    """Implements ``EditorListener``."""

    def shown(self, key: str) -> None: ...

    def decided(self, key: str, decision: Decision) -> None: ...

    def lost(self, key: str, outcome: AlreadyDecided) -> None: ...

    def job_started(self, work: Work) -> None: ...

    def job_told(self, work: Work, event: Event) -> None: ...

    def job_waits(self, work: Work, reason: str) -> None: ...

    def job_ended(self, work: Work, refusal: KernelOptError | None, is_cancelled: bool) -> None: ...
