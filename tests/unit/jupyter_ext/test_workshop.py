"""What a notebook's runs say once their kernel ends."""

from dataclasses import replace
from pathlib import Path

from assistant.editor.tasks import Verb
from assistant.engine import new_id
from assistant.engine.request import OptimizeOptions
from jupyter_ext.cells import cell_of
from jupyter_ext.runs import CellRun
from jupyter_ext.workshop import CellQuestions, Workshop
from tests.changes import change
from tests.contracts.stored import Given
from tests.deadlines import GONE_WITHIN_S

NOTHING = CellQuestions(None, (), OptimizeOptions())
ENDLESS = "%%kernelopt\nint main() { for (volatile int i = 0;;) i = 1; }\n"


def test_what_is_known_of_an_earlier_text_stays_below_it(workshop: Workshop, tmp_path: Path) -> None:
    """Where no front end tells cells apart, a notebook's second version of a kernel is the same source as its first."""
    path, kernel = tmp_path / "lab.ipynb", "__global__ void k(float *x) { }\n"
    first = workshop.open(cell_of(f"%%kernelopt\n{kernel}", path, None), None, NOTHING)
    second = workshop.open(cell_of(f"%%kernelopt\n{kernel}__global__ void z(float *x) {{ }}\n", path, None), None, NOTHING)
    shown = [[kernel.name for kernel in workshop.picture(run).view.kernels] for run in (first, second)]
    assert shown == [["k"], ["k", "z"]]


def test_a_run_is_of_the_kernel_alone_that_the_arrays_are_for(workshop: Workshop, tmp_path: Path) -> None:
    cell = cell_of("%%kernelopt\n__global__ void k(float *x) { }\n__global__ void z(float *x) { }\n", tmp_path / "two.ipynb", None)
    for kernel in ("k(float *)", "z(float *)"):
        made = Given.proposal(new_id("P"), path=cell.path, files=change(cell.path, cell.text, cell.text.replace("{ }", "{}")))
        workshop.loop.call(workshop.store.add_proposal, tmp_path, replace(made, kernel=kernel))
    run = workshop.open(cell, None, replace(NOTHING, kernel="z(float *)"))
    assert [kernel.name for kernel in workshop.picture(run).report.kernels] == ["z"]


def test_a_cell_that_is_run_again_for_another_kernel_ends_what_went_on(workshop: Workshop, tmp_path: Path) -> None:
    path, asked = tmp_path / "lab.ipynb", replace(NOTHING, verbs=(Verb.CHECK,))
    run = workshop.open(cell_of(ENDLESS, path, "c1"), None, asked)
    workshop.open(cell_of("%%kernelopt\n__global__ void other(float *x) { }\n", path, "c1"), None, NOTHING)
    assert run.wait(GONE_WITHIN_S) and run.state.headline == "check: cancelled"


def test_what_runs_when_the_kernel_ends_is_shown_as_cancelled(workshop: Workshop, tmp_path: Path) -> None:
    shown: list[str] = []

    def show(run: CellRun) -> None:
        workshop.picture(run)  # as the panel does: the source has to be open still
        shown.append(run.state.headline)

    run = workshop.open(cell_of(ENDLESS, tmp_path / "lab.ipynb", None), None, CellQuestions(None, (Verb.CHECK,), OptimizeOptions()))
    run.on_change.append(show)
    workshop.close()
    assert shown[-1] == "check: cancelled" and run.state.is_over
