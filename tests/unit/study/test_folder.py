"""A study on disk: what outlasts a kill, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.errors import CannotAnswerError, UsageError
from assistant.model.completion import ModelRole, Price, ServedModel
from assistant.study.arms import PlanVariation, Signal, StudyDesign, arms_of, read_signals
from assistant.study.costs import cost_of
from assistant.study.folder import StudyFolder
from assistant.study.intervening import left_of
from assistant.study.outcomes import rewrite_key
from tests.unit.study.studies import answer, node, rewrite, verdicts
from tests.unit.study.test_results import design

DESIGN = StudyDesign((Signal("profile"),), PlanVariation.VARY, (), 2)


def test_nodes_answers_and_verdicts_come_back(tmp_path: Path) -> None:
    folder, frozen = StudyFolder(tmp_path), node()
    assert (folder.add_nodes([frozen]), folder.add_nodes([frozen])) == (1, 0)
    kept, verdict = answer(frozen, arms_of(DESIGN)[0], 0, "fast"), verdicts(frozen)[0]
    folder.add_answer(kept)
    folder.add_verdict(verdict)
    assert (folder.nodes(), folder.answers(), folder.verdicts()) == ((frozen,), (kept,), (verdict,))


def test_half_a_line_of_a_killed_study_is_dropped(tmp_path: Path) -> None:
    folder, first = StudyFolder(tmp_path), answer(node(), arms_of(DESIGN)[0], 0, "fast")
    folder.add_answer(first)
    with (tmp_path / "answers.jsonl").open("a") as file:
        file.write('{"node": "N')
    assert folder.answers() == (first,)
    second = replace(first, index=1)
    folder.add_answer(second)
    assert folder.answers() == (first, second)


def test_a_changed_node_and_another_design_are_refused(tmp_path: Path) -> None:
    folder, frozen = StudyFolder(tmp_path), node()
    folder.add_nodes([frozen])
    folder.begin(DESIGN)
    folder.begin(DESIGN)
    with pytest.raises(UsageError, match="other options: draw count"):
        folder.begin(replace(DESIGN, draw_count=3))
    path = tmp_path / "nodes" / f"{frozen.id}.json"
    path.write_text(path.read_text("utf-8").replace('"code"', '"other code"'), "utf-8")
    with pytest.raises(CannotAnswerError, match="was changed since it was frozen"):
        folder.nodes()


def test_what_is_left_goes_round_the_arms_and_skips_what_is_known() -> None:
    frozen, arms = node(), arms_of(DESIGN)
    known = [answer(frozen, arms[1], 0, "fast"), answer(frozen, arms[0], 0, "lost")]
    left = left_of(frozen, arms, DESIGN, known, verdicts(frozen))
    assert [(arms.index(arm), index) for arm, index in left.draws] == [(2, 0), (3, 0), (0, 1), (1, 1), (2, 1), (3, 1)]
    assert left.unjudged == (known[1],)


def test_an_edit_is_judged_once_whatever_it_is_called() -> None:
    one = rewrite("fast")
    assert rewrite_key(one) == rewrite_key(replace(one, technique="other", line=9, summary="Another word."))
    assert rewrite_key(one) != rewrite_key(rewrite("slow"))


def test_the_cost_counts_plan_and_code_of_each_draw_that_is_left() -> None:
    frozen, of = node(), design("profile", draws=3)
    served = [ServedModel(role, "openai", "e", "m", Price(1.0, 10.0)) for role in (ModelRole.PLANNER, ModelRole.CODER)]
    cost = cost_of([(frozen, left_of(frozen, arms_of(of), of, (), ()))], served[0], served[1], at_once=2)
    assert cost.draw_count == 3 * 5
    assert cost.spending.call_count == 3 * (5 + 2)  # all arms ask for code, two of them for a plan
    assert cost.spending.money_usd == pytest.approx(3 * (5 * 2000 + 2 * 6000) / 1e6)
    assert (cost.model_s, cost.judge_s) == (3 * (5 * 2 + 2 * 4) / 2, 3 * 5 * 0.5)


def test_signals_are_named_once_and_known() -> None:
    assert read_signals("verdicts, profile:summarised") == (Signal("profile", "summarised"), Signal("verdicts"))
    for words in ("speed", "profile,profile", "profile:loud", "verdicts:raw"):
        with pytest.raises(UsageError):
            read_signals(words)
