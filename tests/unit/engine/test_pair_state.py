"""What a pair session has come to, folded from its turns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.editor.words import pair_headline
from assistant.engine.pair.state import PairState, pair_state, relative
from assistant.engine.pair.words import nothing_answer, report, started_answer, version_line
from assistant.model.comparison import CaseSpeed, Comparison, SpeedOutcome
from assistant.model.pair import PairSession, Turn, TurnKind
from assistant.model.verification import Outcome

TECHNIQUES = ("staged-store", "loop-unrolling")
SESSION = PairSession("S1", Path("/w"), Path("/w/k.cu"), "k", "half the time", "v0", 1, "lsp 1")


def speed(ratio: float, outcome: SpeedOutcome = SpeedOutcome.PREDICTED) -> Comparison:
    return Comparison(outcome, ratio, None, None, None, "model error 1.28x median", (), "performance model for h200, from counted accesses")


def state(*turns: Turn) -> PairState:
    numbered = [Turn("S1", 1, TurnKind.START, "", "begun on k", 1, "lsp 1"), *turns]
    return pair_state(SESSION, numbered, TECHNIQUES)


def turn(kind: TurnKind, said: str = "", answer: str = "", **more: Any) -> Turn:
    return Turn("S1", 0, kind, said, answer, 1, "cli 2", **more)


def edit(text: str, ratio: float | None, outcome: Outcome | None = Outcome.PASS, against_best: float | None = None, **more: Any) -> Turn:
    best = None if against_best is None else speed(against_best)
    judged = None if ratio is None else speed(ratio)
    return turn(TurnKind.EDIT, answer=f"{text}: answered", text=text, outcome=outcome, against_baseline=judged, against_best=best, **more)


def test_a_session_starts_at_its_baseline() -> None:
    now = state()
    assert (now.current.number, now.best.number, now.current_text, now.is_open) == (0, 0, "v0", True)
    assert started_answer(now) == "pairs on k of k.cu: v0, the baseline, is the current text; goal: half the time"


def test_the_best_version_is_right_and_proved_better_than_the_best_before() -> None:
    now = state(edit("v1", 1.5), edit("v2", 3.0, Outcome.FAIL), edit("v3", 1.5, against_best=1.0), edit("v4", 1.8, against_best=1.2))
    assert [version.number for version in now.versions] == [0, 1, 2, 3, 4]
    assert now.best.number == 4 and now.current.number == 4
    assert state(edit("v1", 1.5), edit("v2", 1.5, against_best=1.0)).best.number == 1


def test_what_needs_a_decision_is_best_only_once_a_person_has_accepted_it() -> None:
    assert state(edit("v1", 2.0, Outcome.NEEDS_DECISION)).best.number == 0
    assert state(edit("v1", 2.0, Outcome.NEEDS_DECISION, proposal="P1")).best.number == 1


def test_what_breaks_a_constraint_is_never_best() -> None:
    assert state(edit("v1", 2.0, breaks=("keep the launch: it changes the launch",))).best.number == 0


def test_going_back_makes_no_version() -> None:
    now = state(edit("v1", 1.5), turn(TurnKind.BACK, "v0", text="v0 // comment"))
    assert (len(now.versions), now.current.number, now.current_text, now.best.number) == (2, 0, "v0 // comment", 1)


def test_constraints_come_from_people_and_from_rejections_and_can_be_dropped() -> None:
    said = (turn(TurnKind.CONSTRAIN, "keep block 64"), turn(TurnKind.DECISION, "no staged-store"), turn(TurnKind.DECISION, ""))
    now = state(*said)
    assert [c.words for c in now.constraints] == ["keep block 64", "no staged-store"]
    assert now.rules.block_threads == 64 and now.rules.excluded_techniques == {"staged-store"}
    assert [c.words for c in state(*said, turn(TurnKind.CONSTRAIN, "drop 1")).constraints] == ["no staged-store"]
    assert [c.words for c in state(*said, said[0]).constraints] == ["no staged-store", "keep block 64"]


def test_stop_ends_it() -> None:
    assert not state(turn(TurnKind.STOP)).is_open


def test_predictions_with_one_baseline_divide_and_measurements_do_not() -> None:
    quotient = relative(speed(1.5), speed(1.8))
    assert quotient is not None and quotient.ratio == pytest.approx(1.2) and quotient.low is None
    assert relative(speed(1.5, SpeedOutcome.FASTER), speed(1.8)) is None
    assert relative(speed(1.5), speed(1.8, SpeedOutcome.FASTER)) is None


def test_a_version_has_the_ratio_of_its_judgement_and_the_baseline_is_its_own() -> None:
    now = state(edit("v1", 1.5), edit("v2", None, None), edit("v3", None))
    assert [version.ratio for version in now.versions] == [1.0, 1.5, None, None]
    assert [version.is_judged for version in now.versions] == [True, True, False, True]


def test_of_several_shapes_each_is_held_against_itself() -> None:
    def cases(**ratios: float) -> Comparison:
        found = tuple(CaseSpeed(shape, 2.0, ratio, 1.0, 9.0, SpeedOutcome.PREDICTED) for shape, ratio in ratios.items())
        return replace(speed(2.0), cases=found, low=1.0, high=3.0, margin=0.1, bottleneck_before="dram", bottleneck_after="l2")

    made = relative(cases(a=2.0, b=4.0), cases(b=8.0, a=3.0, c=1.0))
    assert made is not None
    assert (made.low, made.high, made.margin, made.bottleneck_before, made.bottleneck_after) == (None, None, None, "l2", "l2")
    assert [(case.shape, case.weight, case.ratio, case.low, case.high) for case in made.cases] == [
        ("b", 2.0, 2.0, None, None),
        ("a", 2.0, 1.5, None, None),
    ]


def test_a_decision_without_a_lesson_and_a_turn_without_a_text_change_nothing() -> None:
    said = turn(TurnKind.CONSTRAIN, "be nice")
    now = state(said, turn(TurnKind.DECISION), turn(TurnKind.EDIT), turn(TurnKind.BACK, "v0"), turn(TurnKind.SUGGEST, proposal="P1"))
    assert (now.versions, now.current_text, [c.words for c in now.constraints]) == (state().versions, "v0", ["be nice"])
    assert now.proposals == ("P1",) and now.is_open and len(now.turns) == 6
    assert [c.words for c in state(said, turn(TurnKind.CONSTRAIN, " DROP 2 ")).constraints] == ["be nice"]
    assert state(turn(TurnKind.DECISION, proposal="P1"), turn(TurnKind.SUGGEST)).proposals == ()


def test_the_report_names_every_version_once_and_what_its_speed_rests_on() -> None:
    now = state(edit("v1", None, Outcome.FAIL), edit("v2", 1.5), turn(TurnKind.CONSTRAIN, "be nice"), turn(TurnKind.STOP))
    text = report(now)
    assert "Best: v2, PREDICTED 1.50x against the baseline (performance model for h200)." in text
    assert "| v1 | FAIL |  | v1: answered |" in text and "Goal: half the time" in text
    assert "- constraint 1: be nice (not enforced" in text
    assert text.endswith("Speed: performance model for h200, from counted accesses.")
    assert version_line(now, now.versions[2]) == "v2 [best, now]: answered"


def test_nothing_comes_with_its_reasons() -> None:
    assert nothing_answer(("a", "b", "c")) == "nothing, because a; b; and 1 more reason (why shows them)"
    assert nothing_answer(()).startswith("nothing, because no finding")


def test_the_headline_is_the_last_answer_but_not_an_explanation() -> None:
    assert pair_headline(state().turns, str) == "Pair: save an edit to have it judged"
    assert pair_headline(state(edit("v1", 1.5), turn(TurnKind.WHY, answer="long story")).turns, str) == "Pair: v1: answered"
