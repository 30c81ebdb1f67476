"""The end of a chain, confirmed on fresh values with every check, explained and offered. Nobody sees a gain that did not pass here."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from assistant.engine.aside import Waited
from assistant.engine.constraints import broken
from assistant.engine.explain import other_edit
from assistant.engine.frontier import Node
from assistant.engine.gate import is_proved_better
from assistant.engine.records import Confirmed, costliest, proposal_record
from assistant.engine.rejected import FoundEdit, rejected_before
from assistant.engine.reports import proposal_event
from assistant.engine.round import Kit
from assistant.engine.speed import Speed, with_findings
from assistant.engine.succession import claim_in_words, offered_already, store_beside_better
from assistant.engine.trial import Link, why
from assistant.model import events
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.profile import Severity
from assistant.model.proposal import Proposal
from assistant.model.verification import CannotJudge, Outcome, Verification
from assistant.ports import LabFailure, Story
from assistant.source.hunks import unified_diff

__all__ = ["Confirmation", "Offer"]

_MOST_OTHERS = 3
"""Edits that an explanation names besides its own."""
Offer = Callable[[Proposal], Awaitable[events.DecisionMade | None]]
"""Shows a proposal to whoever decides; the decision, or None when it stays open."""


@dataclass
class Confirmation:
    """One version before its judge and before whoever decides."""

    kit: Kit
    root: Node
    offer: Offer
    others: tuple[Link, ...] = ()
    """Kept versions that gain more by their screen than the one that is confirmed."""
    is_failed: bool = False
    """It did not hold on fresh values: another version may."""
    decision: str | None = None
    """Kind of the decision; None where nothing was decided."""

    async def run(self, node: Node) -> AsyncIterator[events.Event]:
        kit, link = self.kit, node.link
        rejected = rejected_before(kit.store, kit.workspace, self._found(link))
        if rejected is not None:
            remedy = f"change the file, or kernelopt memory forget {link.looked.subject.source.path}"
            yield kit.job.message(
                Severity.INFORMATION, f"{kit.name}: the edit that was found is {rejected}; it is not offered again", remedy
            )
            return
        known = offered_already(kit.store, kit.workspace, self._found(link)) if kit.options.is_resumed else None
        if known is not None:
            text = f"{kit.name}: the best edit is still {known.id} ({claim_in_words(known)}), which stays open"
            yield kit.job.message(Severity.INFORMATION, text, f"kernelopt show {known.id}")
            return
        yield events.StageStarted(kit.job.id, "confirm", f"{kit.name}: fresh values, repeats, checks, boundary shapes")
        with kit.accounts.holding_gpu():
            verification, speed = await self._judged(link)
        if not isinstance(verification, Verification):
            yield kit.job.message(Severity.WARNING, f"{kit.name}: the best edit was not confirmed: {why(verification)}")
            return
        if speed.defect is not None:
            yield kit.job.message(Severity.ERROR, f"{kit.name}: {speed.defect}; the best edit is not offered")
            return
        comparison = speed.comparison
        if verification.outcome is Outcome.FAIL:
            self.is_failed = True
            first = next(f for f in verification.findings if f.outcome is Outcome.FAIL)
            message = f"{kit.name}: the best edit failed its confirmation and is not offered: {first.message}"
            yield kit.job.message(Severity.WARNING, message)
            return
        for note in speed.notes:
            yield kit.job.message(Severity.WARNING, f"{kit.name}: {note}")
        if speed.advice is not None:
            yield kit.job.message(Severity.INFORMATION, f"{kit.name}: the best edit is {speed.advice}")
        if comparison is None:
            yield kit.job.message(Severity.WARNING, f"{kit.name}: the best edit was not confirmed: it does not launch the kernel")
            return
        if comparison.outcome is not SpeedOutcome.PREDICTED and not is_proved_better(comparison):
            self.is_failed = True
            told = f"{comparison.outcome.value} {comparison.ratio:.2f}x in a fresh process"
            yield kit.job.message(Severity.WARNING, f"{kit.name}: the best edit's gain was not confirmed and it is not offered: {told}")
            return
        reasons = self._unwanted(link, verification, comparison)
        if reasons:
            yield kit.job.message(Severity.WARNING, f"{kit.name}: the best edit is not offered: {'; '.join(reasons)}")
            return
        explained = Waited(kit.aside, kit.planner.explained(self._story(link, verification, comparison)))
        async for event in explained.events():
            yield event
        confirmed = Confirmed(link.text, link.kept, verification, comparison, explained.result, self._others(), kit.bench.kernel(link))
        async for event in self._offered(proposal_record(kit.job, kit.bench.version(kit.start), confirmed, kit.accounts.now_ms())):
            yield event

    async def _judged(self, link: Link) -> tuple[Verification | CannotJudge | LabFailure, Speed]:
        """The verdict with every check, and the speed against the user's text where it does not fail."""
        bench = self.kit.bench
        verification = await bench.verify(link, link.looked, link.kept[-1].rewrite, is_confirming=True)
        if not isinstance(verification, Verification) or verification.outcome is Outcome.FAIL:
            return verification, Speed(None)
        speed = await bench.speed(self.kit.start, link.looked, is_confirming=True)
        return with_findings(verification, speed), speed

    async def _offered(self, proposal: Proposal) -> AsyncIterator[events.Event]:
        kit = self.kit
        told = store_beside_better(kit.job.id, kit.store, kit.workspace, proposal)
        recording = _judged_on(kit)
        if recording is not None:
            kit.store.keep_recording(proposal.id, recording, kit.options.recordings_bytes, proposal.created_ms)
        yield proposal_event(kit.job.id, proposal)
        for event in told:
            yield event
        decision = await self.offer(proposal)
        if decision is not None:
            self.decision = decision.kind
            yield decision

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
