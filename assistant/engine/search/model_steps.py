"""The steps of a model: written as many at once as calls may be in flight, each answer judged as it comes, each setback sent back.

A question costs money, so that a place among the candidates is taken before it is asked: what could not be tried is not paid for.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assistant.engine.search.ahead import BuiltAhead
from assistant.engine.search.context import RoundCandidates
from assistant.engine.search.setbacks import setback_of, setback_of_attempt
from assistant.engine.search.together import gathered
from assistant.model.attempt import Attempt
from assistant.model.plan import Rewrite, Setback, SetbackKind, Step, UnwrittenStep
from assistant.model.trial import TrialOutcome
from assistant.ports.planner import PlanRequest
from assistant.record import Record

if TYPE_CHECKING:
    from assistant.engine.search.trials import Trial

__all__ = ["ModelSteps"]


class ModelSteps(Record):
    """Tries the steps of a round that a language model writes."""

    trials: RoundCandidates
    request: PlanRequest

    async def carry_out(self, steps: Sequence[Step], ahead: BuiltAhead) -> None:
        """All of them at once, as far as the search's limits allow."""
        async with gathered() as works:
            for step in steps:
                works.begin(self._carry_out(step, ahead))

    async def _carry_out(self, step: Step, ahead: BuiltAhead) -> None:
        """Each rewrite of the step, tried while the next is written."""
        name, history = step.title or step.technique, self.trials.services.history
        if self.trials.is_refused(step):
            return
        rewrites = aiter(self.trials.services.planner.rewrites(self.request, step))
        async with gathered() as works:
            while True:
                if not await self._may_ask(step, name):
                    return
                written: Rewrite | UnwrittenStep | None = None
                try:
                    written = await anext(rewrites, None)
                finally:
                    if not isinstance(written, Rewrite):
                        history.give_back()
                match written:
                    case None:
                        return
                    case UnwrittenStep(reason=reason):
                        self.trials.report_unjudged(step, name, TrialOutcome.UNWRITTEN, reason)
                    case rewrite:
                        works.begin(self._try_and_repair(step, self.trials.labelled(rewrite), ahead))

    async def _may_ask(self, step: Step, name: str, what: str = "it") -> bool:
        """Whether one more rewrite may be asked for; then a place is held for it. Reports why not."""
        accounts = self.trials.services.accounts
        has_place = await self.trials.services.history.place()
        if has_place and not accounts.is_out_of_time and accounts.why_no_code is None:
            return True
        if has_place:
            self.trials.services.history.give_back()
        if not has_place or accounts.is_out_of_time:
            self.trials.report_untried(step, name, what)
        else:
            self.trials.report_unjudged(step, name, TrialOutcome.UNWRITTEN, f"no model was asked for it: {accounts.why_no_code}")
        return False

    async def _try_and_repair(self, step: Step, rewrite: Rewrite, ahead: BuiltAhead) -> None:
        """Try a rewrite, for which a place is held, and what its writer makes of its setbacks."""
        repairs = self.trials.context.shape.repairs
        for repair in range(1 + repairs):
            try:
                if self._is_built_ahead and not self.trials.services.trials.is_idle:
                    ahead.begin((rewrite,), self.trials.services.host_code.is_given)
                trial = await self.trials.tried(step, rewrite)
            finally:
                self.trials.services.history.give_back()
            setback = None if repair == repairs else await self._setback(step, rewrite, trial)
            if setback is None or not await self._may_ask(step, rewrite.summary, "a repair of it"):
                return
            if setback.kind is SetbackKind.ONLY_HERE and trial is not None and not isinstance(trial, Attempt):
                self.trials.services.history.note_sent_back(trial.key)
            better = await self._improved(step, rewrite, setback)
            if better is None:
                return
            rewrite = better

    async def _improved(self, step: Step, rewrite: Rewrite, setback: Setback) -> Rewrite | None:
        """The rewrite repaired; without one the place that is held for it is given back."""
        better: Rewrite | UnwrittenStep | None = None
        try:
            better = await self.trials.services.planner.improved(self.request, step, rewrite, setback)
        finally:
            if not isinstance(better, Rewrite):
                self.trials.services.history.give_back()
        if isinstance(better, UnwrittenStep):
            self.trials.report_unjudged(step, rewrite.summary, TrialOutcome.UNWRITTEN, better.reason)
        return self.trials.labelled(better) if isinstance(better, Rewrite) else None

    async def _setback(self, step: Step, rewrite: Rewrite, tried: Trial | Attempt | None) -> Setback | None:
        """What the writer is to know. Of what an earlier search dropped memory has it in short, which is enough where an answer is kept."""
        if tried is None:
            return None
        if not isinstance(tried, Attempt):
            return setback_of(tried, self.trials.services.deferred)
        setback = setback_of_attempt(tried)
        if setback is None or self.trials.context.earlier.went_on(tried):
            return setback
        return setback_of(await self.trials.judged_again(step, rewrite), self.trials.services.deferred)

    @property
    def _is_built_ahead(self) -> bool:
        """Whether the compiler may have it while the labs judge others."""
        context = self.trials.context
        return context.shape.most_ahead(context.job.lab.timing is not None, os.cpu_count() or 1) > 0
