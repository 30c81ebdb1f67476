"""A trajectory as training data: messages with tool calls, whole or step by step, each with its reward. Pure.

The agent edits its file with tools of its own, which nobody recorded; each text that a call looked at is given as a call of
``write_file``. The columns are those of TRL's conversational data sets (its page *Dataset formats and types*). Example::

    list(steps(task, calls, least_reward=1))     # [{"prompt": […], "completion": […], "reward": 1, "label": True, "task": "T0…"}]
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from assistant.agents.tasks.calls import JUDGE
from assistant.cuda.hunks import patched
from assistant.errors import CannotAnswerError

__all__ = ["TOOLS", "conversation", "edited_text", "steps"]

_LEAST_RIGHT = 1
"""The reward from which a step is a good example."""
_TEXT = {"type": "string"}


def _tool(name: str, description: str, properties: dict[str, Any]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": sorted(properties)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


TOOLS = [
    _tool("write_file", "Write the whole text of a file in the task's folder", {"path": _TEXT, "text": _TEXT}),
    _tool(JUDGE, "Is the edited file right, is it faster than the start, and what reward has it?", {}),
    _tool("profile", "Where its time goes, by kernel and line", {"kernel": _TEXT}),
    _tool("ask_memory", "Techniques that were tried on kernels like this one; the page of one", {"technique": _TEXT}),
]
_ARGUMENTS = {JUDGE: None, "profile": "kernel", "ask_memory": "technique"}
"""Name of a tool's argument."""


def conversation(task: dict[str, Any], calls: Sequence[dict[str, Any]], least_reward: int | None = None) -> dict[str, Any] | None:
    """The whole session with its best reward; None where that is less than ``least_reward``, or there is none.

    With ``least_reward`` it ends with the first call that has the best reward: what came after gained nothing.
    """
    made = [call for call in calls if call["event"] == "call"]
    rewards = [call.get("reward") for call in made]
    best = max((reward for reward in rewards if reward is not None), default=None)
    if least_reward is not None:
        if best is None or best < least_reward:
            return None
        made = made[: rewards.index(best) + 1]
    messages = _opening(task)
    for _, asked, answered in _turns(task, made):
        messages += [*asked, answered]
    return {"messages": messages, "tools": TOOLS, "reward": best, "task": task["id"]}


def steps(task: dict[str, Any], calls: Sequence[dict[str, Any]], least_reward: int | None = None) -> Iterator[dict[str, Any]]:
    """Each call of ``judge`` that has a reward, after all that was said before it."""
    messages = _opening(task)
    for call, asked, answered in _turns(task, [call for call in calls if call["event"] == "call"]):
        reward = call.get("reward")
        if reward is not None and (least_reward is None or reward >= least_reward):
            about = {"reward": reward, "label": reward >= _LEAST_RIGHT, "tools": TOOLS, "task": task["id"], "call": call["call"]}
            yield {"prompt": list(messages), "completion": asked} | about
        messages += [*asked, answered]


def _opening(task: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"role": "user", "content": f"{task['instructions']}\n`{task['source']}`:\n\n```\n{task['start']}```\n"}]


def _turns(task: dict[str, Any], calls: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]], dict[str, Any]]]:
    """(call, what the agent said, what it was answered)."""
    before = task["start"]
    for call in calls:
        text = edited_text(task["start"], call["diff"])
        asked = list[dict[str, Any]]()
        if text != before:
            asked.append(_called("write_file", {"path": task["source"], "text": text}))
            asked.append({"role": "tool", "name": "write_file", "content": "written"})
        name = _ARGUMENTS[call["tool"]]
        asked.append(_called(call["tool"], {name: call["argument"]} if name is not None and call["argument"] else {}))
        before = text
        yield call, asked, {"role": "tool", "name": call["tool"], "content": json.dumps(call["answer"], ensure_ascii=False)}


def _called(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": {"name": name, "arguments": arguments}}]}


def edited_text(start: str, diff: str) -> str:
    """What a call looked at. Raises CannotAnswerError where the diff is of another start."""
    text = patched(start, diff)
    if text is None:
        raise CannotAnswerError("the kept edit is not one of the task's start", "make the task anew: kernelopt task new")
    return text
