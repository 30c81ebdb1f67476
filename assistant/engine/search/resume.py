"""Going on with a search that was interrupted: what it had found, and what need not be tried again.

A job that ended wrote ``job_ended`` into its log in memory; one that was killed or cancelled did not. A search that a cap ended can be
gone on with, too, under a higher one. Example::

    earlier = last_interrupted(store, workspace, path, now_ms)   # raises UsageError when there is nothing to go on with
    earlier.excluded(node.key)                                   # {("loop-unrolling", 12), …}
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from assistant.config import find_workspace
from assistant.cuda.match import kernel_of_instance
from assistant.cuda.parse import parse
from assistant.engine.events_as_json import event_from
from assistant.engine.job import Job
from assistant.engine.request import JobRequest
from assistant.engine.run_options import RunOptions, difference, in_words, read_run_options, taken_over
from assistant.engine.search.shape import EXPERT
from assistant.engine.source_version import SourceVersion
from assistant.errors import UsageError
from assistant.model import events
from assistant.model.attempt import Attempt, JobRow
from assistant.model.completion import Spending
from assistant.model.profile import Severity
from assistant.model.proposal import DecisionKind
from assistant.model.source import ParsedSource, Source
from assistant.model.trial import TrialOutcome
from assistant.plan.budget import added
from assistant.ports.store import SearchStore
from assistant.record import Record

__all__ = ["NOTHING_EARLIER", "EarlierSearch", "as_before", "gone_on_with", "is_running", "last_interrupted", "report_resumed", "spent_by"]

_SILENT_MS = 5_000
"""Without a heartbeat for so long a job is dead; a living one beats every second."""
_ATTEMPTS_READ = 10_000
"""More than any search makes: candidates per kernel and rounds are bounded."""
_OTHERWISE = "leave --resume out for a search of its own"
_SHOWN = (
    events.FindingsFound,
    events.PlanMade,
    events.CandidateTried,
    events.SettingTried,
    events.ProposalMade,
    events.DecisionMade,
    events.Message,
)


class EarlierSearch(Record):
    """What an interrupted search had done."""

    job: str
    log: tuple[events.Event, ...]
    """Its events in order, those of the jobs it went on with included."""
    attempts: tuple[Attempt, ...]
    """The candidates it tried, oldest first."""
    sources: frozenset[Source]
    """Every text that a file had where the search started from it, and that was offered in it."""
    asked: RunOptions | None = None
    """What it was asked with; None in older records."""
    why_left: str = ""
    """Why it is not gone on with though that was asked for, and nothing of it is here; empty where it is."""

    @property
    def ended_by(self) -> str | None:
        """The cap that ended it; None where it was stopped or killed."""
        return next((cap for event in self.log if (cap := _cap_reached(event)) is not None), None)

    def shown(self) -> tuple[events.Event, ...]:
        """What a person wants to see again, and what a search that goes on with this one has to know when it is gone on with."""
        return tuple(event for event in self.log if isinstance(event, _SHOWN))

    def excluded(self, key: str) -> frozenset[tuple[str, int]]:
        """(technique, line) pairs of rules' edits that are settled for the version with this ``program_key``.

        Not among them: pairs of kept candidates, which the search builds on, the last one tried, which may have variants left, and what a
        model planned: its plan is gone through again, with the answers that it was carried out with.
        """
        here = tuple(attempt for attempt in self.attempts if attempt.parent_key == key and attempt.planner == EXPERT)
        going_on = {(a.technique, a.line) for a in here if a.outcome is TrialOutcome.KEPT or a is self.attempts[-1]}
        return frozenset((attempt.technique, attempt.line) for attempt in here) - going_on

    def is_kept(self, key: str, candidate_key: str) -> bool:
        """Whether this very candidate was kept on this version."""
        return any(a.outcome is TrialOutcome.KEPT for a in self.attempts if (a.parent_key, a.key) == (key, candidate_key))

    def tried(self, key: str, candidate_key: str) -> Attempt | None:
        """This very candidate as it was tried on this version; the last time counts."""
        return next((a for a in reversed(self.attempts) if (a.parent_key, a.key) == (key, candidate_key)), None)

    def dropped(self, key: str, candidate_key: str) -> Attempt | None:
        """This very candidate as it was tried on this version, where it was not kept; the last time counts."""
        tried = [attempt for attempt in self.attempts if (attempt.parent_key, attempt.key) == (key, candidate_key)]
        return None if not tried or any(attempt.outcome is TrialOutcome.KEPT for attempt in tried) else tried[-1]

    def plan_count(self, kernels: frozenset[str], files: Iterable[ParsedSource]) -> int:
        """Plans that were made for these kernels, by qualified name."""
        known, count, is_of_these = tuple(files), 0, False
        for event in self.log:
            if isinstance(event, events.FindingsFound):
                named = (kernel_of_instance(file, event.kernel) for file in known)
                is_of_these = any(kernel is not None and kernel.qualified_name in kernels for kernel in named) or (
                    is_of_these and self._is_successor(event.kernel)
                )
            count += isinstance(event, events.PlanMade) and is_of_these
        return count

    def _is_successor(self, instance: str) -> bool:
        """Whether the kernel stands in a version that the search came to: there it took the place of the one that was searched."""
        kept = [attempt for attempt in self.attempts if attempt.outcome is TrialOutcome.KEPT]
        return any(kernel_of_instance(parse(Source(attempt.path, attempt.text)), instance) is not None for attempt in kept)

    def went_on(self, attempt: Attempt) -> bool:
        """Whether what its writer made of it was tried, too."""
        return any(len(later.calls) > len(attempt.calls) and later.calls[: len(attempt.calls)] == attempt.calls for later in self.attempts)

    def knows(self, source: Source) -> bool:
        """Whether the search had looked for edits of this text."""
        return source in self.sources

    def finished(self, files: Iterable[ParsedSource]) -> frozenset[str]:
        """Qualified names of the kernels whose search came to its end, of those files whose text is one that the search knew.

        After a rejection the search on the same kernel goes on for the next best edit. What a cap cut off, and what was searched behind
        that, came to no end.
        """
        known = [file for file in files if self.knows(file.source)]
        ended: set[str] = set()
        cut_off: set[str] = set()
        current: str | None = None
        for event in self.log:
            if isinstance(event, events.FindingsFound):
                kernels = (kernel_of_instance(file, event.kernel) for file in known)
                name = next((kernel.qualified_name for kernel in kernels if kernel is not None), None)
                if name is None and self._is_successor(event.kernel):
                    continue
                ended |= {current} if current is not None and name != current else set()
                current = name
                ended.discard(name or "")  # whatever a search before that came to, this one goes on with it
                cut_off.discard(name or "")
            elif _cap_reached(event) is not None:
                break
            elif isinstance(event, events.BudgetSpent) and event.ended_kernel is not None:
                cut_off.add(event.ended_kernel)
            elif isinstance(event, events.ProposalMade) and current is not None:
                ended.add(current)
            elif isinstance(event, events.DecisionMade) and event.kind == DecisionKind.REJECTED and current is not None:
                ended.discard(current)
        return frozenset(ended - cut_off)


def report_resumed(job: Job, earlier: EarlierSearch, version: SourceVersion) -> None:
    """What the interrupted search had found, under its own job's id; nothing where no search is resumed."""
    if earlier is NOTHING_EARLIER:
        return
    if earlier.why_left:
        job.say(Severity.WARNING, f"the search begins anew, and does not go on with {earlier.job}: {earlier.why_left}")
        return
    tried = sum(isinstance(event, events.CandidateTried) for event in earlier.log)
    offered = sum(isinstance(event, events.ProposalMade) for event in earlier.log)
    how = "was interrupted" if earlier.ended_by is None else "a cap ended"
    text = f"goes on with {earlier.job}, which {how} after {_count(tried, 'candidate')} and {_count(offered, 'proposal')}"
    options = "" if earlier.asked is None else in_words(earlier.asked)
    if options:  # with a remedy it is shown wherever a person looks
        job.say(Severity.INFORMATION, f"{text}, with what it was given: {options}", _OTHERWISE)
    else:
        job.say(Severity.INFORMATION, text)
    job.emit(*earlier.shown())
    before = {source.path for source in earlier.sources}
    changed = [source.path.name for source in version.sources if source.path in before and not earlier.knows(source)]
    if changed:
        text = "text" if len(changed) == 1 else "texts"
        message = f"{', '.join(changed)} changed since {earlier.job}: the search starts again on the present {text}"
        job.say(Severity.WARNING, message)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


NOTHING_EARLIER = EarlierSearch("", (), (), frozenset())


def spent_by(store: SearchStore, jobs: Iterable[str]) -> Spending:
    """What a search spent in its jobs: every call that ended, at its longest every one whose end is not known, time and rounds."""
    total = Spending()
    for job in jobs:
        for call in store.model_calls(job):
            total = added(total, call.spending)
        for sent in store.unanswered_calls(job):
            total = added(total, sent.at_most)
        meter = [total, *(event.spent for event in _decoded(store.events(job)) if isinstance(event, events.BudgetSpent))]
        # Each job's meter began where the one before ended, so the last word on time and rounds is the largest.
        total = replace(total, gpu_s=max(spent.gpu_s for spent in meter), round_count=max(spent.round_count for spent in meter))
        total = replace(total, wall_s=max(spent.wall_s for spent in meter))
    return total


def gone_on_with(store: SearchStore, request: JobRequest, now_ms: int) -> EarlierSearch:
    """The search that ``last_interrupted`` finds, with nothing of it where the request has another program run. Raises as that does."""
    earlier = last_interrupted(store, find_workspace(request.file), request.file, now_ms)
    why = "" if earlier.asked is None else difference(request, earlier.asked)
    return replace(NOTHING_EARLIER, job=earlier.job, why_left=why) if why else earlier


def as_before(store: SearchStore, request: JobRequest, now_ms: int) -> JobRequest:
    """The request of a search that goes on with the last one, with what that was given and this one is not. Raises as ``gone_on_with``."""
    asked = gone_on_with(store, request, now_ms).asked
    return request if asked is None else taken_over(request, asked)


def last_interrupted(store: SearchStore, workspace: Path, path: Path, now_ms: int) -> EarlierSearch:
    """The newest search on ``path`` that came to no end, or to that of a cap; raises UsageError where none is left to go on with.

    A search that ended well closes everything before it.
    """
    for row in store.jobs(workspace):
        if row.command != "optimize" or row.path != path:
            continue
        log = tuple(_decoded(store.events(row.id)))
        if is_running(row, now_ms):
            raise UsageError(f"{row.id} is still searching {path.name} ({row.owner})", "wait for it, or stop it")
        if row.ended_ms is None or (log and not any(isinstance(event, events.JobEnded) for event in log)):
            return _earlier(store, workspace, row, log)
        if any(_cap_reached(event) is not None for event in log):
            return _earlier(store, workspace, row, log)
        if row.exit_code == 0:
            break
    raise UsageError(f"no interrupted or capped search on {path.name} to go on with", f"kernelopt optimize {path.name} starts one")


def _earlier(store: SearchStore, workspace: Path, row: JobRow, log: tuple[events.Event, ...]) -> EarlierSearch:
    ids = {event.candidate for event in log if isinstance(event, events.CandidateTried)}
    jobs = {event.job for event in log}
    stored = reversed(store.attempts(workspace, limit=_ATTEMPTS_READ))
    attempts = tuple(attempt for attempt in stored if attempt.id in ids or attempt.job in jobs)
    proposals = [store.find_proposal(event.id) for event in log if isinstance(event, events.ProposalMade)]
    sources = {Source(attempt.path, attempt.parent_text) for attempt in attempts}
    sources |= {source for proposal in proposals for change in proposal.files for source in (change.before, change.after)}
    return EarlierSearch(row.id, log, attempts, frozenset(sources), read_run_options(row.asked))


def _decoded(lines: Iterable[str]) -> Iterator[events.Event]:
    return (event_from(json.loads(line)) for line in lines)


def is_running(row: JobRow, now_ms: int) -> bool:
    """A heartbeat not long ago, and, on this machine, a process of that id."""
    if row.ended_ms is not None or now_ms - row.heartbeat_ms > _SILENT_MS:
        return False
    host, *_, process = row.owner.split()
    return host != os.uname().nodename or not process.isdigit() or Path("/proc", process).is_dir()


def _cap_reached(event: events.Event) -> str | None:
    return event.ended_by if isinstance(event, events.BudgetSpent) else None
