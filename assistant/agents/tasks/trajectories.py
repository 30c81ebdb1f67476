"""A task's trajectory: the task, then every call with what it was asked on and what it answered. Pure but for reading the kept task.

Example::

    [line["reward"] for line in trajectory(kept) if line.get("tool") == "judge"]      # [-1, 1, 2]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assistant.agents.tasks.calls import JUDGE, Call, CallLog
from assistant.agents.tasks.readme import readme
from assistant.agents.tasks.store import KeptTask
from assistant.serialize import encode

__all__ = ["SCHEMA", "trajectory"]

SCHEMA = 1
"""Version of the lines."""


def trajectory(kept: KeptTask) -> Iterator[dict[str, Any]]:
    """JSON objects: one of the task, one of each call in order, and one of each call that was refused before it began, by its time."""
    task = kept.task
    about = {name: value for name, value in encode(task).items() if name != "protected"}
    yield {"event": "task", "schema": SCHEMA} | about | {"instructions": readme(task, ()), "start": kept.start()}
    log = CallLog(kept.calls)
    lines = [_line(call) for call in log.calls()] + [{"event": "refused"} | encode(refused) for refused in log.refusals()]
    yield from sorted(lines, key=lambda line: line["at_ms"])


def _line(call: Call) -> dict[str, Any]:
    ended = call.ended
    line = {"event": "call", "call": call.number} | encode(call.begun)
    line |= {"duration_s": None if ended is None else ended.duration_s, "answer": None if ended is None else ended.answer}
    return line | ({"reward": None if ended is None else ended.answer.get("reward")} if call.begun.tool == JUDGE else {})
