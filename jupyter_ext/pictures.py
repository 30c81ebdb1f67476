"""What is known of the text that a run judged: its own text's, also when a later cell of the same source has another one.

Read on the session's thread. Example::

    pictures.of(run).report
"""

from __future__ import annotations

from dataclasses import replace

from assistant.editor.report import Report
from assistant.editor.session import EditorSession
from assistant.editor.view import View
from assistant.model.proposal import Proposal
from assistant.ports.store import Store
from assistant.record import Record
from jupyter_ext.cells import Cell
from jupyter_ext.runs import CellRun

__all__ = ["Picture", "Pictures"]

_SHOWN_PROPOSALS = 10


class Picture(Record):
    """What is known of a cell's text."""

    cell: Cell
    """As it was run last."""
    view: View
    report: Report
    """Of the kernel alone that the arrays are for, where there is one."""
    proposals: tuple[Proposal, ...]
    """Newest first, in any state."""


class Pictures:
    """Those of one notebook's runs."""

    def __init__(self, editor: EditorSession, store: Store) -> None:
        self._editor = editor
        self._store = store
        self._left: dict[int, Picture] = {}
        """As they were when another text took the place of the run's, by the run's number."""

    def of(self, run: CellRun) -> Picture:
        left = self._left.get(run.number)
        if left is None:
            return self._now(run)
        names = {proposal.id for proposal in left.proposals}
        return replace(left, proposals=tuple(item for item in self._store.proposals(path=run.cell.path) if item.id in names))

    def leave(self, run: CellRun) -> None:
        """Another text takes its source's place: what is known of this one stays as it is, but for decisions."""
        if run.number not in self._left:
            self._left[run.number] = self._now(run)

    def _now(self, run: CellRun) -> Picture:
        view, report = self._editor.view(run.cell.key), self._editor.report(run.cell.key)
        if run.kernel is not None:
            report = replace(report, kernels=tuple(kernel for kernel in report.kernels if kernel.key == run.kernel))
        return Picture(run.cell, view, report, self._store.proposals(path=run.cell.path)[:_SHOWN_PROPOSALS])
