"""The explanation of a proposal: every number with its unit, method and device, nothing said twice."""

import re
from dataclasses import replace

import pytest

from assistant.engine.proposals.explain import explain, other_edit
from assistant.engine.proposals.steps import KeptStep
from assistant.model.plan import MetricPrediction, Rewrite, Step, Technique
from assistant.model.profile import Evidence, Finding, Grade, Method, Severity
from assistant.model.proposal import PredictionOutcome
from assistant.model.verification import Label, Outcome

_SECTORS = Evidence("E1", "global_sectors", 98304.0, "sectors", 7, Method.EMULATOR, "emulator, sm_90 rules")
_SAVING = Evidence("E2", "predicted_saving_ratio", 0.386, "ratio", 7, Method.MODEL, "h200", Grade.ESTIMATED)
_PREDICTION = MetricPrediction("global_sectors", 98304, 12288, "sectors")


def _kept(*outcomes: PredictionOutcome) -> KeptStep:
    return KeptStep(
        technique=Technique("staged-store", "Stage a store", ("KO101",), (), ""),
        step=Step("staged-store", "k(float *)", 7, "", ("E1", "E2"), "KO101", (_PREDICTION,), 0.4),
        rewrite=Rewrite("staged-store", "k(float *)", 7, (), "Store through a tile.", (), (), ("blocks of 32 x 8 threads",)),
        finding=Finding("KO101", "k(float *)", 7, Severity.WARNING, "Stores are scattered", ("E1", "E2"), 0.386),
        evidence=(_SECTORS, _SAVING),
        outcomes=outcomes,
    )


def test_every_fact_has_its_unit_and_its_source(verdict, predicted) -> None:
    text = explain((_kept(),), verdict(), predicted(1.61))
    assert "E1: global sectors on line 7: 98,304 (emulator, sm_90 rules, exact)" in text
    assert "E2: predicted saving on line 7: 38.6 % (model, h200, estimated)" in text


def test_a_prediction_stands_next_to_what_was_counted(verdict, predicted) -> None:
    outcomes = (PredictionOutcome(_PREDICTION, 12288.0, True), PredictionOutcome(_PREDICTION, 98304.0, False))
    text = explain((_kept(*outcomes, PredictionOutcome(_PREDICTION, None, None)),), verdict(), predicted(1.61))
    assert "global sectors: 98,304 → 12,288 predicted, 12,288 counted (hit)" in text
    assert "98,304 counted (miss)" in text
    assert "not counted (not scored)" in text


def test_speed_says_predicted_how_and_how_well_known(verdict, predicted) -> None:
    text = explain((_kept(),), verdict(), predicted(1.61))
    assert "PREDICTED 1.61x, limited by l2 before, by launch after (performance model for h200; model error 1.28x median)" in text
    assert "PREDICTED 1.61x [1.20, 2.16]" in explain((_kept(),), verdict(), predicted(1.61, low=1.2))
    assert "FASTER" not in text


def test_a_verdict_says_what_it_rests_on_in_its_own_line(verdict, predicted) -> None:
    rests = replace(verdict(), caveats=("at the program's own sizes", "host code not compared"))
    assert "PASS (at the program's own sizes; host code not compared), " in explain((_kept(),), rests, predicted(1.61))


def test_labels_are_explained_in_words(verdict, predicted) -> None:
    labels = tuple(Label)
    text = explain((_kept(),), verdict(labels=labels), predicted(1.61))
    for label in labels:
        assert re.search(rf"{label.value} \([a-z ,]+", text), label


def test_only_a_person_takes_what_needs_a_decision(verdict, predicted) -> None:
    sentence = "only you can accept it, no --accept policy does"
    assert sentence in explain((_kept(),), verdict(Outcome.NEEDS_DECISION), predicted(1.61))
    assert sentence not in explain((_kept(),), verdict(), predicted(1.61))


def test_what_else_was_found_is_named_without_the_gain_of_its_screen(verdict, predicted) -> None:
    kept = _kept()
    other = other_edit((kept, replace(kept, rewrite=replace(kept.rewrite, labels=(Label.ALIGNMENT, Label.READABILITY)))))
    assert (
        other == "staged-store at line 7, then staged-store at line 7 of the edited text (it needs aligned data; it makes the code longer)"
    )
    assert "(staged-store, line 7)" in explain((kept,), verdict(), predicted(1.61))
    assert "(staged-store, line 7 of the edited text)" in explain((kept, kept), verdict(), predicted(1.61))
    text = explain((kept,), verdict(), predicted(1.61), (other,))
    assert text.splitlines()[-1].startswith(f"**Also found, and not offered together with this**: {other}. ")
    assert "Also found" not in explain((kept,), verdict(), predicted(1.61))


def test_a_models_step_without_a_finding_gives_its_own_reason_with_the_numbers_it_cites(verdict, predicted) -> None:
    step = replace(_kept().step, rationale="moves {E1}, saves {E9}", planner="llm:small")
    text = explain((replace(_kept(), step=step, finding=None),), verdict(), predicted(1.61))
    assert "Why: by llm:small: moves global sectors: 98,304, saves {E9}" in text


def test_facts_of_one_source_stand_together_and_a_fact_of_the_whole_launch_names_no_line(verdict, predicted) -> None:
    facts = (_SECTORS, _SAVING, Evidence("E3", "block_count", 4.0, "blocks", None, Method.EMULATOR, "emulator, sm_90 rules"))
    text = explain((replace(_kept(), evidence=facts),), verdict(), predicted(1.61))
    source = "(emulator, sm_90 rules, exact)"
    assert f"- E1: global sectors on line 7: 98,304; E3: grid: 4 blocks {source}" in text


def test_a_ratio_is_judged_and_not_counted(verdict, predicted) -> None:
    outcome = PredictionOutcome(MetricPrediction("time_ratio", 1.0, 2.0, "ratio"), 1.5, False)
    assert "- speed: 1.00x → 2.00x predicted, 1.50x judged (miss)" in explain((_kept(outcome),), verdict(), predicted(1.61))


def test_the_verdict_counts_the_cases_that_passed_and_the_labels_are_explained(verdict, predicted) -> None:
    mixed = verdict(Outcome.NEEDS_DECISION, labels=(Label.FAST_MATH,))
    mixed = replace(mixed, cases=(*mixed.cases, *verdict().cases, *verdict().cases))
    text = explain((_kept(),), mixed, predicted(1.61))
    assert "2 of 3 cases passed; compared: what each launch leaves; only you" in text
    assert "**Know before accepting**: fast-math (it uses approximate arithmetic)" in text


def test_where_no_launch_was_compared_no_case_is_counted(verdict, predicted) -> None:
    text = explain((_kept(),), replace(verdict(), cases=(), oracle="program"), predicted(1.61))
    assert "**Verdict**: PASS; compared: what reaches the host" in text


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("l2", "l2", "1.61x (small; warm), limited by l2 before and after (performance"),
        ("l2", "dram", "1.61x (small; warm), limited by l2 before, by dram after (performance"),
        (None, "l2", "1.61x (small; warm) (performance"),
        ("l2", None, "1.61x (small; warm) (performance"),
    ],
)
def test_what_limits_it_is_said_where_both_sides_are_known(verdict, predicted, before, after, words) -> None:
    speed = replace(predicted(1.61), bottleneck_before=before, bottleneck_after=after, caveats=("small", "warm"))
    assert words in explain((_kept(),), verdict(), speed)


@pytest.mark.parametrize(("low", "high"), [(1.2, None), (None, 2.0)])
def test_half_an_interval_is_not_shown(verdict, predicted, low, high) -> None:
    assert "[" not in explain((_kept(),), verdict(), replace(predicted(1.61), low=low, high=high))


def test_a_chain_names_each_step_and_each_assumption_once(verdict, predicted) -> None:
    text = explain((_kept(), _kept()), verdict(), predicted(1.61))
    assert text.count("**Stage a store** (staged-store, line 7)") == 1
    assert text.count("**Stage a store** (staged-store, line 7 of the edited text)") == 1
    assert text.count("blocks of 32 x 8 threads") == 1
