"""Judge a text that nobody has judged as it will stand: a partial accept, or an edit rebased on a file that moved."""

from __future__ import annotations

from collections.abc import AsyncIterator

from assistant.engine.comparing import compare
from assistant.engine.job import Job
from assistant.engine.subject import Subject, as_candidate, with_text
from assistant.model import events

__all__ = ["rejudge"]


async def rejudge(job: Job, subject: Subject, before: str, after: str) -> AsyncIterator[events.Event]:
    """A confirming comparison of the user's text with one that holds edits of a candidate."""
    async for event in compare(job, with_text(subject, before), as_candidate(with_text(subject, after)), is_strict=False):
        yield event
