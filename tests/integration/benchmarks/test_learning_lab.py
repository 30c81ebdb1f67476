"""Searches of the learning curve: what one of them judged, no other judges again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assistant.memory import open_store
from assistant.model.attempt import Attempt
from benchmarks.learning_lab import LearningLab, tasks_of

SUITE = Path(__file__).resolve().parents[3] / "benchmarks" / "reductions"
(TASK,) = tasks_of((SUITE,), ["reductions/letters"])
NO_TIME_S = 0.001
"""In which no lab judges anything."""


def searched(out: Path, name: str, timeout_s: float) -> tuple[Attempt, ...]:
    with open_store(out / f"{name}.sqlite3") as store:
        attempts = asyncio.run(LearningLab(out, timeout_s).searched(TASK, store, "thompson", 0, 24))
        assert {attempt.id for attempt in store.attempts()} == {attempt.id for attempt in attempts}
        return attempts


@pytest.mark.thorough
def test_a_second_search_needs_no_lab_and_comes_to_the_same(tmp_path: Path) -> None:
    first = searched(tmp_path, "first", 300.0)
    assert [(attempt.technique, attempt.outcome.value) for attempt in first] == [("private-histogram", "kept")]
    again = searched(tmp_path, "again", NO_TIME_S)
    assert [(a.technique, a.key, a.ratio, a.outcome) for a in again] == [(a.technique, a.key, a.ratio, a.outcome) for a in first]


def test_what_nothing_is_known_of_is_judged_by_a_lab(tmp_path: Path) -> None:
    with pytest.raises(TimeoutError):
        searched(tmp_path, "first", NO_TIME_S)
