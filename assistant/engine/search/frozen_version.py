"""One version of a kernel, held still: what a planner is asked about it, and how edits of it fare, with nothing learnt on the way.

Candidates are judged by `CandidateJudge`, as in every search; none is kept, shown to the next one, or written to memory. Example::

    version = await FrozenVersion.opened(job, source_version, "saxpy(float*)", catalogue)     # or a LabFailure
    request = version.request(store, workspace, tried)
    trial = await version.judged(step, rewrite)
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from assistant.engine.evaluate import KernelAssessment, evaluate, repeat_limited, steered
from assistant.engine.ids import new_id
from assistant.engine.job import Job
from assistant.engine.request import OptimizeOptions
from assistant.engine.search.candidate_judge import CandidateJudge
from assistant.engine.search.context import nothing_to_do
from assistant.engine.search.host_code import with_host_label
from assistant.engine.search.plan_requests import PlanRequests
from assistant.engine.search.resume import NOTHING_EARLIER
from assistant.engine.search.same_work import SeenWork
from assistant.engine.search.trials import SearchNode, Trial
from assistant.engine.source_version import SourceVersion
from assistant.model.plan import AttemptSummary, Rewrite, Step
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Label
from assistant.plan.catalogue import Catalogue
from assistant.ports.lab import LabFailure
from assistant.ports.planner import PlanRequest
from assistant.ports.store import AttemptStore
from assistant.record import Record

__all__ = ["FrozenVersion"]

_NOT_ALLOWED = "it edits host code, which is not allowed here"


class _NothingSeen(SeenWork):
    """Every edit is judged on its own, whatever others came to."""

    def first(self, work: str | None, candidate: str, text: str) -> str | None:
        return None


class FrozenVersion(Record):
    """A version that was evaluated, and the judge of its edits."""

    job: Job
    catalogue: Catalogue
    node: SearchNode
    kernel: str
    """Its qualified name."""
    judge: CandidateJudge

    @classmethod
    async def opened(cls, job: Job, version: SourceVersion, kernel_key: str, catalogue: Catalogue) -> FrozenVersion | LabFailure:
        """Evaluated as a search evaluates what it starts from; a failure where it cannot be, or does not launch the kernel."""
        evaluation = await evaluate(job, version)
        if isinstance(evaluation, LabFailure):
            return evaluation
        again = await repeat_limited(job, version, evaluation.counted)
        if isinstance(again, LabFailure):
            return again
        seen = await steered(job, evaluation)
        evaluation = evaluation if isinstance(seen, LabFailure) else seen
        kernels = (item.kernel for item in evaluation.assessment.kernels if item.kernel.key == kernel_key)
        kernel = next(kernels, None)
        if kernel is None:
            return LabFailure("no_such_kernel", f"the version does not launch {kernel_key}", "give the program's own arguments behind --")
        node = SearchNode(evaluation.about(kernel))
        judge = CandidateJudge(job, catalogue, kernel.qualified_name, node, again, seen=_NothingSeen())
        return cls(job, catalogue, node, kernel.qualified_name, judge)

    def request(
        self, store: AttemptStore, workspace: Path, tried: Iterable[AttemptSummary], options: OptimizeOptions | None = None
    ) -> PlanRequest:
        """What a planner is asked, as in a search; ``store``: what memory may know."""
        asked = PlanRequests(self.job, options or OptimizeOptions(), store, self.catalogue, workspace, NOTHING_EARLIER)
        return asked.request(self.node, self._items(), tuple(tried))

    async def judged(self, step: Step, rewrite: Rewrite) -> Trial:
        """How an edit of the version fares against it."""
        labelled = with_host_label(self.node.evaluation.version, rewrite)
        if Label.HOST_CODE in labelled.labels:
            return Trial(new_id("C"), step, labelled).ended(TrialOutcome.NOT_ALLOWED, _NOT_ALLOWED)
        return await self.judge.judge(self.node, step, labelled, nothing_to_do)

    def _items(self) -> tuple[KernelAssessment, ...]:
        return self.node.evaluation.planned(self.kernel)
