"""The end of a chain, confirmed on fresh values with every check, explained and offered. No gain is shown that did not pass here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from assistant.cuda.changes import changes_diff, changes_of
from assistant.engine.evaluate import costliest
from assistant.engine.judge import Speed, with_findings
from assistant.engine.proposals import (
    ConfirmedVersion,
    FoundEdit,
    broken,
    claim_in_words,
    is_proved_better,
    keep_recording,
    offered_already,
    offered_for_another_kernel,
    other_edit,
    proposal_record,
    rejected_before,
    store_and_supersede,
)
from assistant.engine.report import proposal_event
from assistant.engine.search.baselines import Look
from assistant.engine.search.context import SearchContext, SearchServices
from assistant.engine.search.elsewhere import NotOffered
from assistant.engine.search.setbacks import only_here, setback_of_confirmation
from assistant.engine.search.trials import SearchNode, why_not_judged
from assistant.model import events
from assistant.model.change import FileChange
from assistant.model.comparison import Comparison, SpeedOutcome, format_ratio
from assistant.model.plan import Setback, SetbackKind
from assistant.model.profile import Severity
from assistant.model.proposal import Proposal
from assistant.model.verification import CannotJudge, Outcome, Verification
from assistant.ports.lab import LabFailure
from assistant.ports.planner import Story
from assistant.record import Record

__all__ = ["Confirmation", "ConfirmationResult", "Offer"]

_MOST_OTHERS = 3
"""Most other edits that an explanation names."""
Offer = Callable[[Proposal], Awaitable[events.DecisionMade | None]]
"""Shows a proposal to the person who decides; the decision, or None when it stays open."""


class ConfirmationResult(Record):
    """How the confirmation of a version ended."""

    proposal: Proposal | None = None
    """As it may be offered; None where it may not."""
    is_open_already: bool = False
    """A person has this very edit before them: nothing in its place is offered."""
    is_judged: bool = True
    """It was run; not so where a decision about this very edit stands."""
    setback: Setback | None = None
    """What was seen, for its writer; None where nothing could be made of it."""
    why_not: str = ""
    """Why it is not offered; empty where it may be, and where a person decided on it."""


class Confirmation(Record):
    """One version on its way to the person who decides on it."""

    context: SearchContext
    services: SearchServices
    root: SearchNode
    offer: Offer
    others: tuple[SearchNode, ...] = ()
    """Kept versions that gain more by their screen than the one that is confirmed."""
    is_asked: bool = False
    """Its writer is asked for another one where it is right on the program's own sizes and values alone; then it is not offered yet."""

    async def run(self, node: SearchNode) -> ConfirmationResult:
        """Judge it on fresh values; where it holds, it may be offered. What speaks against it is reported."""
        context, job = self.context, self.context.job
        settled = self._decided_or_open(node)
        if settled is not None:
            return settled
        job.emit(events.StageStarted(job.id, "confirm", f"{context.kernel}: fresh values, repeats, checks, boundary shapes"))
        with self.services.accounts.holding_gpu(job.lab):
            verification, speed = await self._judged(node)
        if not isinstance(verification, Verification):
            return self._turned_away(f"the best edit was not confirmed: {why_not_judged(verification)}")
        if speed.defect is not None:
            return self._turned_away(f"{speed.defect}; the best edit is not offered", Severity.ERROR)
        comparison = speed.comparison
        if (first := verification.failure) is not None:
            away = self._turned_away(f"the best edit failed its confirmation and is not offered: {first.message}")
            reason = f"it failed when it was judged on fresh values: {first.message}"
            return _failed(away, node, SetbackKind.WRONG_ANSWER, reason, verification)
        for note in speed.notes:
            job.say(Severity.WARNING, f"{context.kernel}: {note}")
        if speed.advice is not None:
            job.say(Severity.INFORMATION, f"{context.kernel}: the best edit is {speed.advice}")
        if comparison is None:
            return self._turned_away("the best edit was not confirmed: its speed is not known")
        if comparison.outcome is not SpeedOutcome.PREDICTED and not is_proved_better(comparison):
            gain = f"{comparison.outcome.value} {format_ratio(comparison.ratio)}x in a fresh process"
            away = self._turned_away(f"the best edit's gain was not confirmed and it is not offered: {gain}")
            return _failed(away, node, SetbackKind.NOT_FASTER, f"its gain was not confirmed: {gain}", verification, comparison.ratio)
        reasons = self._unwanted(node, verification, comparison)
        if reasons:
            return self._turned_away(f"the best edit is not offered: {'; '.join(reasons)}")
        here = only_here(verification, self.services.deferred) if self.is_asked else ()
        if here:
            text = f"{context.kernel}: the best edit goes back to its writer before it is offered: {here[0].message}"
            job.say(Severity.INFORMATION, text)
            return _failed(ConfirmationResult(), node, SetbackKind.ONLY_HERE, here[0].message, verification)
        elsewhere = await self.services.judge_elsewhere(job, context.start.evaluation.version, node.evaluation.version)
        if isinstance(elsewhere, NotOffered):
            away = self._turned_away(f"the best edit is not offered: {elsewhere.reason}")
            return _failed(away, node, SetbackKind.WRONG_ANSWER, elsewhere.reason, verification)
        if elsewhere:
            findings = (*verification.findings, *elsewhere)
            verification = replace(verification, outcome=Outcome.NEEDS_DECISION, findings=findings)
        explained = await self.services.planner.explained(self._story(node, verification, comparison))
        before, after = context.assessed(context.start), context.assessed(node)
        confirmed = ConfirmedVersion(
            node.evaluation.version.sources, node.kept, verification, comparison, before, after, explained, self._others()
        )
        start, now_ms = context.start.evaluation.version, self.services.accounts.now_ms()
        return ConfirmationResult(proposal_record(job, start, confirmed, now_ms))

    def _turned_away(self, why: str, severity: Severity = Severity.WARNING) -> ConfirmationResult:
        self.context.job.say(severity, f"{self.context.kernel}: {why}")
        return ConfirmationResult(why_not=why)

    def _decided_or_open(self, node: SearchNode) -> ConfirmationResult | None:
        """What comes of an edit that a person turned down, or has open already, which a message says; None for any other."""
        context, store, job = self.context, self.services.store, self.context.job
        rejected = rejected_before(store, context.workspace, self._found(node))
        if rejected is not None:
            remedy = f"change the file, or {rejected.taken_back(node.evaluation.version.source.path)}"
            job.say(Severity.INFORMATION, f"{context.kernel}: the edit that was found is {rejected.words}; it is not offered again", remedy)
            return ConfirmationResult(is_judged=False)
        known = offered_already(store, context.workspace, self._found(node)) if context.options.is_resumed else None
        other = offered_for_another_kernel(store, context.workspace, self._found(node))
        if known is not None:
            text = f"{context.kernel}: the best edit is still {known.id} ({claim_in_words(known)}), which stays open"
        elif other is not None:
            known = other
            text = f"{context.kernel}: the best edit is that of {known.id}, offered for {known.kernel}: both use what it changes"
        else:
            return None
        job.say(Severity.INFORMATION, text, f"kernelopt show {known.id}")
        return ConfirmationResult(why_not=f"the best one waits as {known.id} for a decision", is_open_already=True, is_judged=False)

    async def _judged(self, node: SearchNode) -> tuple[Verification | CannotJudge | LabFailure, Speed]:
        """The verdict with every check, and the speed against the user's text where it does not fail."""
        judge = self.services.judge
        verification = await judge.verify(node, node.evaluation, node.kept[-1].rewrite, Look.CONFIRMING)
        if not isinstance(verification, Verification) or verification.outcome is Outcome.FAIL:
            return verification, Speed(None)
        speed = await judge.speed(self.context.start, node.evaluation, Look.CONFIRMING)
        return with_findings(verification, speed), speed

    async def offered(self, proposal: Proposal) -> events.DecisionMade | None:
        """Keep it, and show it to the person who decides; None where it stays open."""
        context, store, job = self.context, self.services.store, self.context.job
        better = store_and_supersede(job.id, store, context.workspace, proposal)
        keep_recording(store, proposal, self.services.recording)
        job.emit(proposal_event(job.id, proposal), *better)
        await job.delivered()
        decision = await self.offer(proposal)
        if decision is not None:
            job.emit(decision)
        return decision

    def _unwanted(self, node: SearchNode, verification: Verification, comparison: Comparison) -> tuple[str, ...]:
        """Why the chain's end is not what was asked for; all checks are done only now, and may have brought labels with them."""
        context, rules = self.context, self.context.options.rules
        reasons = broken(rules, context.assessed(context.start), context.assessed(node), verification.labels)
        if rules.min_ratio is not None and comparison.ratio < rules.min_ratio:
            reasons = (*reasons, f"its {format_ratio(comparison.ratio)}x is less than {format_ratio(rules.min_ratio)}x")
        return reasons

    def _story(self, node: SearchNode, verification: Verification, comparison: Comparison) -> Story:
        context = self.context
        after = context.assessed(node)
        return Story(
            before=self.services.request(self.root, context.assessed(context.start)),
            diff=changes_diff(self._changes(node)),
            steps=tuple(kept.step for kept in node.kept),
            rewrites=tuple(kept.rewrite for kept in node.kept),
            after=tuple(fact for item in after for fact in item.evidence),
            left=costliest(after).findings if after else (),
            verification=verification,
            comparison=comparison,
            others=self._others(),
        )

    def _others(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(other_edit(node.kept) for node in self.others))[:_MOST_OTHERS]

    def _found(self, node: SearchNode) -> FoundEdit:
        context = self.context
        path = context.start.evaluation.version.source.path
        return FoundEdit(path, costliest(context.assessed(context.start)).kernel.key, self._changes(node))

    def _changes(self, node: SearchNode) -> tuple[FileChange, ...]:
        """Changes to the texts that the user has."""
        return changes_of(self.context.start.evaluation.version.sources, node.evaluation.version.sources)


def _failed(
    result: ConfirmationResult, node: SearchNode, kind: SetbackKind, reason: str, verification: Verification, ratio: float | None = None
) -> ConfirmationResult:
    """``result`` with what its writer may use."""
    return replace(result, setback=replace(setback_of_confirmation(node, kind, reason, verification), ratio=ratio))
