"""What a notebook's runs say once their kernel ends."""

from pathlib import Path

from assistant.editor.tasks import Verb
from assistant.engine.request import OptimizeOptions
from jupyter_ext.cells import cell_of
from jupyter_ext.runs import CellRun
from jupyter_ext.workshop import CellQuestions, Workshop

ENDLESS = "%%kernelopt\nint main() { for (volatile int i = 0;;) i = 1; }\n"


def test_what_runs_when_the_kernel_ends_is_shown_as_cancelled(workshop: Workshop, tmp_path: Path) -> None:
    shown: list[str] = []

    def show(run: CellRun) -> None:
        workshop.picture(run.cell.key)  # as the panel does: the source has to be open still
        shown.append(run.state.headline)

    run = workshop.open(cell_of(ENDLESS, tmp_path / "lab.ipynb", None), None, CellQuestions(None, (Verb.CHECK,), OptimizeOptions()))
    run.on_change.append(show)
    workshop.close()
    assert shown[-1] == "check: cancelled" and run.state.is_over
