"""The search: plan, try, keep the best, chain, confirm, offer. Yields events; what is offered is the best that was confirmed.

Kernels are taken in order of predicted cost. On each, a round plans from the present findings, tries every planned rewrite and makes
the preferred kept candidate the next parent (``choice.py``); a step that was kept, or refused for good, is not tried on the same place
again. The chain's end is confirmed on fresh seeds with all checks before anybody sees it. An edit
that a human must decide on (lower precision, say) is offered alone, never bundled with pure ones.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from assistant.engine.choice import Option, Taken, is_preferred, is_settled, moved, taken
from assistant.engine.constraints import broken, forbidden
from assistant.engine.counting import Counted
from assistant.engine.host_code import HostCodeRight
from assistant.engine.ids import new_id
from assistant.engine.job import Job
from assistant.engine.records import Tried, attempt_record, costliest, proposal_record
from assistant.engine.rejected import FoundEdit, Refusal, refusals, rejected_before
from assistant.engine.reports import findings_event, proposal_event
from assistant.engine.request import OptimizeOptions
from assistant.engine.resume import NOTHING_EARLIER, Earlier
from assistant.engine.succession import store_beside_better
from assistant.engine.trial import Bench, Link, Trial, why
from assistant.engine.workbench import Looked, predict_speed, repeat_run
from assistant.model import events
from assistant.model.attempt import RecallQuery
from assistant.model.comparison import Comparison
from assistant.model.plan import Decline, Plan, Rewrite, Step, Unwritten
from assistant.model.profile import Finding, Severity
from assistant.model.proposal import Proposal
from assistant.model.verification import Label, Outcome, Verification
from assistant.plan.catalogue import Catalogue
from assistant.ports import Planner, PlanRequest, Store
from assistant.source.edits import apply_edits

__all__ = ["CONSTRAINED", "NOT_ALLOWED", "Offer", "Search"]

Offer = Callable[[Proposal], Awaitable[events.DecisionMade | None]]
"""Shows a proposal to whoever decides; the decision, or None when it stays open."""

NOT_ALLOWED = "not_allowed"
"""Outcome of a candidate that was not tried, because nobody allowed edits of host code."""
UNWRITTEN = "unwritten"
"""Outcome of a step that its planner could not turn into an edit."""
CONSTRAINED = "constrained"
"""Outcome of a candidate that does not keep to what a person asked of all (``OptimizeOptions.rules``)."""
_MOST_OFFERS = 4
"""Edits of one kernel that a person is asked about in one run; who turns down so many wants none."""


@dataclass
class _Round:
    """What one round found."""

    best: Link | None = None
    option: Option | None = None
    """The best one, as far as choosing goes."""
    open_steps: dict[Step, bool] = field(default_factory=dict[Step, bool])
    """Whether a later round may try the step again: some variant of it may still gain."""

    def take(self, step: Step, rewrite: Rewrite, trial: Trial) -> None:
        """Note how a variant of ``step`` fared."""
        tried = trial.tried
        self.open_steps[step] = self.open_steps.get(step, False) or not is_settled(tried.outcome, tried.ratio)
        if trial.link is None or tried.ratio is None:
            return
        option = Option(tried.ratio, trial.link.needs_decision, Label.HOST_CODE in rewrite.labels)
        if is_preferred(option, self.option):
            self.best, self.option = trial.link, option


@dataclass(frozen=True)
class Search:
    """One ``optimize`` job."""

    job: Job
    options: OptimizeOptions
    store: Store
    planner: Planner
    catalogue: Catalogue
    workspace: Path
    offer: Offer
    host_code: HostCodeRight
    earlier: Earlier = NOTHING_EARLIER
    """What an interrupted search had tried; its kept edits are built on, the others are not tried again."""

    async def run(self, looked: Looked, second_run: Counted | None) -> AsyncIterator[events.Event]:
        """Improve every selected kernel in turn; an accepted proposal becomes the text the next kernel starts from."""
        current = Link(looked)
        finished = self.earlier.finished(looked.subject.parsed)
        for name in (name for name in _by_cost(looked) if name not in finished):
            state = _KernelSearch(self, name, current, second_run)
            async for event in state.run():
                yield event
            if state.accepted is not None:
                current = state.accepted
                second_run = await self._count_again(current.looked)

    def wanted(self, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """Those that the plan is to answer."""
        code = self.options.only_finding
        return findings if code is None else tuple(finding for finding in findings if finding.code == code)

    async def _count_again(self, looked: Looked) -> Counted | None:
        return await repeat_run(self.job, looked.subject, looked.counted)


class _KernelSearch:
    """The search on one kernel (by qualified name)."""

    def __init__(self, search: Search, name: str, start: Link, second_run: Counted | None) -> None:
        self._search = search
        self._job = search.job
        self._name = name
        self._start = start
        self._bench = Bench(search.job, search.catalogue, search.planner.name, name, start, second_run)
        self._candidate_count = 0
        self._trials: dict[tuple[str, str], Trial] = {}
        """By the text before and after; a search that begins again after a rejection tries nothing twice."""
        self._end = start
        self._taken: tuple[Taken, ...] = ()
        self._declined: set[tuple[str, str]] = set()
        self.accepted: Link | None = None

    async def run(self) -> AsyncIterator[events.Event]:
        """Search, offer, and search again without what was turned down, until something else is decided or nothing is left."""
        for refusal in self._refusals():
            remedy = f"change the kernel, or kernelopt memory forget {self._job.request.file}"
            place = f"{refusal.place.technique} at line {min(refusal.place.lines)}"
            text = f"{self._name}: {place} is not offered again: {refusal.decision}"
            yield self._job.message(Severity.INFORMATION, text, remedy)
        for offer_index in range(_MOST_OFFERS):
            self._taken = tuple(refusal.place for refusal in self._refusals())
            self._end = self._start
            async for event in self._chain():
                yield event
            if not self._end.kept:
                return
            is_rejected = False
            async for event in self._confirm(self._end):
                is_rejected = isinstance(event, events.DecisionMade) and event.kind == "rejected"
                yield event
            if not is_rejected:
                return
            if offer_index + 1 < _MOST_OFFERS:
                yield self._job.message(Severity.INFORMATION, f"{self._name}: looks for the next best edit, without what was rejected")

    async def _chain(self) -> AsyncIterator[events.Event]:
        """Rounds, each on what the last one kept; ``_end`` is where they came to."""
        for _ in range(self._search.options.max_rounds):
            for item in self._bench.kernel(self._end):
                yield findings_event(self._job, item)
            found = _Round()
            async for event in self._round(self._end, found):
                yield event
            if found.best is None:
                return
            self._settle(self._end, found)
            self._end = found.best
            if self._end.needs_decision:
                return

    def _refusals(self) -> tuple[Refusal, ...]:
        return refusals(self._search.store, self._search.workspace, self._start.looked.subject.parsed, self._name)

    def _settle(self, link: Link, found: _Round) -> None:
        """Carry what need not be tried again over to the text that the next round starts from."""
        assert found.best is not None
        chosen = found.best.kept[-1].step
        settled = tuple(taken(step) for step, is_open in found.open_steps.items() if step == chosen or not is_open)
        before, after = link.text, found.best.text
        self._taken = moved((*self._taken, *settled), before, after)

    async def _round(self, link: Link, found: _Round) -> AsyncIterator[events.Event]:
        request = self._plan_request(link)
        if request is None:
            return
        plan = await self._search.planner.plan(request)
        yield events.PlanMade(self._job.id, plan.planner, plan.steps, self._new_declines(plan, request))
        for step in plan.steps:
            async for rewrite in self._search.planner.rewrites(request, step):
                if isinstance(rewrite, Unwritten):
                    yield events.CandidateTried(self._job.id, new_id("C"), step.technique, self._name, UNWRITTEN, rewrite.reason, None)
                    continue
                reason = forbidden(self._search.options.rules, step.technique, rewrite.labels)
                if reason is not None:
                    yield events.CandidateTried(self._job.id, new_id("C"), step.technique, self._name, CONSTRAINED, reason, None)
                    continue
                after = apply_edits(link.text, rewrite.edits)
                if isinstance(after, str) and self._search.earlier.is_dropped(link.text, after):
                    continue
                known = self._trials.get((link.text, after)) if isinstance(after, str) else None
                if known is not None:
                    found.take(step, rewrite, known)
                    continue
                if self._candidate_count >= self._search.options.max_candidates:
                    return
                if Label.HOST_CODE in rewrite.labels:
                    async for event in self._ask_once(step):
                        yield event
                if Label.HOST_CODE in rewrite.labels and not await self._search.host_code.asked(_edit_name(step, self._name)):
                    reason = "it edits host code, which nobody allowed: --allow-host-code does"
                    yield events.CandidateTried(self._job.id, new_id("C"), step.technique, self._name, NOT_ALLOWED, reason, None)
                    continue
                self._candidate_count += 1
                async for event in self._try(link, step, rewrite, found):
                    yield event

    async def _ask_once(self, step: Step) -> AsyncIterator[events.Event]:
        """Have a person asked whether host code may be edited, where nobody was; events tell front ends to stand aside meanwhile."""
        if not self._search.host_code.is_open:
            return
        edit = _edit_name(step, self._name)
        yield events.StageStarted(self._job.id, "consent", f"{edit} edits host code")
        if await self._search.host_code.asked(edit):
            yield events.StageStarted(self._job.id, "candidate", f"{self._name}: tries {step.technique}")

    def _new_declines(self, plan: Plan, request: PlanRequest) -> tuple[Decline, ...]:
        """Those that no earlier round gave: an edit changes their lines, not their reasons. Settled steps are not worth a word."""
        fresh = tuple(
            decline
            for decline in plan.declines
            if (decline.technique, decline.line) not in request.excluded and (decline.technique, decline.reason) not in self._declined
        )
        self._declined.update((decline.technique, decline.reason) for decline in fresh)
        return fresh

    def _plan_request(self, link: Link) -> PlanRequest | None:
        items = self._bench.kernel(link)
        if not items:
            return None
        main = costliest(items)
        query = RecallQuery(
            workspace=self._search.workspace,
            kernel=main.kernel.key,
            signature=main.signature,
            techniques=tuple(technique.id for technique in self._search.catalogue.techniques),
            now_ms=_now_ms(),
            job=self._job.id,
            may_cross_workspaces=self._search.options.may_recall_across_workspaces,
        )
        return PlanRequest(
            parsed=link.looked.subject.parsed,
            kernel=main.kernel,
            profiles=tuple(launch.profile for launch in main.launches),
            findings=self._search.wanted(main.findings),
            evidence=main.evidence,
            resources=main.resources,
            target=self._job.target,
            architecture=self._job.architecture,
            recalled=self._search.store.recall(query),
            excluded=self._excluded(link),
        )

    def _excluded(self, link: Link) -> frozenset[tuple[str, int]]:
        here = frozenset((step.technique, line) for step in self._taken for line in step.lines)
        return here | self._search.earlier.excluded(link.text)

    async def _try(self, link: Link, step: Step, rewrite: Rewrite, found: _Round) -> AsyncIterator[events.Event]:
        trial = await self._bench.judge(link, step, rewrite)
        constrained = self._constrained(trial)
        tried = trial.tried
        if self._search.earlier.is_kept(link.text, tried.text):
            message = f"{self._name}: takes up {step.technique} at line {step.line}, which {self._search.earlier.job} had kept"
            yield self._job.message(Severity.INFORMATION, message)
        else:
            self._remember(link, tried)
            told = constrained.tried
            yield events.CandidateTried(self._job.id, told.id, step.technique, self._name, told.outcome, told.reason, told.ratio)
        self._trials[link.text, tried.text] = constrained
        found.take(step, rewrite, constrained)

    def _constrained(self, trial: Trial) -> Trial:
        """The trial without the version it makes, where that does not keep to the rules; memory keeps how it fared all the same."""
        tried, rules = trial.tried, self._search.options.rules
        if trial.link is None or tried.verification is None:
            return trial
        reasons = broken(rules, self._bench.kernel(self._start), tried.after, tried.verification.labels)
        return Trial(tried.ended(CONSTRAINED, "; ".join(reasons))) if reasons else trial

    async def _confirm(self, link: Link) -> AsyncIterator[events.Event]:
        last = link.kept[-1]
        rejected = rejected_before(self._search.store, self._search.workspace, self._found(link))
        if rejected is not None:
            remedy = f"change the file, or kernelopt memory forget {link.looked.subject.source.path}"
            yield self._job.message(
                Severity.INFORMATION, f"{self._name}: the edit that was found is {rejected}; it is not offered again", remedy
            )
            return
        yield events.StageStarted(self._job.id, "confirm", f"{self._name}: fresh values, repeats, checks, boundary shapes")
        verification = await self._bench.verify(link, link.looked, last.rewrite, is_confirming=True)
        comparison = predict_speed(self._bench.kernel(self._start), self._bench.kernel(link))
        if not isinstance(verification, Verification) or comparison is None:
            reason = "it does not launch the kernel" if isinstance(verification, Verification) else why(verification)
            yield self._job.message(Severity.WARNING, f"{self._name}: the best edit was not confirmed: {reason}")
            return
        if verification.outcome is Outcome.FAIL:
            first = next(f for f in verification.findings if f.outcome is Outcome.FAIL)
            message = f"{self._name}: the best edit failed its confirmation and is not offered: {first.message}"
            yield self._job.message(Severity.WARNING, message)
            return
        reasons = self._unwanted(link, verification, comparison)
        if reasons:
            yield self._job.message(Severity.WARNING, f"{self._name}: the best edit is not offered: {'; '.join(reasons)}")
            return
        after_text = link.text
        proposal = proposal_record(self._job, self._bench.version(self._start), after_text, link.kept, verification, comparison, _now_ms())
        told = store_beside_better(self._job.id, self._search.store, self._search.workspace, proposal)
        run = self._start.looked.counted.run
        if run is not None and run.recording_path is not None:
            quota_bytes = self._search.options.recordings_bytes
            self._search.store.keep_recording(proposal.id, run.recording_path, quota_bytes, proposal.created_ms)
        yield proposal_event(self._job.id, proposal)
        for event in told:
            yield event
        decision = await self._search.offer(proposal)
        if decision is not None:
            yield decision
            if decision.kind == "accepted":
                self.accepted = replace(link, kept=(), attempts=(), needs_decision=False)

    def _unwanted(self, link: Link, verification: Verification, comparison: Comparison) -> tuple[str, ...]:
        """Why the chain's end is not what was asked for; all checks are done only now, and may have brought labels with them."""
        rules = self._search.options.rules
        reasons = broken(rules, self._bench.kernel(self._start), self._bench.kernel(link), verification.labels)
        if rules.min_ratio is not None and comparison.ratio < rules.min_ratio:
            reasons = (*reasons, f"its {comparison.ratio:.2f}x is less than {rules.min_ratio:.2f}x")
        return reasons

    def _found(self, link: Link) -> FoundEdit:
        before, after = self._start.looked.subject.source, link.looked.subject.source
        return FoundEdit(before.path, costliest(self._bench.kernel(self._start)).kernel.key, before.text, after.text)

    def _remember(self, link: Link, tried: Tried) -> None:
        self._search.store.add_attempt(attempt_record(self._job, self._search.workspace, self._bench.version(link), tried, _now_ms()))


def _edit_name(step: Step, kernel: str) -> str:
    return f"{step.technique} of {kernel}"


def _by_cost(looked: Looked) -> tuple[str, ...]:
    cost: dict[str, float] = {}
    for item in looked.assessment.kernels:
        cost[item.kernel.qualified_name] = cost.get(item.kernel.qualified_name, 0.0) + item.predicted_time_s
    return tuple(sorted(cost, key=lambda name: -cost[name]))


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
