"""What a front end has a job host do: one question of the session, as a value that crosses a process boundary.

Example::

    task = Task(Verb.CHECK, JobRequest(path, path.parent, texts=((path, unsaved),)))
    async for event in run_task(session, task): ...
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from enum import StrEnum

from assistant.engine.request import Accept, JobRequest, OptimizeOptions
from assistant.engine.session import Session
from assistant.engine.subject import read_source
from assistant.model.events import Event

__all__ = ["Task", "Verb", "run_task"]


class Verb(StrEnum):
    """The questions; most are the command of the same name."""

    INSPECT = "inspect"
    CHECK = "check"
    PROFILE = "profile"
    OPTIMIZE = "optimize"
    JUDGE = "judge"
    """Two texts of one file: ``before`` against the request's own text."""
    REBASE = "rebase"
    """A proposal's change on the request's own text."""


@dataclass(frozen=True)
class Task:
    """One question."""

    verb: Verb
    request: JobRequest
    options: OptimizeOptions = field(default_factory=OptimizeOptions)
    """Of ``optimize``; its proposals stay open."""
    before: str | None = None
    """Of ``judge``: A's text."""
    proposal: str | None = None
    """Of ``rebase``: its id."""

    @property
    def text(self) -> str:
        """The file's text as the front end has it."""
        given = self.request.text_of(self.request.file)
        return read_source(self.request.file).text if given is None else given

    @property
    def runs_program(self) -> bool:
        """Whether it runs the user's code, which needs trust and consent."""
        return self.verb is not Verb.INSPECT


def run_task(session: Session, task: Task) -> AsyncIterator[Event]:
    """The events of one job."""
    match task.verb:
        case Verb.INSPECT:
            return session.inspect(task.request)
        case Verb.CHECK:
            return session.check(task.request)
        case Verb.PROFILE:
            return session.profile(task.request)
        case Verb.OPTIMIZE:
            return session.optimize(task.request, task.options, Accept.NONE, None)
        case Verb.JUDGE:
            assert task.before is not None, "judge needs a text to judge against"
            return session.judge(task.request.file, task.before, task.text)
        case Verb.REBASE:
            assert task.proposal is not None, "rebase needs a proposal"
            return session.rebase(task.proposal, task.text)
