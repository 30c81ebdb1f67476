"""The search of ``optimize`` on the CPU lab, in which no candidate is judged twice: outcomes are kept on disk and shared by all orders.

Rounds, planner, memory and judge are the product's own; what is left out is the confirmation of what would be offered. A search is first
gone through with kept outcomes alone; where one is missing, a lab is opened and the search goes through it again. What is kept of a
candidate is told by the version's text, the candidate's text and the techniques that the version has, which state its labels. Example::

    bench = LearningLab(Path("results/learning"), timeout_s=900)
    asyncio.run(bench.searched(task, store, choice="thompson", seed=0, most_candidates=24))
"""

from __future__ import annotations

import asyncio
import pickle
import shutil
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.bench.suite_file import SUITE_NAME, SuiteProgram, read_suite
from assistant.cli.compose import open_session
from assistant.config import load_settings
from assistant.engine import JobRequest, OptimizeOptions
from assistant.engine.channel import UNHEARD
from assistant.engine.evaluate import Evaluation, evaluate, repeat_limited
from assistant.engine.ids import new_id
from assistant.engine.job import DONE, Ending, Job
from assistant.engine.search.accounts import JobAccounts
from assistant.engine.search.candidate_judge import CandidateJudge
from assistant.engine.search.context import SearchContext, SearchServices, Trials, nothing_to_do
from assistant.engine.search.deferred import deferred_labels
from assistant.engine.search.edited import EditedTexts, edited_texts
from assistant.engine.search.frontier import Frontier
from assistant.engine.search.host_code import HostCodeRight
from assistant.engine.search.islands import Islands
from assistant.engine.search.parallel_trials import ParallelTrials
from assistant.engine.search.plan_requests import PlanRequests
from assistant.engine.search.resume import NOTHING_EARLIER
from assistant.engine.search.round import run_round
from assistant.engine.search.round_trials import RoundTrials
from assistant.engine.search.shape import shape_for_rules
from assistant.engine.search.trials import SearchNode, Trial, TrialHistory
from assistant.engine.search.tuning import TuningTrials
from assistant.engine.source_version import SourceVersion
from assistant.errors import CannotAnswerError
from assistant.memory import MemoryStore
from assistant.model.attempt import Attempt
from assistant.model.completion import Caps
from assistant.model.plan import Rewrite, Step
from assistant.ports.lab import LabFailure
from assistant.record import Record

__all__ = ["LearningLab", "Task", "tasks_of"]

_Key = tuple[str, str, str, tuple[str, ...]]
"""Kernel, version, candidate, techniques that the version has."""


class Task(Record):
    """One program at its smallest size."""

    suite: Path
    program: SuiteProgram

    @property
    def name(self) -> str:
        return f"{self.suite.name}/{self.program.name}"


class _MissingError(Exception):
    """No outcome of a candidate is kept."""


class _Kept(Record):
    """What is kept of a program."""

    job: Job
    """Whose lab is closed."""
    starts: dict[str, SearchNode]
    """By kernel, the costliest first."""
    trials: dict[_Key, Trial]


def tasks_of(suites: Iterable[Path], only: list[str] | None) -> tuple[Task, ...]:
    """Every program of the suites, or those that are named."""
    found = (Task(suite, program) for suite in suites for program in read_suite(suite / SUITE_NAME))
    return tuple(task for task in found if only is None or task.name in only)


class LearningLab:
    """Searches with what is kept of earlier ones."""

    def __init__(self, out: Path, timeout_s: float) -> None:
        self._out = out
        self._timeout_s = timeout_s
        self._known: dict[str, _Kept] = {}

    async def searched(self, task: Task, store: MemoryStore, choice: str, seed: int, most_candidates: int) -> tuple[Attempt, ...]:
        """Candidates in the order that they were tried, which ``store`` then knows. Raises KernelOptError where there can be none,
        TimeoutError where there is no end."""
        options = OptimizeOptions(planner="expert", max_candidates=most_candidates, choice=choice, choice_seed=seed)
        kept = self._kept(task)
        attempts: list[Attempt] | None = None
        if kept is not None:
            try:
                attempts = await _search(replace(kept.job, id=new_id("J")), kept, options, store, lambda _name: None)
            except _MissingError:
                attempts = None
        if attempts is None:
            async with asyncio.timeout(self._timeout_s):
                attempts = await self._live(task, kept, options, store)
        for attempt in attempts:
            store.add_attempt(attempt)
        return tuple(attempts)

    def is_kept(self, task: Task) -> bool:
        """Whether outcomes of an earlier run are here."""
        return self._file(task).exists()

    async def _live(self, task: Task, kept: _Kept | None, options: OptimizeOptions, store: MemoryStore) -> list[Attempt]:
        """The search with a lab; what it judged is kept."""
        found: list[Attempt] = []
        session = open_session("bench", memory=self._out / "jobs.sqlite3")

        async def body(job: Job, version: SourceVersion) -> Ending:
            evaluation = await evaluate(job, version)
            if isinstance(evaluation, LabFailure):
                return job.failed(evaluation)
            again = await repeat_limited(job, version, evaluation.counted)
            if isinstance(again, LabFailure):
                return job.failed(again)
            starts = _starts(evaluation)
            now = _Kept(replace(job, listener=UNHEARD), starts, {} if kept is None else kept.trials)

            def judges(name: str) -> CandidateJudge:
                return CandidateJudge(job, session.catalogue, name, starts[name], again, deferred_labels(()))

            try:
                found.extend(await _search(job, now, options, store, judges))
            finally:
                self._keep(task, now)
            return Ending(DONE, "")

        try:
            ending = await session.run("optimize", self._request(task), body, UNHEARD)
        finally:
            session.close()
        if ending.exit_code != DONE:
            raise CannotAnswerError(ending.reason)
        return found

    def _request(self, task: Task) -> JobRequest:
        folder = self._out / "programs" / task.suite.name
        if not folder.exists():
            shutil.copytree(task.suite, folder)
            (folder / ".git").mkdir(exist_ok=True)
        first, *others = ((folder / file).resolve() for file in task.program.files)
        return JobRequest(
            file=first,
            working_directory=first.parent,
            extra_sources=tuple(others),
            arguments=tuple(map(str, task.program.sizes[0])),
            device="cpu",
        )

    def _file(self, task: Task) -> Path:
        return self._out / "outcomes" / f"{task.name.replace('/', '-')}.pickle"

    def _kept(self, task: Task) -> _Kept | None:
        file = self._file(task)
        if task.name not in self._known and file.exists():
            self._known[task.name] = pickle.loads(file.read_bytes())
        return self._known.get(task.name)

    def _keep(self, task: Task, kept: _Kept) -> None:
        closed = replace(kept, job=replace(kept.job, lab=_ClosedLab(kept.job.lab)))
        self._known[task.name] = closed
        file = self._file(task)
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(".partial")
        partial.write_bytes(pickle.dumps(closed))
        partial.replace(file)


class _ClosedLab:
    """What is still asked of a lab where all outcomes are kept."""

    timing = None
    parallel_labs = ()

    def __init__(self, lab: Any) -> None:
        self._described = lab.describe()

    def describe(self) -> Any:
        return self._described


async def _search(
    job: Job, kept: _Kept, options: OptimizeOptions, store: MemoryStore, judge_of: Callable[[str], CandidateJudge | None]
) -> list[Attempt]:
    """The rounds on every kernel."""
    settings = load_settings(job.request.working_directory).settings
    shape, deferred = shape_for_rules(settings), deferred_labels(())
    held = _HeldStore(store)
    session = open_session("bench")
    for name, start in kept.starts.items():
        judge = judge_of(name)
        accounts = JobAccounts(job, held, Caps())  # pyright: ignore[reportArgumentType]  # what is read goes to the store
        inner = None if judge is None else TuningTrials(job, ParallelTrials((judge,), accounts.holding_gpu), accounts, shape.tuning_trials)
        history = TrialHistory((), options.max_candidates)
        context = SearchContext(job, options, shape, job.request.working_directory, name, start, NOTHING_EARLIER)
        requests = PlanRequests(job, options, held, session.catalogue, context.workspace, NOTHING_EARLIER, deferred)  # pyright: ignore[reportArgumentType]
        services = SearchServices(
            store=held,  # pyright: ignore[reportArgumentType]
            planner=session.planner,
            judge=_Steered(),  # pyright: ignore[reportArgumentType]
            recording=None,
            trials=_KeptTrials(name, kept.trials, inner),
            history=history,
            request=lambda node, items, requests=requests, history=history: replace(
                requests.request(node, items, history.attempt_summaries), may_edit_host=True
            ),
            host_code=HostCodeRight(is_given=True, ask=None),
            accounts=accounts,
            deferred=deferred,
            judge_elsewhere=None,  # pyright: ignore[reportArgumentType]
            candidates=RoundTrials,
            run_round=run_round,
        )
        if context.assessed(start):
            history.starts_from(start.key, "the text that the search starts from")
            await Islands(context, services, Frontier.at(start)).run()
    return held.attempts


class _HeldStore:
    """Recalls from memory; what is tried comes to it after the search, which does not quote itself anyway."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self.attempts: list[Attempt] = []

    def add_attempt(self, attempt: Attempt) -> None:
        self.attempts.append(attempt)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class _Steered:
    """Of a lab without a clock."""

    async def steered(self, node: SearchNode) -> SearchNode:
        return node


class _KeptTrials:
    """`Trials` that judge what no earlier search did; without a lab they raise `_MissingError`."""

    count, has_room, is_idle = 1, False, True

    def __init__(self, kernel: str, trials: dict[_Key, Trial], inner: Trials | None) -> None:
        self._kernel = kernel
        self._trials = trials
        self._inner = inner

    def begin(self, node: SearchNode, step: Step, rewrite: Rewrite) -> None:
        """Never ahead: what is counted is their order."""

    async def judge(self, node: SearchNode, step: Step, rewrite: Rewrite, on_built: Callable[[], None] = nothing_to_do) -> Trial:
        made = edited_texts(node, rewrite)
        after = made.key if isinstance(made, EditedTexts) else str(made)
        key = (self._kernel, node.key, after, tuple(sorted(kept.technique.id for kept in node.kept)))
        if key not in self._trials:
            if self._inner is None:
                raise _MissingError
            self._trials[key] = await self._inner.judge(node, step, rewrite, on_built)
        return _of_parent(node, replace(self._trials[key], step=step))

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


def _starts(evaluation: Evaluation) -> dict[str, SearchNode]:
    """What the search on each kernel begins with, by name, the costliest first."""
    costs: dict[str, float] = {}
    for item in evaluation.assessment.kernels:
        if not item.kernel.macro:
            costs[item.kernel.qualified_name] = costs.get(item.kernel.qualified_name, 0.0) + item.predicted_time_s
    first = {item.kernel.qualified_name: item.kernel for item in reversed(evaluation.assessment.kernels)}
    ordered = sorted(costs, key=lambda name: -costs[name])
    return {name: SearchNode(replace(evaluation, version=evaluation.version.about(first[name]))) for name in ordered}
