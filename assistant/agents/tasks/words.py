"""Answers and tasks as plain lines, for a shell: the same facts as the JSON. Pure.

Example::

    answer_in_words(answer)     # "reward 1 (right): PASS, PREDICTED 1.83x\\n…"
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from assistant.agents.tasks.calls import JUDGE, Call, Left
from assistant.agents.tasks.task import Task
from assistant.model.comparison import format_ratio
from assistant.profile.quantity import format_quantity

__all__ = ["answer_in_words", "task_in_words"]

_MOST_LINES = 60
"""Of a profile."""


def answer_in_words(answer: dict[str, Any]) -> str:
    """A call's answer."""
    lines = [*_head(answer), *_components(answer), *_techniques(answer), *_profile(answer)]
    lines += [f"note: {note}" for note in answer.get("notes", ())]
    lines += [f"cut: {name}: {words}; --json has no more of it either" for name, words in answer.get("cut", {}).items()]
    left = answer["left"]
    return "\n".join([*lines, f"left: {left['judge_calls']} calls of judge, {left['wall_s']:.0f} s in all calls"])


def task_in_words(task: Task, calls: Sequence[Call], left: Left) -> str:
    """What it asks, what is left, and a line for each call."""
    rewards = [call.ended.answer.get("reward") for call in calls if call.begun.tool == JUDGE and call.ended is not None]
    known = [reward for reward in rewards if reward is not None]
    head = [
        f"{task.id}: {task.kind.value}, edit {task.source}",
        f"left: {left.judge_count} of {task.budget.judge_count} calls of judge, {left.wall_s:.0f} of {task.budget.wall_s:.0f} s",
        f"best reward: {max(known) if known else 'none yet'}",
    ]
    return "\n".join([*head, *map(_call, calls)])


def _call(call: Call) -> str:
    when = datetime.fromtimestamp(call.begun.at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
    if call.ended is None:
        return f"{call.number}. {when} {call.begun.tool}: running"
    answer = call.ended.answer
    reward = f"reward {answer['reward']}: " if "reward" in answer else ""
    return f"{call.number}. {when} {call.begun.tool} ({call.ended.duration_s:.0f} s) {reward}{answer['answer']}"


def _head(answer: dict[str, Any]) -> Iterable[str]:
    if "reward" not in answer:
        return (answer["answer"],)
    reward = "none" if answer["reward"] is None else answer["reward"]
    milestone = f" ({answer['milestone']})" if "milestone" in answer else ""
    return (f"reward {reward}{milestone}: {answer['answer']}",)


def _components(answer: dict[str, Any]) -> Iterable[str]:
    parts = answer.get("components")
    if parts is None:
        return
    yield f"compiled {_yes(parts['compiled'])}, right {_yes(parts['right'])}"
    for reason in parts["reasons"]:
        place = "" if reason["line"] is None else f" line {reason['line']}"
        yield f"why: {reason['code']}{place}: {reason['message']}"
    if parts["cheat"] is not None:
        yield f"cheat: {parts['cheat']}"
    if parts["labels"]:
        yield f"labels: {', '.join(parts['labels'])}"
    if parts["ratio"] is not None:
        yield f"measured: {parts['ratio']['outcome']} {_ratio(parts['ratio'])}"
    if parts["predicted"] is not None:
        yield f"predicted: {_ratio(parts['predicted'])}"
    if parts["bound_ratio"] is not None:
        yield f"at {100 * parts['bound_ratio']:.0f} % of what the device allows"
    for message in answer.get("messages", ()):
        yield f"says: {message}"
    for text in answer.get("missing_checks", ()):
        yield f"not checked: {text}"
    yield from _figures(answer.get("figures"))


def _figures(figures: dict[str, dict[str, Any]] | None) -> Iterable[str]:
    if not figures:
        return
    before, after = figures["before"], figures["after"]
    for name in ("predicted_time_s", "limited_by", "sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts", "grid", "block"):
        yield f"{name}: {before[name]} -> {after[name]}"


def _techniques(answer: dict[str, Any]) -> Iterable[str]:
    for known in answer.get("techniques", ()):
        answers = f" for {', '.join(known['answers'])}" if known["answers"] else ""
        yield f"- {known['technique']}: {known['title']}{answers}" + (f"; {known['known']}" if known["known"] else "")
    if answer.get("page"):
        yield answer["page"]


def _profile(answer: dict[str, Any]) -> Iterable[str]:
    """Findings and counters of a profile, one a line."""
    if "program" in answer:
        yield answer["program"]
    lines = [line for event in answer.get("events", ()) for line in _event(event)]
    yield from lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        yield f"{len(lines) - _MOST_LINES} lines more: --json, or name a kernel with --kernel"


def _event(event: dict[str, Any]) -> Iterable[str]:
    match event["event"]:
        case "profile":
            yield f"{event['kernel']} grid {event['grid']} block {event['block']} ({event['method']})"
            for line in event["lines"]:
                counts = [f"{name} {line[name]} (ideal {line['ideal_' + name]})" for name in ("sectors", "wavefronts") if name in line]
                yield f"  line {line['line']} {line['op']}: {line['requests']} requests, {', '.join(counts)}, {line['grade']}"
            for found in event["findings"]:
                yield f"  {found['code']} line {found['line']}: {found['message']}"
        case "findings":
            for found in event["findings"]:
                yield f"{found['code']} line {found['line']}: {found['message']}"
        case "operators":
            yield from _operators(event)
        case "message":
            yield f"{event['severity']}: {event['message']}"
        case _:
            return


def _operators(event: dict[str, Any]) -> Iterable[str]:
    """Functions of a PyTorch reference, costliest first, and what one kernel could do together."""
    separate, least = format_quantity(event["separate_time_s"], "s"), format_quantity(event["least_time_s"], "s")
    yield f"{event['name']} on {event['target']}: at least {separate} one after another, {least} for inputs, weights and results alone"
    yield f"  {event['method']}"
    for found in event["functions"]:
        moved = format_quantity(found["moved_bytes"], "B")
        place = "" if found["line"] is None else f" line {found['line']}"
        counts = f"{found['call_count']} x {found['name']}{place}: {moved}, {found['operation_count']} operations"
        yield f"  {found['share_ratio']:4.0%} {counts}"
    for group in event["groups"]:
        moved, separate = format_quantity(group["moved_bytes"], "B"), format_quantity(group["separate_bytes"], "B")
        yield f"  one kernel could do {', '.join(group['names'])}: {moved} instead of {separate}"


def _ratio(parts: dict[str, Any]) -> str:
    interval = "" if parts.get("low") is None or parts.get("high") is None else f" ({parts['low']:.2f} to {parts['high']:.2f})"
    return f"{format_ratio(parts['ratio'])}x{interval}"


def _yes(value: bool | None) -> str:
    return "not known" if value is None else "yes" if value else "no"
