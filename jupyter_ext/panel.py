"""What stands below a cell: the answer, what is proposed, what can be pressed, and all else, folded; each an output of its own.

What is read is plain HTML and text in the notebook itself: a file that is saved, converted or opened elsewhere shows it without a kernel,
without widgets and without a network. Only Cancel and the decisions are widgets, and only while there is something to press. Example::

    show_panel(run, workshop, reviewing)
"""

from __future__ import annotations

import sys
import threading
from typing import Any

from assistant.model.proposal import DECIDABLE_STATES, ProposalState
from assistant.record import Record
from jupyter_ext.controls import Controls, Progress
from jupyter_ext.front import Output, is_terminal, show
from jupyter_ext.page import (
    Decisions,
    answer_html,
    course_html,
    course_text,
    details_html,
    details_text,
    headline_html,
    how_to_decide,
    offer_html,
    offer_text,
    panel_html,
    panel_text,
)
from jupyter_ext.pictures import Picture
from jupyter_ext.reviewing import ProposalReviewer
from jupyter_ext.runs import CellRun, RunState
from jupyter_ext.workshop import Workshop

__all__ = ["show_panel", "show_static", "widget_view"]

_WIDGET = "application/vnd.jupyter.widget-view+json"
_NOTHING = {"text/plain": "", "text/html": ""}

Bundle = dict[str, Any]


def show_panel(run: CellRun, workshop: Workshop, reviewing: ProposalReviewer) -> None:
    """Display the panel of a run below the cell that runs, and keep it up to date; on a terminal it is printed once, at the end."""
    if is_terminal():
        run.on_change.append(_Printed(workshop).changed)
        workshop.loop.call(run.changed)
        return
    try:
        widgets = Widgets(Progress(run, workshop.cancel, workshop.for_people), Controls(run, reviewing, workshop.for_people))
    except ImportError:  # ipywidgets is not installed
        widgets = None
    outputs = Outputs(show(_progress(run.state, widgets)), show(_NOTHING), show(_NOTHING), show(_NOTHING))
    shown = _PanelUpdater(run, workshop, widgets, outputs)
    run.on_change.append(shown.changed)
    workshop.loop.call(shown.changed, run)


def show_static(run: CellRun, workshop: Workshop) -> None:
    """Display what is known of a run, without widgets."""
    picture = workshop.picture(run)
    html = panel_html(run.state, picture, _decisions(workshop, picture))
    show(_for_people(workshop, {"text/plain": panel_text(run.state, picture), "text/html": html}))


class _Printed:
    """What a terminal shows, where nothing that was printed can be changed."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop
        self._is_done = False

    def changed(self, run: CellRun) -> None:
        if run.state.is_over and not self._is_done:
            self._is_done = True
            text = panel_text(run.state, self._workshop.picture(run))
            sys.stdout.write(f"{self._workshop.for_people(text)}\n")


class Widgets(Record):
    progress: Progress
    controls: Controls


class Outputs(Record):
    """Below one cell, from top to bottom."""

    progress: Output
    offer: Output
    controls: Output
    details: Output


class _PanelUpdater:
    """Brings the outputs up to date, on the session's thread; each only when what it shows is another."""

    def __init__(self, run: CellRun, workshop: Workshop, widgets: Widgets | None, outputs: Outputs) -> None:
        self._run = run
        self._workshop = workshop
        self._widgets = widgets
        self._outputs = outputs
        self._seen: object = None
        self._open: tuple[str, ...] = ()
        self._answer = ""
        """What came of the last button that was pressed."""
        if widgets is not None:
            widgets.controls.on_answer(lambda answer: workshop.loop.call(self._answered, answer))

    def changed(self, run: CellRun) -> None:
        state = run.state
        if self._widgets is not None:
            self._widgets.progress.changed()
        course = (tuple(step.phase for step in state.steps), state.proposal_count)
        if not state.is_over and course == self._seen:
            return
        picture = self._workshop.picture(run)
        decided = tuple((proposal.id, proposal.state) for proposal in picture.proposals)
        seen = (course, decided) if state.is_over else course
        is_waited_for = threading.current_thread() is threading.main_thread()
        if seen == self._seen and not is_waited_for:
            return  # from the main thread it is a cell that waited: clients that execute notebooks hear only what that cell says
        self._seen = seen
        self._show(state, picture, is_waited_for)

    def _show(self, state: RunState, picture: Picture, is_waited_for: bool) -> None:
        if state.is_over:
            self._update(self._outputs.progress, {"text/plain": course_text(state), "text/html": headline_html(state, picture)})
        elif self._widgets is None:
            self._update(self._outputs.progress, _progress(state, None))
        decisions = _decisions(self._workshop, picture)
        self._update(self._outputs.offer, {"text/plain": offer_text(state, picture), "text/html": offer_html(picture, decisions)})
        names = tuple(proposal.id for proposal in picture.proposals if proposal.state in DECIDABLE_STATES)
        if self._widgets is not None:
            self._widgets.controls.found(picture.proposals)
        if names != self._open or is_waited_for:
            self._open, self._answer = names, "" if names else self._answer
            self._update(self._outputs.controls, _controls(picture, self._widgets) if names else self._last_word())
        if state.is_over:
            details = details_html(state, picture, decisions)
            self._update(self._outputs.details, {"text/plain": details_text(picture), "text/html": details})

    def _answered(self, answer: str) -> None:
        """Shown next to the buttons while there are any, and in their place when there are none any more."""
        self._answer = answer
        if not self._open:
            self._update(self._outputs.controls, self._last_word())

    def _last_word(self) -> Bundle:
        return {"text/plain": self._answer, "text/html": answer_html(self._answer)} if self._answer else _NOTHING

    def _update(self, output: Output, bundle: Bundle) -> None:
        output.update(_for_people(self._workshop, bundle), raw=True)


def _for_people(workshop: Workshop, bundle: Bundle) -> Bundle:
    """With short ids of proposals in its texts."""
    return {kind: workshop.for_people(shown) if isinstance(shown, str) else shown for kind, shown in bundle.items()}


def _progress(state: RunState, widgets: Widgets | None) -> Bundle:
    view = {} if widgets is None or state.is_over else widget_view(widgets.progress.model_id)
    return {"text/plain": course_text(state), "text/html": course_html(state)} | view


def _controls(picture: Picture, widgets: Widgets | None) -> Bundle:
    words = how_to_decide(picture)
    return {"text/plain": words} | ({} if widgets is None else widget_view(widgets.controls.model_id))


def _decisions(workshop: Workshop, picture: Picture) -> Decisions:
    """Read on the session's thread, as memory is."""

    def read() -> Decisions:
        found = ((item.id, workshop.store.decisions(item.id)) for item in picture.proposals if item.state is not ProposalState.OPEN)
        return {name: decisions[-1] for name, decisions in found if decisions}

    return workshop.loop.call(read)


def widget_view(model_id: str) -> Bundle:
    """The form of an output in which a page shows a widget."""
    return {_WIDGET: {"version_major": 2, "version_minor": 0, "model_id": model_id}}
