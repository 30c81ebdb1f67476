"""Played sessions: what an agent saw is bounded and names nothing outside of its folder, and its edits are still let through."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.agents.admission import refused_edit
from assistant.model.source import Source
from tests.unit.agents.tasks.sessions import SESSIONS, judged_texts, lines_of


@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.stem)
def test_a_session_ends_right_and_its_edits_are_let_through(session: Path) -> None:
    task, calls = lines_of(session)
    source = Source(Path(task["source"]), task["start"])
    texts = list(judged_texts(session))
    assert texts[-1][1] == 1 and len({text for text, _ in texts}) == len(texts)
    for text, _ in texts:
        assert refused_edit(source, Source(source.path, text), may_edit_host_code=False) is None
    answers = [json.dumps(call["answer"]) for call in calls]
    assert all(len(answer) <= task["answer_characters"] and "/tasks/T0" not in answer for answer in answers)
