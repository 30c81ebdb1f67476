"""Sessions of an agent that had the folder and the tools of a task alone, as their trajectories; and the texts that it had judged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assistant.agents.tasks.training_data import edited_text

SESSIONS = sorted((Path(__file__).parents[3] / "data/agents/sessions").glob("*.jsonl"))


def lines_of(session: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The task, then its calls."""
    first, *calls = map(json.loads, session.read_text("utf-8").splitlines())
    return first, calls


def judged_texts(session: Path) -> Iterator[tuple[str, int]]:
    """(text, reward) of each call of ``judge``."""
    task, calls = lines_of(session)
    for call in calls:
        if call["tool"] == "judge":
            yield edited_text(task["start"], call["diff"]), call["reward"]
