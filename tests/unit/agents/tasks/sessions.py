"""Sessions of an agent that had the folder and the tools of a task alone, as their trajectories; and the texts that it had judged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SESSIONS = sorted((Path(__file__).parents[3] / "data/agents/sessions").glob("*.jsonl"))
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? ")


def lines_of(session: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The task, then its calls."""
    first, *calls = map(json.loads, session.read_text("utf-8").splitlines())
    return first, calls


def judged_texts(session: Path) -> Iterator[tuple[str, int]]:
    """(text, reward) of each call of ``judge``."""
    task, calls = lines_of(session)
    for call in calls:
        if call["tool"] == "judge":
            yield patched(task["start"], call["diff"]), call["reward"]


def patched(start: str, diff: str) -> str:
    """The text that a unified diff makes of its start. Raises AssertionError where it is another start."""
    old, new, at = start.splitlines(keepends=True), list[str](), 0
    for line in diff.splitlines(keepends=True)[2:]:
        hunk = _HUNK.match(line)
        if hunk is not None:
            first = int(hunk[1]) - (hunk[2] != "0")
            new, at = new + old[at:first], first
        elif line.startswith("+"):
            new.append(line[1:])
        elif line[:1] in "- ":
            assert old[at] == line[1:], (old[at], line)
            new, at = new + ([line[1:]] if line[0] == " " else []), at + 1
    return "".join(new + old[at:])
