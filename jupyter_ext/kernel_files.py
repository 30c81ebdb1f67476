"""Decisions on edits of a first kernel: it stands in a file of the workspace, which is written, and its text comes in a cell below.

Example::

    KernelFiles(workshop, front.insert).accept(proposal, (), NO_WHY)     # what came of it, in a sentence
"""

from __future__ import annotations

import time
from collections.abc import Callable

from assistant.editor.review import Why
from assistant.engine.proposals import Decider, DecisionRequest, MadeBefore, MovedChange
from assistant.errors import UsageError
from assistant.model.proposal import AlreadyDecided, Decision, DecisionKind, Proposal
from jupyter_ext.operator_runs import OperatorRun, kernel_cell
from jupyter_ext.workshop import Workshop

__all__ = ["KernelFiles"]


class KernelFiles:
    """Of one notebook; ``insert``: puts a text into a cell below the one that runs, False where none runs."""

    def __init__(self, workshop: Workshop, insert: Callable[[str], bool]) -> None:
        self._workshop = workshop
        self._insert = insert

    def holds(self, proposal: Proposal) -> bool:
        """Whether it edits a first kernel that was written for a task of this notebook."""
        return self._run_of(proposal) is not None

    def accept(self, proposal: Proposal, hunk_ids: tuple[str, ...], why: Why) -> str:
        """What came of it, in a sentence. Raises UsageError, and CannotAnswerError where the file moved on."""
        kind = DecisionKind.PARTIALLY_ACCEPTED if hunk_ids else DecisionKind.ACCEPTED
        request = DecisionRequest(kind, hunk_ids, why.code, why.words)
        self._decided(proposal, lambda decider: decider.accept(proposal, request))
        return f"{proposal.id} accepted: {self._placed(proposal)}"

    def undo(self, proposal: Proposal) -> str:
        """Put the file's text before it back. Raises UsageError where the file moved on."""
        self._decided(proposal, lambda decider: decider.undo(proposal))
        return f"{proposal.id} undone: {self._placed(proposal)}"

    def _decided(self, proposal: Proposal, decide: Callable[[Decider], Decision | AlreadyDecided | MovedChange | MadeBefore]) -> None:
        match self._workshop.loop.call(lambda: decide(Decider(self._workshop.store, self._workshop.who, time.time_ns() // 1_000_000))):
            case AlreadyDecided(decision=first):
                raise UsageError(f"{proposal.id} was already {first.kind.value.replace('_', ' ')} by {first.decided_by}")
            case MadeBefore() as made:
                raise UsageError(made.words, made.remedy)
            case MovedChange():
                raise UsageError(
                    f"{proposal.path.name} changed since {proposal.id} was made", "run the task's cell again for a new proposal"
                )
            case Decision():
                pass

    def _placed(self, proposal: Proposal) -> str:
        run = self._run_of(proposal)
        code = None if run is None else kernel_cell(run)
        is_below = code is not None and self._insert(code)
        return f"{proposal.path.name} was written{'; its text is in a cell below' if is_below else ''}"

    def _run_of(self, proposal: Proposal) -> OperatorRun | None:
        """The newest of the task that its kernel was written for."""
        runs = (run for run in reversed(self._workshop.runs) if isinstance(run, OperatorRun) and run.kernel is not None)
        return next((run for run in runs if run.kernel is not None and run.kernel.file == str(proposal.path)), None)
