"""The course of one execution of a cell, as its jobs tell it; waiting for its end."""

from pathlib import Path
from typing import cast

import pytest

from assistant.editor.tasks import Verb
from assistant.errors import CannotAnswerError, UsageError
from assistant.model import event_parts, events
from assistant.model.profile import Severity
from assistant.model.verification import Outcome
from jupyter_ext.cells import cell_of
from jupyter_ext.commands import wait_for
from jupyter_ext.controls import Progress
from jupyter_ext.page import course_text
from jupyter_ext.runs import CellRun, Phase
from jupyter_ext.workshop import Workshop

CELL = cell_of("%%kernelopt\n__global__ void k() {}\n", Path("/w/lab.ipynb"), None)


def check(*told: events.Event, verbs: tuple[Verb, ...] = (Verb.CHECK, Verb.OPTIMIZE)) -> CellRun:
    """A run whose first question was told these events."""
    run = CellRun(1, CELL, None, verbs)
    run.begin(verbs[0], "J1")
    for event in told:
        run.follow(verbs[0], event)
    return run


def test_a_question_ends_with_what_its_job_said_last() -> None:
    run = check(events.StageStarted("J1", "verify", "runs k"))
    assert run.state.headline == "check: runs k" and run.state.phase == Phase.RUNNING
    run.follow(Verb.CHECK, events.JobEnded("J1", 1, "2 problems"))
    assert run.state.steps[0].text == "2 problems" and run.state.steps[0].exit_code == 1
    assert not run.wait(0.0)
    run.end()
    assert run.wait(0.0) and run.state.is_over


def test_a_warning_is_kept_once_with_its_remedy() -> None:
    warning = events.Message("J1", Severity.WARNING, "no CUDA compiler", "install one")
    assert check(warning, warning).state.messages == ("no CUDA compiler; install one",)


def test_what_would_allow_edits_of_host_code_is_named_as_it_is_written_in_a_notebook() -> None:
    said = events.Message("J1", Severity.INFORMATION, "not tried: kernel fusion of mul", "kernelopt optimize /a b/k.cu --allow-host-code")
    assert check(said).state.messages == ("not tried: kernel fusion of mul; --allow-host-code on the first line of the cell allows it",)


def test_a_cell_without_questions_is_over_at_once() -> None:
    run = CellRun(1, CELL, None, ())
    assert run.wait(0.0) and run.state.headline == "compiled"


def test_refused_and_cancelled_runs_are_distinguished() -> None:
    run = check()
    run.refused(Verb.CHECK, UsageError("not trusted", "kernelopt trust"))
    assert run.state.phase == Phase.FAILED and run.state.headline == "check: not trusted; kernelopt trust"
    run.end()
    assert run.state.steps[1].text == "skipped: check failed"
    run.cancelled(Verb.OPTIMIZE)
    assert run.is_cancelled and run.state.phase == Phase.CANCELLED


def test_the_progress_of_a_cancelled_run_does_not_say_what_its_successor_will() -> None:
    run = check(events.StageStarted("J1", "verify", "runs k"))
    progress = Progress(run, lambda run: None, str)
    run.cancelled(Verb.CHECK)
    progress.changed()
    assert "check: runs k" in progress.shown and "cancelled" not in progress.shown


def test_proposals_go_by_their_short_names_while_it_works_too() -> None:
    run = check(events.Message("J1", Severity.INFORMATION, "not offered again: P-long, rejected"))
    progress = Progress(run, lambda run: None, lambda text: text.replace("P-long", "P1"))
    run.say("P-long waits")
    progress.changed()
    assert "P1 waits" in progress.shown and "P1, rejected" in progress.shown and "P-long" not in progress.shown


class _Cancelling:
    """What of a workshop is asked to end a run."""

    def __init__(self) -> None:
        self.cancelled: list[CellRun] = []

    def cancel(self, run: CellRun) -> None:
        self.cancelled.append(run)


class _Interrupted(CellRun):
    """Somebody interrupts the kernel while it waits."""

    def wait(self, timeout_s: float | None) -> bool:
        raise KeyboardInterrupt


def test_an_interrupt_while_waiting_cancels_the_run_and_goes_on_up() -> None:
    workshop, run = _Cancelling(), _Interrupted(1, CELL, None, (Verb.CHECK,))
    with pytest.raises(KeyboardInterrupt):
        wait_for(cast("Workshop", workshop), run, None)
    assert workshop.cancelled == [run]


def test_waiting_ends_with_its_time_and_the_run_goes_on() -> None:
    workshop = _Cancelling()
    with pytest.raises(CannotAnswerError, match=r"it goes on after 0\.01 s: check: running"):
        wait_for(cast("Workshop", workshop), check(), 0.01)
    assert not workshop.cancelled


def test_a_version_that_is_right_and_slower_is_not_called_wrong() -> None:
    """Who adds an atomic that was missing hears that it costs time, not that something failed."""

    def judged(outcome: Outcome) -> tuple[int | None, str]:
        verified = event_parts.VerificationReport(outcome, (), (), (), (), ())
        made = events.ComparisonMade("J1", "k()", "kernel", True, "a", "b", verified, None, (), event_parts.Device("CPU", "cpu", "h200"))
        step = check(made, events.JobEnded("J1", 1, "PASS, but PREDICTED 0.30x"), verbs=(Verb.JUDGE,)).step(Verb.JUDGE)
        return step.exit_code, step.text

    assert judged(Outcome.PASS) == judged(Outcome.NEEDS_DECISION) == (0, "PASS, but PREDICTED 0.30x")
    assert judged(Outcome.FAIL) == (1, "other results than before")


def test_that_the_previous_version_was_at_fault_is_no_failure_of_the_cell() -> None:
    run = check(events.JobEnded("J1", 3, "cannot judge 1 kernel of 1"), verbs=(Verb.JUDGE, Verb.PROFILE))
    judged = run.step(Verb.JUDGE)
    assert judged.is_unanswered and not judged.is_bad and "– compare with" in course_text(run.state)
    assert check(events.JobEnded("J1", 3, "no compiler")).step(Verb.CHECK).is_bad
    assert check(events.JobEnded("J1", 4, "a defect"), verbs=(Verb.JUDGE,)).step(Verb.JUDGE).is_bad
