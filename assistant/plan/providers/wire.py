"""Chat completions as JSON: what is sent, and what the pieces of a streamed answer say. Pure; sends nothing.

Servers that speak this protocol differ in three optional fields; `Dialect` holds what one of them was found to take:

- the bound on the answer is ``max_completion_tokens`` at OpenAI, whose newer models refuse ``max_tokens``; others know only ``max_tokens``
  and pass over the new name in silence (llama.cpp issue 13700, Ollama issue 7125), which would take the bound away;
- ``response_format`` with a JSON schema is refused by some (DeepSeek), and so is ``stream_options``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from pydantic import BaseModel, ConfigDict, Field

from assistant.model.completion import ChatMessage, CompletionRequest, ReplySchema, ToolSpec
from assistant.record import Record

__all__ = ["CallPiece", "Chunk", "Dialect", "conceded", "request_body"]

_MEAN_FORMAT = ("response_format", "json_schema")
_MEAN_LIMIT = ("max_tokens", "max_completion_tokens")
_MEAN_USAGE = ("stream_options", "include_usage")


class Dialect(Record):
    """Optional fields that an endpoint takes."""

    limit_field: str
    """``max_tokens`` or ``max_completion_tokens``."""
    has_schemas: bool
    has_usage: bool = True


class _CalledFunction(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    name: str | None = None
    arguments: str | None = None


class CallPiece(BaseModel):
    """A piece of a tool call: its id and name come first, its arguments in pieces."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    index: int | None = None
    """Which call of the answer it is of; None: the endpoint does not number them."""
    id: str | None = None
    function: _CalledFunction | None = None


class _Delta(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    content: str | None = None
    refusal: str | None = None
    tool_calls: tuple[CallPiece, ...] | None = None


class _Choice(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    delta: _Delta | None = None
    finish_reason: str | None = None


class _Usage(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    prompt_tokens: int | None = Field(default=None, ge=0)
    completion_tokens: int | None = Field(default=None, ge=0)


class Chunk(BaseModel):
    """One piece of a streamed answer; what is not listed is passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    choices: tuple[_Choice, ...] | None = None
    model: str | None = None
    usage: _Usage | None = None


def request_body(request: CompletionRequest, model: str, dialect: Dialect) -> dict[str, object]:
    """The JSON of a request; temperature and seed only where they are set."""
    body: dict[str, object] = {
        "model": model,
        "messages": [_message(message) for message in request.messages],
        "stream": True,
        dialect.limit_field: request.max_output_tokens,
    }
    if dialect.has_usage:
        body["stream_options"] = {"include_usage": True}
    if request.reply is not None and dialect.has_schemas:
        body["response_format"] = _format(request.reply)
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.seed is not None:
        body["seed"] = request.seed
    return body


def conceded(dialect: Dialect, complaint: str, may_drop_schemas: bool) -> Dialect | None:
    """The dialect to try next after an endpoint refused a request with ``complaint``; None where it is not about an optional field.

    Endpoints have no common code for this, so the field's own name is looked for.
    """
    if may_drop_schemas and dialect.has_schemas and _names(complaint, _MEAN_FORMAT):
        return replace(dialect, has_schemas=False)
    if dialect.has_usage and _names(complaint, _MEAN_USAGE):
        return replace(dialect, has_usage=False)
    if dialect.limit_field in complaint and _names(complaint, _MEAN_LIMIT):
        (other,) = (name for name in _MEAN_LIMIT if name != dialect.limit_field)
        return replace(dialect, limit_field=other)
    return None


def _names(complaint: str, words: tuple[str, ...]) -> bool:
    return any(word in complaint for word in words)


def _message(message: ChatMessage) -> Mapping[str, object]:
    plain: dict[str, object] = {"role": message.author, "content": message.text}
    if message.calls:
        functions = [(call.id, {"name": call.name, "arguments": call.arguments}) for call in message.calls]
        plain["tool_calls"] = [{"id": id_, "type": "function", "function": function} for id_, function in functions]
    return plain if message.answers is None else plain | {"tool_call_id": message.answers}


def _tool(tool: ToolSpec) -> Mapping[str, object]:
    function = {"name": tool.name, "description": tool.description, "parameters": json.loads(tool.json_schema)}
    return {"type": "function", "function": function}


def _format(reply: ReplySchema) -> Mapping[str, object]:
    schema = {"name": reply.name, "schema": json.loads(reply.json_schema), "strict": True}
    return {"type": "json_schema", "json_schema": schema}
