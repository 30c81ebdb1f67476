"""The editor's own language model, asked for a job that a person started: ``kernelopt/model/complete`` and its ``$/progress``.

Only a job waits for the answer, never a handler. A request that is no longer needed is cancelled at the client, and a late answer to it
is ignored.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from assistant.model.completion import Completion, CompletionFailure, CompletionRequest, FailureKind
from lsp.client import Client, as_object, plain

if TYPE_CHECKING:
    from assistant.ports.provider import OnText

__all__ = ["METHOD", "EditorModel"]

METHOD = "kernelopt/model/complete"
_KINDS = {kind.value: kind for kind in FailureKind}
_REMEDIES = {
    FailureKind.NO_CONSENT: "start the job again to be asked again, or use the expert planner",
    FailureKind.NO_MODEL: "choose a model in the editor, or set provider.kind to openai or manual",
    FailureKind.QUOTA: "wait, or choose another model in the editor",
    FailureKind.BLOCKED: "choose another model in the editor, or use the expert planner",
    FailureKind.CANCELLED: "start the job again",
}


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    text: str
    model_id: str
    input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    is_cut: bool = False


class EditorModel:
    """Implements ``ModelRelay``."""

    def __init__(self, server: LanguageServer, client: Client) -> None:
        self._server = server
        self._client = client
        self._hearers: dict[str, OnText] = {}
        """By request id, which is the token of its progress."""

    async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion | CompletionFailure:
        if not self._client.supports("model"):
            return _failure(FailureKind.NO_MODEL, "this editor offers no language model")
        self._hearers[request.id] = on_text
        try:
            return _completion(await self._asked(request))
        except JsonRpcException as error:
            kind = _KINDS.get(str(as_object(plain(error.data)).get("kind")), FailureKind.BLOCKED)
            return _failure(kind, f"the editor's model: {error.message}")
        finally:
            del self._hearers[request.id]

    def heard(self, token: str, value: object) -> None:
        """A piece of an answer, ``{text}``."""
        hearer = self._hearers.get(token)
        piece = as_object(plain(value)).get("text")
        if hearer is not None and isinstance(piece, str):
            hearer(piece)

    async def _asked(self, request: CompletionRequest) -> Any:
        """The client's result. Raises JsonRpcException for its error; cancelling informs the client."""
        protocol = self._server.protocol
        answer = asyncio.wrap_future(protocol.send_request(METHOD, _parameters(request), msg_id=request.id))
        answer.add_done_callback(_read_error)
        try:
            return await asyncio.shield(answer)  # a late answer to a cancelled future would be an error of the protocol
        except asyncio.CancelledError:
            if not answer.done():
                protocol.notify(types.CANCEL_REQUEST, types.CancelParams(request.id))
            raise


def _parameters(request: CompletionRequest) -> dict[str, Any]:
    return {
        "request_id": request.id,
        "role": request.role.value,
        "messages": [{"author": message.author, "text": message.text} for message in request.messages],
        "max_output_tokens": request.max_output_tokens,
    }


def _completion(result: object) -> Completion | CompletionFailure:
    try:
        reply = _Reply.model_validate(plain(result))
    except ValidationError:
        return _failure(FailureKind.BAD_REPLY, f"the editor answered {METHOD} with something that is not a completion")
    return Completion(reply.text, reply.model_id, reply.input_tokens, reply.output_tokens, reply.is_cut)


def _failure(kind: FailureKind, message: str) -> CompletionFailure:
    return CompletionFailure(kind, message, _REMEDIES.get(kind, "run it again; kernelopt doctor"))


def _read_error(answer: asyncio.Future[Any]) -> None:
    """Read the error of an answer that nothing waits for, which asyncio would log otherwise."""
    if not answer.cancelled():
        answer.exception()
