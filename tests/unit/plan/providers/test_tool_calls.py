"""Tool calls on the wire: what is sent of a conversation with tools, and how the pieces of a call are put together."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.model.completion import ChatMessage, Completion, CompletionFailure, CompletionRequest, ModelRole, ToolCall, ToolSpec
from assistant.plan.providers.answer import Answer
from assistant.plan.providers.redaction import PieceRedaction
from assistant.plan.providers.wire import Dialect, request_body

CALL = ToolCall("call_1", "inspect", '{"candidate": "C1"}')
REQUEST = CompletionRequest(
    "M1",
    ModelRole.CODER,
    "agent@1",
    (ChatMessage("user", "Go."), ChatMessage("assistant", "", (CALL,)), ChatMessage("tool", "32 registers", answers="call_1")),
    100,
    tools=(ToolSpec("inspect", "Looks.", '{"type": "object"}'),),
)


def answer(max_tokens: int = 100, key: str | None = None) -> Answer:
    return Answer("http://127.0.0.1/v1", PieceRedaction(key, lambda _: None), key, max_tokens)


def piece(*calls: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"tool_calls": list(calls)}, "finish_reason": finish}], "model": "m"}


def test_a_conversation_with_tools_is_sent_as_the_protocol_has_it() -> None:
    body: Any = request_body(REQUEST, "m", Dialect("max_tokens", has_schemas=True))
    function = {"name": "inspect", "arguments": '{"candidate": "C1"}'}
    assert body["tools"] == [
        {"type": "function", "function": {"name": "inspect", "description": "Looks.", "parameters": {"type": "object"}}}
    ]
    assert body["messages"][1]["tool_calls"] == [{"id": "call_1", "type": "function", "function": function}]
    assert body["messages"][2] == {"role": "tool", "content": "32 registers", "tool_call_id": "call_1"}
    assert "tool_calls" not in body["messages"][0]


def test_the_pieces_of_several_calls_are_put_together_by_their_index() -> None:
    come = answer()
    come.add(piece({"index": 0, "id": "call_1", "function": {"name": "inspect", "arguments": ""}}))
    come.add(piece({"index": 1, "id": "call_2", "function": {"name": "recall", "arguments": "{}"}}))
    come.add(piece({"index": 0, "function": {"arguments": '{"candidate": '}}))
    come.add(piece({"index": 0, "function": {"arguments": '"C1"}'}}, finish="tool_calls"))
    ended = come.ended()
    assert isinstance(ended, Completion)
    assert ended.calls == (CALL, ToolCall("call_2", "recall", "{}"))


INSPECT = {"id": "a", "function": {"name": "inspect", "arguments": "{}"}}
RECALL = {"id": "b", "function": {"name": "recall", "arguments": "{}"}}
BOTH = (ToolCall("a", "inspect", "{}"), ToolCall("b", "recall", "{}"))
HALVES = tuple({"id": "a", "function": {"name": "inspect", "arguments": half}} for half in "{}")


@pytest.mark.parametrize(
    ("pieces", "calls"),
    [
        ([INSPECT | {"index": 0}, RECALL | {"index": 0}], BOTH),
        ([INSPECT | {"index": None}, RECALL | {"index": None}], BOTH),
        ([INSPECT, RECALL], BOTH),
        ([half | {"index": 0} for half in HALVES], BOTH[:1]),
        ([half | {"index": None} for half in HALVES], BOTH[:1]),
        (
            [INSPECT | {"id": None, "index": 0}, RECALL | {"id": None, "index": 0}],
            (ToolCall("", "inspect", "{}"), ToolCall("", "recall", "{}")),
        ),
        ([INSPECT | {"index": 0}, {"index": 0, "function": None}], BOTH[:1]),
    ],
)
def test_calls_are_told_apart_where_an_endpoint_numbers_them_oddly(pieces: list[dict[str, Any]], calls: tuple[ToolCall, ...]) -> None:
    come = answer()
    assert [come.add(piece(each)) for each in pieces] == [None] * len(pieces)
    come.add(piece(finish="tool_calls"))
    ended = come.ended()
    assert isinstance(ended, Completion) and ended.calls == calls


def test_an_id_that_comes_with_every_piece_counts_once_for_the_bound() -> None:
    come = answer(max_tokens=20)
    assert [come.add(piece({"index": 0, "id": "call_" + "x" * 40, "function": {"arguments": "1"}})) for _ in range(30)] == [None] * 30


def test_a_call_that_never_ends_is_bounded_like_text() -> None:
    come = answer(max_tokens=10)
    failures = [come.add(piece({"index": 0, "function": {"arguments": "x" * 50}})) for _ in range(3)]
    assert failures[0] is None
    assert isinstance(failures[-1], CompletionFailure)


def test_a_key_is_taken_out_of_a_call() -> None:
    come = answer(key="sk-secret-key")
    come.add(piece({"index": 0, "id": "c", "function": {"name": "recall", "arguments": "sk-secret-key"}}, finish="tool_calls"))
    ended = come.ended()
    assert isinstance(ended, Completion)
    assert "sk-secret-key" not in ended.calls[0].arguments
