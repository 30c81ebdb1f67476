"""The rounds of a search on one kernel, with nothing confirmed or offered, in which no candidate is judged twice: for studies of searches.

Planner, rounds, judge and memory are those of every search. What is known of a candidate is found by the version's text, the candidate's
text and the techniques that the version has, which state its labels. Without a lab, one of which nothing is known ends it. Example::

    await RoundsAlone(job, options, store, planner, catalogue, outcomes={}, has_lab=True).run("ns::k", starts_of(evaluation)["ns::k"])
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from assistant.config import find_workspace
from assistant.engine.evaluate import CountedRun, Evaluation, KernelAssessment
from assistant.engine.job import Job
from assistant.engine.request import OptimizeOptions
from assistant.engine.search.accounts import JobAccounts
from assistant.engine.search.candidate_judge import CandidateJudge
from assistant.engine.search.context import SearchContext, SearchServices, Trials, nothing_to_do
from assistant.engine.search.edited import EditedTexts, edited_texts
from assistant.engine.search.frontier import Frontier
from assistant.engine.search.host_code import HostCodeRight
from assistant.engine.search.islands import Islands
from assistant.engine.search.parallel_trials import ParallelTrials
from assistant.engine.search.plan_requests import PlanRequests
from assistant.engine.search.resume import NOTHING_EARLIER
from assistant.engine.search.round import run_round
from assistant.engine.search.round_trials import RoundTrials
from assistant.engine.search.shape import SearchShape
from assistant.engine.search.trials import SearchNode, Trial, TrialHistory
from assistant.engine.search.tuning import TuningTrials
from assistant.engine.source_version import SourceVersion
from assistant.errors import CannotAnswerError
from assistant.model.completion import Caps
from assistant.model.plan import Rewrite, Step
from assistant.model.verification import VerificationFinding
from assistant.plan.catalogue import Catalogue
from assistant.ports.planner import Planner, PlanRequest
from assistant.ports.store import Store
from assistant.record import Record

__all__ = ["OutcomeKey", "RoundsAlone", "UnknownOutcomeError", "starts_of"]

OutcomeKey = tuple[str, str, str, tuple[str, ...]]
"""Kernel, version, candidate, techniques that the version has."""


class UnknownOutcomeError(CannotAnswerError):
    """Nothing is known of a candidate, and no lab is there to judge it."""


class RoundsAlone(Record):
    """What such a search is made with; host code may be edited."""

    job: Job
    options: OptimizeOptions
    store: Store
    planner: Planner
    catalogue: Catalogue
    outcomes: dict[OutcomeKey, Trial]
    """What is known of candidates; what is judged is added."""
    has_lab: bool
    """Whether the job's lab is open."""
    second_run: CountedRun | None = None
    judge: type[CandidateJudge] = CandidateJudge
    """What judges a candidate."""

    async def run(self, kernel: str, start: SearchNode) -> None:
        """Search on the kernel of that qualified name; what is tried goes to the store. Raises UnknownOutcomeError."""
        job, shape = self.job, SearchShape()
        accounts = JobAccounts(job, self.store, Caps())
        history = TrialHistory((), self.options.max_candidates)
        workspace = find_workspace(job.request.file)
        context = SearchContext(job, self.options, shape, workspace, kernel, start, NOTHING_EARLIER)
        if not context.assessed(start):
            return
        requests = PlanRequests(job, self.options, self.store, self.catalogue, workspace, NOTHING_EARLIER)
        judge = self.judge(job, self.catalogue, kernel, start, self.second_run)
        inner = TuningTrials(job, ParallelTrials((judge,), accounts.holding_gpu), accounts, shape.tuning_trials)

        def request(node: SearchNode, items: tuple[KernelAssessment, ...]) -> PlanRequest:
            return replace(requests.request(node, items, history.attempt_summaries), may_edit_host=True)

        services = SearchServices(
            store=self.store,
            catalogue=self.catalogue,
            planner=self.planner,
            judge=judge,
            recording=None,
            trials=_KnownTrials(kernel, self.outcomes, inner if self.has_lab else None),
            history=history,
            request=request,
            host_code=HostCodeRight(is_given=True, ask=None),
            accounts=accounts,
            deferred=frozenset(),
            judge_elsewhere=_nothing_elsewhere,
            candidates=RoundTrials,
            run_round=run_round,
        )
        history.starts_from(start.key, "the text that the search starts from")
        await Islands(context, services, Frontier.at(start)).run()


def starts_of(evaluation: Evaluation) -> dict[str, SearchNode]:
    """What the search on each kernel begins with, by qualified name, the costliest first; not of kernels that a macro holds."""
    items = [item for item in evaluation.assessment.kernels if not item.kernel.macro]
    costs: dict[str, float] = {}
    for item in items:
        costs[item.kernel.qualified_name] = costs.get(item.kernel.qualified_name, 0.0) + item.predicted_time_s
    first = {item.kernel.qualified_name: item.kernel for item in reversed(items)}
    ordered = sorted(costs, key=lambda name: -costs[name])
    return {name: SearchNode(evaluation.about(first[name])) for name in ordered}


class _KnownTrials:
    """`Trials` that judge nothing twice, and nothing ahead: what is studied is their order."""

    count, has_room, is_idle = 1, False, True

    def __init__(self, kernel: str, outcomes: dict[OutcomeKey, Trial], inner: Trials | None) -> None:
        self._kernel = kernel
        self._outcomes = outcomes
        self._inner = inner

    def begin(self, node: SearchNode, step: Step, rewrite: Rewrite) -> None:
        """Never."""

    async def judge(self, node: SearchNode, step: Step, rewrite: Rewrite, on_built: Callable[[], None] = nothing_to_do) -> Trial:
        made = edited_texts(node, rewrite)
        after = made.key if isinstance(made, EditedTexts) else str(made)
        key = (self._kernel, node.key, after, tuple(sorted(kept.technique.id for kept in node.kept)))
        if key not in self._outcomes:
            if self._inner is None:
                raise UnknownOutcomeError(f"nothing is known of {step.technique} at line {step.line}", "judge it with a lab")
            self._outcomes[key] = await self._inner.judge(node, step, rewrite, on_built)
        return _of_parent(node, replace(self._outcomes[key], step=step))

    async def judge_again(self, node: SearchNode, trial: Trial) -> Trial:
        """What was judged holds: predictions do not scatter."""
        return trial

    @asynccontextmanager
    async def own_lab(self) -> AsyncGenerator[None]:
        yield

    async def close(self) -> None:
        if self._inner is not None:
            await self._inner.close()


def _of_parent(node: SearchNode, trial: Trial) -> Trial:
    """The version that it makes of this very parent, which another chain of the same techniques may have come to."""
    if trial.node is None:
        return trial
    kept = (*node.kept, replace(trial.node.kept[-1], step=trial.step))
    ratio = node.ratio * (trial.ratio or 1.0)
    return replace(trial, node=replace(trial.node, kept=kept, attempts=(*node.attempts, trial.id), ratio=ratio))


async def _nothing_elsewhere(_job: Job, _before: SourceVersion, _after: SourceVersion) -> tuple[VerificationFinding, ...]:
    return ()
