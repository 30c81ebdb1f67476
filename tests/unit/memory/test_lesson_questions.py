"""What a model is asked about trials, and what becomes of the condition that it answers."""

from __future__ import annotations

import math
from typing import Any

import pytest

from assistant.memory import MemoryStore
from assistant.memory.lesson_questions import condition_of, question_of
from assistant.memory.playbooks import is_held_out
from assistant.memory.writing import edit_of
from assistant.model.lesson import LessonDraft
from tests.unit.memory.experiences import HERE, TECHNIQUE
from tests.unit.memory.test_playbooks import filled, trials
from tests.unit.memory.test_writing import BEFORE, FAST


def draft(field: str, value: str, *prose: str) -> LessonDraft:
    return LessonDraft(TECHNIQUE, field, value, prose, "large")


def test_a_question_has_states_and_outcomes_of_the_kernels_that_are_learnt_from_alone() -> None:
    rows = trials()
    question = question_of(TECHNIQUE, rows, {rows[1].id: edit_of(BEFORE, FAST)}.get, ())
    assert question is not None
    assert len(question.trials) == sum(not is_held_out(row) for row in rows)
    assert question.trials[0].startswith("T1: ") and question.trials[0].endswith("x, measured")
    assert any("memory-bound (dram)" in line and "3.00x" in line for line in question.trials)
    assert dict(question.conditions)["label"] == ("dram", "latency")
    assert dict(question.conditions)["threads"] == ()
    said = "\n".join(question.trials)
    assert not any(row.kernel.partition("(")[0] in said or row.id in said.split() for row in rows) and str(HERE) not in said


def test_too_few_kernels_are_no_question() -> None:
    assert question_of(TECHNIQUE, trials()[:4], lambda _: None, ()) is None


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("label", "dram", True),
        ("threads", "4,096", True),
        ("word", "__shfl_down_sync", True),
        ("word", "my_secret_function", False),
        ("like", "C1", False),
        ("threads", "-1", False),
        ("threads", "9" * 5_000, False),
        ("threads", "٣", False),
        ("decision", "accepted", False),
    ],
)
def test_only_conditions_that_memory_has_are_taken(field: str, value: str, expected: bool) -> None:
    assert (condition_of(draft(field, value)) is not None) is expected


def test_a_models_lesson_is_kept_where_it_predicts_better_and_said_in_its_own_words(store: MemoryStore, given: Any) -> None:
    filled(store, given)
    (question,) = store.learned.questions()
    assert question.technique == TECHNIQUE
    wrong = store.learned.consider(draft("label", "l2"), 2_000)
    assert wrong is None, "no kernel of it is known"
    tried = store.learned.consider(draft("label", "shared", "how: fold within the warp"), 2_000, is_trial=True)
    assert tried is not None and tried.is_kept and store.learned.lessons() == ()
    store.learned.consider(draft("label", "shared", "how: fold within the warp"), 2_000)
    (lesson,) = store.what_was_learned().lessons
    assert lesson.statements[-1] == "in the words of large, how: fold within the warp"
    assert not any(each.is_kept for each in store.learned.learn(3_000)), "the rule finds as much, which is no better"
    assert not math.isnan(store.learned.lessons()[0].lesson.score.error)
