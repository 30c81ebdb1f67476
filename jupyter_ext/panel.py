"""The panel below a cell: what goes on, what was found, what is proposed, with something to press. Core ipywidgets only.

Buttons do their work on threads of their own: a handler that waits would keep the kernel from hearing the answer. Where widgets cannot be
shown, the same as HTML and as plain text stands in their place (`page`). Example::

    show_panel(run, workshop, reviewing)
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from html import escape
from typing import Any

from assistant.errors import KernelOptError
from assistant.model.proposal import REASON_CODES, Proposal, ProposalState
from jupyter_ext.comms import heard_at_once
from jupyter_ext.front import Output, show
from jupyter_ext.page import analysis_html, course_html, panel_html, panel_text, proposal_html
from jupyter_ext.reviewing import Reviewing
from jupyter_ext.runs import CellRun, RunState
from jupyter_ext.workshop import Picture, Workshop

__all__ = ["Panel", "show_panel", "show_static"]

_OPEN = frozenset({ProposalState.OPEN, ProposalState.UNDONE})
_WIDGET = "application/vnd.jupyter.widget-view+json"
_NO_REASON = "no reason"


def show_panel(run: CellRun, workshop: Workshop, reviewing: Reviewing) -> None:
    """Display the panel of a run below the cell that runs, and keep it up to date."""
    try:
        panel = Panel(run, workshop, reviewing)
    except ImportError:  # ipywidgets is not installed
        panel = None
    bundle = _bundle(run.state, None, panel)
    shown = _Shown(run, workshop, panel, show(bundle))
    run.on_change.append(shown.changed)
    workshop.loop.call(shown.changed, run)


def show_static(run: CellRun, workshop: Workshop) -> None:
    """Display what is known of a run, without widgets."""
    picture = workshop.picture(run.cell.key)
    show(_bundle(run.state, picture, None))


def _bundle(state: RunState, picture: Picture | None, panel: Panel | None) -> dict[str, Any]:
    bundle: dict[str, Any] = {"text/plain": panel_text(state, picture), "text/html": panel_html(state, picture)}
    if panel is not None:
        bundle[_WIDGET] = {"version_major": 2, "version_minor": 0, "model_id": panel.model_id}
    return bundle


class _Shown:
    """Brings one output up to date, on the desk's thread; the costly part only when something was answered."""

    def __init__(self, run: CellRun, workshop: Workshop, panel: Panel | None, output: Output) -> None:
        self._run = run
        self._workshop = workshop
        self._panel = panel
        self._output = output
        self._seen: object = None

    def changed(self, run: CellRun) -> None:
        if self._panel is not None:
            self._panel.course()
        state = run.state
        course = (tuple(step.phase for step in state.steps), state.proposal_count)
        if not state.is_over and course == self._seen:
            return
        picture = self._workshop.picture(run.cell.key)
        decided = tuple((proposal.id, proposal.state) for proposal in picture.proposals)
        seen = (course, decided) if state.is_over else course
        if seen == self._seen and threading.current_thread() is not threading.main_thread():
            return  # from the main thread it is a cell that waited: clients that execute notebooks hear only what that cell says
        self._seen = seen
        if self._panel is not None:
            self._panel.found(picture)
        if self._panel is None or run.state.is_over:
            is_done = run.state.is_over and not picture.proposals  # nothing to press: a notebook that is saved shows all without a kernel
            self._output.update(_bundle(run.state, picture, None if is_done else self._panel), raw=True)


class Panel:
    """The widgets of one run."""

    def __init__(self, run: CellRun, workshop: Workshop, reviewing: Reviewing) -> None:
        """Raises ImportError without ipywidgets."""
        import ipywidgets

        self._widgets: Any = ipywidgets
        """Its members carry no types."""
        make = self._widgets
        self._run = run
        self._workshop = workshop
        self._reviewing = reviewing
        self._course = make.HTML(course_html(run.state))
        self._notice = make.HTML()
        self._analysis = make.HTML()
        self._cancel = make.Button(description="Cancel", tooltip="End what goes on for this cell")
        heard_at_once(self._cancel.comm)
        self._cancel.on_click(self._cancelled)
        self._proposals = make.VBox([])
        self._boxes: dict[tuple[str, ProposalState], Any] = {}
        self._root = make.VBox([self._course, self._cancel, self._analysis, self._proposals, self._notice])
        self._root.add_class("kernelopt-panel")

    @property
    def model_id(self) -> str:
        return self._root.model_id

    def course(self) -> None:
        """Show how far the run is."""
        self._course.value = course_html(self._run.state)
        self._cancel.layout.display = "none" if self._run.state.is_over else ""

    def found(self, picture: Picture) -> None:
        """Show what was found and what is proposed; boxes that stay the same stay in place."""
        self._analysis.value = analysis_html(self._run.state, picture)
        boxes = {(item.id, item.state): self._boxes.get((item.id, item.state)) or self._proposal(item) for item in picture.proposals}
        self._boxes = boxes
        self._proposals.children = tuple(boxes.values())

    def _proposal(self, proposal: Proposal) -> Any:
        shown = self._widgets.HTML(proposal_html(proposal))
        if proposal.state not in _OPEN:
            return self._widgets.VBox([shown])
        accept = self._button("Accept", "primary", lambda: self._reviewing.accept(proposal.id, (), self._run))
        hunks = [
            self._button(f"Accept hunk {number}", "", lambda taken=hunk.id: self._reviewing.accept(proposal.id, (taken,), self._run))
            for number, hunk in enumerate(proposal.hunks, 1)
        ]
        code = self._widgets.Dropdown(options=[_NO_REASON, *REASON_CODES], layout={"width": "auto"})
        words = self._widgets.Text(placeholder="why (optional)")
        for choice in (code, words):
            heard_at_once(choice.comm)

        def reject() -> str:
            return self._reviewing.reject(proposal.id, None if code.value == _NO_REASON else code.value, words.value or None)

        buttons = [accept, *(hunks if len(hunks) > 1 else ()), self._button("Reject", "", reject), code, words]
        box = self._widgets.VBox([shown, self._widgets.HBox(buttons, layout={"flex_flow": "row wrap"})])
        box.add_class("kernelopt-proposal")
        return box

    def _button(self, name: str, style: str, action: Callable[[], str]) -> Any:
        button = self._widgets.Button(description=name, button_style=style)
        heard_at_once(button.comm)

        def work() -> None:
            try:
                told = action()
            except KernelOptError as error:
                told = f"{error.message}; {error.remedy}" if error.remedy else error.message
            self._notice.value = f'<div role="status">{escape(told)}</div>'

        def clicked(_: object) -> None:
            threading.Thread(target=work, name="kernelopt-button", daemon=True).start()

        button.on_click(clicked)
        return button

    def _cancelled(self, _: object) -> None:
        self._workshop.cancel(self._run)
