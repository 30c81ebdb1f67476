"""The ``optimize`` job from its first count to its last event: look, choose the planner, search, end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from assistant.config import LoadedSettings, find_workspace
from assistant.engine import stages
from assistant.engine.accounts import JobAccounts, OnWriting
from assistant.engine.confirming import Offer
from assistant.engine.hardware import steered
from assistant.engine.host_code import HostCodeRight
from assistant.engine.job import CANNOT_ANSWER, DONE, Ending, Job
from assistant.engine.live import differences
from assistant.engine.optimize import Search
from assistant.engine.planning import AskModel, Models, PlannerChoice
from assistant.engine.request import OptimizeOptions
from assistant.engine.resume import Earlier, resumed_events
from assistant.engine.round import NOT_ALLOWED
from assistant.engine.spending_words import cap_words
from assistant.engine.subject import Subject
from assistant.engine.workbench import Looked, look, repeat_limited
from assistant.model import events
from assistant.model.profile import Severity
from assistant.plan.catalogue import Catalogue
from assistant.ports import LabFailure, Planner, Store

__all__ = ["People", "Searching"]


@dataclass(frozen=True)
class People:
    """Who is asked, and who watches."""

    offer: Offer
    host_code: HostCodeRight
    model: AskModel | None = None
    """None: nobody can be asked."""
    on_writing: OnWriting | None = None


@dataclass(frozen=True)
class Searching:
    """What every ``optimize`` job of a session is done with."""

    store: Store
    expert: Planner
    catalogue: Catalogue
    load_models: Callable[[], Models] | None

    async def run(
        self, job: Job, subject: Subject, options: OptimizeOptions, loaded: LoadedSettings, earlier: Earlier, people: People
    ) -> AsyncIterator[events.Event]:
        for event in resumed_events(job, earlier, subject):
            yield event
        yield events.StageStarted(job.id, "profile", "counts what the kernels do as they stand")
        looked = await look(job, subject)
        again = looked if isinstance(looked, LabFailure) else await repeat_limited(job, subject, looked.counted)
        if isinstance(looked, LabFailure) or isinstance(again, LabFailure):
            failure = looked if isinstance(looked, LabFailure) else again
            assert isinstance(failure, LabFailure)
            for event in stages.failed(job, failure):
                yield event
            return
        wrong = differences(looked.counted)
        if wrong:
            failure = LabFailure("differs_from_reference", wrong[0].message, "mend the kernel or its reference first")
            for event in stages.failed(job, failure):
                yield event
            return
        seen = await steered(job, looked)
        if isinstance(seen, LabFailure):
            yield job.message(Severity.INFORMATION, f"edits are planned by the emulator's counters: {seen.message}", seen.remedy)
        else:
            looked = seen
        choice = PlannerChoice(self.load_models, self.expert, job, options, loaded, self.store, earlier, people.model, people.on_writing)
        try:
            async for event in choice.made(len({item.kernel.qualified_name for item in looked.assessment.kernels})):
                yield event
            search = self._search(job, options, choice, earlier, people)
            tally = _Tally()
            async for event in search.run(looked, again):
                tally.count(event)
                yield event
            for event in choice.aside.taken():
                yield event
        finally:
            await choice.close()
        if tally.withheld:
            text = f"not tried, because it edits host code, which nobody allowed: {', '.join(tally.withheld)}"
            yield job.message(Severity.INFORMATION, text, f"kernelopt optimize {job.request.file} --allow-host-code")
        yield job.ended(_ending(looked, tally, choice.accounts))

    def _search(self, job: Job, options: OptimizeOptions, choice: PlannerChoice, earlier: Earlier, people: People) -> Search:
        return Search(
            job=job,
            options=options,
            store=self.store,
            planner=choice.planner,
            catalogue=self.catalogue,
            workspace=find_workspace(job.request.file),
            offer=people.offer,
            host_code=people.host_code,
            accounts=choice.accounts,
            aside=choice.aside,
            shape=choice.shape,
            earlier=earlier,
        )


class _Tally:
    """What a search came to."""

    def __init__(self) -> None:
        self.offered = 0
        self.accepted = 0
        self.withheld: dict[str, None] = {}

    def count(self, event: events.Event) -> None:
        self.offered += isinstance(event, events.ProposalMade)
        self.accepted += isinstance(event, events.DecisionMade) and event.kind in ("accepted", "partially_accepted")
        if isinstance(event, events.CandidateTried) and event.outcome == NOT_ALLOWED:
            self.withheld[f"{event.technique} of {event.kernel}"] = None


def _ending(looked: Looked, tally: _Tally, accounts: JobAccounts) -> Ending:
    if not looked.assessment.kernels:
        return Ending(CANNOT_ANSWER, "the workload launches none of the kernels asked about")
    capped = "" if accounts.ended_by is None else f"; {cap_words(accounts.ended_by, accounts.caps)} ended the search"
    if not tally.offered:
        return Ending(DONE, f"nothing to propose: no planned edit was verified, predicted to be faster, and new{capped}")
    noun = "proposal" if tally.offered == 1 else "proposals"
    accepted = f", {tally.accepted} accepted" if tally.accepted else ""
    return Ending(DONE, f"{tally.offered} {noun}{accepted}{capped}")
