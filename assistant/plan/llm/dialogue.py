"""The messages of a conversation with tools, kept to what the model can read: the oldest answers and edits are left out first. Pure.

What stands before the first turn stays whole, and the last two turns where there is room. Example::

    dialogue = Dialogue(system, prompt)
    dialogue.add(ChatMessage("assistant", "", calls))
    dialogue.answer([ToolAnswer(call, "…")])
    dialogue.within(24_000, tools)      # what is sent next
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from assistant.model.completion import ChatMessage, ToolCall, ToolSpec
from assistant.plan.tokens import most_message_tokens, most_tool_tokens
from assistant.ports.agent import ToolAnswer

__all__ = ["Dialogue"]

_ANSWER_CHARACTERS = 16_000
"""What is kept of a tool's answer (chosen: about 5,000 tokens): its beginning and its end, where it is longer."""
_WHOLE_TURNS = 2
_SHORT_CHARACTERS = 1_500
"""Of a tool's answer in the last turns, where there is no room for more."""
_BRIEF_CHARACTERS = 200
"""What is kept of a text of an old turn."""
_BRIEF = ("candidate", "outcome", "time_before_over_time_after")
"""What stays of an old answer, where it tells so much."""
_LEFT_OUT = "to save room"


class Dialogue:
    """One conversation, oldest message first."""

    def __init__(self, *first: ChatMessage) -> None:
        self._messages = list(first)
        self._first_count = len(first)
        self._briefs: dict[int, str] = {}
        """By message: what an answer of a tool comes to in one line."""

    def add(self, message: ChatMessage) -> None:
        self._messages.append(message)

    def answer(self, answers: Sequence[ToolAnswer]) -> None:
        """What came of the calls of the last turn."""
        for answer in answers:
            self._briefs[len(self._messages)] = _brief(answer.text)
            self.add(ChatMessage("tool", _cut(answer.text), answers=answer.call.id))

    def within(self, token_count: int, tools: Sequence[ToolSpec]) -> tuple[ChatMessage, ...] | None:
        """All messages. Old answers of tools are shortened until they are ``token_count`` tokens, then what was asked for in old turns.

        Then the last turns are, in the same way. None where that is still too much.

        What is shortened once stays so.
        """
        left = most_message_tokens(self._messages) + most_tool_tokens(tools, self._messages) - token_count
        old, every = range(self._first_count, self._recent(_WHOLE_TURNS)), range(self._first_count, len(self._messages))
        before_last = range(self._first_count, self._recent(1))
        stages = (
            (self._without_answer, old),
            (self._without_edit, old),
            (self._with_short_answer, every),
            (self._without_edit, before_last),
            (self._without_answer, before_last),
            (self._without_edit, every),
            (self._without_answer, every),
        )
        for shorten, places in stages:
            left = self._shortened(shorten, places, left)
        return None if left > 0 else tuple(self._messages)

    def _shortened(self, shorten: Callable[[int], ChatMessage], places: Iterable[int], left: int) -> int:
        """Tokens that are still too many after the messages at these places were shortened."""
        for index in places:
            if left <= 0:
                break
            before, after = self._messages[index], shorten(index)
            self._messages[index] = after
            left -= _tokens(before) - _tokens(after)
        return left

    def _recent(self, count: int) -> int:
        """Where the last ``count`` turns begin."""
        turns = [index for index, message in enumerate(self._messages) if message.author == "assistant"]
        return turns[-count] if len(turns) >= count else self._first_count

    def _with_short_answer(self, index: int) -> ChatMessage:
        message = self._messages[index]
        return replace(message, text=_cut(message.text, _SHORT_CHARACTERS)) if message.author == "tool" else message

    def _without_answer(self, index: int) -> ChatMessage:
        message = self._messages[index]
        brief = self._briefs.get(index, message.text)
        return replace(message, text=min(message.text, brief, key=len))

    def _without_edit(self, index: int) -> ChatMessage:
        message = self._messages[index]
        if message.author != "assistant":
            return message
        return replace(message, text=message.text[:_BRIEF_CHARACTERS], calls=tuple(map(_bare, message.calls)))


def _tokens(message: ChatMessage) -> int:
    return most_message_tokens((message,)) + most_tool_tokens((), (message,))


def _cut(text: str, most: int = _ANSWER_CHARACTERS) -> str:
    """Beginning and end of a long answer."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[{len(text) - 2 * half:,} characters are left out here]\n{text[-half:]}"


def _brief(answer: str) -> str:
    """One line that says what is missing; of a verdict with the candidate's id and outcome."""
    brief = _object(answer)
    return json.dumps({**{key: brief[key] for key in _BRIEF if key in brief}, "left_out": f"{len(answer):,} characters, {_LEFT_OUT}"})


def _bare(call: ToolCall) -> ToolCall:
    """A call without its long arguments."""
    brief = {
        key: value
        for key, value in _object(call.arguments).items()
        if isinstance(value, str | int) and len(str(value)) <= _BRIEF_CHARACTERS
    }
    arguments = json.dumps({**brief, "left_out": f"the rest, {_LEFT_OUT}"}, ensure_ascii=False)
    return call if len(call.arguments) <= len(arguments) else replace(call, arguments=arguments)


def _object(text: str) -> dict[str, object]:
    """Of JSON text; empty where it is no object."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return {str(key): value for key, value in found.items()} if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType, reportUnknownMemberType]  # JSON
