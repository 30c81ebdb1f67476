"""The search: plan, try, keep the best, chain, confirm, offer. What is offered is the best that was confirmed.

Kernels are taken in order of predicted cost. On each, a round plans from the present findings, tries every planned rewrite and makes
what it kept the next frontier (``frontier.py``); a step that was kept, or refused for good, is not tried on the same place again. The
best version is confirmed on fresh seeds with all checks before anybody sees it. Whoever planned an edit, its judge is the same.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assistant.engine.evaluate.counting import Counted
from assistant.engine.evaluate.workbench import Looked, repeat_run
from assistant.engine.job import Job
from assistant.engine.proposals.records import costliest
from assistant.engine.request import OptimizeOptions
from assistant.engine.search.accounts import JobAccounts
from assistant.engine.search.asking import Asking
from assistant.engine.search.confirming import Offer
from assistant.engine.search.host_code import HostCodeRight
from assistant.engine.search.kernel_search import KernelSearch, KernelSearchResult
from assistant.engine.search.parallel_trials import ParallelTrials
from assistant.engine.search.resume import NOTHING_EARLIER, Earlier
from assistant.engine.search.round import Kit
from assistant.engine.search.shape import SearchShape
from assistant.engine.search.trial import Bench, Link
from assistant.engine.search.trial_history import TrialHistory
from assistant.model.proposal import Proposal
from assistant.plan.catalogue import Catalogue
from assistant.ports.planner import Planner
from assistant.ports.store import EditStore
from assistant.record import Record

__all__ = ["NOTHING_FOUND", "Search", "SearchResult"]


class SearchResult(Record):
    """What one ``optimize`` job found."""

    kernels: tuple[KernelSearchResult, ...]
    """In the order they were searched."""

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        return tuple(proposal for kernel in self.kernels for proposal in kernel.proposals)

    @property
    def accepted_count(self) -> int:
        return sum(kernel.accepted_count for kernel in self.kernels)

    @property
    def withheld(self) -> tuple[str, ...]:
        """Edits of host code that nobody allowed, each once."""
        return tuple(dict.fromkeys(edit for kernel in self.kernels for edit in kernel.withheld))


NOTHING_FOUND = SearchResult(())


class Search(Record):
    """One ``optimize`` job."""

    job: Job
    options: OptimizeOptions
    store: EditStore
    planner: Planner
    catalogue: Catalogue
    workspace: Path
    offer: Offer
    host_code: HostCodeRight
    accounts: JobAccounts
    shape: SearchShape
    earlier: Earlier = NOTHING_EARLIER
    """What an interrupted search had tried; its kept edits are built on, the others are not tried again."""

    async def run(self, looked: Looked, second_run: Counted | None) -> SearchResult:
        """Improve every selected kernel in turn; an accepted proposal becomes the text the next kernel starts from."""
        current = Link(looked)
        finished = self.earlier.finished(looked.subject.parsed)
        found: list[KernelSearchResult] = []
        for name in (name for name in _by_cost(looked) if name not in finished):
            found.append(await KernelSearch(self._kit(name, current, second_run), self.offer).run())
            accepted = found[-1].accepted
            if accepted is not None:
                current = accepted
                second_run = await repeat_run(self.job, current.looked.subject, current.looked.counted)
            if self.accounts.is_out_of_time:
                break
        return SearchResult(tuple(found))

    def _kit(self, name: str, start: Link, second_run: Counted | None) -> Kit:
        jobs = (self.job, *(replace(self.job, lab=lab) for lab in self.job.lab.beside))
        benches = tuple(Bench(job, self.catalogue, name, start, second_run) for job in jobs)
        bench = benches[0]
        items = bench.kernel(start)
        key = costliest(items).kernel.key if items else ""
        return Kit(
            job=self.job,
            options=self.options,
            shape=self.shape,
            store=self.store,
            planner=self.planner,
            workspace=self.workspace,
            name=name,
            start=start,
            bench=bench,
            tries=ParallelTrials(benches, self.accounts.holding_gpu),
            book=TrialHistory(self.earlier, key, self.options.max_candidates),
            asking=Asking(self.job, self.options, self.store, self.catalogue, self.workspace, self.earlier),
            host_code=self.host_code,
            accounts=self.accounts,
            earlier=self.earlier,
        )


def _by_cost(looked: Looked) -> tuple[str, ...]:
    cost: dict[str, float] = {}
    for item in looked.assessment.kernels:
        cost[item.kernel.qualified_name] = cost.get(item.kernel.qualified_name, 0.0) + item.predicted_time_s
    return tuple(sorted(cost, key=lambda name: -cost[name]))
