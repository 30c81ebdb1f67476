"""The end of a chain, confirmed on fresh values with every check, explained and offered. Nobody sees a gain that did not pass here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from assistant.cuda.hunks import unified_diff
from assistant.engine.judge.speed import Speed, with_findings
from assistant.engine.proposals.constraints import broken
from assistant.engine.proposals.explain import other_edit
from assistant.engine.proposals.gate import is_proved_better
from assistant.engine.proposals.records import Confirmed, costliest, proposal_record
from assistant.engine.proposals.rejected import FoundEdit, rejected_before
from assistant.engine.proposals.superseding import claim_in_words, offered_already, store_beside_better
from assistant.engine.report.reports import proposal_event
from assistant.engine.search.frontier import Node
from assistant.engine.search.round import Kit
from assistant.engine.search.trial import Link, why
from assistant.model import events
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.profile import Severity
from assistant.model.proposal import Proposal
from assistant.model.verification import CannotJudge, Outcome, Verification
from assistant.ports.lab import LabFailure
from assistant.ports.planner import Story
from assistant.record import Record

__all__ = ["Confirmation", "ConfirmationResult", "Offer"]

_MOST_OTHERS = 3
"""Edits that an explanation names besides its own."""
Offer = Callable[[Proposal], Awaitable[events.DecisionMade | None]]
"""Shows a proposal to whoever decides; the decision, or None when it stays open."""


class ConfirmationResult(Record):
    """What became of one version."""

    proposal: Proposal | None = None
    """As it was offered; None where it was not."""
    decision: str | None = None
    """Kind of the decision; None where nothing was decided."""
    is_failed: bool = False
    """It did not hold on fresh values: another version may."""


_NOT_OFFERED = ConfirmationResult()
_FAILED = ConfirmationResult(is_failed=True)


class Confirmation(Record):
    """One version before its judge and before whoever decides."""

    kit: Kit
    root: Node
    offer: Offer
    others: tuple[Link, ...] = ()
    """Kept versions that gain more by their screen than the one that is confirmed."""

    async def run(self, node: Node) -> ConfirmationResult:
        """Judge it on fresh values, and offer it where it holds; what speaks against it is told."""
        kit, link = self.kit, node.link
        if self._is_decided_or_open(link):
            return _NOT_OFFERED
        kit.job.emit(events.StageStarted(kit.job.id, "confirm", f"{kit.name}: fresh values, repeats, checks, boundary shapes"))
        with kit.accounts.holding_gpu():
            verification, speed = await self._judged(link)
        if not isinstance(verification, Verification):
            kit.job.say(Severity.WARNING, f"{kit.name}: the best edit was not confirmed: {why(verification)}")
            return _NOT_OFFERED
        if speed.defect is not None:
            kit.job.say(Severity.ERROR, f"{kit.name}: {speed.defect}; the best edit is not offered")
            return _NOT_OFFERED
        comparison = speed.comparison
        if verification.outcome is Outcome.FAIL:
            first = next(f for f in verification.findings if f.outcome is Outcome.FAIL)
            message = f"{kit.name}: the best edit failed its confirmation and is not offered: {first.message}"
            kit.job.say(Severity.WARNING, message)
            return _FAILED
        for note in speed.notes:
            kit.job.say(Severity.WARNING, f"{kit.name}: {note}")
        if speed.advice is not None:
            kit.job.say(Severity.INFORMATION, f"{kit.name}: the best edit is {speed.advice}")
        if comparison is None:
            kit.job.say(Severity.WARNING, f"{kit.name}: the best edit was not confirmed: it does not launch the kernel")
            return _NOT_OFFERED
        if comparison.outcome is not SpeedOutcome.PREDICTED and not is_proved_better(comparison):
            told = f"{comparison.outcome.value} {comparison.ratio:.2f}x in a fresh process"
            kit.job.say(Severity.WARNING, f"{kit.name}: the best edit's gain was not confirmed and it is not offered: {told}")
            return _FAILED
        reasons = self._unwanted(link, verification, comparison)
        if reasons:
            kit.job.say(Severity.WARNING, f"{kit.name}: the best edit is not offered: {'; '.join(reasons)}")
            return _NOT_OFFERED
        explained = await kit.planner.explained(self._story(link, verification, comparison))
        confirmed = Confirmed(link.text, link.kept, verification, comparison, explained, self._others(), kit.bench.kernel(link))
        return await self._offered(proposal_record(kit.job, kit.bench.version(kit.start), confirmed, kit.accounts.now_ms()))

    def _is_decided_or_open(self, link: Link) -> bool:
        """Whether a person turned this very edit down, or has it before them; it is told."""
        kit = self.kit
        rejected = rejected_before(kit.store, kit.workspace, self._found(link))
        if rejected is not None:
            remedy = f"change the file, or kernelopt memory forget {link.looked.subject.source.path}"
            kit.job.say(Severity.INFORMATION, f"{kit.name}: the edit that was found is {rejected}; it is not offered again", remedy)
            return True
        known = offered_already(kit.store, kit.workspace, self._found(link)) if kit.options.is_resumed else None
        if known is not None:
            text = f"{kit.name}: the best edit is still {known.id} ({claim_in_words(known)}), which stays open"
            kit.job.say(Severity.INFORMATION, text, f"kernelopt show {known.id}")
        return known is not None

    async def _judged(self, link: Link) -> tuple[Verification | CannotJudge | LabFailure, Speed]:
        """The verdict with every check, and the speed against the user's text where it does not fail."""
        bench = self.kit.bench
        verification = await bench.verify(link, link.looked, link.kept[-1].rewrite, is_confirming=True)
        if not isinstance(verification, Verification) or verification.outcome is Outcome.FAIL:
            return verification, Speed(None)
        speed = await bench.speed(self.kit.start, link.looked, is_confirming=True)
        return with_findings(verification, speed), speed

    async def _offered(self, proposal: Proposal) -> ConfirmationResult:
        kit = self.kit
        told = store_beside_better(kit.job.id, kit.store, kit.workspace, proposal)
        recording = _judged_on(kit)
        if recording is not None:
            kit.store.keep_recording(proposal.id, recording, kit.options.recordings_bytes, proposal.created_ms)
        kit.job.emit(proposal_event(kit.job.id, proposal), *told)
        await kit.job.delivered()
        decision = await self.offer(proposal)
        if decision is None:
            return ConfirmationResult(proposal)
        kit.job.emit(decision)
        return ConfirmationResult(proposal, decision.kind)

    def _unwanted(self, link: Link, verification: Verification, comparison: Comparison) -> tuple[str, ...]:
        """Why the chain's end is not what was asked for; all checks are done only now, and may have brought labels with them."""
        rules, bench = self.kit.options.rules, self.kit.bench
        reasons = broken(rules, bench.kernel(self.kit.start), bench.kernel(link), verification.labels)
        if rules.min_ratio is not None and comparison.ratio < rules.min_ratio:
            reasons = (*reasons, f"its {comparison.ratio:.2f}x is less than {rules.min_ratio:.2f}x")
        return reasons

    def _story(self, link: Link, verification: Verification, comparison: Comparison) -> Story:
        kit = self.kit
        after = kit.bench.kernel(link)
        before, text = kit.start.looked.subject.source, link.text
        return Story(
            before=kit.asking.request(self.root, kit.bench.kernel(kit.start), kit.book),
            diff=unified_diff(before.text, text, before.path.name),
            steps=tuple(kept.step for kept in link.kept),
            rewrites=tuple(kept.rewrite for kept in link.kept),
            after=tuple(fact for item in after for fact in item.evidence),
            left=costliest(after).findings,
            verification=verification,
            comparison=comparison,
            others=self._others(),
        )

    def _others(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(other_edit(link.kept) for link in self.others))[:_MOST_OTHERS]

    def _found(self, link: Link) -> FoundEdit:
        before, after = self.kit.start.looked.subject.source, link.looked.subject.source
        return FoundEdit(before.path, costliest(self.kit.bench.kernel(self.kit.start)).kernel.key, before.text, after.text)


def _judged_on(kit: Kit) -> Path | None:
    """The recording that the cases were made from; None for declared ones, whose values come from their seeds."""
    run, live = kit.start.looked.counted.run, kit.job.request.live
    if live is not None:
        return live.cases[0].recording
    return None if run is None else run.recording_path
