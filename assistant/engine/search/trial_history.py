"""What was tried on one kernel in one job: nothing is judged twice, and planners are told what came of it.

Example::

    book = TrialHistory(earlier, kernel_key="k(float *)", limit=24)
    book.known(before, after)        # the Trial of this very edit, if there was one
    book.same_code(after)            # "C01…": a candidate that says the same in other words
"""

from __future__ import annotations

from assistant.cuda.same_code import code_hash
from assistant.engine.search.resume import Earlier
from assistant.engine.search.setbacks import attempted_before, tried_before
from assistant.engine.search.trial import Trial
from assistant.model.plan import Decline, Plan, TriedBefore
from assistant.ports.planner import PlanRequest

__all__ = ["TrialHistory"]


class TrialHistory:
    """The candidates of one kernel."""

    def __init__(self, earlier: Earlier, kernel_key: str, limit: int) -> None:
        """``limit``: candidates judged at most."""
        self._limit = limit
        self._count = 0
        self._trials: dict[tuple[str, str], Trial] = {}
        self._codes: dict[str, str] = {}
        self._declined: set[tuple[str, str]] = set()
        self._told = [attempted_before(attempt) for attempt in earlier.attempts if attempt.kernel == kernel_key]

    @property
    def is_full(self) -> bool:
        return self._count >= self._limit

    @property
    def told(self) -> tuple[TriedBefore, ...]:
        """Oldest first."""
        return tuple(self._told)

    def begin_again(self) -> None:
        """The search starts over from the same text: other orders of the same edits may be tried."""
        self._codes.clear()

    def known(self, before: str, after: str) -> Trial | None:
        """A search that begins again after a rejection tries nothing twice."""
        return self._trials.get((before, after))

    def same_code(self, after: str) -> str | None:
        """Id of the candidate that is the same but for comments and spacing."""
        return self._codes.get(code_hash(after))

    def starts_from(self, text: str, name: str) -> None:
        """The same code as ``text`` is no new candidate."""
        self._codes.setdefault(code_hash(text), name)

    def note(self, before: str, trial: Trial) -> None:
        """Keep how a candidate fared."""
        tried = trial.tried
        self._count += 1
        self.keep(before, trial)
        self._told.append(tried_before(tried))

    def keep(self, before: str, trial: Trial) -> None:
        """Keep how a candidate fared that planners were told of already."""
        self._trials[before, trial.tried.text] = trial
        self._codes.setdefault(code_hash(trial.tried.text), trial.tried.id)

    def note_unjudged(self, told: TriedBefore) -> None:
        """Keep what came to no trial."""
        self._told.append(told)

    def new_declines(self, plan: Plan, request: PlanRequest) -> tuple[Decline, ...]:
        """Those that no earlier round gave: an edit changes their lines, not their reasons. Settled steps are not worth a word."""
        fresh = tuple(
            decline
            for decline in plan.declines
            if (decline.technique, decline.line) not in request.excluded and (decline.technique, decline.reason) not in self._declined
        )
        self._declined.update((decline.technique, decline.reason) for decline in fresh)
        return fresh
