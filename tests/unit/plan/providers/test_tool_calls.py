"""Tool calls on the wire: what is sent of a conversation with tools, and how the pieces of a call are put together."""

from __future__ import annotations

from typing import Any

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
