"""What agents may have done: who may run what, one job at a time, no decision.

An agent's word is no consent. A folder must be trusted and its programs allowed by a person: beforehand (*Always here* in an editor), or
by starting the server with ``--allow-run``. Edits run limited, like every candidate. Example::

    harness = Harness(session, TrustStore(user_paths().trust), Rights())
    await harness.run(harness.check(Path("/tmp/a.cu"), None), on_progress)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.agents.admission import refused_edit
from assistant.agents.answers import answer, listed_proposal
from assistant.config import ConsentAnswer, TrustStore, find_project, find_workspace, load_settings
from assistant.cuda.parse import parse
from assistant.editor.exact_run import exact_run
from assistant.engine import (
    Accept,
    JobRequest,
    OptimizeOptions,
    Session,
    declares_workload,
    flags_of,
    in_programs,
    judging_programs,
    programs_of,
    read_source,
)
from assistant.engine.proposals import Submission
from assistant.engine.report import proposal_event
from assistant.errors import CannotAnswerError, UsageError
from assistant.model import events
from assistant.model.program import STANDS_ALONE, ProgramSearch
from assistant.model.proposal import ProposalState
from assistant.model.source import Source
from assistant.record import Record

__all__ = ["Harness", "OnProgress", "Rights"]

OnProgress = Callable[[str], Awaitable[None]]
"""Is called with what a running job does now."""

_SUMMARY_CHARACTERS = 500
_TEXT_BYTES = 1 << 20
"""Most of a submitted text; sources that people write are smaller."""
_EXPERT = OptimizeOptions(planner="expert", may_edit_host_code=False)


class Rights(Record):
    """What the person who started the server allows."""

    may_run: bool = False
    """Programs of trusted folders, also those without a consent by *Always here*."""
    may_edit_host_code: bool = False
    """Edits of other code than kernels and launches may be built and run, limited as candidates are."""
    trusted: tuple[Path, ...] = ()
    """Folders that the editor which starts the server trusts."""


class Harness:
    """Jobs for agents."""

    def __init__(self, session: Session, trust: TrustStore, rights: Rights) -> None:
        self._session = session
        self._trust = trust
        self._rights = rights
        self._turn = asyncio.Lock()
        """One job at a time: counts do not suffer from company, people at the same machine do."""

    def inspect(self, file: Path, kernel: str | None) -> AsyncIterator[events.Event]:
        return self._session.inspect(_request(file, kernel))

    def check(self, file: Path, kernel: str | None) -> AsyncIterator[events.Event]:
        return self._session.check(self._allowed(file, kernel))

    def profile(self, file: Path, kernel: str | None) -> AsyncIterator[events.Event]:
        return self._session.profile(self._allowed(file, kernel))

    def compare(self, file: Path, edited: Sequence[Source], kernel: str | None, region: str | None = None) -> AsyncIterator[events.Event]:
        """The edited texts of the file, and of others of its program, against those there are; the edited ones run limited."""
        return self._compared(replace(self._allowed(file, kernel), region=region), edited)

    def compare_everywhere(
        self, file: Path, edited: Sequence[Source], kernel: str | None, region: str | None = None
    ) -> AsyncIterator[events.Event]:
        """As `compare`, in every program that has the file, each of which a person must have allowed to run."""
        return self._compared(replace(self._allowed_everywhere(file, kernel), region=region), edited)

    def _compared(self, request: JobRequest, edited: Sequence[Source]) -> AsyncIterator[events.Event]:
        before = self._judgeable(request, edited)
        return self._session.judge(request, before, edited)

    def propose(self, file: Path, edit: Submission, kernel: str | None, region: str | None = None) -> AsyncIterator[events.Event]:
        """As `compare`, and what is proved better waits for a person."""
        request = replace(self._allowed(file, kernel), region=region)
        self._judgeable(request, edit.texts)
        return self._session.submit(request, replace(edit, summary=edit.summary[:_SUMMARY_CHARACTERS]))

    def optimize(self, file: Path, kernel: str | None, region: str | None = None) -> AsyncIterator[events.Event]:
        """The expert planner's search; what it finds waits for a person."""
        return self._session.optimize(replace(self._allowed(file, kernel), region=region), _EXPERT, Accept.NONE, None)

    def proposals(self, file: Path) -> list[dict[str, Any]]:
        """Open proposals of a file, newest first."""
        path = _absolute(file)
        found = self._session.store.proposals(find_workspace(path), frozenset({ProposalState.OPEN}), path)
        return [listed_proposal(proposal_event(proposal.job, proposal)) for proposal in found]

    def proposal(self, id_prefix: str) -> dict[str, Any]:
        """One proposal whole, and what was decided on it."""
        proposal = self._session.store.find_proposal(id_prefix, find_workspace(Path.cwd()))
        entry = answer([proposal_event(proposal.job, proposal)])["events"][0]
        decisions = self._session.store.decisions(proposal.id)
        return entry | {"decisions": [{"kind": d.kind.value, "reason_code": d.reason_code, "reason": d.reason} for d in decisions]}

    async def run(self, stream: AsyncIterator[events.Event], on_progress: OnProgress) -> dict[str, Any]:
        """The job's answer; cancelling it ends the job and its workers."""
        log: list[events.Event] = []
        async with self._turn:
            try:
                async for event in stream:
                    log.append(event)
                    if isinstance(event, events.StageStarted):
                        await on_progress(f"{event.stage}: {event.detail}")
            finally:
                if isinstance(stream, AsyncGenerator):
                    await stream.aclose()
        return answer(log)

    def _allowed(self, file: Path, kernel: str | None) -> JobRequest:
        """The request, where a person allowed to run this file's program. Raises CannotAnswerError."""
        request = _request(file, kernel)
        self._demand_trust(request)
        request = _in_program(request)
        self._demand_consent(request)
        programs = judging_programs(request, load_settings(find_workspace(request.file)))
        for _, each in programs:
            self._demand_consent(each)
        return replace(request, is_everywhere=bool(programs))

    def _allowed_everywhere(self, file: Path, kernel: str | None) -> JobRequest:
        """The request about every program of the file, where a person allowed to run each. Raises CannotAnswerError."""
        request = replace(_request(file, kernel), is_everywhere=True)
        self._demand_trust(request)
        for _, each in in_programs(request, flags_of(request, load_settings(find_workspace(request.file)))):
            self._demand_consent(each)
        return request

    def _demand_trust(self, request: JobRequest) -> None:
        folder = find_workspace(request.file)
        if not self._is_trusted(folder):
            raise CannotAnswerError(f"{folder} is not trusted, so nothing of it is run", f"a person runs: kernelopt trust {folder}")

    def _demand_consent(self, request: JobRequest) -> None:
        consent = self._trust.consent(exact_run(request))
        if consent is ConsentAnswer.NEVER:
            raise CannotAnswerError(f"a person answered that {request.file.name} is never to be run", "ask them")
        if consent is not ConsentAnswer.ALWAYS and not self._rights.may_run:
            remedy = "a person answers Always here in the editor, or starts this server with --allow-run"
            raise CannotAnswerError(f"no person consented to running {request.file.name} for an agent", remedy)

    def _is_trusted(self, folder: Path) -> bool:
        resolved = folder.resolve()
        return self._trust.is_trusted(folder) or any(resolved.is_relative_to(known.resolve()) for known in self._rights.trusted)

    def _judgeable(self, request: JobRequest, edited: Sequence[Source]) -> tuple[Source, ...]:
        """The present texts of the edited files. Raises UsageError for an edit that may not be tried."""
        if not edited:
            raise UsageError("there is no edited text", "give the whole text of each file that the edit changes")
        for source in edited:
            if source.path != request.file:
                _check_of_project(source.path, request.file)
        return tuple(self._judgeable_file(source) for source in edited)

    def _judgeable_file(self, edited: Source) -> Source:
        source = read_source(_absolute(edited.path))
        if len(edited.text.encode("utf-8", "replace")) > _TEXT_BYTES:
            raise UsageError(f"the edited text is larger than {_TEXT_BYTES} bytes", "submit the file's own text with the edit made")
        refusal = refused_edit(source, edited, may_edit_host_code=self._rights.may_edit_host_code)
        if refusal is not None:
            further = ", or a person starts this server with --allow-host-code" if refusal.code == "host-code" else ""
            raise UsageError(refusal.message, refusal.remedy + further)
        return source


def _request(file: Path, kernel: str | None) -> JobRequest:
    path = _absolute(file)
    return JobRequest(path, path.parent, kernel=kernel, cflags=load_settings(find_workspace(path)).settings.build.flags or None)


def _in_program(request: JobRequest) -> JobRequest:
    """The request with the program that is run, which is what a person consents to. Raises CannotAnswerError where that is unclear."""
    parsed = parse(read_source(request.file))
    if declares_workload(parsed) and not parsed.has_main:
        return replace(request, programs=STANDS_ALONE)
    program = programs_of(request, flags_of(request, load_settings(find_workspace(request.file)))).settled()
    return replace(request, programs=STANDS_ALONE if program is None else ProgramSearch((program,)))


def _check_of_project(path: Path, file: Path) -> None:
    """Raises UsageError for a file outside of the project: no edit of ours is written there."""
    project = find_project(file)
    if not _absolute(path).resolve().is_relative_to(project.resolve()):
        raise UsageError(f"{path} is not in the project of {file.name}", f"edit files below {project}")


def _absolute(file: Path) -> Path:
    if not file.is_absolute():
        raise UsageError(f"{file} is not an absolute path", "name the file by its whole path")
    return file
