"""Played sessions again: each text that an agent had judged gets the reward that it got."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli
from tests.unit.agents.tasks.sessions import SESSIONS, judged_texts, lines_of


@pytest.mark.thorough
@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.stem)
def test_a_played_session_has_its_rewards_again(cli: Cli, session: Path) -> None:
    task, _ = lines_of(session)
    (cli.folder / task["source"]).write_text(task["start"])
    made = cli.run("task", "new", task["source"], "work", "--for", "claude")
    assert made.code == 0, made.said
    edited = cli.folder / "work" / task["source"]
    for text, reward in judged_texts(session):
        edited.write_text(text)
        answer = json.loads(cli.run("judge", "--json", folder=edited.parent).out)
        assert answer["reward"] == reward, answer
