"""Every call that an agent made, a line when it begins and one when it ends, and what is left of the budget.

The lines are kept in kernelopt's home. A call whose process was killed has no end; the next call closes it, so that it counts once and the
log is whole. Example::

    log = CallLog(kept)
    number = log.begin(Begun("judge", …))
    log.end(number, 12.5, {"answer": "PASS, FASTER 1.20x", "reward": 2})
    left(task.budget, log.calls())      # Left(judge_count=19, wall_s=3587.5)
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from assistant.agents.tasks.task import Budget
from assistant.disk.lines import append_line, whole_lines
from assistant.errors import CannotAnswerError
from assistant.record import Record
from assistant.serialize import DecodeError, decode, encodable, encode

__all__ = ["JUDGE", "Begun", "Call", "CallLog", "Ended", "Left", "Refused", "Tool", "left"]

Tool = Literal["judge", "profile", "ask_memory"]
JUDGE: Tool = "judge"
KILLED = "the call was killed before it ended"


class Begun(Record):
    """A call as it began."""

    tool: Tool
    argument: str
    """Kernel to profile, or what memory is asked; empty for neither."""
    at_ms: int
    folder: str
    """The agent's, where it was called."""
    source_sha256: str
    """Of the file to edit; empty where it could not be read."""
    diff: str
    """From the file as it was given to the file as it was."""
    notes: str
    """The end of the agent's notes."""


class Ended(Record):
    """How a call ended."""

    call: int
    duration_s: float
    answer: dict[str, Any]


class Refused(Record):
    """A call that did not begin; it costs nothing."""

    tool: Tool
    argument: str
    at_ms: int
    folder: str
    reason: str


class Call(Record):
    """Both together; ``ended`` is None while it runs."""

    number: int
    begun: Begun
    ended: Ended | None


_Line = Begun | Ended | Refused


class Left(Record):
    """Of a budget."""

    judge_count: int
    wall_s: float

    def as_json(self) -> dict[str, Any]:
        """As every answer has it."""
        return {"judge_calls": self.judge_count, "wall_s": round(self.wall_s, 1)}

    def refusal(self, tool: Tool) -> str | None:
        """Why a call may not begin; None where it may."""
        if self.wall_s <= 0:
            return "the task's wall time is used up"
        if tool == JUDGE and self.judge_count <= 0:
            return "the task's calls of judge are used up"
        return None


def left(budget: Budget, calls: Iterable[Call]) -> Left:
    """A call of ``judge`` counts when it begins, its time when it has ended."""
    known = tuple(calls)
    used = sum(call.begun.tool == JUDGE for call in known)
    spent_s = sum(call.ended.duration_s for call in known if call.ended is not None)
    return Left(max(0, budget.judge_count - used), max(0.0, budget.wall_s - spent_s))


class CallLog:
    """The calls of one task. Whoever writes holds the task's lock."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def calls(self) -> tuple[Call, ...]:
        """In the order in which they began. Raises CannotAnswerError where a line is damaged."""
        begun, ended = list[Begun](), dict[int, Ended]()
        for line in self._lines():
            match line:
                case Begun():
                    begun.append(line)
                case Ended():
                    ended[line.call] = line
                case Refused():
                    pass
        return tuple(Call(number, each, ended.get(number)) for number, each in enumerate(begun, 1))

    def begin(self, begun: Begun) -> int:
        """Keep it; its number."""
        number = len(self.calls()) + 1
        self._append(begun)
        return number

    def end(self, number: int, duration_s: float, answer: dict[str, Any]) -> None:
        self._append(Ended(number, duration_s, answer))

    def refuse(self, refused: Refused) -> None:
        """Keep that a call did not begin."""
        self._append(refused)

    def refusals(self) -> tuple[Refused, ...]:
        return tuple(line for line in self._lines() if isinstance(line, Refused))

    def close_killed(self, beat: Path) -> None:
        """End what a killed process left open: ``beat`` was touched while it ran."""
        for call in self.calls():
            if call.ended is None:
                self.end(call.number, _ran_s(beat, call.begun.at_ms), {"answer": KILLED})

    def _lines(self) -> list[_Line]:
        try:
            return [_read(line) for line in whole_lines(self._path)]
        except (OSError, ValueError, DecodeError) as error:
            raise CannotAnswerError(f"{self._path} cannot be read: {error}", "make the task anew: kernelopt task new") from error

    def _append(self, line: _Line) -> None:
        try:
            append_line(self._path, _written(line))
        except OSError as error:
            raise CannotAnswerError(f"{self._path} cannot be written: {error.strerror}", "free space, or check its permissions") from error


def _read(line: str) -> _Line:
    data: dict[str, Any] = json.loads(line)
    match data.pop("event"):
        case "ended":
            return Ended(data["call"], data["duration_s"], data["answer"])
        case "refused":
            return decode(Refused, data)
        case _:
            return decode(Begun, data)


def _written(line: _Line) -> str:
    if isinstance(line, Ended):
        data = {"event": "ended", "call": line.call, "duration_s": line.duration_s, "answer": line.answer}
    else:
        data = {"event": "begun" if isinstance(line, Begun) else "refused"} | encode(line)
    return encodable(json.dumps(data, ensure_ascii=False, allow_nan=False))


def _ran_s(beat: Path, at_ms: int) -> float:
    try:
        return max(0.0, round(beat.stat().st_mtime - at_ms / 1000, 3))
    except OSError:
        return 0.0
