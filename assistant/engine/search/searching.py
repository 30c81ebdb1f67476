"""The ``optimize`` job from its first count to its end: look, choose the planner, search."""

from __future__ import annotations

from collections.abc import Callable

from assistant.config import LoadedSettings, find_workspace
from assistant.engine.evaluate.hardware import steered
from assistant.engine.evaluate.live import differences
from assistant.engine.evaluate.workbench import Looked, look, repeat_limited
from assistant.engine.job import CANNOT_ANSWER, DONE, Ending, Job
from assistant.engine.request import OptimizeOptions
from assistant.engine.search.accounts import JobAccounts, OnWriting
from assistant.engine.search.confirming import Offer
from assistant.engine.search.host_code import HostCodeRight
from assistant.engine.search.optimize import NOTHING_FOUND, Search, SearchResult
from assistant.engine.search.planning import AskModel, Chosen, Models, PlannerChoice
from assistant.engine.search.resume import Earlier, tell_resumed
from assistant.engine.search.spending_words import cap_words
from assistant.engine.subject import Subject
from assistant.model import events
from assistant.model.profile import Severity
from assistant.plan.catalogue import Catalogue
from assistant.ports.lab import LabFailure
from assistant.ports.planner import Planner
from assistant.ports.store import SearchStore
from assistant.record import Record

__all__ = ["People", "Searched", "Searching"]


class People(Record):
    """Who is asked, and who watches."""

    offer: Offer
    host_code: HostCodeRight
    model: AskModel | None = None
    """None: nobody can be asked."""
    on_writing: OnWriting | None = None


class Searched(Record):
    """How an ``optimize`` job ended, and what it found."""

    ending: Ending
    found: SearchResult = NOTHING_FOUND


class Searching(Record):
    """What every ``optimize`` job of a session is done with."""

    store: SearchStore
    expert: Planner
    catalogue: Catalogue
    load_models: Callable[[], Models] | None

    async def run(
        self, job: Job, subject: Subject, options: OptimizeOptions, loaded: LoadedSettings, earlier: Earlier, people: People
    ) -> Searched:
        tell_resumed(job, earlier, subject)
        job.emit(events.StageStarted(job.id, "profile", "counts what the kernels do as they stand"))
        looked = await look(job, subject)
        if isinstance(looked, LabFailure):
            return Searched(job.failed(looked))
        again = await repeat_limited(job, subject, looked.counted)
        if isinstance(again, LabFailure):
            return Searched(job.failed(again))
        wrong = differences(looked.counted)
        if wrong:
            remedy = "mend the kernel or its reference first"
            return Searched(job.failed(LabFailure("differs_from_reference", wrong[0].message, remedy)))
        seen = await steered(job, looked)
        if isinstance(seen, LabFailure):
            job.say(Severity.INFORMATION, f"edits are planned by the emulator's counters: {seen.message}", seen.remedy)
        else:
            looked = seen
        choice = PlannerChoice(self.load_models, self.expert, job, options, loaded, self.store, earlier, people.model, people.on_writing)
        kernels = {item.kernel.qualified_name for item in looked.assessment.kernels}
        async with choice.made(len(kernels)) as chosen:
            found = await self._search(job, options, chosen, earlier, people).run(looked, again)
        if found.withheld:
            text = f"not tried, because it edits host code, which nobody allowed: {', '.join(found.withheld)}"
            job.say(Severity.INFORMATION, text, f"kernelopt optimize {job.request.file} --allow-host-code")
        return Searched(_ending(looked, found, chosen.accounts), found)

    def _search(self, job: Job, options: OptimizeOptions, chosen: Chosen, earlier: Earlier, people: People) -> Search:
        return Search(
            job=job,
            options=options,
            store=self.store,
            planner=chosen.planner,
            catalogue=self.catalogue,
            workspace=find_workspace(job.request.file),
            offer=people.offer,
            host_code=people.host_code,
            accounts=chosen.accounts,
            shape=chosen.shape,
            earlier=earlier,
        )


def _ending(looked: Looked, found: SearchResult, accounts: JobAccounts) -> Ending:
    if not looked.assessment.kernels:
        return Ending(CANNOT_ANSWER, "the workload launches none of the kernels asked about")
    capped = "" if accounts.ended_by is None else f"; {cap_words(accounts.ended_by, accounts.caps)} ended the search"
    if not found.proposals:
        return Ending(DONE, f"nothing to propose: no planned edit was verified, predicted to be faster, and new{capped}")
    noun = "proposal" if len(found.proposals) == 1 else "proposals"
    accepted = f", {found.accepted_count} accepted" if found.accepted_count else ""
    return Ending(DONE, f"{len(found.proposals)} {noun}{accepted}{capped}")
