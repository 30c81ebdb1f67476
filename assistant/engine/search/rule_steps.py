"""The steps of rules, which cost nothing to write, one after another; what comes behind a candidate is built or tried meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from assistant.engine.search.ahead import BuiltAhead
from assistant.engine.search.context import RoundCandidates
from assistant.engine.search.setbacks import setback_of
from assistant.engine.search.trials import Trial
from assistant.model.plan import Rewrite, Step, UnwrittenStep
from assistant.model.trial import TrialOutcome
from assistant.ports.planner import PlanRequest
from assistant.record import Record

__all__ = ["RuleSteps"]


class RuleSteps(Record):
    """Tries the steps of a round that rules write."""

    trials: RoundCandidates
    request: PlanRequest

    async def carry_out(self, steps: Sequence[Step], ahead: BuiltAhead) -> None:
        """Each rewrite of each step, as far as the search's limits allow; of a kernel's first steps as many as are tried at once always."""
        services = self.trials.services
        always = 0 if services.history.outcomes else services.trials.count
        for index, step in enumerate(steps):
            if self.trials.is_over or (index >= always and not services.accounts.may_go_on()):
                self.trials.report_untried(step, step.title or step.technique)
                continue
            await self._begin_ahead(steps[index:])
            following = await self._following(steps[index + 1 :])
            await self._carry_out(step, following, ahead)

    async def _begin_ahead(self, steps: Sequence[Step]) -> None:
        """Have labs that would wait try what comes behind the first candidate of ``steps``."""
        coming = 0
        for step in steps:
            if not self.trials.services.trials.has_room:
                return
            for rewrite in await self._triable(step):
                coming += 1
                if coming > 1:
                    self.trials.services.trials.begin(self.trials.node, step, rewrite)

    async def _following(self, steps: Sequence[Step]) -> list[Rewrite]:
        """What may be compiled behind the step that comes before ``steps``: what no other lab tries meanwhile."""
        found: list[Rewrite] = []
        if self.trials.services.trials.count > 1:
            return found
        for step in steps:
            if len(found) >= self._most_ahead:
                break
            found += await self._triable(step)
        return found

    async def _triable(self, step: Step) -> list[Rewrite]:
        if self.trials.is_turned_down(step):
            return []
        written = [one async for one in self.trials.services.planner.rewrites(self.request, step) if not isinstance(one, UnwrittenStep)]
        return [rewrite for one in written if self.trials.may_be_tried(step, rewrite := self.trials.labelled(one))]

    @property
    def _most_ahead(self) -> int:
        """Together with the one that is judged."""
        context = self.trials.context
        return context.shape.most_ahead(context.job.lab.timing is not None, os.cpu_count() or 1)

    async def _carry_out(self, step: Step, following: Sequence[Rewrite], ahead: BuiltAhead) -> None:
        """Each rewrite of the step, made when those before are judged; as many as are built at once are made together.

        ``following``: what comes behind the step.
        """
        if self.trials.is_refused(step):
            return
        rewrites = aiter(self.trials.services.planner.rewrites(self.request, step))
        is_ended = False
        while not is_ended:
            batch: list[Rewrite] = []
            while len(batch) < self.trials.context.shape.parallel_builds and not is_ended:
                match await anext(rewrites, None):
                    case None:
                        is_ended = True
                    case UnwrittenStep(reason=reason):
                        self.trials.report_unjudged(step, step.title or step.technique, TrialOutcome.UNWRITTEN, reason)
                    case rewrite:
                        batch.append(self.trials.labelled(rewrite))
            for position, rewrite in enumerate(batch):
                coming = (*batch[position + 1 :], *following)[: self._most_ahead]
                await self._tried(step, rewrite, lambda coming=coming: ahead.begin(coming, self.trials.services.host_code.is_given))
            is_ended = is_ended or self.trials.is_over

    async def _tried(self, step: Step, rewrite: Rewrite, on_built: Callable[[], None]) -> None:
        """Try a rewrite, and what its writer makes of its setbacks. ``on_built``: called when one of them was compiled."""
        services, repairs = self.trials.services, self.trials.context.shape.repairs
        for repair in range(1 + repairs):
            trial = await self.trials.tried(step, rewrite, on_built)
            setback = setback_of(trial) if isinstance(trial, Trial) else None
            if setback is None or repair == repairs or services.history.is_full or services.accounts.is_out_of_time:
                return
            match await services.planner.improved(self.request, step, rewrite, setback):
                case None:
                    return
                case UnwrittenStep(reason=reason):
                    self.trials.report_unjudged(step, rewrite.summary, TrialOutcome.UNWRITTEN, reason)
                    return
                case better:
                    rewrite = self.trials.labelled(better)
