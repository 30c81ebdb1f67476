"""One round of a search on one version: plan, try every rewrite, let the writer of a failed one repair it.

Two modes of repair, one judge: a candidate that does not build or answers wrongly comes back with what was wrong, one that is right but
not faster with what it did. Example::

    result = await Round(context, services, node).run()
    result.kept      # the versions that it made
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from assistant.engine.ids import new_id
from assistant.engine.proposals import SettledStep, broken, forbidden, is_settled, moved, settled_step
from assistant.engine.report import findings_event
from assistant.engine.search.ahead import BuiltAhead
from assistant.engine.search.attempts import attempt_record
from assistant.engine.search.context import SearchContext, SearchServices
from assistant.engine.search.edited import EditedTexts, edited_texts
from assistant.engine.search.host_code import with_host_label
from assistant.engine.search.setbacks import setback_of, tried_before
from assistant.engine.search.shape import EXPERT
from assistant.engine.search.trials import SearchNode, Trial
from assistant.model import events
from assistant.model.plan import Rewrite, Step, TriedBefore, UnwrittenStep
from assistant.model.profile import Severity
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Label
from assistant.ports.planner import PlanRequest
from assistant.record import Record

__all__ = ["Round", "RoundResult"]


class RoundResult(Record):
    """What one round on one version came to."""

    kept: tuple[SearchNode, ...]
    """The versions that it made, with what need not be tried on them again."""
    settled: SearchNode
    """The version itself, with what need not be tried on it again."""
    is_idle: bool
    """Its plan had no step."""
    withheld: tuple[str, ...]
    """Edits of host code that were not allowed."""


@dataclass
class Round:
    """One round on one version, while it goes on."""

    context: SearchContext
    services: SearchServices
    node: SearchNode
    _kept: list[SearchNode] = field(default_factory=list[SearchNode])
    _open_steps: dict[Step, bool] = field(default_factory=dict[Step, bool])
    """Whether a later round may try the step again: some variant of it may still gain."""
    _withheld: list[str] = field(default_factory=list[str])
    _is_over: bool = False
    """A candidate came that may not be tried any more."""

    async def run(self) -> RoundResult:
        """Plan, and try what was planned."""
        with self.services.accounts.holding_gpu():
            self.node = await self.services.judge.steered(self.node)
        items = self.context.planned(self.node)
        self.context.job.emit(*(findings_event(self.context.job, item) for item in items))
        steps: tuple[Step, ...] = ()
        if items:
            request = self.services.request(self.node, items)
            plan = await self.services.planner.plan(request)
            steps = plan.steps
            self.context.job.emit(
                events.PlanMade(self.context.job.id, plan.planner, steps, self.services.history.new_declines(plan, request))
            )
            await self._try_all(request, steps)
        return RoundResult(self._children(), self._settled_node(), not steps, tuple(self._withheld))

    async def _try_all(self, request: PlanRequest, steps: Sequence[Step]) -> None:
        try:
            async with BuiltAhead(self.context.job, self.node.evaluation) as ahead:
                for index, step in enumerate(steps):
                    await self._begin_ahead(request, steps[index:])
                    following = await self._following(request, steps[index + 1 :])
                    await self._carry_out(request, step, following, ahead)
                    if self._is_over or self.services.accounts.is_out_of_time:
                        return
        finally:
            await self.services.trials.close()

    async def _begin_ahead(self, request: PlanRequest, steps: Sequence[Step]) -> None:
        """Have labs that would wait try what comes behind the first candidate of ``steps``: rules' edits, which cost nothing to write."""
        coming = 0
        for step in steps:
            if not self.services.trials.has_room:
                return
            if _is_by_model(step) or self._is_refused(step):
                continue
            async for written in self.services.planner.rewrites(request, step):
                if not isinstance(written, UnwrittenStep) and self._may_be_tried(step, rewrite := self._labelled(written)):
                    coming += 1
                    if coming > 1:
                        self.services.trials.begin(self.node, step, rewrite)

    async def _following(self, request: PlanRequest, steps: Sequence[Step]) -> list[Rewrite]:
        """What may be compiled behind the step that comes before ``steps``: rules' edits that no other lab tries meanwhile."""
        found: list[Rewrite] = []
        if self.services.trials.count > 1:
            return found
        for step in steps:
            if len(found) >= self._most_ahead:
                break
            if _is_by_model(step) or self._is_refused(step):
                continue
            async for written in self.services.planner.rewrites(request, step):
                if not isinstance(written, UnwrittenStep) and self._may_be_tried(step, rewrite := self._labelled(written)):
                    found.append(rewrite)
        return found

    @property
    def _most_ahead(self) -> int:
        """Together with the one that is judged."""
        return self.context.shape.most_ahead(self.context.job.lab.timing is not None, os.cpu_count() or 1)

    def _may_be_tried(self, step: Step, rewrite: Rewrite) -> bool:
        """Whether nothing is known that would keep it from being judged; what a person must allow first is left to be asked for."""
        context, history, node = self.context, self.services.history, self.node
        after = edited_texts(node, rewrite)
        if (
            not isinstance(after, EditedTexts)
            or Label.HOST_CODE in rewrite.labels
            or forbidden(context.options.rules, step.technique, rewrite.labels)
        ):
            return False
        is_known = context.earlier.is_dropped(node.key, after.key) or history.known(node.key, after.key) or history.same_code(after.key)
        return not (is_known or history.is_full)

    def _labelled(self, rewrite: Rewrite) -> Rewrite:
        return with_host_label(self.node.evaluation.version, rewrite)

    def _may_not_ask(self, step: Step) -> bool:
        """Whether no further rewrite of the step is wanted: one that could not be tried is not paid for."""
        return self._is_over or (_is_by_model(step) and (self.services.history.is_full or self.services.accounts.why_no_code is not None))

    @property
    def _may_not_repair(self) -> bool:
        accounts = self.services.accounts
        return self.services.history.is_full or accounts.is_out_of_time or accounts.why_no_code is not None

    async def _carry_out(self, request: PlanRequest, step: Step, following: Sequence[Rewrite], ahead: BuiltAhead) -> None:
        """Each rewrite of the step, made when those before are judged; as many as are built at once are made together.

        ``following``: what comes behind the step.
        """
        name = step.title or step.technique
        if self._is_refused(step):
            self._tell_unjudged(step, name, TrialOutcome.CONSTRAINED, "a person turned it down here")
            return
        why_no_code = self.services.accounts.why_no_code
        if _is_by_model(step) and why_no_code is not None:
            self._tell_unjudged(step, name, TrialOutcome.UNWRITTEN, f"no model was asked for it: {why_no_code}")
            return
        rewrites = aiter(self.services.planner.rewrites(request, step))
        is_ended = False
        while not is_ended:
            batch: list[Rewrite] = []
            while len(batch) < self.context.shape.parallel_builds and not is_ended and not self._may_not_ask(step):
                match await anext(rewrites, None):
                    case None:
                        is_ended = True
                    case UnwrittenStep(reason=reason):
                        self._tell_unjudged(step, name, TrialOutcome.UNWRITTEN, reason)
                    case rewrite:
                        batch.append(self._labelled(rewrite))
            for position, rewrite in enumerate(batch):
                coming = (*batch[position + 1 :], *following)[: self._most_ahead]
                await self._try_and_repair(request, step, rewrite, lambda coming=coming: ahead.begin(coming))
            is_ended = is_ended or self._may_not_ask(step)

    async def _try_and_repair(self, request: PlanRequest, step: Step, rewrite: Rewrite, on_built: Callable[[], None]) -> None:
        """Try a rewrite, and what its writer makes of its setbacks. ``on_built``: called when one of them was compiled."""
        for repair in range(1 + self.context.shape.repairs):
            trial = await self._tried(step, rewrite, on_built)
            setback = None if trial is None else setback_of(trial)
            if setback is None or repair == self.context.shape.repairs or self._may_not_repair:
                return
            match await self.services.planner.improved(request, step, rewrite, setback):
                case None:
                    return
                case UnwrittenStep(reason=reason):
                    self._tell_unjudged(step, rewrite.summary, TrialOutcome.UNWRITTEN, reason)
                    return
                case better:
                    rewrite = self._labelled(better)

    async def _tried(self, step: Step, rewrite: Rewrite, on_built: Callable[[], None]) -> Trial | None:
        """The rewrite, judged; None where something speaks against even trying it."""
        reason = forbidden(self.context.options.rules, step.technique, rewrite.labels)
        if reason is not None:
            self._tell_unjudged(step, rewrite.summary, TrialOutcome.CONSTRAINED, reason)
            return None
        after = edited_texts(self.node, rewrite)
        if isinstance(after, EditedTexts) and self._is_known(step, rewrite, after.key):
            return None
        if self.services.history.is_full:
            self._is_over = True
            return None
        if Label.HOST_CODE in rewrite.labels:
            await self._ask_once(step)
            if not await self.services.host_code.asked(self._edit_name(step)):
                self._withheld.append(self._edit_name(step))
                reason = "it edits host code, which was not allowed: --allow-host-code does"
                self._tell_unjudged(step, rewrite.summary, TrialOutcome.NOT_ALLOWED, reason)
                return None
        return await self._judged(step, rewrite, on_built)

    def _is_known(self, step: Step, rewrite: Rewrite, after: str) -> bool:
        """Whether it need not be tried: an earlier candidate was the same."""
        history, before = self.services.history, self.node.key
        if self.context.earlier.is_dropped(before, after):
            return True
        known = history.known(before, after)
        if known is not None:
            self._note_outcome(step, known)
            if rewrite.origin is not None:
                self._tell_unjudged(step, rewrite.summary, TrialOutcome.DUPLICATE, f"it is the same as {known.id}")
            return True
        same = history.same_code(after)
        if same is not None:
            self._tell_unjudged(step, rewrite.summary, TrialOutcome.DUPLICATE, f"but for comments and spacing it is the same as {same}")
        return same is not None

    async def _judged(self, step: Step, rewrite: Rewrite, on_built: Callable[[], None]) -> Trial:
        context, before = self.context, self.node.key
        judged = await self.services.trials.judge(self.node, step, rewrite, on_built)
        trial = self._constrained(judged)
        if context.earlier.is_kept(before, judged.key):
            text = f"{context.kernel}: takes up {step.technique} at line {step.line}, which {context.earlier.job} had kept"
            context.job.say(Severity.INFORMATION, text)
        else:
            self._remember(judged)
            event = events.CandidateTried(
                context.job.id, trial.id, step.technique, context.kernel, trial.outcome, trial.reason, trial.ratio
            )
            context.job.emit(event)
            await context.job.delivered()  # a person who watches may stop the search before anything more is spent
        self.services.history.add(before, trial, tried_before(trial))
        self._note_outcome(step, trial)
        return trial

    def _note_outcome(self, step: Step, trial: Trial) -> None:
        """Note how a variant of ``step`` fared."""
        is_open = not is_settled(trial.outcome, trial.ratio, _is_by_model(step))
        self._open_steps[step] = self._open_steps.get(step, False) or is_open
        if trial.node is not None and trial.ratio is not None:
            self._kept.append(replace(trial.node, ratio=self.node.ratio * trial.ratio))

    def _settled_node(self) -> SearchNode:
        return replace(self.node, settled=(*self.node.settled, *self._settled(None)))

    def _children(self) -> tuple[SearchNode, ...]:
        before = self.node.text
        return tuple(
            replace(node, settled=moved((*self.node.settled, *self._settled(node.kept[-1].step)), before, node.text)) for node in self._kept
        )

    def _settled(self, chosen: Step | None) -> tuple[SettledStep, ...]:
        return tuple(settled_step(step) for step, is_open in self._open_steps.items() if step == chosen or not is_open)

    def _is_refused(self, step: Step) -> bool:
        return self.node.key == self.context.start.key and (step.technique, step.line) in self.context.refused

    def _constrained(self, trial: Trial) -> Trial:
        """The trial without the version it makes, where that does not keep to the rules; memory keeps how it fared all the same."""
        context = self.context
        if trial.node is None or trial.verification is None:
            return trial
        reasons = broken(context.options.rules, context.assessed(context.start), trial.after, trial.verification.labels)
        return trial.ended(TrialOutcome.CONSTRAINED, "; ".join(reasons)) if reasons else trial

    async def _ask_once(self, step: Step) -> None:
        """Have a person asked whether host code may be edited, where none was; events make front ends wait meanwhile."""
        if not self.services.host_code.is_open:
            return
        edit = self._edit_name(step)
        job = self.context.job
        job.emit(events.StageStarted(job.id, "consent", f"{edit} edits host code"))
        await job.delivered()
        if await self.services.host_code.asked(edit):
            job.emit(events.StageStarted(job.id, "candidate", f"{self.context.kernel}: tries {step.technique}"))

    def _edit_name(self, step: Step) -> str:
        return f"{step.technique} of {self.context.kernel}"

    def _tell_unjudged(self, step: Step, summary: str, outcome: TrialOutcome, reason: str) -> None:
        self.services.history.add_unjudged(TriedBefore(step.technique, step.line, summary, outcome, reason, None))
        job = self.context.job
        job.emit(events.CandidateTried(job.id, new_id("C"), step.technique, self.context.kernel, outcome, reason, None))

    def _remember(self, trial: Trial) -> None:
        context = self.context
        now_ms = self.services.accounts.now_ms()
        record = attempt_record(context.job, context.workspace, self.node, context.assessed(self.node), trial, now_ms)
        self.services.store.add_attempt(record)


def _is_by_model(step: Step) -> bool:
    return step.planner != EXPERT
