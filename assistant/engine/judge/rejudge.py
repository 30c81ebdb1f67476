"""Judge a text that nobody has judged as it will stand: a partial accept, or an edit rebased on a file that moved."""

from __future__ import annotations

from assistant.engine.job import Job
from assistant.engine.judge.compared import Compared
from assistant.engine.judge.comparing import compare
from assistant.engine.source_version import SourceVersion, candidate_of, with_text

__all__ = ["rejudge"]


async def rejudge(job: Job, version: SourceVersion, before: str, after: str) -> Compared:
    """A confirming comparison of the user's text with one that holds edits of a candidate."""
    original = with_text(version, before)
    return await compare(job, original, candidate_of(original, after), is_strict=False)
