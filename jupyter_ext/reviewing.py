"""Decisions on proposals in a notebook: the front end makes the edit, and what the cell became is the decision.

The judged cell is found by its id and replaced through JupyterLab's extension, or by its text through VS Code's; where
there is neither, the accepted text is put into a new cell below. Nothing is kept as accepted before the text stands somewhere.
A proposal is named as people see it, or by its long id, which is what answers name. Example::

    reviewing.accept("P01", ())           # 'P01 accepted: the cell was replaced; run it to use it'
    reviewing.reject("P01", "not_worth_it", None)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from assistant.editor.review import NO_WHY, Apply, Why
from assistant.editor.staging import Trigger
from assistant.engine.proposals import MovedChange
from assistant.errors import UsageError
from assistant.model.proposal import DecisionKind, Proposal, ProposalState
from assistant.model.source import Source
from jupyter_ext.cells import Cell, CellEdit, Replacement, same_cell
from jupyter_ext.kernel_files import KernelFiles
from jupyter_ext.runs import CellRun
from jupyter_ext.workshop import Workshop

__all__ = ["CellFront", "Elsewhere", "ProposalReviewer"]

_REFUSALS = {
    "changed": "the cell was changed since it was run: run it again first",
    "missing": "the cell is not in the notebook any more: bring it back, or see the change with %kernelopt show",
    "read_only": "the notebook is read-only",
}


class CellFront(Protocol):
    """What a front end can do with cells."""

    def replace(self, edit: CellEdit, on_later: Callable[[bool], None]) -> Replacement:
        """Replace a cell; blocks until the front end has answered, or did not in time."""
        ...

    def insert(self, code: str) -> bool:
        """A new cell below the one that runs; False where none runs."""
        ...


class Elsewhere(Protocol):
    """An editor that has the notebook open, and is asked past the front end."""

    def place(self, proposal: Proposal, hunk_ids: tuple[str, ...], current: str) -> Replacement | None:
        """Have the text with these hunks, without any the text before the proposal, put where ``current`` is; None: there is no editor."""
        ...


class ProposalReviewer:
    """Reviews one notebook's proposals."""

    def __init__(self, workshop: Workshop, front: CellFront, elsewhere: Elsewhere | None = None) -> None:
        self._workshop = workshop
        self._front = front
        self._elsewhere = elsewhere
        self._kernel_files = KernelFiles(workshop, front.insert)
        self._placed: dict[str, CellRun] = {}
        """Where a proposal was accepted, by its id."""

    def accept(self, proposal_id: str, hunk_ids: tuple[str, ...], shown: CellRun | None = None, why: Why = NO_WHY) -> str:
        """What came of it, in a sentence. Raises UsageError, and CannotAnswerError where the edit clashes with the cell.

        ``shown``: the run whose panel was pressed; cells whose kernel has one name are distinguished by it, else by their texts.
        ``why``: of a part, why the rest is left out.
        """
        proposal = self._workshop.find_proposal(proposal_id)
        if self._kernel_files.holds(proposal):
            return self._kernel_files.accept(proposal, hunk_ids, why)
        run, proposal = self._held(proposal_id, shown)
        begun = self._workshop.loop.call(self._workshop.editor.review.begin, proposal.id, hunk_ids, (run.cell.source,), why)
        if isinstance(begun, MovedChange):
            self._workshop.loop.call(self._workshop.editor.rebase, run.cell.key, proposal.id, hunk_ids)
            return f"the cell changed since {proposal.id} was made: its edit is judged again on the text as it is now"
        return self._applied(run, begun)

    def accepted_here(self, cell: Cell, proposal_id: str) -> str:
        """The code of ``cell``, which is being run, with the proposal accepted. Raises as ``accept`` does."""
        proposal = self._workshop.find_proposal(proposal_id)
        if proposal.path != cell.path:
            raise UsageError(f"{proposal.id} is for {proposal.path.stem}, not for this cell", "run --accept in the cell that was judged")
        self._workshop.loop.call(self._workshop.editor.put, cell.key, cell.path, cell.text, Trigger.TYPED)
        begun = self._workshop.loop.call(self._workshop.editor.review.begin, proposal.id, (), (cell.source,))
        if isinstance(begun, MovedChange):
            raise UsageError(f"the cell changed since {proposal.id} was made", "run it without --accept for a new proposal")
        after = _text(begun.after)
        code = cell.with_text(after)
        self._workshop.loop.call(self._workshop.editor.put, cell.key, cell.path, after, Trigger.TYPED)
        return code

    def reject(self, proposal_id: str, reason_code: str | None, reason: str | None) -> str:
        """Raises UsageError where somebody decided before, and for an unknown reason code."""
        proposal = self._workshop.find_proposal(proposal_id)
        self._workshop.loop.call(self._rejected, proposal, reason_code, reason)
        return f"{proposal.id} rejected; %kernelopt undo {proposal.id} takes that back"

    def undo(self, proposal_id: str) -> str:
        """Put the text before an accepted proposal back into its cell, or open a rejected one again.

        Raises UsageError where the cell moved on.
        """
        proposal = self._workshop.find_proposal(proposal_id)
        if proposal.state is ProposalState.REJECTED:
            self._workshop.loop.call(self._reopened, proposal)
            return f"{proposal.id} waits for your decision again"
        if self._kernel_files.holds(proposal):
            return self._kernel_files.undo(proposal)
        run, proposal = self._held(proposal_id, self._placed.get(proposal.id))
        if (run.cell.source,) == proposal.before:
            raise UsageError(f"{proposal.id} is not in the cell", "nothing to undo")
        self._place(run, proposal, _text(proposal.before), ())
        return f"{proposal.id} undone"

    def _applied(self, run: CellRun, apply: Apply) -> str:
        hunk_ids = apply.request.hunk_ids or tuple(hunk.id for hunk in apply.proposal.hunks)
        why_below = self._place(run, apply.proposal, _text(apply.after), hunk_ids)
        self._placed[apply.proposal.id] = run
        outcome = "the cell was replaced; run it to use it" if why_below is None else f"the new text is in a cell below, as {why_below}"
        return f"{apply.proposal.id} {_part(apply)}accepted: {outcome}"

    def _place(self, run: CellRun, proposal: Proposal, text: str, hunk_ids: tuple[str, ...]) -> str | None:
        """Why not the cell itself but a new one now holds ``text``; None where it does. Raises UsageError where neither can be.

        ``hunk_ids``: the proposal's hunks that ``text`` has.
        """
        cell = run.cell
        code = cell.with_text(text)
        answer = Replacement(False, "", "the front end does not report which cell was run")
        if cell.id is not None:
            before = cell.text

            def later(is_kept: bool) -> None:
                self._stands(run, text if is_kept else before)

            answer = self._front.replace(CellEdit(cell.id, cell.code, code, proposal.id), later)
        if not answer.is_done and answer.reason not in _REFUSALS and self._elsewhere is not None:
            answer = self._elsewhere.place(proposal, hunk_ids, cell.text) or answer
        if answer.is_done:
            self._stands(run, text)
            return None
        if answer.reason in _REFUSALS:
            raise UsageError(f"{proposal.id} was not put into the cell: {_REFUSALS[answer.reason]}", answer.message)
        if not self._front.insert(code):
            raise UsageError(f"{proposal.id} was not put into the cell: {answer.message}", f"run: %kernelopt accept {proposal.id}")
        self._stands(run, text)
        return answer.message or "the front end did not replace the judged one"

    def _stands(self, run: CellRun, text: str) -> None:
        """The cell holds ``text``: that is the decision."""
        run.cell = same_cell(run.cell, text)
        self._workshop.loop.call(self._workshop.editor.put, run.cell.key, run.cell.path, text, Trigger.TYPED)

    def _rejected(self, proposal: Proposal, reason_code: str | None, reason: str | None) -> None:
        self._workshop.editor.review.reject(proposal.id, reason_code, reason)
        self._decided(proposal)

    def _reopened(self, proposal: Proposal) -> None:
        self._workshop.editor.review.reopen(proposal.id)
        self._decided(proposal)

    def _decided(self, proposal: Proposal) -> None:
        """Pair sessions and panels hear of it."""
        for opened in self._workshop.pairs.open_on(proposal.path):
            self._workshop.pairs.state(opened.id)
        self._workshop.editor.offers_changed()
        self._workshop.shown(str(proposal.path))

    def _held(self, proposal_id: str, wanted: CellRun | None) -> tuple[CellRun, Proposal]:
        """The run of the cell that a proposal is for: the wanted one, else the newest of its text, else the newest of its name.

        Raises UsageError where it was not run in this kernel.
        """
        proposal = self._workshop.find_proposal(proposal_id)
        named = [run for run in reversed(self._workshop.cell_runs) if run.cell.path == proposal.path]
        judged = [run for run in named if (run.cell.source,) == proposal.before]
        run = wanted if wanted in named else next(iter((*judged, *named)), None)
        if run is None:
            raise UsageError(f"{proposal.id} is for {proposal.path.stem}, which was not run in this kernel", "run its cell first")
        return run, proposal


def _text(texts: tuple[Source, ...]) -> str:
    """Text of the one cell that a proposal in a notebook edits."""
    (source,) = texts
    return source.text


def _part(apply: Apply) -> str:
    """``2 of 3 hunks ``; empty for all of it."""
    taken, count = len(apply.request.hunk_ids), len(apply.proposal.hunks)
    return f"{taken} of {count} hunks " if apply.request.kind is DecisionKind.PARTIALLY_ACCEPTED else ""
