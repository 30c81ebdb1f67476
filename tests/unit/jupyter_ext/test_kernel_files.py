"""Decisions on edits of a first kernel, which stands in a file and in no cell that was judged as CUDA."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.editor.tasks import OperatorTask, Task, Verb
from assistant.engine import JobRequest, OperatorOptions
from assistant.errors import CannotAnswerError, UsageError
from assistant.model.events import KernelWritten
from assistant.model.proposal import Proposal, ProposalState
from jupyter_ext.cells import Replacement
from jupyter_ext.operator_runs import Asked
from jupyter_ext.reviewing import ProposalReviewer
from jupyter_ext.workshop import Workshop
from tests.changes import change
from tests.contracts.stored import Given
from tests.unit.jupyter_ext.test_reviewing import AFTER, JUDGED, Page


class Notebook:
    """A task was run in it, and a first kernel written for that."""

    def __init__(self, workshop: Workshop, folder: Path, proposal_id: str) -> None:
        self.workshop, self.page, self.kernel = workshop, Page(), folder / "lab_Model.cu"
        self.page.answer = Replacement(False)
        self.kernel.write_text(JUDGED)
        run = workshop.open_operator("lab.ipynb.Model", folder / "lab.ipynb", None, ())
        task = Task(Verb.OPTIMIZE, JobRequest(folder / "lab.Model.py", folder), operator=OperatorTask(None, OperatorOptions("Model")))
        run.asked = (Asked(task, lambda event: event),)
        run.hear(run.asked[0], KernelWritten("J", "Model", str(self.kernel)))
        self.made: Proposal = Given.proposal(proposal_id, path=self.kernel, files=change(self.kernel, JUDGED, AFTER))
        workshop.loop.call(workshop.store.add_proposal, folder, self.made)
        self.reviewing = ProposalReviewer(workshop, self.page)

    @property
    def state(self) -> ProposalState:
        return self.workshop.loop.call(self.workshop.store.find_proposal, self.made.id).state


def test_the_file_is_written_and_its_text_comes_in_a_cell_below(workshop: Workshop, tmp_path: Path) -> None:
    notebook = Notebook(workshop, tmp_path, "P0K1")
    assert notebook.reviewing.accept("P0K1", ()) == "P0K1 accepted: lab_Model.cu was written; its text is in a cell below"
    assert notebook.kernel.read_text() == AFTER and notebook.state is ProposalState.ACCEPTED
    with pytest.raises(UsageError, match="P0K1"):
        notebook.reviewing.accept("P0K1", ())
    assert notebook.reviewing.undo("P0K1").startswith("P0K1 undone: ") and notebook.kernel.read_text() == JUDGED
    assert notebook.page.below == [f"%%kernelopt --op Model\n{text}" for text in (AFTER, JUDGED)] and not notebook.page.edits


def test_a_file_that_moved_on_is_left_alone(workshop: Workshop, tmp_path: Path) -> None:
    notebook = Notebook(workshop, tmp_path, "P0K2")
    notebook.kernel.write_text(f"int mine;\n{JUDGED}")
    with pytest.raises((UsageError, CannotAnswerError)):
        notebook.reviewing.accept("P0K2", ())
    assert notebook.kernel.read_text() == f"int mine;\n{JUDGED}" and not notebook.page.below
