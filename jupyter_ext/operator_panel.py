"""What stands below a cell with a PyTorch task or a candidate: what goes on, with Cancel, then the answers; up to date from any thread.

Example::

    show_operator(run, workshop, front.insert_below)
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping

from jupyter_ext.cells import Replacement
from jupyter_ext.controls import Progress
from jupyter_ext.front import Output, is_terminal, show
from jupyter_ext.operator_page import NOTHING, answer_bundle, headline_bundle, shown_bundle
from jupyter_ext.operator_runs import OperatorRun, kernel_cell
from jupyter_ext.page import course_html, course_text
from jupyter_ext.panel import widget_view
from jupyter_ext.workshop import Workshop

__all__ = ["show_operator"]

InsertBelow = Callable[[str, str], Replacement]
"""(cell id, code) → whether a cell with that code now stands below."""
_PLACED = "its cell is below"


def show_operator(run: OperatorRun, workshop: Workshop, insert_below: InsertBelow) -> None:
    """Display the panel below the cell that runs; on a terminal it is printed once, at the end.

    A first kernel is put into a cell below as soon as it is written, where the front end can.
    """
    if is_terminal():
        run.on_change.append(_print_at_the_end(workshop.for_people))
        workshop.loop.call(run.changed)
        return
    try:
        progress = Progress(run, workshop.cancel, workshop.for_people)
    except ImportError:  # ipywidgets is not installed
        progress = None
    view = {} if progress is None else widget_view(progress.model_id)
    shown = show({"text/plain": course_text(run.state), "text/html": course_html(run.state)} | view)
    panel = _Panel(progress, shown, show(NOTHING), insert_below, workshop.for_people)
    run.on_change.append(panel.changed)
    workshop.loop.call(panel.changed, run)


class _Panel:
    """Brings the outputs up to date, on the session's thread or on one that waits for the run."""

    def __init__(
        self, progress: Progress | None, course: Output, answers: Output, insert_below: InsertBelow, for_people: Callable[[str], str]
    ) -> None:
        """``for_people``: a text with short ids of proposals in place of long ones."""
        self._progress = progress
        self._course = course
        self._answers = answers
        self._insert_below = insert_below
        self._for_people = for_people
        self._seen: Mapping[str, str] = NOTHING
        self._is_placed = False

    def changed(self, run: OperatorRun) -> None:
        is_waited_for = threading.current_thread() is threading.main_thread()
        if self._progress is not None:
            self._progress.changed()
        if run.state.is_over:
            self._course.update(headline_bundle(run), raw=True)
        elif self._progress is None:
            self._course.update({"text/plain": course_text(run.state), "text/html": course_html(run.state)}, raw=True)
        answers = {kind: self._for_people(text) for kind, text in answer_bundle(run).items()}
        if answers != self._seen or is_waited_for:  # clients that execute notebooks hear only what the cell says that waits
            self._seen = answers
            self._answers.update(answers, raw=True)
        if run.kernel is not None and run.state.is_over and not self._is_placed:
            self._is_placed = True
            threading.Thread(target=self._place, args=(run,), name="kernelopt-first-kernel", daemon=True).start()

    def _place(self, run: OperatorRun) -> None:
        code = kernel_cell(run)
        if code is not None and run.cell_id is not None and self._insert_below(run.cell_id, code).is_done:
            run.place_kernel(_PLACED)
        elif not run.placed:
            run.place_kernel(f"%kernelopt show {run.number} puts it into a cell below")


def _print_at_the_end(for_people: Callable[[str], str]) -> Callable[[OperatorRun], None]:
    """Nothing that was printed can be changed."""
    printed: list[OperatorRun] = []

    def changed(run: OperatorRun) -> None:
        if run.state.is_over and not printed:
            printed.append(run)
            sys.stdout.write(f"{for_people(shown_bundle(run)['text/plain'])}\n")

    return changed
