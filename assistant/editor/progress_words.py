"""What a running job says of itself in one short line: what it does now, not what it has done.

Example::

    progress = JobProgress()
    progress.said(PlanMade(…))                 # "2 edits to try"
    progress.said(StageStarted("J1", "candidate", "k(float *): tries staged-store"))     # "trying staged store, 1 of 2"
"""

from __future__ import annotations

from assistant.engine.report import technique_in_words
from assistant.model.events import CandidateTried, Event, PlanMade, StageStarted
from assistant.model.trial import OUTCOME_WORDS, TrialOutcome
from assistant.profile.quantity import counted_noun

__all__ = ["JobProgress"]

_STARTED = {"build": "compiling for {detail}", "confirm": "confirming on fresh values"}
"""By stage; the others say their detail."""


class JobProgress:
    """Of one job; knows how many edits there are to try."""

    def __init__(self) -> None:
        self.latest: str | None = None
        """What was said last: of a job whose progress is shown from now on."""
        self._planned_count = 0
        self._begun_count = 0
        self._ended_count = 0

    def said(self, event: Event) -> str | None:
        """None: nothing new."""
        said = self._said(event)
        self.latest = said or self.latest
        return said

    def _said(self, event: Event) -> str | None:
        match event:
            case PlanMade(steps=steps):
                self._planned_count += len(steps)
                return f"{counted_noun(len(steps), 'edit')} to try" if steps else None
            case StageStarted(stage="candidate", detail=detail):
                self._begun_count += 1
                technique = detail.rpartition(": ")[2].partition(" ")[2]
                return f"trying {technique_in_words(technique)}{self._of(self._begun_count)}"
            case StageStarted(stage=stage, detail=detail):
                return _STARTED.get(stage, detail or stage).format(detail=detail)
            case CandidateTried(outcome=TrialOutcome.NOT_TRIED):
                return None  # it is said where the search has ended
            case CandidateTried(technique=technique, outcome=outcome):
                self._ended_count += 1
                return f"{technique_in_words(technique)}: {OUTCOME_WORDS.get(outcome, outcome.value)}{self._of(self._ended_count)}"
            case _:
                return None

    def _of(self, number: int) -> str:
        """``, 2 of 5``; nothing where a plan has not said how many."""
        return f", {number} of {self._planned_count}" if number <= self._planned_count else ""
