"""Reports to the client what happens in the editor session: changed views, jobs with progress, decisions."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from assistant.editor.lanes import Work
from assistant.editor.offer_words import judged_in_words
from assistant.editor.progress_words import JobProgress
from assistant.editor.tasks import Verb
from assistant.engine import CANNOT_ANSWER, NO, event_json, event_object
from assistant.errors import KernelOptError, UsageError
from assistant.model.events import (
    ComparisonMade,
    Event,
    JobEnded,
    KernelWritten,
    Message,
    PairTurn,
    ProposalMade,
)
from assistant.model.profile import Severity
from assistant.model.proposal import AlreadyDecided, Decision, DecisionKind
from lsp.backend import Backend
from lsp.client import Client
from lsp.diagnostics import Diagnostics
from lsp.messages import with_remedy
from lsp.scratch import ScratchCopies
from lsp.searched import SearchedKernels, in_words
from lsp.units import Units

__all__ = ["SessionListener"]

_PROGRESS_AFTER_S = 0.5
"""Shorter jobs show no progress."""
_TOGETHER_S = 0.005
"""For changes that one event brings: the client is asked once."""
_REFRESH_PAUSE_S = 0.05
"""Several views that change at once ask the client once."""
_TITLES = {
    Verb.INSPECT: "Compiling",
    Verb.CHECK: "Verifying",
    Verb.PROFILE: "Profiling",
    Verb.OPTIMIZE: "Optimizing",
    Verb.JUDGE: "Judging your edit of",
    Verb.REBASE: "Judging the proposal on the changed",
    Verb.PAIR_EDIT: "Answering your edit of",
    Verb.PAIR_SUGGEST: "Looking for a suggestion for",
}
_LOG_KINDS = {
    Severity.ERROR: types.MessageType.Error,
    Severity.WARNING: types.MessageType.Warning,
    Severity.INFORMATION: types.MessageType.Info,
}


class SessionListener:
    """Implements ``EditorListener`` for one client."""

    def __init__(
        self, server: LanguageServer, client: Client, units: Units, diagnostics: Diagnostics, scratch: ScratchCopies, backend: Backend
    ) -> None:
        self._server = server
        self._client = client
        self._units = units
        self._diagnostics = diagnostics
        self._scratch = scratch
        self._backend = backend
        self._refreshing: asyncio.TimerHandle | None = None
        self._refreshed_s = 0.0
        """When the client was last asked to, by the loop's clock."""
        self._stale: set[str] = set()
        """Documents whose view changed since the client was last asked to refresh."""
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._progressing: set[str] = set()
        self._progress: dict[str, JobProgress] = {}
        self._endings: dict[str, JobEnded] = {}
        self._verdicts: dict[str, ComparisonMade] = {}
        self._searched = SearchedKernels()
        self._offers: set[str] = set()
        """Jobs that made a proposal; clients that support ``offer`` announce it themselves."""

    def shown(self, key: str) -> None:
        unit = self._units.find(key)
        if unit is None:
            return
        self._diagnostics.publish(unit.uri)
        self._changed(unit.uri)

    def decided(self, key: str, decision: Decision) -> None:
        self._client.log(f"{decision.proposal} {decision.kind.value.replace('_', ' ')}")
        proposal = self._backend.store.find_proposal(decision.proposal)
        self._backend.proposal_decided(proposal.path)
        if decision.kind is DecisionKind.PARTIALLY_ACCEPTED:  # what was accepted is judged before a verdict is shown
            try:
                self._backend.editor.judge(key, proposal.before)
            except UsageError as error:
                self._client.say(
                    f"the hunks of {decision.proposal} that you accepted were not judged: {error.message}", types.MessageType.Warning
                )

    def lost(self, key: str, outcome: AlreadyDecided) -> None:
        first = outcome.decision
        kind = first.kind.value.replace("_", " ")
        self._client.say(
            f"{first.proposal} was already {kind} by {first.decided_by}: your decision was not saved", types.MessageType.Warning
        )

    def job_started(self, work: Work) -> None:
        loop = asyncio.get_running_loop()
        self._changed(None)
        if self._client.shows_progress:
            self._timers[work.id] = loop.call_later(_PROGRESS_AFTER_S, lambda: self._client.spawn(self._begin(work)))

    def job_reported(self, work: Work, event: Event) -> None:
        self._scratch.job_event(work, event)
        self._searched.heard(work.id, event)
        self._client.trace(f"{work.id} {event.event}", lambda: event_json(event))
        if self._client.supports("event"):
            self._server.protocol.notify("kernelopt/event", event_object(event))
        said = self._progress.setdefault(work.id, JobProgress()).said(event)
        if said is not None:
            self._report(work, said)
        match event:
            case Message(severity=severity, message=message, remedy=remedy):
                self._client.log(f"{message}; {remedy}" if remedy else message, _LOG_KINDS[severity])
            case ComparisonMade():
                self._verdicts[work.id] = event  # the overall one is the last
            case ProposalMade() if self._backend.editor.key_of(Path(event.file)) is None:
                self._client.spawn(self._offer_elsewhere(event))
            case ProposalMade() if self._client.supports("offer"):
                self._offers.add(work.id)
            case KernelWritten(file=file):
                self._written(work, file)
            case PairTurn(answer=answer):
                self._client.log(answer)
            case JobEnded():
                self._endings[work.id] = event
            case _:
                pass

    async def _offer_elsewhere(self, made: ProposalMade) -> None:
        """A proposal edits a file that is not open: offer to show that."""
        name = Path(made.file).name
        message = f"{made.id}, for a kernel in {name}: {made.summary}"
        if not self._client.shows_documents:
            self._client.say(message)
        elif await self._client.choose(message, (f"Open {name}",)) is not None:
            self._client.show_document(Path(made.file).as_uri())

    def _written(self, work: Work, file: str) -> None:
        """A first kernel is in a file: show it to the person who asked for one."""
        self._client.log(f"the kernel is in {file}")
        if self._client.shows_documents and not work.is_background:
            self._client.show_document(Path(file).as_uri())

    def job_waits(self, work: Work, reason: str) -> None:
        self._client.log(f"{_title(work)} {work.task.request.file.name} waits: {reason}")

    def job_ended(self, work: Work, refusal: KernelOptError | None, is_cancelled: bool) -> None:
        self._scratch.job_ended(work)
        self._changed(None)
        self._progress.pop(work.id, None)
        timer = self._timers.pop(work.id, None)
        if timer is not None:
            timer.cancel()
        ending, verdict = self._endings.pop(work.id, None), self._verdicts.pop(work.id, None)
        message = _ending_text(refusal, is_cancelled, ending)
        if ending is None and self._client.supports("event"):
            exit_code = CANNOT_ANSWER if refusal is None else refusal.exit_code
            self._server.protocol.notify("kernelopt/event", event_object(JobEnded(work.id, exit_code, message)))
        if work.task.verb is Verb.JUDGE and verdict is not None:
            message = judged_in_words(verdict)
        if work.id in self._progressing:
            self._progressing.discard(work.id)
            self._server.work_done_progress.end(work.id, types.WorkDoneProgressEnd(message=message))
            self._server.work_done_progress.tokens.pop(work.id, None)  # pyright: ignore[reportUnknownMemberType]
        without_edit = self._searched.without_edit(work.id)
        if work.id in self._offers:
            self._offers.discard(work.id)
            self._client.log(message)
            if without_edit and not work.is_background:
                self._client.say(f"{work.task.request.file.name}: {in_words(without_edit)}")
        elif not work.is_background:
            self._show_answer(work, refusal, is_cancelled, ending, message)
        elif refusal is not None:
            self._client.log(message, types.MessageType.Warning)

    def _show_answer(self, work: Work, refusal: KernelOptError | None, is_cancelled: bool, ending: JobEnded | None, message: str) -> None:
        """The answer to what a person asked for, in one sentence."""
        name = work.task.request.file.name
        stands_at_lines = work.task.verb is Verb.CHECK and ending is not None and ending.exit_code == NO
        if stands_at_lines and self._client.supports("lines"):
            self._client.log(f"{name}: {message}")  # it is in the kernel's row, and what was found stands at its lines
        elif refusal is not None or (ending is not None and ending.exit_code):
            self._client.say(f"{name}: {message}", types.MessageType.Warning)
        elif work.task.verb is Verb.PROFILE and self._client.supports("lines"):
            self._client.log(f"{name}: {message}")  # it stands over the kernels, next to the lines and in the panel that was opened
        elif not is_cancelled:
            self._client.say(f"{name}: {message}")

    async def _begin(self, work: Work) -> None:
        await self._server.work_done_progress.create_async(work.id)  # pyright: ignore[reportUnknownMemberType]
        if work.id not in self._timers:
            return  # it ended while the client was asked
        del self._timers[work.id]
        self._progressing.add(work.id)
        title = f"{_title(work)} {work.task.request.file.name}"
        known = self._progress.get(work.id)
        message = None if known is None else known.latest
        self._server.work_done_progress.begin(work.id, types.WorkDoneProgressBegin(title, cancellable=True, message=message))

    def _report(self, work: Work, message: str) -> None:
        if work.id in self._progressing:
            self._server.work_done_progress.report(work.id, types.WorkDoneProgressReport(message=message))

    def _changed(self, uri: str | None) -> None:
        """The view of a document changed; None: only the list of jobs."""
        if uri is not None:
            self._stale.add(uri)
        if self._refreshing is None:
            loop = asyncio.get_running_loop()
            self._refreshing = loop.call_at(max(loop.time() + _TOGETHER_S, self._refreshed_s + _REFRESH_PAUSE_S), self._refresh)

    def _refresh(self) -> None:
        """Lenses, hints and lists are pulled: ask the client to pull again."""
        self._refreshing = None
        stale, self._stale = sorted(self._stale), set()
        if self._client.supports("lines"):
            self._server.protocol.notify("kernelopt/changed", {"uris": stale})
        if stale and self._client.refreshes_lenses:
            self._server.workspace_code_lens_refresh(None)
        if stale and self._client.refreshes_hints:
            self._server.workspace_inlay_hint_refresh(None)
        self._refreshed_s = asyncio.get_running_loop().time()


def _title(work: Work) -> str:
    is_part = work.task.verb is Verb.REBASE and bool(work.task.hunk_ids)
    return "Judging what is left of the proposal for" if is_part else _TITLES[work.task.verb]


def _ending_text(refusal: KernelOptError | None, is_cancelled: bool, ending: JobEnded | None) -> str:
    if is_cancelled:
        return "cancelled"
    if refusal is not None:
        return with_remedy(refusal)
    return "ended" if ending is None else ending.reason
