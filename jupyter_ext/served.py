"""What memory holds of the files that one Jupyter server serves, as JSON objects: jobs, history, proposals, what was learnt, reports.

A file is named as Jupyter names it: by its path below the server's root folder, with ``/``. What lies outside of that folder is not
there. Nothing here knows HTTP; what cannot be answered is raised as one of four errors. Example::

    served = ServedMemory(Path("/home/me/notebooks"), store)
    served.history("", None, 20)["attempts"][0]["outcome"]      # 'kept'
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from assistant.config import find_workspace
from assistant.editor.learned_page import learned_page
from assistant.editor.open_document import OpenDocument
from assistant.editor.tried import why_tried
from assistant.engine import event_object, read_source
from assistant.engine.proposals import Decider, DecisionRequest, MadeBefore, MovedChange
from assistant.engine.report import proposal_event, technique_in_words
from assistant.engine.search import is_running
from assistant.errors import CannotAnswerError, MemoryFileError, UsageError
from assistant.memory import MemoryStore
from assistant.model.attempt import Attempt, JobRow
from assistant.model.proposal import DECIDABLE_STATES, AlreadyDecided, Decision, DecisionKind, Proposal, ProposalState
from assistant.serialize import encode

__all__ = ["BadRequest", "Conflict", "NotThere", "ServedMemory"]

_REPORTED_PROPOSALS = 10
"""Proposals of a file, the newest, as in an editor's panel."""

Row = TypeVar("Row", JobRow, Proposal)


class BadRequest(UsageError):  # noqa: N818 - a fact, named as the code reads
    """The request says something that cannot be meant."""


class NotThere(UsageError):  # noqa: N818
    """No such thing below the server's root folder."""


class Conflict(UsageError):  # noqa: N818
    """What is there now does not allow it: somebody decided, the job ended, the file moved on."""


class ServedMemory:
    """One server's view of the memory file."""

    def __init__(self, root: Path, store: MemoryStore) -> None:
        self._root = root.resolve()
        self._store = store

    # --- looking ----------------------------------------------------------------------------------------------------

    def status(self, workspace: str) -> dict[str, Any]:
        """Which workspace a path belongs to, and whether its memory can be written."""
        folder = self._workspace(workspace)
        return {"workspace": self._name(folder) or "", "folder": folder.name, "read_only_reason": self._store.read_only_reason}

    def jobs(self, workspace: str, now_ms: int) -> list[dict[str, Any]]:
        """Newest first."""
        return [self._job_object(row, now_ms) for row in self._below(self._store.jobs(self._workspace(workspace)))]

    def job(self, job_id: str, start: int, now_ms: int) -> dict[str, Any]:
        """One job with the events that memory keeps of it (a search's), from position ``start``."""
        row = self._one(self._store.jobs(), job_id, "job")
        return {**self._job_object(row, now_ms), "events": [json.loads(text) for text in self._store.events(row.id, start)]}

    def history(self, workspace: str, file: str | None, limit: int) -> dict[str, Any]:
        """Attempts, newest first, and decisions, oldest first."""
        folder, path = self._workspace(workspace), None if file is None else self._path(file)
        attempts = self._store.attempts(folder, path, limit)
        known = {proposal.id: proposal for proposal in self._below(self._store.proposals(folder, path=path))}
        return {
            "attempts": [self._attempt_object(attempt) for attempt in attempts if self._name(attempt.path) is not None],
            "decisions": [self._decision_object(each, known[each.proposal]) for each in self._store.decisions() if each.proposal in known],
        }

    def proposals(self, workspace: str, file: str | None, is_open_only: bool) -> list[dict[str, Any]]:
        """Newest first, without their diffs."""
        path = None if file is None else self._path(file)
        found = self._store.proposals(self._workspace(workspace), DECIDABLE_STATES if is_open_only else None, path)
        return [self._proposal_row(proposal) for proposal in self._below(found)]

    def proposal(self, proposal_id: str) -> dict[str, Any]:
        """One proposal with diff, verdict, evidence, explanation and what was decided."""
        proposal = self._one(self._store.proposals(), proposal_id, "proposal")
        decisions = [self._decision_object(decision, proposal) for decision in self._store.decisions(proposal.id)]
        event = event_object(proposal_event(proposal.job, proposal))
        return {**event, **self._proposal_row(proposal), "decisions": decisions}

    def memory(self) -> dict[str, Any]:
        """What was learnt, per technique, bottleneck and kind of device; no source and no reason of any workspace."""
        return {
            "attempt_count": self._store.attempt_count(),
            "read_only_reason": self._store.read_only_reason,
            "knowledge": [asdict(row) for row in self._store.learned.knowledge()],
            "page": encode(learned_page(self._store.what_was_learned(), ())),
        }

    def report(self, file: str) -> dict[str, Any]:
        """The whole profile of a file as it stands, as far as memory holds one of this very text."""
        path = self._path(file)
        if not path.is_file():  # a pipe would hold up the next request
            raise NotThere(f"{file} is no file")
        try:
            text = read_source(path).text
        except UsageError as error:
            raise NotThere(error.message, error.remedy) from error
        document = OpenDocument(file, path, text)
        document.recall(self._store.analyses(path))
        report: dict[str, Any] = encode(document.report(self._store.proposals(path=path)[:_REPORTED_PROPOSALS]))
        return report

    # --- doing ------------------------------------------------------------------------------------------------------

    def cancel(self, job_id: str) -> dict[str, Any]:
        """Ask a job of any process to end; it hears within a second."""
        row = self._one(self._store.jobs(), job_id, "job")
        self._demand_writable()
        if not self._store.request_cancel(row.id):
            raise Conflict(f"{row.id} has ended already")
        return {"id": row.id, "is_cancel_requested": True}

    def decide(self, proposal_id: str, request: DecisionRequest, who: str, now_ms: int) -> dict[str, Any]:
        """Accept the whole of a proposal of a file, reject it, or take back what was decided on it."""
        proposal = self._one(self._store.proposals(), proposal_id, "proposal")
        self._demand_writable()
        outside = next((path for path in proposal.paths if self._name(path) is None), None)
        is_written = request.kind is not DecisionKind.REJECTED and proposal.state is not ProposalState.REJECTED
        if outside is not None and is_written:
            message = f"{proposal.id} also changes {outside}, which is not below the folder that this server serves"
            raise Conflict(message, f"kernelopt accept {proposal.id}")
        decider = Decider(self._store, who, now_ms)
        try:
            outcome = _decided(decider, proposal, request)
        except MemoryFileError:
            raise
        except (UsageError, CannotAnswerError) as error:
            raise Conflict(error.message, error.remedy) from error
        match outcome:
            case Decision():
                return self._decision_object(outcome, proposal)
            case AlreadyDecided(decision=first):
                message = f"{first.proposal} was already {first.kind.value.replace('_', ' ')} by {first.decided_by}"
                raise Conflict(message, "its decisions show when and why")
            case MadeBefore():
                raise Conflict(outcome.words, outcome.remedy)
            case MovedChange():
                message = f"{proposal.path.name} changed since {proposal.id} was made: its edit has to be judged again"
                raise Conflict(message, f"kernelopt accept {proposal.id}")

    # --- names ------------------------------------------------------------------------------------------------------

    def _demand_writable(self) -> None:
        if self._store.read_only_reason is not None:
            raise MemoryFileError(f"memory can only be read: {self._store.read_only_reason}")

    def _path(self, name: str) -> Path:
        """The file or folder of that name; it need not exist. Raises BadRequest for a name that leads out of the root folder."""
        if "\0" in name:
            raise BadRequest("a path holds no zero byte")
        path = self._root / name.strip("/")
        try:
            path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:  # a name that no file can have, a folder that is another user's
            raise BadRequest(f"the path cannot be looked at: {error.strerror}") from error
        if not path.resolve().is_relative_to(self._root) or ".." in Path(name).parts:
            raise BadRequest(f"{name!r} is not below the folder that this server serves")
        return path

    def _workspace(self, name: str) -> Path:
        return find_workspace(self._path(name))

    def _name(self, path: Path) -> str | None:
        """As Jupyter names it; None outside of the root folder."""
        for each in (path, path.resolve()):
            if each.is_relative_to(self._root):
                return "" if each == self._root else each.relative_to(self._root).as_posix()
        return None

    def _below(self, rows: Sequence[Row]) -> list[Row]:
        return [row for row in rows if self._name(row.path) is not None]

    def _one(self, rows: Sequence[Row], id_prefix: str, what: str) -> Row:
        """The row whose id starts so. Raises NotThere for none, BadRequest for several."""
        found = [row for row in self._below(rows) if row.id.startswith(id_prefix)]
        if not found:
            raise NotThere(f"no {what} {id_prefix!r} here")
        if len(found) > 1:
            raise BadRequest(f"{len(found)} {what}s begin with {id_prefix!r}", "give more of its id")
        return found[0]

    # --- objects ----------------------------------------------------------------------------------------------------

    def _job_object(self, row: JobRow, now_ms: int) -> dict[str, Any]:
        return {
            "id": row.id,
            "command": row.command,
            "file": self._name(row.path),
            "owner": row.owner,
            "started_ms": row.started_ms,
            "ended_ms": row.ended_ms,
            "exit_code": row.exit_code,
            "is_running": is_running(row, now_ms),
            "is_cancel_requested": row.is_cancel_requested,
        }

    def _attempt_object(self, attempt: Attempt) -> dict[str, Any]:
        return {
            "id": attempt.id,
            "job": attempt.job,
            "file": self._name(attempt.path),
            "kernel": attempt.kernel,
            "technique": technique_in_words(attempt.technique),
            "finding": attempt.finding,
            "outcome": attempt.outcome,
            "reason": attempt.reason,
            "tried": why_tried(attempt),
            "ratio": attempt.ratio,
            "speed": None if attempt.comparison is None else attempt.comparison.outcome.value,
            "device": attempt.device,
            "model": attempt.model,
            "created_ms": attempt.created_ms,
        }

    def _proposal_row(self, proposal: Proposal) -> dict[str, Any]:
        speed = proposal.comparison
        return {
            "id": proposal.id,
            "job": proposal.job,
            "file": self._name(proposal.path),
            "is_file": proposal.path.is_file(),
            "kernel": proposal.kernel,
            "techniques": tuple(map(technique_in_words, proposal.techniques)),
            "summary": proposal.summary,
            "state": proposal.state.value,
            "outcome": proposal.verification.outcome.value,
            "speed_outcome": speed.outcome.value,
            "ratio": speed.ratio,
            "method": speed.method,
            "created_ms": proposal.created_ms,
        }

    def _decision_object(self, decision: Decision, proposal: Proposal) -> dict[str, Any]:
        return {
            "proposal": decision.proposal,
            "file": self._name(proposal.path),
            "kernel": proposal.kernel,
            "kind": decision.kind.value,
            "hunk_ids": decision.hunk_ids,
            "reason_code": decision.reason_code,
            "reason": decision.reason,
            "decided_ms": decision.decided_ms,
            "decided_by": decision.decided_by,
        }


def _decided(decider: Decider, proposal: Proposal, request: DecisionRequest) -> Decision | AlreadyDecided | MovedChange | MadeBefore:
    if request.kind is DecisionKind.REJECTED:
        return decider.reject(proposal, request)
    if request.kind is DecisionKind.UNDONE and proposal.state is ProposalState.REJECTED:
        return decider.reopen(proposal)
    if not proposal.path.is_file():
        message = f"{proposal.path.name} is a cell of a notebook, not a file"
        raise CannotAnswerError(message, "decide in the notebook: %kernelopt accept, or the editor's undo")
    return decider.undo(proposal) if request.kind is DecisionKind.UNDONE else decider.accept(proposal, request)
