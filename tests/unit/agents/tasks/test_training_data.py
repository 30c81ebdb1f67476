"""Trajectories as training data: the played sessions as chats and as steps, each with the reward that the judge gave."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.agents.tasks.training_data import TOOLS, conversation, edited_text, steps
from assistant.errors import CannotAnswerError
from tests.unit.agents.tasks.sessions import SESSIONS, lines_of

WALK = next(path for path in SESSIONS if path.stem == "row_walk")


@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.stem)
def test_a_chat_holds_every_text_and_answer_in_order(session: Path) -> None:
    task, calls = lines_of(session)
    chat = conversation(task, calls)
    assert chat is not None and chat["reward"] == 1 and chat["task"] == task["id"]
    first, *rest = chat["messages"]
    assert first["role"] == "user" and task["start"] in first["content"] and task["instructions"] in first["content"]
    asked = [message["tool_calls"][0]["function"] for message in rest[::2]]
    answered = rest[1::2]
    assert [message["role"] for message in rest] == ["assistant", "tool"] * len(asked)
    assert [each["name"] for each in asked] == [message["name"] for message in answered]
    assert [each["name"] for each in asked if each["name"] != "write_file"] == [call["tool"] for call in calls]
    assert [json.loads(message["content"]) for message in answered if message["name"] != "write_file"] == [c["answer"] for c in calls]
    known = {tool["function"]["name"]: tool["function"]["parameters"]["properties"] for tool in TOOLS}
    assert all(each["arguments"].keys() <= known[each["name"]].keys() for each in asked)


def test_each_step_has_what_came_before_it_and_its_own_reward() -> None:
    task, calls = lines_of(WALK)
    found = list(steps(task, calls))
    assert [(step["reward"], step["label"], step["call"]) for step in found] == [(-1, False, 3), (1, True, 4)]
    wrong, right = found
    assert right["prompt"][: len(wrong["prompt"])] == wrong["prompt"]
    assert right["prompt"][len(wrong["prompt"]) : -1] == wrong["completion"] and right["prompt"][-1]["role"] == "tool"
    written = right["completion"][0]["tool_calls"][0]["function"]["arguments"]
    assert written == {"path": "row_walk.cu", "text": edited_text(task["start"], calls[-1]["diff"])}
    assert "(cols + threads.x - 1)" in written["text"]


def test_rejection_keeps_what_is_good_enough_and_ends_with_the_best() -> None:
    task, calls = lines_of(WALK)
    assert [step["reward"] for step in steps(task, calls, least_reward=1)] == [1]
    assert conversation(task, calls, least_reward=2) is None
    cut = conversation(task, [*calls, calls[-2] | {"call": 9}], least_reward=1)
    assert cut == conversation(task, calls)


def test_calls_without_a_reward_are_no_steps_and_refusals_no_turns() -> None:
    task, calls = lines_of(WALK)
    killed = calls[-1] | {"reward": None}
    refused = {"event": "refused", "tool": "judge", "at_ms": 0, "reason": "used up"}
    assert list(steps(task, [killed, refused])) == []
    chat = conversation(task, [killed, refused])
    assert chat is not None and chat["reward"] is None and len(chat["messages"]) == 5
    assert conversation(task, [], least_reward=0) is None


def test_a_diff_of_another_start_is_an_error() -> None:
    task, calls = lines_of(WALK)
    with pytest.raises(CannotAnswerError):
        edited_text("int main() {}\n", calls[-1]["diff"])
    assert edited_text(task["start"], "") == task["start"]
