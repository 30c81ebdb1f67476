"""The ``optimize`` job from its first count to its end: evaluate what is there, choose the planner, search kernel by kernel.

Kernels are taken in the order of what they cost (``kernel_order.py``). On each, a round plans from the present findings, tries every
planned rewrite and makes what it kept the next frontier (``frontier.py``); a step that was kept, or refused for good, is not tried on the
same place again. The best version is confirmed on fresh seeds with all checks before it is shown. All planners' edits are judged alike.
"""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path

from assistant.config import LoadedSettings, find_workspace
from assistant.cuda.changes import changes_of
from assistant.engine.evaluate import (
    CountedRun,
    Evaluation,
    KernelAssessment,
    costliest,
    differences,
    evaluate,
    repeat_limited,
    repeat_run,
    steered,
)
from assistant.engine.job import CANNOT_ANSWER, DONE, Ending, Job, Stopwatch
from assistant.engine.judge import judged_recording
from assistant.engine.report import report_original, report_uncounted, share_in_words, uncounted
from assistant.engine.request import OptimizeOptions
from assistant.engine.search.accounts import JobAccounts, OnWriting
from assistant.engine.search.agent_round import agent_search
from assistant.engine.search.baselines import Baselines
from assistant.engine.search.candidate_judge import CandidateJudge, baselines_of
from assistant.engine.search.confirming import Offer
from assistant.engine.search.context import SearchContext, SearchServices
from assistant.engine.search.deferred import deferred_labels
from assistant.engine.search.elsewhere import JudgeElsewhere
from assistant.engine.search.host_code import HostCodeRight
from assistant.engine.search.kernel_order import SearchedOrder, searched_order
from assistant.engine.search.kernel_search import KernelSearch, KernelSearchResult
from assistant.engine.search.named_headers import with_named_headers
from assistant.engine.search.nothing_found import NO_EDIT_FOUND, nothing_in_words
from assistant.engine.search.other_programs import with_other_programs
from assistant.engine.search.parallel_trials import ParallelTrials
from assistant.engine.search.plan_requests import PlanRequests
from assistant.engine.search.planning import AskModel, ChosenPlanner, Models, PlannerChoice
from assistant.engine.search.resume import EarlierSearch, report_resumed
from assistant.engine.search.round import run_round
from assistant.engine.search.round_trials import RoundTrials
from assistant.engine.search.same_work import SeenWork
from assistant.engine.search.setbacks import summary_of_attempt
from assistant.engine.search.spending_words import cap_words
from assistant.engine.search.trials import SearchNode, TrialHistory
from assistant.engine.search.tried_settings import TriedSettings
from assistant.engine.search.tuning import TuningTrials
from assistant.engine.source_version import SourceVersion, with_texts
from assistant.model.plan import Decline
from assistant.model.profile import Finding, Severity
from assistant.model.proposal import Proposal
from assistant.model.source import Source
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Label
from assistant.plan.catalogue import Catalogue
from assistant.ports.lab import LabFailure
from assistant.ports.planner import Planner, PlanRequest
from assistant.ports.store import Store
from assistant.profile.quantity import counted_noun
from assistant.record import Record

__all__ = ["OptimizeResult", "Optimizer", "People", "SearchBody", "SearchResult"]


_LEAST_SHARE = 0.02
"""Of all kernels' time: where the search's time is bounded, kernels that take less are not searched (chosen)."""


class People(Record):
    """Who is asked, and who watches."""

    offer: Offer
    host_code: HostCodeRight
    model: AskModel | None = None
    """None: no person can be asked."""
    on_writing: OnWriting | None = None


class SearchResult(Record):
    """What one ``optimize`` job found."""

    kernels: tuple[KernelSearchResult, ...] = ()
    """In the order they were searched."""

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        return tuple(proposal for kernel in self.kernels for proposal in kernel.proposals)

    @property
    def accepted_count(self) -> int:
        return sum(kernel.accepted_count for kernel in self.kernels)

    @property
    def outcomes(self) -> tuple[TrialOutcome, ...]:
        """Of all candidates."""
        return tuple(outcome for kernel in self.kernels for outcome in kernel.outcomes)

    @property
    def untried(self) -> tuple[TrialOutcome, ...]:
        """Of all that was planned and came to no trial."""
        return tuple(outcome for kernel in self.kernels for outcome in kernel.untried)

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Why candidates could not be judged, the kernels in their order."""
        return tuple(reason for kernel in self.kernels for reason in kernel.unjudged)

    @property
    def not_offered(self) -> tuple[str, ...]:
        """Why versions that were kept at first are not offered."""
        return tuple(reason for kernel in self.kernels for reason in kernel.not_offered)

    @property
    def declines(self) -> tuple[Decline, ...]:
        return tuple(decline for kernel in self.kernels for decline in kernel.declines)

    @property
    def withheld(self) -> tuple[str, ...]:
        """Edits of host code that were not allowed, each once."""
        return tuple(dict.fromkeys(edit for kernel in self.kernels for edit in kernel.withheld))


class OptimizeResult(Record):
    """How an ``optimize`` job ended, and what it found."""

    ending: Ending
    found: SearchResult = SearchResult()


class Optimizer(Record):
    """What every ``optimize`` job of a session is done with."""

    store: Store
    expert: Planner
    catalogue: Catalogue
    load_models: Callable[[], Models] | None
    judge_elsewhere: JudgeElsewhere

    async def run(
        self, job: Job, version: SourceVersion, options: OptimizeOptions, loaded: LoadedSettings, earlier: EarlierSearch, people: People
    ) -> OptimizeResult:
        """Evaluate the version, choose who plans, search; what an interrupted search had kept is built on."""
        version = await with_other_programs(job.request, with_named_headers(version))
        report_resumed(job, earlier, version)
        watch, begun_s = Stopwatch(job, "profile"), time.monotonic()
        watch.begin("counts what the kernels do now")
        evaluation = await evaluate(job, version)
        if isinstance(evaluation, LabFailure):
            return OptimizeResult(job.failed(evaluation))
        if options.reports_original:
            await report_original(job, evaluation, is_timed=options.times_original)
            watch.end(counted_noun(len(evaluation.counted.profiles), "launch", "launches"))
        again = await repeat_limited(job, version, evaluation.counted)
        if isinstance(again, LabFailure):
            return OptimizeResult(job.failed(again))
        wrong = differences(evaluation.counted)
        if wrong:
            remedy = "fix the kernel or its reference first"
            return OptimizeResult(job.failed(LabFailure("differs_from_reference", wrong[0].message, remedy)))
        seen = await steered(job, evaluation)
        if isinstance(seen, LabFailure):
            job.say(Severity.INFORMATION, f"edits are planned by the emulator's counters: {seen.message}", seen.remedy)
        else:
            evaluation = seen
        report_uncounted(job, evaluation.counted, evaluation.planned_kernels)
        _report_defects(job, evaluation)
        choice = PlannerChoice(self.load_models, self.expert, job, options, loaded, self.store, earlier, people.model, people.on_writing)
        kernels = {item.kernel.qualified_name for item in evaluation.assessment.kernels}
        async with choice.made(len(kernels)) as chosen:
            evaluated_s = time.monotonic() - begun_s
            search = _Search(job, options, self.store, self.catalogue, chosen, earlier, people, self.judge_elsewhere, evaluated_s)
            found = await search.run(evaluation, again)
        if found.withheld:
            text = f"not tried, because it edits host code, which was not allowed: {', '.join(found.withheld)}"
            job.say(Severity.INFORMATION, text, f"kernelopt optimize {job.request.file} --allow-host-code")
        return OptimizeResult(_ending(evaluation, found, chosen.accounts), found)


class _Search(Record):
    """Searches on a job's kernels, one after another."""

    job: Job
    options: OptimizeOptions
    store: Store
    catalogue: Catalogue
    chosen: ChosenPlanner
    earlier: EarlierSearch
    """What an interrupted search had tried; its kept edits are built on, the others are not tried again."""
    people: People
    judge_elsewhere: JudgeElsewhere
    evaluated_s: float
    """What counting the original took: confirming an edit builds, runs and checks the program again, which takes about as long."""

    async def run(self, evaluation: Evaluation, second_run: CountedRun | None) -> SearchResult:
        """Improve every selected kernel in turn; an accepted proposal becomes the text the next kernel starts from."""
        start = SearchNode(evaluation)
        finished = self.earlier.finished(evaluation.version.files)
        self.chosen.accounts.leave_out(self.earlier.plan_count(finished, evaluation.version.files))
        found: list[KernelSearchResult] = []
        edited: dict[Path, Source] = {}
        _report_macros(self.job, evaluation)
        order = searched_order(evaluation)
        if order.words is not None:
            self.job.say(Severity.INFORMATION, order.words)
        names = [name for name in order.names if name not in finished and self._is_worth_its_time(order, name)]
        finish_s, is_new = self.evaluated_s, False
        for index, name in enumerate(names):
            if is_new:
                second_run, is_new = await repeat_run(self.job, start.evaluation.version, start.evaluation.counted), False
            self.chosen.accounts.begin_kernel(name, order.part_of_time(names[index:]), finish_s)
            beginning = await self._from_file_of(name, evaluation, start, edited)
            if isinstance(beginning, LabFailure):
                self.job.say_failure(beginning)
                continue
            start = beginning
            context = self._context(name, start)
            is_ahead = context.shape.prepares_ahead(os.cpu_count() or 1)
            async with baselines_of(self.job, start.evaluation, second_run, is_ahead) as baselines:
                services = self._services(context, second_run, baselines)
                found.append(await KernelSearch(context, services, self.people.offer).run())
            accepted, finish_s = found[-1].accepted, found[-1].confirmed_s or finish_s
            if accepted is not None:
                start = accepted
                edited |= _edited(evaluation.version, start.evaluation.version)
                is_new = True
            if index + 1 < len(names) and not self.chosen.accounts.may_search_on():
                self.job.say(Severity.WARNING, f"not searched, as the time is over: {', '.join(names[index + 1 :])}")
                break
        return SearchResult(tuple(found))

    def _is_worth_its_time(self, order: SearchedOrder, name: str) -> bool:
        """Whether there is time for it: where that is bounded, none is left for what takes next to nothing, which is said."""
        is_worth = self.chosen.accounts.caps.wall_s is None or order.share_of(name) >= _LEAST_SHARE
        if not is_worth:
            text = f"{name}: not searched in the time that was given: it takes {share_in_words(order.share_of(name))} of the kernels' time"
            self.job.say(Severity.INFORMATION, text)
        return is_worth

    async def _from_file_of(
        self, name: str, evaluation: Evaluation, start: SearchNode, edited: Mapping[Path, Source]
    ) -> SearchNode | LabFailure:
        """What the search on a kernel starts from: the version with its file in question, and with what was accepted in others."""
        kernel = next(item.kernel for item in evaluation.assessment.kernels if item.kernel.qualified_name == name)
        found = evaluation.about(kernel)
        if found.version.source.path == start.evaluation.version.source.path:
            return start
        if not edited:
            return SearchNode(found)
        evaluated = await evaluate(self.job, with_texts(found.version, edited.values()))
        return evaluated if isinstance(evaluated, LabFailure) else SearchNode(evaluated)

    def _context(self, name: str, start: SearchNode) -> SearchContext:
        return SearchContext(
            job=self.job,
            options=self.options,
            shape=self.chosen.shape,
            workspace=find_workspace(self.job.request.file),
            kernel=name,
            start=start,
            earlier=self.earlier,
        )

    def _at_once(self, start: Evaluation) -> int:
        """Candidates that are tried on each GPU at a time."""
        recording = start.counted.recording
        contents_bytes = 0 if recording is None else sum(buffer.size_bytes for buffer in recording.buffers)
        memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return self.chosen.shape.at_once(os.cpu_count() or 1, memory_bytes, contents_bytes)

    def _services(self, context: SearchContext, second_run: CountedRun | None, baselines: Baselines) -> SearchServices:
        accounts = self.chosen.accounts
        per_lab = 1 if self.job.lab.timing is None else self._at_once(context.start.evaluation)
        jobs = (self.job, *(replace(self.job, lab=lab) for lab in self.job.lab.parallel_labs)) * per_lab
        by_settings = self.chosen.shape.allowed if self.options.is_allowed_by_settings else ()
        deferred = deferred_labels((*self.options.allowed, *by_settings))
        seen = SeenWork()
        judges = tuple(
            CandidateJudge(job, self.catalogue, context.kernel, context.start, second_run, deferred, seen, baselines) for job in jobs
        )
        items = context.assessed(context.start)
        key = costliest(items).kernel.key if items else ""
        tried = (summary_of_attempt(attempt) for attempt in self.earlier.attempts if attempt.kernel == key)
        history = TrialHistory(tried, self.options.max_candidates)
        requests = PlanRequests(self.job, self.options, self.store, self.catalogue, context.workspace, self.earlier, deferred)

        def request(node: SearchNode, items: tuple[KernelAssessment, ...]) -> PlanRequest:
            asked = requests.request(node, items, history.attempt_summaries)
            rights = self.people.host_code.is_possible, Label.LIBRARY_CALL in deferred
            return replace(asked, may_edit_host=rights[0], may_call_libraries=rights[1])

        return SearchServices(
            store=self.store,
            catalogue=self.catalogue,
            planner=self.chosen.planner,
            judge=judges[0],
            recording=judged_recording(self.job, context.start.evaluation, second_run),
            trials=TuningTrials(
                self.job,
                ParallelTrials(judges, accounts.holding_gpu),
                accounts,
                self.chosen.shape.tuning_trials,
                TriedSettings(self.earlier.log),
            ),
            history=history,
            request=request,
            host_code=self.people.host_code,
            accounts=accounts,
            deferred=deferred,
            judge_elsewhere=self.judge_elsewhere,
            candidates=RoundTrials,
            run_round=run_round if self.chosen.agent is None else agent_search(self.chosen.agent),
        )


def _edited(start: SourceVersion, version: SourceVersion) -> dict[Path, Source]:
    """Files of the program that are not as the search found them."""
    return {change.path: change.after for change in changes_of(start.sources, version.sources)}


def _report_macros(job: Job, evaluation: Evaluation) -> None:
    for kernel in dict.fromkeys(item.kernel for item in evaluation.assessment.kernels if item.kernel.macro):
        job.say(
            Severity.INFORMATION,
            f"{kernel.key} is not edited: its text stands in the macro {kernel.macro}",
            "write it out",
            line=kernel.line,
        )


def _defects(evaluation: Evaluation) -> list[tuple[str, Finding]]:
    """(instance, finding) of what makes the original wrong, whatever is tried on it."""
    return [(item.instance, finding) for item in evaluation.assessment.kernels for finding in item.findings if _is_error(finding)]


def _is_error(finding: Finding) -> bool:
    return finding.severity is Severity.ERROR


def _report_defects(job: Job, evaluation: Evaluation) -> None:
    """That the original is to be fixed first: an edit of it can only be held against what it does where it is right."""
    for instance, finding in _defects(evaluation):
        message = f"fix this first, {instance} is wrong already: {finding.code} line {finding.line}: {finding.message}"
        job.say(
            Severity.WARNING, message, f"kernelopt check {job.request.file} shows it; an edit is judged only where the original is right"
        )


def _ending(evaluation: Evaluation, found: SearchResult, accounts: JobAccounts) -> Ending:
    if not evaluation.assessment.kernels:
        return Ending(CANNOT_ANSWER, "the workload launches none of the kernels asked about")
    capped = "" if accounts.ended_by is None else f"; {cap_words(accounts.ended_by, accounts.caps)} ended the search"
    if not found.proposals:
        wrong = ", ".join(dict.fromkeys(f"{finding.code} in {instance}" for instance, finding in _defects(evaluation)))
        findings = [finding for item in evaluation.assessment.kernels for finding in item.findings]
        said = nothing_in_words(found.outcomes, found.declines, findings, found.untried, (*found.not_offered, *found.unjudged))
        why = f"fix the original first ({wrong})" if wrong else said
        unknown = ", ".join(dict.fromkeys(item.kernel.key for item in uncounted(evaluation.planned_kernels)))
        unseen = f"; nothing could be counted of {unknown}, so that little could be planned there" if unknown else ""
        return Ending(DONE, f"{NO_EDIT_FOUND}{why}{unseen}{capped}")
    accepted = f", {found.accepted_count} accepted" if found.accepted_count else ""
    return Ending(DONE, f"{counted_noun(len(found.proposals), 'proposal')}{accepted}{capped}")


SearchBody = Callable[[Job, SourceVersion], Awaitable[OptimizeResult]]
"""What an ``optimize`` job does."""
