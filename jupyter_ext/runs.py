"""One execution of a cell and what goes on behind it: which question is being answered, what came of each. The truth is the session's.

A `Run` is of any cell; a `CellRun` of one that holds kernels, an `OperatorRun` (`operator_runs`) of one with a PyTorch task. Example::

    run = CellRun(1, cell, kernel="halve", verbs=(Verb.CHECK, Verb.PROFILE))
    run.state.headline          # 'profile: counts what halve does'
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Self

from assistant.editor.tasks import Verb
from assistant.engine import CANNOT_ANSWER, DONE, NO
from assistant.engine.report import technique_in_words
from assistant.engine.search import caps_words, spent_words
from assistant.errors import KernelOptError
from assistant.model import events
from assistant.model.completion import Caps
from assistant.model.trial import OUTCOME_WORDS, TrialOutcome
from assistant.model.verification import Outcome
from assistant.model.workload import LiveWorkload
from assistant.record import Record
from jupyter_ext.cells import Cell

__all__ = ["CellRun", "Phase", "Run", "RunState", "Step"]

_SHOWN_MESSAGES = 20
_ON_A_COMMAND_LINE = re.compile(r"kernelopt optimize .* (?P<option>--allow-host-code)")
_IN_WORDS = {Verb.JUDGE: "compare with the previous version"}
"""Of those whose name alone says too little."""
_OTHER_RESULTS = "other results than before"


class Phase:
    """Where a run, or one step of it, is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Step(Record):
    """One question of a run."""

    verb: Verb
    phase: str = Phase.WAITING
    text: str = ""
    """What it is doing, then what it came to."""
    exit_code: int | None = None
    """As on the command line; None until it ended by itself."""
    taken_s: float | None = None
    """From its beginning to its end; None before, and where it never began."""

    @property
    def question(self) -> str:
        """What it is called below a cell."""
        return _IN_WORDS.get(self.verb, self.verb.value)

    @property
    def is_bad(self) -> bool:
        """Whether it ended with anything but yes; that a cell cannot be held against its previous version says nothing against the cell."""
        return self.exit_code not in (None, DONE) and not self.is_unanswered

    @property
    def is_unanswered(self) -> bool:
        """Whether there was nothing to hold it against: its previous version was at fault, say."""
        return self.verb is Verb.JUDGE and self.phase == Phase.DONE and self.exit_code == CANNOT_ANSWER


class RunState(Record):
    """What a front end shows of a run's course."""

    steps: tuple[Step, ...]
    messages: tuple[str, ...] = ()
    """Warnings and errors of its jobs, the newest last."""
    budget: str = ""
    """What models have cost so far, and the caps; empty where none is asked."""
    comparison: events.ComparisonMade | None = None
    """The cell against its previous version."""
    proposal_count: int = 0
    """Made so far."""
    tried: tuple[events.CandidateTried, ...] = ()
    """What was tried and is not offered, in that order."""
    is_over: bool = False
    reference: str = ""
    """The person's own function that results are held against; empty where there is none."""

    @property
    def is_found_wrong(self) -> bool:
        """Whether its check failed."""
        return any(step.verb is Verb.CHECK and step.exit_code == NO for step in self.steps)

    @property
    def phase(self) -> str:
        phases = [step.phase for step in self.steps]
        for phase in (Phase.RUNNING, Phase.CANCELLED, Phase.FAILED):
            if phase in phases:
                return phase
        return Phase.DONE if self.is_over else Phase.RUNNING

    @property
    def headline(self) -> str:
        """In one line, without the kernel's name."""
        for phase in (Phase.RUNNING, Phase.CANCELLED, Phase.FAILED):
            step = next((step for step in self.steps if step.phase == phase), None)
            if step is not None:
                return f"{step.question}: {step.text or phase}"
        if not self.is_over:
            return "waiting"
        last = self.steps[-1] if self.steps else None
        return "compiled" if last is None else f"{last.question}: {last.text}"


class Run:
    """Changed on the session's thread alone; read from any."""

    def __init__(self, number: int, name: str, place: Path, verbs: tuple[Verb, ...], clock: Callable[[], float] = time.monotonic) -> None:
        """``name``: what the cell goes by; ``place``: a file of its notebook's workspace."""
        self.number = number
        self.name = name
        self.place = place
        self.verbs = verbs
        self.on_change: list[Callable[[Self], None]] = []
        self.job_id: str | None = None
        """Job of the step that runs."""
        self.is_cancelled = False
        self.state = RunState(tuple(Step(verb) for verb in verbs), is_over=not verbs)
        self._clock = clock
        self._over = threading.Event()
        self._began_s: dict[Verb, float] = {}
        if not verbs:
            self._over.set()

    def step(self, verb: Verb) -> Step:
        """How far this question is."""
        return next(step for step in self.state.steps if step.verb is verb)

    def wait(self, timeout_s: float | None) -> bool:
        """Whether it ended in that time."""
        return self._over.wait(timeout_s)

    def begin(self, verb: Verb, job_id: str) -> None:
        self.job_id = job_id
        self._began_s[verb] = self._clock()
        self._step(verb, Phase.RUNNING, "")

    def doing(self, verb: Verb, words: str) -> None:
        """What a question's job is at, where no event of it says so."""
        self._step(verb, Phase.RUNNING, words)

    def follow(self, verb: Verb, event: events.Event) -> None:
        """Follow one event of the step's job."""
        match event:
            case events.StageStarted(stage=stage, detail=detail):
                self._step(verb, Phase.RUNNING, detail or stage)
            case events.CandidateTried(technique=technique, outcome=outcome):
                if outcome is not TrialOutcome.KEPT:
                    self.state = replace(self.state, tried=(*self.state.tried, event))
                if outcome is not TrialOutcome.NOT_TRIED:
                    self._step(verb, Phase.RUNNING, f"{technique_in_words(technique)}: {OUTCOME_WORDS.get(outcome, outcome.value)}")
            case events.Message(message=message, remedy=remedy):
                self.say(f"{message}; {_in_a_cell(remedy)}" if remedy else message)
            case events.ComparisonMade() if verb is Verb.JUDGE:
                self._become(replace(self.state, comparison=event))
            case events.ProposalMade():
                self._become(replace(self.state, proposal_count=self.state.proposal_count + 1))
            case events.PairTurn(answer=answer):
                self.say(answer)
            case events.BudgetSpent(spent=spent, caps=caps, estimate=estimate) if spent.call_count or estimate is not None:
                capped = "" if caps == Caps() else f"; {caps_words(caps)}"
                self._become(replace(self.state, budget=f"{spent_words(spent)}{capped}"))
            case events.JobEnded(exit_code=exit_code, reason=reason):
                self._step(verb, Phase.DONE, *self._came_to(verb, reason, exit_code))
            case _:
                pass

    def _came_to(self, verb: Verb, reason: str, exit_code: int) -> tuple[str, int]:
        """A question's last words and its answer; a version that is right is not wrong for being slower than the one before."""
        compared = self.state.comparison
        if verb is not Verb.JUDGE or compared is None or exit_code != NO:
            return reason, exit_code
        return (_OTHER_RESULTS, NO) if compared.verification.outcome is Outcome.FAIL else (reason, DONE)

    def skipped(self, verb: Verb) -> None:
        """There was nothing to answer."""
        self._step(verb, Phase.DONE, "nothing to answer", 0)

    def refused(self, verb: Verb, refusal: KernelOptError) -> None:
        remedy = f"; {refusal.remedy}" if refusal.remedy else ""
        self._step(verb, Phase.FAILED, f"{refusal.message}{remedy}", refusal.exit_code)

    def cancelled(self, verb: Verb) -> None:
        self.is_cancelled = True
        self._step(verb, Phase.CANCELLED, "cancelled")

    def end(self) -> None:
        """Nothing of it runs any more."""
        self.job_id = None
        bad = next((step.question for step in self.state.steps if step.phase == Phase.FAILED or step.exit_code == NO), None)
        why = f"skipped: {bad} failed" if bad else "skipped"
        steps = (replace(step, text=why) if step.phase == Phase.WAITING else step for step in self.state.steps)
        self._become(replace(self.state, steps=tuple(steps), is_over=True))
        self._over.set()

    def changed(self) -> None:
        """Notify what shows it."""
        for listener in tuple(self.on_change):
            listener(self)

    def say(self, message: str) -> None:
        """A message for the person who looks at the run, once."""
        if message not in self.state.messages:
            self._become(replace(self.state, messages=(*self.state.messages, message)[-_SHOWN_MESSAGES:]))

    def _step(self, verb: Verb, phase: str, text: str, exit_code: int | None = None) -> None:
        began_s = None if phase == Phase.RUNNING else self._began_s.get(verb)
        taken_s = None if began_s is None else self._clock() - began_s
        steps = (Step(verb, phase, text or step.text, exit_code, taken_s) if step.verb is verb else step for step in self.state.steps)
        self._become(replace(self.state, steps=tuple(steps)))

    def _become(self, state: RunState) -> None:
        self.state = state
        self.changed()


class CellRun(Run):
    """Of a cell with kernels."""

    def __init__(
        self, number: int, cell: Cell, kernel: str | None, verbs: tuple[Verb, ...], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """``kernel``: its qualified name; None: all of the cell."""
        super().__init__(number, cell.path.stem, cell.path, verbs, clock)
        self.cell = cell
        """As it is now, with what was accepted."""
        self.kernel = kernel

    def held_against(self, live: LiveWorkload | None) -> CellRun:
        """Itself, with the reference of the arrays that it is judged on, where that was called."""
        if live is not None and live.reference and any(case.reference for case in live.cases):
            self.state = replace(self.state, reference=live.reference)
        return self


def _in_a_cell(remedy: str) -> str:
    """What a cell's first line takes stands there, not on a command line."""
    typed = _ON_A_COMMAND_LINE.fullmatch(remedy)
    return remedy if typed is None else f"{typed['option']} on the first line of the cell allows it"
