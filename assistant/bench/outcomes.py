"""How a search's end becomes a row's outcome. Pure.

Example::

    with_verdict(row, heard, judged).outcome     # RowOutcome.FASTER
"""

from __future__ import annotations

from dataclasses import replace

from assistant.bench.heard import Heard
from assistant.bench.row import Row, RowOutcome
from assistant.engine.search import NO_EDIT_FOUND
from assistant.model import events
from assistant.model.comparison import SpeedOutcome
from assistant.model.event_parts import SpeedReport
from assistant.model.verification import Outcome, verdict_in_words
from assistant.profile.quantity import counted_noun

__all__ = ["with_nothing", "with_verdict", "wrong_as_a_whole"]


def with_nothing(row: Row, heard: Heard, reason: str) -> Row:
    """No edit was kept; ``reason`` is how the search ended."""
    if heard.waiting:
        said = f"{counted_noun(len(heard.waiting), 'proposal waits', 'proposals wait')} for a person's decision"
        return replace(row, outcome=RowOutcome.WAITS, reason=said, waiting=heard.waiting, is_cut_off=heard.is_cut_off)
    return replace(row, outcome=RowOutcome.NOTHING, reason=reason.removeprefix(NO_EDIT_FOUND), is_cut_off=heard.is_cut_off)


def wrong_as_a_whole(judged: events.ComparisonMade) -> str | None:
    """Why the verdict on all kept edits together counts for nothing; None where it counts."""
    if judged.verification.outcome is Outcome.FAIL:
        first = next(finding for finding in judged.verification.findings if finding.outcome is Outcome.FAIL)
        return f"what was kept is not right as a whole: {first.message}"
    return "no speed of the whole program could be judged" if judged.speed is None else None


def with_verdict(row: Row, heard: Heard, judged: events.ComparisonMade) -> Row:
    """The row of one kept edit, or of several that were judged together."""
    verification, speed = judged.verification, judged.speed
    kept = counted_noun(len(heard.taken), "edit")
    assert speed is not None, "a verdict without a speed is a failure"
    return replace(
        row,
        outcome=RowOutcome.FASTER if _is_faster(speed) else RowOutcome.NOT_FASTER,
        reason=f"{kept} kept" if len(heard.taken) == 1 else f"{kept} kept, judged together",
        verification=verdict_in_words(verification.outcome, verification.caveats),
        speed=speed.outcome,
        ratio=speed.ratio,
        low=speed.low,
        high=speed.high,
        labels=verification.labels,
        chain=heard.chain,
        waiting=heard.waiting,
        is_cut_off=heard.is_cut_off,
    )


def _is_faster(speed: SpeedReport) -> bool:
    if speed.outcome is SpeedOutcome.PREDICTED:
        return speed.ratio > 1 and (speed.low is None or speed.low > 1)
    return speed.outcome is SpeedOutcome.FASTER
