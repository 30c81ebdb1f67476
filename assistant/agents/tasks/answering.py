"""What calls answer: the reward with its components, what the judge found, what memory knows; bounded. Pure.

Example::

    judge_answer(judgement, reward, log)["components"]["right"]      # True
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from assistant.agents.tasks.recalled import Recalled
from assistant.agents.tasks.reward import Judgement, Reward
from assistant.model import events
from assistant.serialize import encode

__all__ = ["bounded", "by_folder_names", "judge_answer", "memory_answer"]

_MOST_REASONS = 8
_MOST_MESSAGES = 8
_MOST_TEXT = 600
"""Most characters of a message."""
_CUT_FIRST = ("events", "techniques", "messages", "figures", "speed", "notes", "page")
"""Parts of an answer that are left out, in this order, where it is too long."""
_NOT_MEASURED = "PREDICTED by a performance model, not measured: it is no part of the reward"


def judge_answer(judgement: Judgement, reward: Reward, log: Sequence[events.Event]) -> dict[str, Any]:
    """The reward first; then why, and what the verdict rests on."""
    components = {
        "compiled": reward.compiled,
        "right": reward.right,
        "ratio": None if reward.measured is None else encode(reward.measured),
        "predicted": None if reward.predicted is None else encode(reward.predicted),
        "bound_ratio": reward.bound_ratio,
        "cheat": reward.cheat,
        "reasons": [encode(reason) | {"message": _short(reason.message)} for reason in reward.reasons[:_MOST_REASONS]],
        "labels": list(reward.labels),
        "isolated": reward.is_isolated,
    }
    answer: dict[str, Any] = {
        "answer": _short(judgement.answer),
        "reward": reward.value,
        "milestone": reward.milestone.value,
        "components": components,
    }
    notes = _notes(reward)
    return answer | ({"notes": notes} if notes else {}) | _details(log, is_right=bool(reward.right))


def _notes(reward: Reward) -> list[str]:
    notes: list[str] = []
    if reward.value is None:
        notes.append("no sample: the judge or the machine could not answer, so there is no reward")
    if reward.predicted is not None and reward.measured is None:
        notes.append(_NOT_MEASURED)
    if not reward.is_isolated:
        notes.append("not isolated: the judge ran as the agent's own user")
    return notes


def _details(log: Sequence[events.Event], *, is_right: bool) -> dict[str, Any]:
    """Compiler messages of an edit that does not build; of one that is right its cases, its speed and what it came to before and after."""
    said = [event for event in log if isinstance(event, events.Message) and event.severity.value != "information"]
    messages = [_short(event.message) for event in said]
    for event in log:
        if isinstance(event, events.Diagnostics):
            messages += [_short(f"line {found.line}: {found.message}") for found in event.diagnostics if found.severity.value == "error"]
    made = next((event for event in reversed(log) if isinstance(event, events.ComparisonMade)), None)
    details: dict[str, Any] = {"messages": list(dict.fromkeys(messages))[:_MOST_MESSAGES]} if messages else {}
    if made is None or not is_right:
        return details
    details["cases"] = len(made.verification.cases)
    details["missing_checks"] = [_short(text) for text in made.verification.missing_checks[:_MOST_MESSAGES]]
    if made.speed is not None:
        details["speed"] = encode(made.speed)
    figures = next((event.figures for event in reversed(log) if isinstance(event, events.ComparisonMade) and event.figures), None)
    if figures is not None:
        details["figures"] = {side: _figures(encode(getattr(figures, side))) for side in ("before", "after")}
    return details


def _figures(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in {"roofline", "stalls"}}


def memory_answer(found: Recalled) -> dict[str, Any]:
    """Techniques, best first, each with what is known of it."""
    answer: dict[str, Any] = {"answer": _short(found.answer), "techniques": [encode(each) for each in found.techniques]}
    return answer | ({"page": found.page} if found.page else {})


def by_folder_names(answer: Any, names: Sequence[tuple[str, str]]) -> Any:
    """The answer with places of the protected copy under the names that the agent's folder has them by.

    ``names``: (absolute path, name in the folder) in the order in which they are replaced.
    """
    if isinstance(answer, str):
        for path, name in names:
            answer = answer.replace(path, name)
        return answer
    if isinstance(answer, dict):
        return {key: by_folder_names(value, names) for key, value in answer.items()}  # pyright: ignore[reportUnknownVariableType]  # JSON
    return [by_folder_names(value, names) for value in answer] if isinstance(answer, list) else answer  # pyright: ignore[reportUnknownVariableType]  # JSON


def bounded(answer: dict[str, Any], most_characters: int) -> dict[str, Any]:
    """The answer within so many characters of JSON text; what was left out of it is said under ``cut``."""
    cut: dict[str, int] = {}
    for name in _CUT_FIRST:
        size = len(_text(answer | {"cut": cut}))
        if size <= most_characters or name not in answer:
            continue
        kept, left_out = _shortened(answer[name], most_characters - (size - len(_text(answer[name]))))
        cut[name] = left_out
        answer = answer | {name: kept}
    return answer | {"cut": {name: f"{count} characters left out" for name, count in cut.items()}} if cut else answer


def _shortened(value: Any, room: int) -> tuple[Any, int]:
    """As much of a text, or as many of a list's first entries, as fit; what does not, in characters."""
    whole = len(_text(value))
    if isinstance(value, str):
        kept = value[: max(0, room - 2)]
        return kept, len(value) - len(kept)
    if isinstance(value, list):
        entries: list[Any] = list(value)  # pyright: ignore[reportUnknownArgumentType]  # JSON
        while entries and len(_text(entries)) > room:
            entries.pop()
        return entries, whole - len(_text(entries))
    return None, whole


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _short(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}…"
