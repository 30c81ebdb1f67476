"""One round of a search on one version: plan, try every rewrite, let whoever wrote a failed one mend it.

Two modes of mending, one judge: a candidate that does not build or answers wrongly comes back with what was wrong, one that is right but
not faster with what it did. Example::

    came_to = await Round(kit, node).run()
    came_to.kept      # the versions that it made
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from assistant.cuda.edits import apply_edits
from assistant.engine.ids import new_id
from assistant.engine.job import Job
from assistant.engine.proposals.choice import Taken, is_settled, moved, taken
from assistant.engine.proposals.constraints import broken, forbidden
from assistant.engine.proposals.records import Tried, attempt_record
from assistant.engine.report.reports import findings_event
from assistant.engine.request import OptimizeOptions
from assistant.engine.search.accounts import JobAccounts
from assistant.engine.search.ahead import BuiltAhead
from assistant.engine.search.asking import Asking
from assistant.engine.search.frontier import Node
from assistant.engine.search.host_code import HostCodeRight, with_host_label
from assistant.engine.search.parallel_trials import ParallelTrials
from assistant.engine.search.resume import Earlier
from assistant.engine.search.setbacks import setback_of
from assistant.engine.search.shape import EXPERT, SearchShape
from assistant.engine.search.trial import Bench, Link, Trial
from assistant.engine.search.trial_history import TrialHistory
from assistant.model import events
from assistant.model.plan import Rewrite, Step, TriedBefore, Unwritten
from assistant.model.profile import Severity
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Label
from assistant.ports.planner import Planner, PlanRequest
from assistant.ports.store import EditStore
from assistant.record import Record

__all__ = ["Kit", "Round", "RoundResult"]


class Kit(Record):
    """What the rounds on one kernel share."""

    job: Job
    options: OptimizeOptions
    shape: SearchShape
    store: EditStore
    planner: Planner
    workspace: Path
    name: str
    """The kernel's qualified name."""
    start: Link
    bench: Bench
    """On the job's own lab."""
    tries: ParallelTrials
    """On all labs."""
    book: TrialHistory
    asking: Asking
    host_code: HostCodeRight
    accounts: JobAccounts
    earlier: Earlier
    refused: frozenset[tuple[str, int]] = frozenset()
    """(technique, line) pairs of the start's text that a person turned down."""


class RoundResult(Record):
    """What one round on one version came to."""

    kept: tuple[Node, ...]
    """The versions that it made, with what need not be tried on them again."""
    settled: Node
    """The version itself, with what need not be tried on it again."""
    is_idle: bool
    """Its plan had no step."""
    withheld: tuple[str, ...]
    """Edits of host code that nobody allowed."""


@dataclass
class Round:
    """One round on one version, while it goes on."""

    kit: Kit
    node: Node
    _kept: list[Node] = field(default_factory=list[Node])
    _open_steps: dict[Step, bool] = field(default_factory=dict[Step, bool])
    """Whether a later round may try the step again: some variant of it may still gain."""
    _withheld: list[str] = field(default_factory=list[str])
    _is_over: bool = False
    """A candidate came that may not be tried any more."""

    async def run(self) -> RoundResult:
        """Plan, and try what was planned."""
        with self.kit.accounts.holding_gpu():
            self.node = replace(self.node, link=await self.kit.bench.steered(self.node.link))
        items = self.kit.bench.planned(self.node.link)
        self.kit.job.emit(*(findings_event(self.kit.job, item) for item in items))
        steps: tuple[Step, ...] = ()
        if items:
            request = self.kit.asking.request(self.node, items, self.kit.book)
            plan = await self.kit.planner.plan(request)
            steps = plan.steps
            self.kit.job.emit(events.PlanMade(self.kit.job.id, plan.planner, steps, self.kit.book.new_declines(plan, request)))
            await self._try_all(request, steps)
        return RoundResult(self._children(), self._settled_node(), not steps, tuple(self._withheld))

    async def _try_all(self, request: PlanRequest, steps: Sequence[Step]) -> None:
        try:
            async with BuiltAhead(self.kit.job, self.node.link.looked) as ahead:
                for index, step in enumerate(steps):
                    await self._begin_ahead(request, steps[index:])
                    following = await self._following(request, steps[index + 1 :])
                    await self._carry_out(request, step, following, ahead)
                    if self._is_over or self.kit.accounts.is_out_of_time:
                        return
        finally:
            await self.kit.tries.close()

    async def _begin_ahead(self, request: PlanRequest, steps: Sequence[Step]) -> None:
        """Have labs that would wait try what comes behind the first candidate of ``steps``: rules' edits, which cost nothing to write."""
        coming = 0
        for step in steps:
            if not self.kit.tries.has_room:
                return
            if _is_by_model(step) or self._is_refused(step):
                continue
            async for written in self.kit.planner.rewrites(request, step):
                if not isinstance(written, Unwritten) and self._may_be_tried(step, rewrite := self._labelled(written)):
                    coming += 1
                    if coming > 1:
                        self.kit.tries.begin(self.node.link, step, rewrite)

    async def _following(self, request: PlanRequest, steps: Sequence[Step]) -> list[Rewrite]:
        """What may be compiled behind the step that comes before ``steps``: rules' edits that no other lab tries meanwhile."""
        found: list[Rewrite] = []
        if self.kit.tries.count > 1:
            return found
        for step in steps:
            if len(found) >= self._most_ahead:
                break
            if _is_by_model(step) or self._is_refused(step):
                continue
            async for written in self.kit.planner.rewrites(request, step):
                if not isinstance(written, Unwritten) and self._may_be_tried(step, rewrite := self._labelled(written)):
                    found.append(rewrite)
        return found

    @property
    def _most_ahead(self) -> int:
        """Beside the one that is judged."""
        return self.kit.shape.most_ahead(self.kit.job.lab.timing is not None, os.cpu_count() or 1)

    def _may_be_tried(self, step: Step, rewrite: Rewrite) -> bool:
        """Whether nothing is known that would keep it from being judged; what a person must allow first is left to be asked for."""
        kit, link = self.kit, self.node.link
        after = apply_edits(link.text, rewrite.edits)
        if not isinstance(after, str) or Label.HOST_CODE in rewrite.labels or forbidden(kit.options.rules, step.technique, rewrite.labels):
            return False
        return not (
            kit.earlier.is_dropped(link.text, after) or kit.book.known(link.text, after) or kit.book.same_code(after) or kit.book.is_full
        )

    def _labelled(self, rewrite: Rewrite) -> Rewrite:
        return with_host_label(self.node.link.looked.subject.source, rewrite)

    def _may_not_ask(self, step: Step) -> bool:
        """Whether no further rewrite of the step is wanted: one that nobody could try is not paid for."""
        return self._is_over or (_is_by_model(step) and (self.kit.book.is_full or self.kit.accounts.why_no_code is not None))

    @property
    def _may_not_repair(self) -> bool:
        accounts = self.kit.accounts
        return self.kit.book.is_full or accounts.is_out_of_time or accounts.why_no_code is not None

    async def _carry_out(self, request: PlanRequest, step: Step, following: Sequence[Rewrite], ahead: BuiltAhead) -> None:
        """Each rewrite of the step, made when those before are judged; as many as are built at once are made together.

        ``following``: what comes behind the step.
        """
        name = step.title or step.technique
        if self._is_refused(step):
            self._tell_unjudged(step, name, TrialOutcome.CONSTRAINED, "a person turned it down here")
            return
        why_no_code = self.kit.accounts.why_no_code
        if _is_by_model(step) and why_no_code is not None:
            self._tell_unjudged(step, name, TrialOutcome.UNWRITTEN, f"no model was asked for it: {why_no_code}")
            return
        rewrites = aiter(self.kit.planner.rewrites(request, step))
        is_ended = False
        while not is_ended:
            batch: list[Rewrite] = []
            while len(batch) < self.kit.shape.parallel_builds and not is_ended and not self._may_not_ask(step):
                match await anext(rewrites, None):
                    case None:
                        is_ended = True
                    case Unwritten(reason=reason):
                        self._tell_unjudged(step, name, TrialOutcome.UNWRITTEN, reason)
                    case rewrite:
                        batch.append(self._labelled(rewrite))
            for position, rewrite in enumerate(batch):
                coming = (*batch[position + 1 :], *following)[: self._most_ahead]
                await self._try_and_repair(request, step, rewrite, lambda coming=coming: ahead.begin(coming))
            is_ended = is_ended or self._may_not_ask(step)

    async def _try_and_repair(self, request: PlanRequest, step: Step, rewrite: Rewrite, on_built: Callable[[], None]) -> None:
        """Try a rewrite, and what its writer makes of its setbacks. ``on_built``: called when one of them was compiled."""
        for repair in range(1 + self.kit.shape.repairs):
            trial = await self._tried(step, rewrite, on_built)
            setback = None if trial is None else setback_of(trial.tried)
            if setback is None or repair == self.kit.shape.repairs or self._may_not_repair:
                return
            match await self.kit.planner.improved(request, step, rewrite, setback):
                case None:
                    return
                case Unwritten(reason=reason):
                    self._tell_unjudged(step, rewrite.summary, TrialOutcome.UNWRITTEN, reason)
                    return
                case better:
                    rewrite = self._labelled(better)

    async def _tried(self, step: Step, rewrite: Rewrite, on_built: Callable[[], None]) -> Trial | None:
        """The rewrite, judged; None where something speaks against even trying it."""
        kit, link = self.kit, self.node.link
        reason = forbidden(kit.options.rules, step.technique, rewrite.labels)
        if reason is not None:
            self._tell_unjudged(step, rewrite.summary, TrialOutcome.CONSTRAINED, reason)
            return None
        after = apply_edits(link.text, rewrite.edits)
        if isinstance(after, str) and self._is_known(step, rewrite, after):
            return None
        if kit.book.is_full:
            self._is_over = True
            return None
        if Label.HOST_CODE in rewrite.labels:
            await self._ask_once(step)
            if not await kit.host_code.asked(self._edit_name(step)):
                self._withheld.append(self._edit_name(step))
                reason = "it edits host code, which nobody allowed: --allow-host-code does"
                self._tell_unjudged(step, rewrite.summary, TrialOutcome.NOT_ALLOWED, reason)
                return None
        return await self._judged(step, rewrite, on_built)

    def _is_known(self, step: Step, rewrite: Rewrite, after: str) -> bool:
        """Whether it need not be tried: an earlier candidate was the same."""
        kit, before = self.kit, self.node.text
        if kit.earlier.is_dropped(before, after):
            return True
        known = kit.book.known(before, after)
        if known is not None:
            self._take(step, known)
            if rewrite.origin is not None:
                self._tell_unjudged(step, rewrite.summary, TrialOutcome.DUPLICATE, f"it is the same as {known.tried.id}")
            return True
        same = kit.book.same_code(after)
        if same is not None:
            self._tell_unjudged(step, rewrite.summary, TrialOutcome.DUPLICATE, f"but for comments and spacing it is the same as {same}")
        return same is not None

    async def _judged(self, step: Step, rewrite: Rewrite, on_built: Callable[[], None]) -> Trial:
        kit, link = self.kit, self.node.link
        trial = await kit.tries.judge(link, step, rewrite, on_built)
        constrained = self._constrained(trial)
        tried, told = trial.tried, constrained.tried
        if kit.earlier.is_kept(link.text, tried.text):
            text = f"{kit.name}: takes up {step.technique} at line {step.line}, which {kit.earlier.job} had kept"
            kit.job.say(Severity.INFORMATION, text)
        else:
            self._remember(tried)
            kit.job.emit(events.CandidateTried(kit.job.id, told.id, step.technique, kit.name, told.outcome, told.reason, told.ratio))
            await kit.job.delivered()  # whoever watches may stop the search before anything more is spent
        kit.book.note(link.text, constrained)
        self._take(step, constrained)
        return constrained

    def _take(self, step: Step, trial: Trial) -> None:
        """Note how a variant of ``step`` fared."""
        tried = trial.tried
        self._open_steps[step] = self._open_steps.get(step, False) or not is_settled(tried.outcome, tried.ratio)
        if trial.link is not None and tried.ratio is not None:
            self._kept.append(Node(trial.link, self.node.ratio * tried.ratio))

    def _settled_node(self) -> Node:
        return replace(self.node, taken=(*self.node.taken, *self._settled(None)))

    def _children(self) -> tuple[Node, ...]:
        before = self.node.text
        return tuple(
            replace(node, taken=moved((*self.node.taken, *self._settled(node.link.kept[-1].step)), before, node.text))
            for node in self._kept
        )

    def _settled(self, chosen: Step | None) -> tuple[Taken, ...]:
        return tuple(taken(step) for step, is_open in self._open_steps.items() if step == chosen or not is_open)

    def _is_refused(self, step: Step) -> bool:
        return self.node.text == self.kit.start.text and (step.technique, step.line) in self.kit.refused

    def _constrained(self, trial: Trial) -> Trial:
        """The trial without the version it makes, where that does not keep to the rules; memory keeps how it fared all the same."""
        tried, rules = trial.tried, self.kit.options.rules
        if trial.link is None or tried.verification is None:
            return trial
        reasons = broken(rules, self.kit.bench.kernel(self.kit.start), tried.after, tried.verification.labels)
        return Trial(tried.ended(TrialOutcome.CONSTRAINED, "; ".join(reasons))) if reasons else trial

    async def _ask_once(self, step: Step) -> None:
        """Have a person asked whether host code may be edited, where nobody was; events tell front ends to stand aside meanwhile."""
        if not self.kit.host_code.is_open:
            return
        edit = self._edit_name(step)
        job = self.kit.job
        job.emit(events.StageStarted(job.id, "consent", f"{edit} edits host code"))
        await job.delivered()
        if await self.kit.host_code.asked(edit):
            job.emit(events.StageStarted(job.id, "candidate", f"{self.kit.name}: tries {step.technique}"))

    def _edit_name(self, step: Step) -> str:
        return f"{step.technique} of {self.kit.name}"

    def _tell_unjudged(self, step: Step, summary: str, outcome: TrialOutcome, reason: str) -> None:
        self.kit.book.note_unjudged(TriedBefore(step.technique, step.line, summary, outcome, reason, None))
        job = self.kit.job
        job.emit(events.CandidateTried(job.id, new_id("C"), step.technique, self.kit.name, outcome, reason, None))

    def _remember(self, tried: Tried) -> None:
        parent = self.kit.bench.version(self.node.link)
        self.kit.store.add_attempt(attempt_record(self.kit.job, self.kit.workspace, parent, tried, self.kit.accounts.now_ms()))


def _is_by_model(step: Step) -> bool:
    return step.planner != EXPERT
