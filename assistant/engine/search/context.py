"""What is searched, and what it is searched with: shared by all rounds on one kernel.

Example::

    context.assessed(node)                       # what the kernel does in that version
    await services.trials.judge(node, step, rewrite)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

from assistant.engine.evaluate import Evaluation, KernelAssessment
from assistant.engine.job import Job
from assistant.engine.judge import Speed
from assistant.engine.request import OptimizeOptions
from assistant.engine.search.accounts import JobAccounts
from assistant.engine.search.baselines import Look
from assistant.engine.search.elsewhere import JudgeElsewhere
from assistant.engine.search.host_code import HostCodeRight
from assistant.engine.search.resume import EarlierSearch
from assistant.engine.search.shape import SearchShape
from assistant.engine.search.successors import kernel_in
from assistant.engine.search.trials import SearchNode, Trial, TrialHistory
from assistant.model.attempt import Attempt
from assistant.model.plan import Rewrite, Step
from assistant.model.trial import TrialOutcome
from assistant.model.verification import CannotJudge, Label, Verification
from assistant.plan.catalogue import Catalogue
from assistant.ports.lab import LabFailure
from assistant.ports.planner import Planner, PlanRequest
from assistant.ports.store import Store
from assistant.record import Record

__all__ = ["Judge", "RoundCandidates", "RoundResult", "SearchContext", "SearchServices", "Trials", "nothing_to_do"]


def nothing_to_do() -> None:
    """For a candidate behind which nothing waits to be compiled."""


class Trials(Protocol):
    """Tries candidates, as many at once as there are labs."""

    @property
    def count(self) -> int:
        """Candidates that can be tried at once."""
        ...

    @property
    def has_room(self) -> bool:
        """Whether one more may be begun ahead."""
        ...

    def begin(self, node: SearchNode, step: Step, rewrite: Rewrite) -> None: ...

    async def judge(self, node: SearchNode, step: Step, rewrite: Rewrite, on_built: Callable[[], None] = nothing_to_do) -> Trial: ...

    async def judge_again(self, node: SearchNode, trial: Trial) -> Trial:
        """A trial that was kept, on other values than before."""
        ...

    @property
    def is_idle(self) -> bool:
        """Whether a lab waits for a candidate."""
        ...

    def own_lab(self) -> AbstractAsyncContextManager[None]:
        """The job's own lab for something else than a candidate, when it is free."""
        ...

    async def close(self) -> None:
        """Call off what was begun and not asked for."""
        ...


class Judge(Protocol):
    """Holds versions of a kernel against the text that its search starts from."""

    async def steered(self, node: SearchNode) -> SearchNode:
        """With the GPU's own view of the version, where the start has it."""
        ...

    async def verify(
        self, node: SearchNode, evaluation: Evaluation, rewrite: Rewrite, look: Look
    ) -> Verification | CannotJudge | LabFailure: ...

    async def speed(self, node: SearchNode, evaluation: Evaluation, look: Look) -> Speed: ...


class RoundCandidates(Protocol):
    """The candidates of a round on a version: `round_trials.RoundTrials`."""

    context: SearchContext
    services: SearchServices
    node: SearchNode
    withheld: list[str]
    is_over: bool

    async def tried(self, step: Step, rewrite: Rewrite, on_built: Callable[[], None] = nothing_to_do) -> Trial | Attempt | None: ...

    async def judged_again(self, step: Step, rewrite: Rewrite) -> Trial: ...

    def may_be_tried(self, step: Step, rewrite: Rewrite) -> bool: ...

    def labelled(self, rewrite: Rewrite) -> Rewrite: ...

    def is_refused(self, step: Step) -> bool: ...

    def is_turned_down(self, step: Step) -> bool: ...

    def report_unjudged(self, step: Step, summary: str, outcome: TrialOutcome, reason: str) -> None: ...

    def report_untried(self, step: Step, summary: str, what: str = "it") -> None: ...

    def children(self) -> tuple[SearchNode, ...]: ...

    def settled_node(self) -> SearchNode: ...


class RoundResult(Record):
    """What one round on one version came to."""

    kept: tuple[SearchNode, ...]
    """The versions that it made, with what need not be tried on them again."""
    settled: SearchNode
    """The version itself, with what need not be tried on it again."""
    is_idle: bool
    """Its plan had no step, or its agent is done: no round follows."""
    withheld: tuple[str, ...]
    """Edits of host code that were not allowed."""
    has_sizes: bool = False
    """Block sizes were planned (`Technique.only_tunes`)."""
    awaiting_sizes: SearchNode | None = None
    """The version itself, where these were put off."""


class SearchContext(Record):
    """What is searched."""

    job: Job
    options: OptimizeOptions
    shape: SearchShape
    workspace: Path
    kernel: str
    """Its qualified name."""
    start: SearchNode
    earlier: EarlierSearch
    refused: frozenset[tuple[str, int]] = frozenset()
    """(technique, line) pairs of the start's text that a person turned down."""

    def assessed(self, node: SearchNode) -> tuple[KernelAssessment, ...]:
        """The kernel's instances in that version."""
        return node.evaluation.kernel(self.kernel)

    def searched(self, node: SearchNode) -> tuple[KernelAssessment, ...]:
        """The same of what edits of that version are of: the kernel, or what took its place."""
        return node.evaluation.kernel(self._kernel_in(node))

    def planned(self, node: SearchNode) -> tuple[KernelAssessment, ...]:
        """What they are planned by: the GPU's own counters where they were read."""
        return node.evaluation.planned(self._kernel_in(node))

    def _kernel_in(self, node: SearchNode) -> str:
        return kernel_in(self.kernel, self.start.evaluation, node.evaluation)


class SearchServices(Record):
    """What it is searched with."""

    store: Store
    catalogue: Catalogue
    planner: Planner
    judge: Judge
    """On the job's own lab."""
    recording: Path | None
    """That the judge makes its cases of; None where all are declared."""
    trials: Trials
    """On all labs."""
    history: TrialHistory
    request: Callable[[SearchNode, tuple[KernelAssessment, ...]], PlanRequest]
    """What a planner is asked about a version and its kernel's instances, at least one."""
    host_code: HostCodeRight
    accounts: JobAccounts
    deferred: frozenset[Label]
    """What a person decides on at the end of the search."""
    judge_elsewhere: JudgeElsewhere
    """Asked about what is about to be offered."""
    candidates: Callable[[SearchContext, SearchServices, SearchNode], RoundCandidates]
    """For candidates that are edits of a version."""
    run_round: Callable[[SearchContext, SearchServices, SearchNode, int], Awaitable[RoundResult]]
    """On a version, by the island of that number."""
