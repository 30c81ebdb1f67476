"""``%kernelopt``: what goes on, what is proposed, decisions, a pair session, history; the same words as on the terminal.

Example::

    Commands(workshop, reviewing, namespace).run("wait", ("3",), options)
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from assistant.config import find_workspace
from assistant.editor.learned_page import SHOWN_ATTEMPTS, learned_page
from assistant.editor.markdown import tamed
from assistant.editor.picture import proposal_title
from assistant.editor.review import Why
from assistant.editor.words import proposal_text
from assistant.engine.pair import report as pair_report
from assistant.errors import CannotAnswerError, UsageError
from assistant.model.pair import PairSession
from assistant.model.proposal import DECIDABLE_STATES, ProposalState
from assistant.record import Record
from jupyter_ext.answers import CellResult, ProposalResult, Rows, Text, cell_result, failure_of, proposal_result
from jupyter_ext.front import show
from jupyter_ext.learned_html import learned_html, learned_text
from jupyter_ext.operator_page import shown_bundle
from jupyter_ext.operator_runs import OperatorRun, kernel_cell
from jupyter_ext.panel import show_panel, show_static
from jupyter_ext.reviewing import ProposalReviewer
from jupyter_ext.runs import CellRun, Run
from jupyter_ext.workshop import Workshop

__all__ = ["VERBS", "CommandOptions", "Commands", "raise_for", "wait_for"]

VERBS = ("status", "show", "wait", "cancel", "accept", "reject", "undo", "pair", "history", "memory", "doctor")
_PAIR_VERBS = ("start", "suggest", "constrain", "why", "stop")
_SHOWN_ROWS = 20
_DECIDED = frozenset({ProposalState.ACCEPTED, ProposalState.REJECTED})
_DOCTOR_S = 60.0
_END_S = 10.0
"""A run that is cancelled ends within it."""


Answer = CellResult | ProposalResult | Rows | Text


class CommandOptions(Record):
    """What a line magic may carry besides its words."""

    timeout_s: float | None = None
    hunks: tuple[str, ...] = ()
    reason_code: str | None = None
    is_watched: bool = True
    """Somebody may be there to look on, and to wait for what the line began."""


class Commands:
    """Carries out one line at a time, on the notebook's main thread."""

    def __init__(self, workshop: Workshop, reviewing: ProposalReviewer, insert: Callable[[str], object] = len) -> None:
        """``insert``: puts a text into a cell below the one that runs."""
        self._workshop = workshop
        self._reviewing = reviewing
        self._insert = insert
        self._verbs: dict[str, Callable[[tuple[str, ...], CommandOptions], Answer]] = {
            "status": self._status,
            "show": self._show,
            "wait": self._wait,
            "cancel": self._cancel,
            "accept": self._accept,
            "reject": self._reject,
            "undo": self._undo,
            "pair": self._pair,
            "history": self._history,
            "memory": self._memory,
            "doctor": self._doctor,
        }

    def run(self, verb: str, words: tuple[str, ...], options: CommandOptions) -> Answer:
        """The answer, which was shown as well.

        Raises UsageError for a verb or a word that means nothing here, and what the verb itself raises.
        """
        command = self._verbs.get(verb)
        if command is None:
            raise UsageError(f"%kernelopt has no {verb!r}", f"it has: {', '.join(VERBS)}")
        return command(words, options).printed()

    def _status(self, words: tuple[str, ...], options: CommandOptions) -> Answer:
        del words, options
        rows = Rows(self._result(run) for run in self._workshop.runs[-_SHOWN_ROWS:])
        self._say(repr(rows) if rows else "no cell was run with %%kernelopt yet")
        return rows

    def _show(self, words: tuple[str, ...], options: CommandOptions) -> Answer:
        del options
        if words and words[0].upper().startswith("P"):
            proposal = self._workshop.find_proposal(words[0])
            _show_markdown(self._workshop.for_people(proposal_text(proposal)))
            return proposal_result(proposal, self._workshop.for_people)
        run = self._run_of(words)
        if not run.verbs:
            self._say(f"{run.number}  {run.name}  {run.state.headline}: nothing was asked beyond that")
        elif isinstance(run, CellRun):
            show_static(run, self._workshop)
        elif isinstance(run, OperatorRun):
            self._show_operator(run)
        return self._result(run)

    def _show_operator(self, run: OperatorRun) -> None:
        """With a first kernel that stands in no cell yet in one below."""
        show({kind: self._workshop.for_people(text) for kind, text in shown_bundle(run).items()})
        code = kernel_cell(run)
        if code is not None:
            self._insert(code)

    def _wait(self, words: tuple[str, ...], options: CommandOptions) -> Answer:
        run = self._run_of(words)
        wait_for(self._workshop, run, options.timeout_s)
        self._say(f"{run.number}  {run.state.phase}  {run.state.headline}")
        return self._result(run)

    def _cancel(self, words: tuple[str, ...], options: CommandOptions) -> Answer:
        del options
        run = self._run_of(words)
        if run.state.is_over:
            return self._said(f"{run.number}  {run.state.phase}: there is nothing to cancel")
        self._workshop.cancel(run)
        return self._said(f"{run.number}  cancelling")

    def _accept(self, words: tuple[str, ...], options: CommandOptions) -> Answer:
        why = Why(options.reason_code, " ".join(words[1:]) or None)
        return self._said(self._reviewing.accept(self._id_of(words, "accept"), options.hunks, why=why))

    def _reject(self, words: tuple[str, ...], options: CommandOptions) -> Answer:
        return self._said(self._reviewing.reject(self._id_of(words, "reject"), options.reason_code, " ".join(words[1:]) or None))

    def _undo(self, words: tuple[str, ...], options: CommandOptions) -> Answer:
        del options
        return self._said(self._reviewing.undo(self._id_of(words, "undo")))

    def _pair(self, words: tuple[str, ...], options: CommandOptions) -> Answer:
        """A pair session on the cell that was run last."""
        verb, said = (words[0] if words else "why"), " ".join(words[1:])
        if verb not in _PAIR_VERBS:
            raise UsageError(f"%kernelopt pair has no {verb!r}", f"it has: {', '.join(_PAIR_VERBS)}")
        run = self._last_cell()
        path, text = run.cell.path, run.cell.text
        pairs, call = self._workshop.pairs, self._workshop.loop.call
        if verb == "start":
            opened = call(pairs.start, run.cell.source, run.kernel, said or None)
            self._workshop.loop.call(self._workshop.editor.offers_changed)
            return self._said(opened.answer)
        if not call(pairs.open_on, path):
            raise UsageError(f"no pair session is open on {path.stem}", "%kernelopt pair start begins one")
        session: PairSession = call(pairs.find, path, text, run.kernel)
        match verb:
            case "suggest":
                suggesting = self._workshop.suggest(run, session.id, said)
                show_panel(suggesting, self._workshop, self._reviewing)
                if not options.is_watched:
                    wait_for(self._workshop, suggesting, options.timeout_s, is_watched=False)
                return self._result(suggesting)
            case "constrain":
                return self._said(call(pairs.constrain, session.id, said).answer)
            case _:
                turn = call(pairs.stop if verb == "stop" else pairs.why, session.id)
                answer = call(lambda: pair_report(pairs.state(session.id))) if verb == "stop" else turn.detail or turn.answer
                _show_markdown(tamed(answer))  # a model may have written of it
                return Text(answer)

    def _history(self, words: tuple[str, ...], options: CommandOptions) -> Answer:
        """Proposals of this notebook's workspace, newest first, also those decided elsewhere."""
        del words, options
        runs = self._workshop.runs
        workspace = find_workspace(runs[-1].place if runs else Path.cwd())  # a kernel starts in its notebook's folder
        proposals = self._workshop.loop.call(self._workshop.store.proposals, workspace)
        if not proposals:
            self._say(f"nothing was proposed in {workspace} yet")
        for proposal in proposals[:_SHOWN_ROWS]:
            day = time.strftime("%Y-%m-%d %H:%M", time.localtime(proposal.created_ms / 1000))
            self._say(f"{day}  {proposal.id}  {proposal.state.value}  {proposal.path.stem}  {proposal_title(proposal)}")
        return Rows(proposal_result(proposal, self._workshop.for_people) for proposal in proposals[:_SHOWN_ROWS])

    def _memory(self, words: tuple[str, ...], options: CommandOptions) -> Answer:
        """What was learned, of all workspaces, and why the newest candidates were tried."""
        del words, options
        call, store = self._workshop.loop.call, self._workshop.store
        page = learned_page(call(store.what_was_learned), call(store.attempts, None, None, SHOWN_ATTEMPTS))
        text = self._workshop.for_people(learned_text(page))
        show({"text/html": self._workshop.for_people(learned_html(page)), "text/plain": text})
        return Text(text)

    def _doctor(self, words: tuple[str, ...], options: CommandOptions) -> Answer:
        del words, options
        command = (sys.executable, "-P", "-m", "assistant", "doctor")
        try:
            ended = subprocess.run(command, capture_output=True, text=True, timeout=_DOCTOR_S, check=False)
        except subprocess.TimeoutExpired as error:
            raise CannotAnswerError(f"the doctor did not answer within {_DOCTOR_S:g} s", "run kernelopt doctor on the terminal") from error
        return self._said(ended.stdout.rstrip() or ended.stderr.rstrip())

    def _result(self, run: Run) -> CellResult:
        return cell_result(run, self._workshop)

    def _id_of(self, words: Sequence[str], verb: str) -> str:
        """The proposal that is named; without a name the newest of the cell that was run last, to undo the one decided last.

        Raises UsageError.
        """
        if words:
            return words[0]
        path, call = self._last_cell().cell.path, self._workshop.loop.call
        found = call(self._workshop.store.proposals, None, _DECIDED if verb == "undo" else DECIDABLE_STATES, path)
        if not found:
            raise UsageError(f"there is nothing to {verb} for {path.stem}", "%kernelopt history lists what there was")
        if verb != "undo":
            return found[0].id
        return max(found, key=lambda item: call(self._workshop.store.decisions, item.id)[-1].decided_ms).id

    def _said(self, text: str) -> Text:
        shown = self._workshop.for_people(text)
        self._say(shown)
        return Text(shown)

    def _say(self, text: str) -> None:
        sys.stdout.write(f"{self._workshop.for_people(text)}\n")

    def _run_of(self, words: Sequence[str]) -> Run:
        """The run of that number; the last one without. Raises UsageError."""
        runs = self._workshop.runs
        if not runs:
            raise UsageError("no cell was run with %%kernelopt yet", "run one first")
        if not words:
            return runs[-1]
        found = next((run for run in runs if str(run.number) == words[0]), None)
        if found is None:
            raise UsageError(f"there is no run {words[0]}", "%kernelopt status lists them")
        return found

    def _last_cell(self) -> CellRun:
        """The run of the cell with kernels that was run last. Raises UsageError."""
        runs = self._workshop.cell_runs
        if not runs:
            raise UsageError("no cell with kernels was run with %%kernelopt yet", "run one first")
        return runs[-1]


def wait_for(workshop: Workshop, run: Run, timeout_s: float | None, is_watched: bool = True) -> None:
    """Until nothing of the run goes on any more; an interrupt cancels it.

    Raises CannotAnswerError when the time is over; where nobody watches, the run ends with it, as no later cell may wait for it.
    """
    try:
        is_over = run.wait(timeout_s)
    except KeyboardInterrupt:
        workshop.cancel(run)
        raise
    if not is_over and not is_watched:
        workshop.cancel(run)
        run.wait(_END_S)
    run.changed()
    if not is_over and is_watched:
        raise CannotAnswerError(f"it goes on after {timeout_s:g} s: {run.state.headline}", "%kernelopt wait again, or %kernelopt cancel")
    if not is_over:
        raise CannotAnswerError(f"it was ended after {timeout_s:g} s, as --timeout says", "give it more time, or --until check")


def raise_for(workshop: Workshop, run: Run) -> None:
    """Raises CannotAnswerError, with what is wrong, unless a run that ended answered every question with yes."""
    said = failure_of(run, workshop)
    if said is not None:
        raise CannotAnswerError(said, "fix the cell and run it again, or leave out --raise")


def _show_markdown(text: str) -> None:
    show({"text/markdown": text, "text/plain": text})
