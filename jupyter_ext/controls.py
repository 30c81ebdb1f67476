"""What can be pressed below a cell, as core ipywidgets: Cancel while something runs, and the decision on each open proposal.

Buttons do their work on threads of their own: a handler that waits would keep the kernel from hearing the answer. What is read stands
next to them as HTML, not in them. Example::

    controls = Controls(run, reviewing, workshop.for_people)     # raises ImportError without ipywidgets
    controls.found(picture.proposals)
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from html import escape
from typing import Any

from assistant.cuda.tied_hunks import tied_hunks
from assistant.editor.review import Why
from assistant.engine.report import techniques_in_words
from assistant.errors import KernelOptError
from assistant.model.proposal import DECIDABLE_STATES, REASON_CODES, Proposal, ProposalState
from assistant.model.source import Hunk
from jupyter_ext.choice import REASONS, Choice, LeftOut, everything, line_for
from jupyter_ext.comms import heard_at_once
from jupyter_ext.page import answer_html, course_html
from jupyter_ext.proposal_page import MONO, PROSE
from jupyter_ext.reviewing import ProposalReviewer
from jupyter_ext.runs import CellRun, Run

__all__ = ["Controls", "Progress"]

_NO_REASON = ("no reason", "")
_WIDE = {"width": "auto"}
_ROW = {"flex_flow": "row wrap", "align_items": "center"}


class Progress:
    """How far a run is, and Cancel: shown while it goes on."""

    def __init__(self, run: Run, cancel: Callable[[Run], None], for_people: Callable[[str], str]) -> None:
        """``for_people``: a text with short ids in place of long ones. Raises ImportError without ipywidgets."""
        self._run = run
        self._for_people = for_people
        make = _widgets()
        self._course = make.HTML(for_people(course_html(run.state)))
        button = _button("Cancel", "End what is running for this cell", lambda: cancel(run))
        self._root = make.VBox([self._course, make.HBox([button])])
        self._root.add_class("kernelopt-progress")

    @property
    def model_id(self) -> str:
        return self._root.model_id

    @property
    def shown(self) -> str:
        """Its HTML."""
        return self._course.value

    def changed(self) -> None:
        """What is over is said in its place: where the kernel ends between the two, the page alone says so."""
        if not self._run.is_cancelled and not self._run.state.is_over:
            self._course.value = self._for_people(course_html(self._run.state))


class Controls:
    """The decisions on one run's proposals; empty while there is nothing to decide."""

    def __init__(self, run: CellRun, reviewing: ProposalReviewer, for_people: Callable[[str], str]) -> None:
        """``for_people``: a text with short ids in place of long ones. Raises ImportError without ipywidgets."""
        self._run = run
        self._reviewing = reviewing
        self._for_people = for_people
        make = _widgets()
        self._boxes: dict[tuple[str, ProposalState], ProposalBox] = {}
        self._proposals = make.VBox([])
        self._notice = make.HTML()
        self._root = make.VBox([self._proposals, self._notice])
        self._root.add_class("kernelopt-controls")
        self._heard: list[Callable[[str], object]] = []

    @property
    def model_id(self) -> str:
        return self._root.model_id

    def found(self, proposals: tuple[Proposal, ...]) -> None:
        """Offer what is open; boxes that stay the same stay in place, with what was chosen in them."""
        boxes = {
            (item.id, item.state): self._boxes.get((item.id, item.state)) or self._box(item)
            for item in proposals
            if item.state in DECIDABLE_STATES
        }
        if boxes.keys() != self._boxes.keys():
            self._boxes = boxes
            self._notice.value = ""
            self._proposals.children = tuple(box.root for box in boxes.values())

    def _box(self, proposal: Proposal) -> ProposalBox:
        return ProposalBox(proposal, self._for_people(proposal.id), self._run, self._reviewing, self._say)

    def on_answer(self, heard: Callable[[str], object]) -> None:
        """Call ``heard`` with what came of each decision."""
        self._heard.append(heard)

    def _say(self, message: str) -> None:
        shown = self._for_people(message)
        self._notice.value = answer_html(shown)
        for heard in self._heard:
            heard(shown)


class ProposalBox:
    """One open proposal: accept it, leave some of its hunks out and say why, or reject it and say why."""

    def __init__(self, proposal: Proposal, name: str, run: CellRun, reviewing: ProposalReviewer, say: Callable[[str], None]) -> None:
        """``name``: its short id."""
        self._proposal = proposal
        self._run = run
        self._reviewing = reviewing
        self._say = say
        self._choice = everything(proposal.hunks, tied_hunks(proposal.files))
        make = _widgets()
        self._accept = _button("Accept", f"Put {name} into the cell", lambda: self._apart(self._accepted))
        self._accept.button_style = "primary"
        self._reject = _button("Reject…", "Turn it down; you may say why", self._ask_why)
        self._reject_now = _button("Reject", "Turn it down; the reason is remembered", lambda: self._apart(self._rejected))
        self._why = Reason("Reason to reject")
        self._show_why(False)
        groups = self._choice.groups
        self._rows = make.VBox([HunkRow(self, group).root for group in groups] if len(groups) > 1 else [])
        self._choose_hunks = _button("Choose hunks…", "Take some of its changes and leave others out", self._show_hunks)
        self._rows.layout.display = "none"
        choosing = [self._choose_hunks] if self._rows.children else []
        title = make.HTML(f'<div style="{PROSE}">{escape(techniques_in_words(proposal.techniques))} ({name})</div>')
        whole = [self._accept, self._reject, *self._why.widgets, self._reject_now, *choosing, title]
        self.root = make.VBox([make.HBox(whole, layout=_ROW), self._rows])
        self.root.add_class("kernelopt-decision")

    def _show_hunks(self) -> None:
        self._rows.layout.display = ""
        self._choose_hunks.layout.display = "none"

    def _ask_why(self) -> None:
        self._show_why(True)

    def _show_why(self, is_shown: bool) -> None:
        self._why.show(is_shown)
        self._reject_now.layout.display = "" if is_shown else "none"
        self._reject.layout.display = "none" if is_shown else ""

    def heading(self, group: tuple[Hunk, ...]) -> str:
        return self._choice.heading(group, self._run.cell.line_of)

    def name(self, group: tuple[Hunk, ...]) -> str:
        return self._choice.name(group)

    def is_taken(self, hunk: Hunk) -> bool:
        return hunk.id in self._choice.taken

    def leave_out(self, hunk: Hunk, why: LeftOut) -> None:
        self._choose(self._choice.without(hunk.id, why))

    def take(self, hunk: Hunk) -> None:
        self._choose(self._choice.having(hunk.id))

    def accept_only(self, hunk: Hunk) -> None:
        """One hunk with those that only work with it, whatever else was chosen; what was said of the others goes with it."""
        taken = self._choice.having(hunk.id)
        ids = taken.together(hunk.id)
        self._apart(lambda: self._taken(tuple(one for one in taken.taken if one in ids), taken.reason))

    def _choose(self, choice: Choice) -> None:
        self._choice = choice
        self._accept.description = choice.label
        self._accept.disabled = not choice.taken

    def _accepted(self) -> str:
        choice = self._choice
        return self._taken(() if not choice.left_out else choice.taken, choice.reason)

    def _taken(self, hunk_ids: tuple[str, ...], why: LeftOut) -> str:
        return self._reviewing.accept(self._proposal.id, hunk_ids, self._run, Why(why.code, why.words or None))

    def _rejected(self) -> str:
        """What was said of all of it counts, else what was said of its hunks."""
        said = self._why.given
        why = said if said != LeftOut() else self._choice.reason
        return self._reviewing.reject(self._proposal.id, why.code, why.words or None)

    def _apart(self, action: Callable[[], str]) -> None:
        def work() -> None:
            try:
                message = action()
            except KernelOptError as error:
                message = f"{error.message}; {error.remedy}" if error.remedy else error.message
            self._say(message)

        threading.Thread(target=work, name="kernelopt-button", daemon=True).start()


class HunkRow:
    """One hunk of several, or some that only work together: taken, until it is left out with a reason."""

    def __init__(self, box: ProposalBox, group: tuple[Hunk, ...]) -> None:
        self._box = box
        self._group = group
        make = _widgets()
        self._name = name = box.name(group)
        self._notice_of_hunk = make.HTML()
        what = "this hunk alone" if len(group) == 1 else "these hunks, which only work together, alone"
        only = _button(f"Accept {name}", f"Put {what} into the cell", lambda: box.accept_only(group[0]))
        self._other = _button(f"Reject {name}", "", self._turn)
        self._why = Reason(f"Reason for {name}")
        self._why.on_change(self._said)
        self.root = make.HBox([only, self._other, self._notice_of_hunk, *self._why.widgets], layout=_ROW)
        self._show()

    def _turn(self) -> None:
        if self._box.is_taken(self._group[0]):
            self._box.leave_out(self._group[0], self._why.given)
        else:
            self._box.take(self._group[0])
        self._show()

    def _said(self, why: LeftOut) -> None:
        if not self._box.is_taken(self._group[0]):
            self._box.leave_out(self._group[0], why)

    def _show(self) -> None:
        is_taken = self._box.is_taken(self._group[0])
        lines = " ".join(f'<code style="{MONO}">{escape(line_for(hunk))}</code>' for hunk in self._group)
        self._notice_of_hunk.value = f'<div style="{PROSE}">{escape(self._box.heading(self._group))} {lines}</div>'
        self._other.description = f"Reject {self._name}" if is_taken else f"Take {self._name} again"
        self._other.tooltip = f"Leave {self._it} out of Accept, with a reason" if is_taken else f"Have Accept take {self._it} again"
        self._why.show(not is_taken)

    @property
    def _it(self) -> str:
        return "it" if len(self._group) == 1 else "them"


class Reason:
    """A pick list and a line of words, each with a name of its own."""

    def __init__(self, name: str) -> None:
        make = _widgets()
        options = [_NO_REASON, *((REASONS[code], code) for code in REASON_CODES)]
        style = {"description_width": "initial"}
        self._code = make.Dropdown(options=options, description=name, style=style, layout=_WIDE)
        self._words = make.Text(description="In words", placeholder="optional", style=style)
        for choice in self.widgets:
            heard_at_once(choice.comm)

    @property
    def widgets(self) -> tuple[Any, Any]:
        return (self._code, self._words)

    @property
    def given(self) -> LeftOut:
        return LeftOut(self._code.value or None, self._words.value.strip())

    def on_change(self, heard: Callable[[LeftOut], None]) -> None:
        def changed(_: object) -> None:
            heard(self.given)

        for choice in self.widgets:
            choice.observe(changed, names="value")

    def show(self, is_shown: bool) -> None:
        for choice in self.widgets:
            choice.layout.display = "" if is_shown else "none"


def _button(name: str, hint: str, pressed: Callable[[], object]) -> Any:
    button = _widgets().Button(description=name, tooltip=hint, layout=_WIDE)
    heard_at_once(button.comm)

    def clicked(_: object) -> None:
        pressed()

    button.on_click(clicked)
    return button


def _widgets() -> Any:
    """ipywidgets, whose members carry no types. Raises ImportError where it is not installed."""
    import ipywidgets

    return ipywidgets
