"""Nothing is judged twice: what is remembered of the candidates of one kernel."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

from assistant.engine.search.trials import Trial, TrialHistory, end_without_speed, why_not_judged
from assistant.model.plan import AttemptSummary, Decline, DeclineReason, Plan, Rewrite, Step
from assistant.model.trial import TrialOutcome
from assistant.model.verification import CannotJudge, Outcome, Unjudgeable, Verification, VerificationFinding
from assistant.ports.lab import LabFailure
from tests.unit.engine.regions import A, Evaluated

STEP, REWRITE = Step("t", "k()", 3, "", (), "", (), 0.0), Rewrite("t", "k()", 3, (), "Do it.", ())
TRIAL = Trial("C1", STEP, REWRITE, "int x;")
TOLD, OTHER = (AttemptSummary("t", line, "Do it.", TrialOutcome.FAILED, "wrong", None) for line in (3, 4))


def test_a_history_is_full_after_as_many_trials_as_are_allowed() -> None:
    history = TrialHistory((TOLD,), 2)
    fullness = [history.is_full]
    for text in ("a", "b"):
        history.add_unjudged(OTHER)
        history.add("before", replace(TRIAL, text=text), TOLD)
        fullness.append(history.is_full)
    assert fullness == [False, False, True]
    assert history.attempt_summaries == (TOLD, OTHER, TOLD, OTHER, TOLD)


def test_the_same_edit_of_the_same_text_and_the_same_code_are_known() -> None:
    history = TrialHistory((), 2)
    history.keep("before", TRIAL)
    history.keep("elsewhere", replace(TRIAL, id="C2"))
    assert not history.is_full and history.attempt_summaries == ()
    assert (history.known("before", "int x;"), history.known("before", "int y;"), history.known("other", "int x;")) == (TRIAL, None, None)
    assert (history.same_code("int  x; // a comment"), history.same_code("int y;")) == ("C1", None)
    history.begin_again()
    assert (history.same_code("int x;"), history.known("before", "int x;")) == (None, TRIAL)
    history.starts_from("int x;", "the start")
    history.starts_from("int x;", "later")
    assert history.same_code("int x;") == "the start"


def test_an_edit_that_was_tuned_is_known_as_it_was_written_too() -> None:
    history = TrialHistory((), 2)
    history.begun("int x = 1;")
    tuned = replace(TRIAL, text="int x = 2;", settings=(("x", 2),))
    history.keep("before", tuned)
    assert history.same_code("int x = 1;") == "one that is being tried"
    history.ended("before", "int x = 1;", tuned)
    assert (history.known("before", "int x = 1;"), history.known("other", "int x = 1;")) == (tuned, None)
    assert (history.same_code("int x = 1;"), history.same_code("int x = 2;")) == ("C1", "C1")


def test_a_reason_to_decline_is_given_once_and_never_of_a_settled_step() -> None:
    history = TrialHistory((), 2)
    first, moved, other, settled = (Decline(name, "k()", line, reason) for name, line, reason in (
        ("t", 3, "no loop"), ("t", 9, "no loop"), ("t", 3, "too long"), ("u", 5, "no loop"),
    ))  # fmt: skip
    request = cast("Any", SimpleNamespace(excluded=frozenset({("u", 5)})))
    assert history.new_declines(Plan((), (first, settled), "rules"), request, is_edited=False) == (first,)
    told = replace(other, reason="too long (lines are those of the edited text)")
    assert history.new_declines(Plan((), (moved, other), "rules"), request, is_edited=True) == (told,)
    assert history.new_declines(Plan((), (other,), "rules"), request, is_edited=True) == ()
    assert history.declines == (first, told)
    assert history.new_declines(Plan((), (settled,), "rules"), cast("Any", SimpleNamespace(excluded=frozenset())), is_edited=False) == (
        settled,
    )


def test_a_step_that_a_model_planned_is_never_left_out_without_a_word() -> None:
    history, again = TrialHistory((), 2), Decline("u", "k()", 5, "it was already tried", DeclineReason.ALREADY_TRIED)
    request = cast("Any", SimpleNamespace(excluded=frozenset({("u", 5)})))
    assert history.new_declines(Plan((), (again,), "expert"), request, is_edited=False) == ()
    for _ in range(2):
        assert history.new_declines(Plan((), (again,), "llm:large"), request, is_edited=False) == (again,)


def test_why_nothing_was_judged() -> None:
    assert why_not_judged(CannotJudge(Unjudgeable.NO_CASE, "no case", "give one")) == "no case"
    assert why_not_judged(LabFailure("crashed", "it died", "")) == "it died"


def test_a_candidate_without_a_speed_is_wrong_only_where_something_is(evaluated: Evaluated) -> None:
    right = Verification(Outcome.PASS, (), (), (), "program", (), ())
    wrong = replace(right, outcome=Outcome.FAIL, findings=(VerificationFinding("wrong_value", Outcome.FAIL, "x[0]: wrong value"),))
    launching, silent = evaluated(A, "first second"), evaluated(A, "wait")
    notes = ("no speed is reported: not counted",)
    assert end_without_speed(launching, wrong, notes) == (TrialOutcome.FAILED, "x[0]: wrong value")
    assert end_without_speed(launching, right, notes) == (TrialOutcome.CANNOT_JUDGE, f"its speed is not known; {notes[0]}")
    assert end_without_speed(silent, right, notes) == (TrialOutcome.FAILED, "the edited program does not launch the kernel any more")
