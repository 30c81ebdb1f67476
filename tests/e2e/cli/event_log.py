"""The events of a run in the few fields that tell its story, as docs/explanation/planning.md prints them.

Example::

    for line in story(ended.events): print(line)       # {"event": "candidate", "outcome": "kept", …}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = ["comparable", "printed_log", "story"]

_SHOWN: dict[str, tuple[str, ...]] = {
    "job_started": ("command", "device"),
    "budget": ("spent", "ended_by"),
    "findings": ("kernel", "findings"),
    "plan": ("planner", "steps", "declines"),
    "model_call": ("role", "prompt", "model", "outcome", "input_token_count", "output_token_count"),
    "candidate": ("technique", "outcome", "reason", "ratio"),
    "proposal": ("kernel", "techniques", "verification", "speed", "model", "state"),
    "job_ended": ("exit_code", "reason"),
}
_LONGEST = 110


def story(events: Iterable[dict[str, Any]]) -> list[str]:
    """One line an event; stages and messages are left out."""
    return [json.dumps(_shown_fields(event), ensure_ascii=False) for event in events if event["event"] in _SHOWN]


def printed_log(page: Path) -> list[str]:
    """The log that a page of the docs prints."""
    block = re.search(r"```json\n(.*?)```", page.read_text("utf-8"), re.S)
    assert block is not None, f"{page} prints no log"
    return block[1].splitlines()


def comparable(lines: Iterable[str]) -> list[str]:
    """Without versions of prompts, which may change without changing what happens."""
    return [re.sub(r"@\d+", "@", line) for line in lines]


def _shown_fields(event: dict[str, Any]) -> dict[str, Any]:
    return {"event": event["event"]} | {name: _short(name, event[name]) for name in _SHOWN[event["event"]] if event[name] is not None}


def _short(name: str, value: Any) -> Any:
    match name:
        case "findings":
            return [f"{found['code']} line {found['line']}" for found in value]
        case "steps":
            return [f"{step['technique']} line {step['line']} for {step['finding'] or 'no finding'}" for step in value]
        case "verification":
            return value["outcome"]
        case "speed":
            return f"{value['outcome']} {value['ratio']:.2f}x"
        case "spent":
            return {"call_count": value["call_count"], "tokens": value["input_token_count"] + value["output_token_count"]}
        case "ratio":
            return round(value, 2)
        case _:
            return value if not isinstance(value, str) or len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"
