"""One round of a search on one version: plan, try every rewrite, let the writer of a failed one repair it.

Two modes of repair, one judge: a candidate that does not build or answers wrongly comes back with what was wrong, one that is right but
not faster with what it did. What only tunes (`Technique.only_tunes`) comes last: block sizes that are found for a version which the
search leaves for a better one would be found in vain. Example::

    result = await run_round(context, services, node, island=0)
    result.kept      # the versions that it made
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from assistant.engine.report import findings_event
from assistant.engine.search.ahead import BuiltAhead
from assistant.engine.search.context import RoundResult, SearchContext, SearchServices
from assistant.engine.search.model_steps import ModelSteps
from assistant.engine.search.round_trials import RoundTrials
from assistant.engine.search.rule_steps import RuleSteps
from assistant.engine.search.shape import is_by_model
from assistant.engine.search.together import gathered
from assistant.engine.search.trials import SearchNode
from assistant.model import events
from assistant.model.plan import Step
from assistant.model.profile import Severity
from assistant.model.trial import TrialOutcome
from assistant.plan.choosing import with_order
from assistant.ports.planner import PlanRequest
from assistant.record import Record

__all__ = ["Round", "run_round"]

_TUNED_LATER = "block sizes are tried last, on the version that was kept"


async def run_round(context: SearchContext, services: SearchServices, node: SearchNode, island: int) -> RoundResult:
    """One round on ``node``, by the island of that number."""
    return await Round(context, services, node, island).run()


class Round(Record):
    """One round on one version."""

    context: SearchContext
    services: SearchServices
    node: SearchNode
    island: int
    """`PlanRequest.island`."""

    async def run(self) -> RoundResult:
        """Plan, and try what was planned."""
        services, job = self.services, self.context.job
        node = self.node
        async with services.trials.own_lab():
            with services.accounts.holding_gpu(job.lab):
                node = await services.judge.steered(node)
        items = self.context.planned(node)
        job.emit(*(findings_event(job, item) for item in items))
        trials = RoundTrials(self.context, services, node)
        steps: tuple[Step, ...] = ()
        is_put_off = False
        if items:
            name = items[0].kernel.qualified_name
            if services.history.is_new_successor(name, self.context.kernel):
                job.say(Severity.INFORMATION, f"{self.context.kernel}: {name} takes its place in the version that is built upon")
            request = replace(services.request(node, items), island=self.island)
            plan = await services.planner.plan(request)
            steps = with_order([step for step in plan.steps if self._only_tunes(step) or not node.awaits_sizes])
            declines = services.history.new_declines(plan, request, is_edited=bool(node.kept))
            job.emit(events.PlanMade(job.id, plan.planner, steps, declines))
            for note in plan.notes:
                job.say(Severity.INFORMATION, f"{self.context.kernel}: {note}")
            is_put_off = await self._try_all(trials, request, steps)
        else:
            text = f"{self.context.kernel}: it is not launched any more in the version that was kept, which is not built upon"
            job.say(Severity.INFORMATION, text)
        settled = trials.settled_node()
        awaiting = replace(settled, awaits_sizes=True) if is_put_off else None
        has_sizes = any(self._only_tunes(step) for step in steps)
        return RoundResult(trials.children(), settled, not steps, tuple(trials.withheld), has_sizes, awaiting)

    async def _try_all(self, trials: RoundTrials, request: PlanRequest, steps: Sequence[Step]) -> bool:
        """What rules planned one after another, what a model planned at once; then what only tunes, unless there is a version to build on.
        Whether that was put off."""
        by_rules = [step for step in steps if not is_by_model(step) and not self._only_tunes(step)]
        by_models = [step for step in steps if is_by_model(step)]
        tuning = [step for step in steps if self._only_tunes(step)]
        most_ahead = self.context.shape.most_ahead(self.context.job.lab.timing is not None, os.cpu_count() or 1)
        try:
            async with BuiltAhead(self.context.job, trials.node.evaluation, most_ahead) as ahead:
                async with gathered() as works:
                    if by_rules:
                        works.begin(RuleSteps(trials, request).carry_out(by_rules, ahead))
                    if by_models:
                        works.begin(ModelSteps(trials, request).carry_out(by_models, ahead))
                is_put_off = bool(tuning) and trials.is_followed
                if is_put_off:
                    _put_off(trials, tuning)
                else:
                    await RuleSteps(trials, request).carry_out(tuning, ahead)
                return is_put_off
        finally:
            await self.services.trials.close()

    def _only_tunes(self, step: Step) -> bool:
        """Of a rule's step; a model's says itself what it changes."""
        technique = self.services.catalogue.get(step.technique)
        return technique is not None and technique.only_tunes and not is_by_model(step)


def _put_off(trials: RoundTrials, steps: Sequence[Step]) -> None:
    """Leave the steps to the next round, which plans them for what was kept: they are not among what was tried."""
    for step in steps:
        if not trials.is_refused(step):
            trials.report_unjudged(step, step.title or step.technique, TrialOutcome.NOT_TRIED, _TUNED_LATER)
