"""Judge a text that nobody has judged as it will stand: a partial accept, or an edit rebased on a file that moved."""

from __future__ import annotations

from collections.abc import AsyncIterator

from assistant.engine import stages
from assistant.engine.job import Job
from assistant.engine.subject import Subject, with_text
from assistant.model import events

__all__ = ["rejudge"]


async def rejudge(job: Job, subject: Subject, before: str, after: str) -> AsyncIterator[events.Event]:
    """A confirming comparison of two texts of the subject's file."""
    async for event in stages.compare(job, with_text(subject, before), with_text(subject, after), is_strict=False):
        yield event
