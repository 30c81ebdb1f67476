"""What an editor session works with, and what it reports to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from assistant.config import Settings
from assistant.editor.guard import Guard
from assistant.editor.lanes import Lane, Work
from assistant.editor.models import ModelConsents
from assistant.editor.open_programs import AskProgram
from assistant.editor.staging import QUEUED_SOURCES
from assistant.errors import KernelOptError
from assistant.model.events import Event
from assistant.model.proposal import AlreadyDecided, Decision
from assistant.model.workload import CaseKey
from assistant.record import Record

__all__ = ["ON_EVERYTHING", "EditorListener", "EditorParts", "JudgedOn"]


class EditorListener(Protocol):
    """Gets reports of changes; called on the event loop, must not block."""

    def shown(self, key: str) -> None:
        """The view of this source changed."""
        ...

    def decided(self, key: str, decision: Decision) -> None: ...

    def lost(self, key: str, outcome: AlreadyDecided) -> None:
        """What the text shows was not saved: it was already decided elsewhere."""
        ...

    def job_started(self, work: Work) -> None: ...

    def job_reported(self, work: Work, event: Event) -> None: ...

    def job_waits(self, work: Work, reason: str) -> None:
        """Background work gives way to another program of the user."""
        ...

    def job_ended(self, work: Work, refusal: KernelOptError | None, is_cancelled: bool) -> None: ...


class EditorParts(Record):
    """What an editor session works with."""

    quick: Lane
    """Compiles."""
    heavy: Lane
    """Runs programs and searches."""
    guard: Guard
    listener: EditorListener
    settings_of: Callable[[Path], Settings]
    who: str
    """Front end and process."""
    models: ModelConsents | None = None
    """None: no job asks a model."""
    ask_program: AskProgram | None = None
    """None: there is no person to ask."""
    most_sources: int = QUEUED_SOURCES
    """Sources of which background work is queued at a time."""


class JudgedOn(Record):
    """What an edit is judged on."""

    kernel: str | None = None
    """None: every kernel that it changes."""
    seeds: tuple[int, ...] = ()
    """Seeds of the verification that ``cases`` come from; empty: fresh ones."""
    cases: tuple[CaseKey, ...] = ()
    """Empty: all."""
    region: str | None = None
    """As ``JobRequest.region``; None: as for every job on the source."""


ON_EVERYTHING = JudgedOn()
"""Every kernel that is changed, fresh draws, all cases."""
