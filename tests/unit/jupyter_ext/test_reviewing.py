"""Which cell a decision is for, where several cells of a notebook go by one name, as versions of a kernel do."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from assistant.engine.request import OptimizeOptions
from assistant.live.sources import known_texts
from assistant.model.proposal import Proposal, ProposalState
from jupyter_ext.cells import Cell, CellEdit, Replacement, captured_cell, cell_of
from jupyter_ext.controls import ProposalBox
from jupyter_ext.reviewing import ProposalReviewer
from jupyter_ext.runs import CellRun
from jupyter_ext.workshop import CellQuestions, Workshop
from tests.changes import change
from tests.contracts.stored import Given

JUDGED, AFTER, OTHER = (f"__global__ void halve(float *x) {{ *x /= {value}; }}\n" for value in ("2.0", "2.0f", "4.0"))

LAUNCHED = (
    "__global__ void halve(float *x, int n) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    + "    // what is beyond stays as it is\n" * 4
    + "    if (i < n) x[i] *= 0.5;\n}\n"
)
FEWER = LAUNCHED.replace("int i = blockIdx.x", "int i = 2 * blockIdx.x").replace("0.5;", "0.5f;")


class Page:
    """A front end that replaces whatever cell it is asked to."""

    def __init__(self) -> None:
        self.edits: list[CellEdit] = []
        self.answer = Replacement(True)
        self.below: list[str] = []

    def replace(self, edit: CellEdit, on_later: Callable[[bool], None]) -> Replacement:
        del on_later
        self.edits.append(edit)
        return self.answer

    def insert(self, code: str) -> bool:
        assert not self.answer.is_done, f"the page replaces cells: {code}"
        self.below.append(code)
        return True


class Notebook:
    """Cells that were run in one notebook, and a proposal for the text of the first."""

    def __init__(self, workshop: Workshop, folder: Path) -> None:
        self.workshop, self.page, self._path = workshop, Page(), folder / "lab.ipynb"
        self.reviewing = ProposalReviewer(workshop, self.page)

    def run(self, cell_id: str, text: str) -> CellRun:
        return self.workshop.open(self.cell(cell_id, text), None, CellQuestions(None, (), OptimizeOptions()))

    def cell(self, cell_id: str, text: str) -> Cell:
        return cell_of(f"%%kernelopt\n{text}", self._path, cell_id)

    def propose(self, run: CellRun, proposal_id: str, before: str = JUDGED, after: str = AFTER) -> Proposal:
        made = Given.proposal(proposal_id, path=run.cell.path, files=change(run.cell.path, before, after))
        self.workshop.loop.call(self.workshop.store.add_proposal, self._path.parent, made)
        return made

    def state(self, proposal_id: str) -> ProposalState:
        return self.workshop.loop.call(self.workshop.store.find_proposal, proposal_id).state


def check(notebook: Notebook, *expected: tuple[str, str]) -> None:
    """The page was asked for these edits: a cell's id and its CUDA text afterwards."""
    assert [(edit.cell_id, edit.replacement.removeprefix("%%kernelopt\n")) for edit in notebook.page.edits] == list(expected)


def test_a_proposal_goes_into_the_cell_that_holds_its_text_and_is_undone_there(workshop: Workshop, tmp_path: Path) -> None:
    notebook = Notebook(workshop, tmp_path)
    notebook.propose(notebook.run("first", JUDGED), "P01")
    notebook.run("second", OTHER)
    notebook.reviewing.accept("P01", ())
    assert notebook.state("P01") is ProposalState.ACCEPTED
    notebook.run("second", OTHER)
    notebook.reviewing.undo("P01")
    check(notebook, ("first", AFTER), ("first", JUDGED))


def test_a_rejection_is_taken_back_without_the_cell(workshop: Workshop, tmp_path: Path) -> None:
    notebook = Notebook(workshop, tmp_path)
    notebook.propose(notebook.run("a", JUDGED), "P07")
    assert notebook.reviewing.reject("P07", "style", None) == "P07 rejected; %kernelopt undo P07 takes that back"
    assert notebook.state("P07") is ProposalState.REJECTED
    assert notebook.reviewing.undo("P07") == "P07 waits for your decision again"
    assert notebook.state("P07") is ProposalState.OPEN
    check(notebook)


def test_of_two_cells_with_one_text_the_one_whose_panel_was_pressed_is_replaced(workshop: Workshop, tmp_path: Path) -> None:
    notebook = Notebook(workshop, tmp_path)
    first, _ = notebook.run("first", JUDGED), notebook.run("second", JUDGED)
    notebook.propose(first, "P02")
    notebook.reviewing.accept("P02", (), first)
    check(notebook, ("first", AFTER))


def test_a_proposal_for_a_string_of_a_python_cell_edits_the_string(workshop: Workshop, tmp_path: Path) -> None:
    notebook = Notebook(workshop, tmp_path)
    code = f'%%kernelopt --capture\nmodule = SourceModule("""{JUDGED}""")\nmodule.get_function("halve")(x)\n'
    (text,) = known_texts(code, (), {})
    cell = captured_cell(code, text.embedded, text.text, "halve", tmp_path / "lab.ipynb", "first")
    notebook.propose(workshop.open(cell, None, CellQuestions(None, (), OptimizeOptions())), "P05")
    notebook.reviewing.accept("P05", ())
    notebook.reviewing.undo("P05")
    assert [edit.expected for edit in notebook.page.edits] == [code, code.replace(JUDGED, AFTER)]
    assert [edit.replacement for edit in notebook.page.edits] == [code.replace(JUDGED, AFTER), code]


def test_accepted_in_its_own_cell_it_is_kept_as_decided(workshop: Workshop, tmp_path: Path) -> None:
    notebook = Notebook(workshop, tmp_path)
    cell = notebook.cell("first", JUDGED)
    notebook.propose(notebook.run("elsewhere", OTHER), "P03")
    assert notebook.reviewing.accepted_here(cell, "P03") == f"%%kernelopt\n{AFTER}"
    assert notebook.state("P03") is ProposalState.ACCEPTED


def test_where_the_cell_is_not_replaced_it_is_said_why_the_text_is_below(workshop: Workshop, tmp_path: Path) -> None:
    notebook = Notebook(workshop, tmp_path)
    notebook.page.answer = Replacement(False, "", "the front end has no kernelopt extension")
    notebook.propose(notebook.run("first", JUDGED), "P06")
    told = notebook.reviewing.accept("P06", ())
    assert told == "P06 accepted: the new text is in a cell below, as the front end has no kernelopt extension"
    assert notebook.page.below == [f"%%kernelopt\n{AFTER}"]


def test_hunks_that_only_work_together_have_one_button(workshop: Workshop, tmp_path: Path) -> None:
    notebook, line = Notebook(workshop, tmp_path), '// kernelopt launch: grid = ["ceil(n/256)"], block = [256], shared = [0]\n'
    run = notebook.run("one", LAUNCHED)
    made = notebook.propose(run, "P09", line + LAUNCHED, line.replace("n/256", "n/512") + FEWER)
    assert len(made.hunks) == 3, "the launch, the index, a literal"
    box = ProposalBox(made, "P1", run, notebook.reviewing, lambda _: None)
    assert buttons(box.root) == [
        "Accept",
        "Reject…",
        "Reject",
        "Choose hunks…",
        "Accept hunks 1 and 2",
        "Reject hunks 1 and 2",
        "Accept hunk 3",
        "Reject hunk 3",
    ]
    assert not is_shown(box.root, "Accept hunk 3"), "the panel is low until somebody wants to choose"
    press(box.root, "Choose hunks…")
    assert is_shown(box.root, "Accept hunk 3") and not is_shown(box.root, "Choose hunks…")
    press(box.root, "Reject hunks 1 and 2")
    assert {"Take hunks 1 and 2 again", "Accept 1 of 3 hunks"} <= {*buttons(box.root)}


def test_a_proposal_whose_hunks_all_work_together_is_taken_whole(workshop: Workshop, tmp_path: Path) -> None:
    notebook, line = Notebook(workshop, tmp_path), '// kernelopt launch: grid = ["ceil(n/256)"], block = [256], shared = [0]\n'
    run = notebook.run("one", LAUNCHED)
    made = notebook.propose(run, "P10", line + LAUNCHED, line.replace("n/256", "n/512") + FEWER.replace("0.5f", "0.5"))
    assert buttons(ProposalBox(made, "P1", run, notebook.reviewing, lambda _: None).root) == ["Accept", "Reject…", "Reject"]


def button_of(widget: Any, name: str) -> Any:
    return next(one for one in every(widget) if getattr(one, "description", "") == name)


def press(widget: Any, name: str) -> None:
    button_of(widget, name).click()


def is_shown(widget: Any, name: str) -> bool:
    """Whether neither the button nor anything that holds it is hidden."""
    holders = (one for one in every(widget) if button_of(widget, name) in every(one))
    return all(one.layout.display != "none" for one in holders)


def every(widget: Any) -> Iterator[Any]:
    """A widget and all in it."""
    yield widget
    for child in getattr(widget, "children", ()):
        yield from every(child)


def buttons(widget: Any) -> list[str]:
    return [one.description for one in every(widget) if hasattr(one, "click")]
