"""What B leaves out of what A does: the carry of a 64-bit sum, work that A's host asks for each time. Both read off the sources.

Example::

    omitted_work(before.work, after.work)
    # DetectedLabel(Label.ASSUMPTION, "launches build only where `last != key` marks its result as out of date: …", 7)
"""

from __future__ import annotations

from collections.abc import Iterable

from assistant.model.host_work import HostWork
from assistant.model.verification import Label
from assistant.model.word_arithmetic import WordArithmetic
from assistant.verify.evidence import DetectedLabel

__all__ = ["lost_carry", "omitted_work"]

_SHOWN_CHARACTERS = 80
_READS = {"launches": "the kernel reads", "captures": "the kernel reads, its arguments included", "copies to": "is copied"}


def lost_carry(before: Iterable[WordArithmetic], after: Iterable[WordArithmetic]) -> DetectedLabel | None:
    """B computes with the low half of what A computes with as a whole; not where A takes the half, too."""
    known = {(one.word, one.operator, one.is_of_low_half) for one in before}
    for one in after:
        of_same = {is_low for word, operator, is_low in known if (word, operator) == (one.word, one.operator)}
        if one.is_of_low_half and of_same == {False}:
            message = (
                f"computes `{_short(one.code)}` in 32 bits, the original in 64: right only while nothing is carried into the high half"
            )
            return DetectedLabel(Label.ASSUMPTION, message, one.line)
    return None


def omitted_work(before: Iterable[HostWork], after: Iterable[HostWork]) -> DetectedLabel | None:
    """B does only under a condition that it makes false itself what A does without one everywhere."""
    original = tuple(before)
    known = {work.key for work in original} - {work.key for work in original if work.guard is not None}
    for work in after:
        if work.guard is not None and work.key in known:
            covered = _READS.get(work.verb, "writes there")
            message = (
                f"{work.verb} {work.name} only where `{_short(work.guard)}` marks its result as out of date: right only if that"
                f" condition covers everything that {covered}"
            )
            return DetectedLabel(Label.ASSUMPTION, message, work.line)
    return None


def _short(code: str) -> str:
    return code if len(code) <= _SHOWN_CHARACTERS else f"{code[:_SHOWN_CHARACTERS]}…"
