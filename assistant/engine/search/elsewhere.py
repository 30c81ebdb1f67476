"""What other programs say of a confirmed edit, where it is to be judged in every program that has its file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from assistant.engine.job import Job
from assistant.engine.source_version import SourceVersion
from assistant.model.verification import VerificationFinding
from assistant.record import Record

__all__ = ["JudgeElsewhere", "NotOffered"]


class NotOffered(Record):
    """What speaks against the edit in another program."""

    reason: str


JudgeElsewhere = Callable[[Job, SourceVersion, SourceVersion], Awaitable[tuple[VerificationFinding, ...] | NotOffered]]
"""(job, the user's version, the edited one) → what a person has to decide on in other programs; () where there is nothing."""
