"""What the line magic shows of texts that others wrote."""

import ast
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path

from assistant.engine import new_id
from assistant.engine.request import OptimizeOptions
from assistant.model.pair import TurnKind
from jupyter_ext.cells import cell_of
from jupyter_ext.commands import CommandOptions, Commands
from jupyter_ext.reviewing import ProposalReviewer
from jupyter_ext.workshop import CellQuestions, Workshop
from tests.changes import change
from tests.contracts.stored import Given
from tests.unit.jupyter_ext.test_reviewing import AFTER, JUDGED, Page


def check(workshop: Workshop, *words: str) -> str:
    """The Markdown that ``%kernelopt`` shows; without a shell, IPython prints what it would display."""
    with redirect_stdout(StringIO()) as said:
        Commands(workshop, ProposalReviewer(workshop, Page())).run(words[0], words[1:], CommandOptions())
    return ast.literal_eval(said.getvalue())["text/markdown"]


def test_an_answer_that_a_model_wrote_loads_nothing(workshop: Workshop, tmp_path: Path) -> None:
    cell = cell_of("%%kernelopt\n__global__ void halve(float *x) { *x /= 2.0f; }\n", tmp_path / "lab.ipynb", None)
    workshop.open(cell, None, CellQuestions(None, (), OptimizeOptions()))
    pairs, call = workshop.pairs, workshop.loop.call
    session = call(pairs.start, cell.source, None, None).state.session
    detail = "It pads the tile ![](https://example.org/seen.png) <img src=//example.org/seen.png>"
    call(pairs.append, session.id, lambda state: replace(pairs.turn(state, TurnKind.SUGGEST, "", "P01"), detail=detail))
    assert check(workshop, "pair", "why") == "It pads the tile ![] (https://example.org/seen.png) < img src=//example.org/seen.png>"


def answered(workshop: Workshop, *words: str) -> str:
    with redirect_stdout(StringIO()) as said:
        Commands(workshop, ProposalReviewer(workshop, Page())).run(words[0], words[1:], CommandOptions())
    return said.getvalue()


def test_a_proposal_is_named_by_its_number_in_the_notebooks_workspace(workshop: Workshop, tmp_path: Path) -> None:
    made = {}
    for folder in (tmp_path / "other", tmp_path / "mine"):
        folder.mkdir()
        cell = cell_of(f"%%kernelopt\n{JUDGED}", folder / "lab.ipynb", "c1")
        workshop.open(cell, None, CellQuestions(None, (), OptimizeOptions()))
        proposal = Given.proposal(new_id("P"), path=cell.path, files=change(cell.path, JUDGED, AFTER))
        workshop.loop.call(workshop.store.add_proposal, folder, proposal)
        made[folder.name] = proposal.id
    listed = answered(workshop, "history")
    assert "  P1  open  " in listed and made["mine"] not in listed
    assert answered(workshop, "reject", "P1", "later") == "P1 rejected; %kernelopt undo P1 takes that back\n"
    states = {name: workshop.loop.call(workshop.store.find_proposal, proposal_id).state.value for name, proposal_id in made.items()}
    assert states == {"other": "open", "mine": "rejected"}
    assert answered(workshop, "undo", "p1") == "P1 waits for your decision again\n"
    assert answered(workshop, "accept", "P1") == "P1 accepted: the cell was replaced; run it to use it\n"
    assert answered(workshop, "undo", "P1") == "P1 undone\n"


def test_what_was_learned_is_shown_with_why_each_edit_was_tried(workshop: Workshop) -> None:
    workshop.loop.call(workshop.store.add_attempt, Given.attempt(why="1 of 2: the finding promises 2.00x"))
    shown = ast.literal_eval(answered(workshop, "memory"))
    assert "shared memory padding" in shown["text/plain"] and "1 of 1" in shown["text/plain"]
    assert "was tried 1 of 2: the finding promises 2.00x" in shown["text/plain"]
    assert "<svg" in shown["text/html"]
