"""A cell that is run again as it stands shows the proposal that waits, instead of making another of the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assistant.editor.tasks import Verb
from assistant.engine import new_id
from assistant.model.proposal import ProposalState
from assistant.model.verification import Outcome
from jupyter_ext.cells import Cell, cell_of
from jupyter_ext.opening import CellOpener, MagicLine, OpenedCell
from jupyter_ext.workshop import Workshop
from tests.changes import change
from tests.contracts.stored import Given
from tests.deadlines import HANG_S

KERNEL = """__global__ void halve(float *out, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] / 2.0f;
}
"""
LINE = MagicLine(args="out=out,x=x,n=64", grid="1", block="64")
SEARCHED = (Verb.CHECK, Verb.PROFILE, Verb.OPTIMIZE)


@pytest.fixture
def opening(workshop: Workshop) -> CellOpener:
    return CellOpener(workshop, {"x": np.ones(64, np.float32), "out": np.zeros(64, np.float32)})


def cell(folder: Path, text: str = KERNEL) -> Cell:
    return cell_of(f"%%kernelopt\n{text}", folder / "lab.ipynb", "c1")


def propose(workshop: Workshop, of: Cell, state: ProposalState = ProposalState.OPEN) -> str:
    made = Given.proposal(new_id("P"), path=of.path, files=change(of.path, of.text, of.text.replace("/ 2.0f", "* 0.5f")))
    workshop.loop.call(workshop.store.add_proposal, of.path.parent, made)
    if state is not ProposalState.OPEN:
        workshop.loop.call(workshop.store.mark, made.id, state)
    return made.id


def opened(workshop: Workshop, opening: CellOpener, of: Cell, line: MagicLine = LINE) -> OpenedCell:
    found = opening.open(of, line)
    workshop.cancel(found.run)
    return found


def test_the_proposal_that_waits_is_shown_and_no_search_begins(workshop: Workshop, opening: CellOpener, tmp_path: Path) -> None:
    propose(workshop, cell(tmp_path))
    again = opened(workshop, opening, cell(tmp_path))
    assert again.run.verbs == SEARCHED[:2]
    assert "P1 waits for your decision on this very text: no other is looked for until then" in again.notes


def test_another_text_and_another_planner_are_searched(workshop: Workshop, opening: CellOpener, tmp_path: Path) -> None:
    propose(workshop, cell(tmp_path))
    assert opened(workshop, opening, cell(tmp_path), replace(LINE, planner="expert")).run.verbs == SEARCHED
    edited = opened(workshop, opening, cell(tmp_path, KERNEL.replace("i < n", "n > i")))
    assert edited.run.verbs == (*SEARCHED[:2], Verb.JUDGE, Verb.OPTIMIZE)


def test_a_proposal_that_closed_is_no_reason_not_to_search(workshop: Workshop, opening: CellOpener, tmp_path: Path) -> None:
    propose(workshop, cell(tmp_path), ProposalState.STALE)
    assert opened(workshop, opening, cell(tmp_path)).run.verbs == SEARCHED


def test_what_was_accepted_is_not_judged_a_second_time(workshop: Workshop, opening: CellOpener, tmp_path: Path) -> None:
    """Its verdict is known; a person who accepts it and runs the cell wants to go on."""
    first, after = cell(tmp_path), cell(tmp_path, KERNEL.replace("/ 2.0f", "* 0.5f"))
    opened(workshop, opening, first)
    accepted = Given.decision(propose(workshop, first))
    workshop.loop.call(workshop.store.decide, accepted, frozenset({ProposalState.OPEN}))
    assert opened(workshop, opening, after).run.verbs == SEARCHED
    opened(workshop, opening, first)
    judged = (*SEARCHED[:2], Verb.JUDGE, Verb.OPTIMIZE)
    assert opened(workshop, opening, after, replace(LINE, args="out=out,x=x,n=63")).run.verbs == judged, "on other arguments"
    opened(workshop, opening, cell(tmp_path, KERNEL.replace("i < n", "n > i")))
    assert opened(workshop, opening, after).run.verbs == judged, "after another edit"


@pytest.mark.thorough
def test_const_of_a_parameter_is_an_edit_like_any_other(workshop: Workshop, opening: CellOpener, tmp_path: Path) -> None:
    """The arrays are bound to a kernel of other types then, and the version before is launched on them all the same."""
    line = replace(LINE, until="profile")
    before = cell(tmp_path, KERNEL.replace("const float *x", "float *x"))
    opened(workshop, opening, before, line)
    run = opening.open(cell(tmp_path, KERNEL), line).run
    assert run.wait(HANG_S)
    assert run.state.comparison is not None, run.state.steps
    assert run.state.comparison.verification.outcome is Outcome.PASS
