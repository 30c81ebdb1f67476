"""One task from its private copy to its row: searched, and what was kept judged as a whole program; or only profiled.

Two jobs of one session, with a memory of its own, so that no row depends on what ran before it. Example::

    row = await ProgramRunner(folder, settings, open_session, on_event).run(task)
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path

from assistant.bench.bound import bound_of
from assistant.bench.boundary import listen, row_or_reason
from assistant.bench.heard import Heard, Original, ending_of, failure_of, judged_of, original_of, reached_of, times_of
from assistant.bench.journal import BenchSettings
from assistant.bench.outcomes import with_nothing, with_verdict, wrong_as_a_whole
from assistant.bench.private_copy import private_copy, sources_sha256
from assistant.bench.row import Row, RowOutcome
from assistant.bench.task import Task
from assistant.config import find_workspace, load_settings
from assistant.cuda.changes import changes_diff, changes_of
from assistant.engine import WHOLE_PROGRAM, Accept, JobRequest, OptimizeOptions, Session, flags_of, programs_of, read_source
from assistant.engine.proposals import Ask, DecisionRequest, is_proved_better
from assistant.engine.search import NO_CALLBACKS, SearchCallbacks, deferred_labels, is_deferred
from assistant.errors import CannotAnswerError, KernelOptError
from assistant.measure.targets import target
from assistant.model import events
from assistant.model.comparison import SpeedOutcome
from assistant.model.completion import Caps
from assistant.model.proposal import DecisionKind, Proposal
from assistant.model.source import Source
from assistant.model.verification import Outcome, Verification
from assistant.record import Record

__all__ = ["ProgramRunner"]

_SEARCHED_PART = 0.5
"""Of a program's time, at most: what was kept by then has still to be confirmed, and judged as a whole (chosen)."""
_CONFIRMED_PART = 0.5
"""As much more for the search where its time is over while it confirms what it kept, which else would count for nothing (chosen)."""


class ProgramRunner(Record):
    """Runs the tasks of a suite."""

    folder: Path
    settings: BenchSettings
    open_session: Callable[[str], Session]
    """A session whose memory is for the task of that title alone."""
    on_event: Callable[[events.Event], None]
    """Hears every event of every job."""
    callbacks: SearchCallbacks = NO_CALLBACKS

    async def run(self, task: Task) -> Row:
        """The task's row. Whatever keeps it from an answer is a failure of that row alone."""
        start_s, heard = time.monotonic(), Heard()

        async def carried_out() -> Row:
            with private_copy(self.folder) as copy:
                return await self._carried_out(task, copy, heard)

        row = await row_or_reason(carried_out, task.title, 2 * self.settings.timeout_s, heard)
        if isinstance(row, str):
            row = self.failed(task, row, heard)
        return replace(row, cost=heard.cost(time.monotonic() - start_s))

    async def _carried_out(self, task: Task, copy: Path, heard: Heard) -> Row:
        """Raises KernelOptError, and CannotAnswerError where a job has no answer."""
        session, request = self.open_session(task.title), self._request(task, copy)
        heard.unused = _unused(request)
        try:
            if not self.settings.is_searching:
                await self._listen(session.profile(request), heard)
                _check_answered(heard, "profile")
                row = self._row(task, heard, original_of(heard.events))
                return replace(row, outcome=RowOutcome.NOT_SEARCHED, reason="only its time and its bound were asked for")
            kept = _Kept()
            ask = self._ask(kept, heard)
            is_whole = await self._ends(session.optimize(request, self._search_options(), Accept.ASK, ask, self.callbacks), heard)
            if is_whole:
                _check_answered(heard, "optimize")
            elif not kept.before:
                raise CannotAnswerError(f"no end after {self._limit_s(heard.of_command('optimize')):g} s ({reached_of(heard)})")
            original = original_of(heard.of_command("optimize"))
            row = self._row(task, heard, original)
            if not kept.before:
                return with_nothing(row, heard, ending_of(heard.of_command("optimize")))
            region = WHOLE_PROGRAM if original.is_whole_program else None
            judged = await self._judge(session, replace(request, region=region), kept, heard)
            diff = changes_diff(changes_of(kept.before, kept.after))
            row = replace(with_verdict(row, heard, judged), times=times_of(original, judged), diff=diff)
            return replace(row, is_cut_off=row.is_cut_off or not is_whole)
        finally:
            session.close()

    async def _ends(self, stream: AsyncIterator[events.Event], heard: Heard) -> bool:
        """Listen to a search; whether it ended in the program's time. If not, it is stopped."""
        begun_s = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(self.settings.timeout_s) as limit:

                def on_event(event: events.Event) -> None:
                    if _is_confirming(event):
                        limit.reschedule(begun_s + self._limit_s((event,)))
                    self.on_event(event)

                await listen(stream, heard, on_event)
        except TimeoutError:
            return False
        return True

    def _limit_s(self, heard: Sequence[events.Event]) -> float:
        """How long a search of which this was heard may take."""
        return self.settings.timeout_s * (1.0 + _CONFIRMED_PART if any(map(_is_confirming, heard)) else 1.0)

    async def _judge(self, session: Session, request: JobRequest, kept: _Kept, heard: Heard) -> events.ComparisonMade:
        """The verdict on all that was kept, as one edit of the whole program; raises CannotAnswerError where it counts for nothing.

        The search verified each edit on the version that the one before it left: left to ask for is what reaches the host with all of them,
        and the speed of the whole program. Where that is no answer, or an edit changes a kernel again, everything is verified once more.
        """
        if kept.verifications and request.region is not None:
            await self._listen(session.time_verified(request, kept.before, kept.after, kept.verifications), heard)
        if judged_of(heard.of_command("compare")) is None:
            await self._listen(session.judge(request, kept.before, kept.after), heard)
        compared = heard.of_command("compare")
        judged = judged_of(compared)
        if judged is None:
            raise CannotAnswerError(f"what was kept could not be judged as a whole: {failure_of(compared) or ending_of(compared)}")
        wrong = wrong_as_a_whole(judged)
        if wrong is not None:
            raise CannotAnswerError(wrong)
        return judged

    def _ask(self, kept: _Kept, heard: Heard) -> Ask:
        """Accepts the fastest version that is proved; what a person has to decide on only where the run may take it."""
        labels = deferred_labels(self.settings.allowed)

        def may_be_taken(proposal: Proposal) -> bool:
            is_right = proposal.verification.outcome is Outcome.PASS or is_deferred(proposal.verification, labels)
            is_predicted = original_of(heard.of_command("optimize")).is_predicted
            is_timed = is_predicted or proposal.comparison.outcome is not SpeedOutcome.PREDICTED
            return is_right and is_timed and is_proved_better(proposal.comparison)

        async def ask(proposal: Proposal) -> DecisionRequest | None:
            versions = [version for number in range(1 + len(proposal.alternatives)) if (version := proposal.taking(number)) is not None]
            best = max(filter(may_be_taken, versions), key=lambda version: version.comparison.ratio, default=None)
            if best is None:
                return None
            kept.add(best)
            return DecisionRequest(DecisionKind.ACCEPTED, alternative=best.number)

        return ask

    def _request(self, task: Task, copy: Path) -> JobRequest:
        first, *others = (copy / file for file in task.files)
        settings = self.settings
        return JobRequest(
            file=first,
            working_directory=first.parent,
            extra_sources=tuple(others),
            arguments=task.arguments,
            device=settings.device,
            target=settings.target,
            cflags=settings.cflags,
        )

    def _search_options(self) -> OptimizeOptions:
        settings = self.settings
        caps = Caps(money_usd=settings.budget_usd, wall_s=_SEARCHED_PART * settings.timeout_s)
        return OptimizeOptions(
            planner=settings.planner,
            allowed=settings.allowed,
            takes_allowed=True,
            caps=caps,
            reports_original=True,
            times_original=True,
        )

    async def _listen(self, stream: AsyncIterator[events.Event], heard: Heard) -> None:
        await listen(stream, heard, self.on_event)

    def _row(self, task: Task, heard: Heard, original: Original | None) -> Row:
        """What is known before any search."""
        row = Row(
            name=task.name,
            arguments=task.arguments,
            sources_sha256=sources_sha256(self.folder),
            outcome=RowOutcome.FAILED,
            reason="",
            cost=heard.cost(0.0),
            unused=heard.unused,
        )
        if original is None:
            return row
        bound = None if task.requirements is None or not original.target else bound_of(task.requirements, target(original.target))
        return replace(row, device=original.device, target=original.target, bound=bound, times=times_of(original, None))

    def failed(self, task: Task, reason: str, heard: Heard | None = None) -> Row:
        """What was found out before, if anything was, stays; the task counts as if nothing had been done."""
        heard = heard or Heard()
        original = original_of(heard.events)
        return replace(self._row(task, heard, original), reason=reason)


class _Kept:
    """The files that accepted proposals changed."""

    def __init__(self) -> None:
        self._before: dict[Path, Source] = {}
        self._proposals: list[Proposal] = []

    def add(self, proposal: Proposal) -> None:
        self._proposals.append(proposal)
        for source in proposal.before:
            self._before.setdefault(source.path, source)

    @property
    def before(self) -> tuple[Source, ...]:
        """As the search found them."""
        return tuple(self._before.values())

    @property
    def after(self) -> tuple[Source, ...]:
        """As they are on disk."""
        return tuple(read_source(path) for path in self._before)

    @property
    def verifications(self) -> tuple[Verification, ...]:
        """Of the accepted edits, in turn; none where one was made of another version than what those before it left, where two are of the
        same kernel, and where other texts are on disk."""
        texts = {source.path: source.text for source in self.before}
        for proposal in self._proposals:
            if any(texts[source.path] != source.text for source in proposal.before):
                return ()
            texts |= {source.path: source.text for source in proposal.after}
        kernels = {(proposal.path, proposal.kernel) for proposal in self._proposals}
        is_as_verified = all(texts[source.path] == source.text for source in self.after)
        is_one_each = len(kernels) == len(self._proposals)
        return tuple(proposal.verification for proposal in self._proposals) if is_as_verified and is_one_each else ()


def _is_confirming(event: events.Event) -> bool:
    return isinstance(event, events.StageStarted) and event.stage == "confirm"


def _unused(request: JobRequest) -> str:
    """Flags of the build that the program is run without, in words; empty where its program cannot be told, which its job then says."""
    try:
        program = programs_of(request, flags_of(request, load_settings(find_workspace(request.file)))).program
    except KernelOptError:
        return ""
    return "" if program is None else program.unused


def _check_answered(heard: Heard, command: str) -> None:
    failure = failure_of(heard.of_command(command))
    if failure is not None:
        raise CannotAnswerError(failure)
