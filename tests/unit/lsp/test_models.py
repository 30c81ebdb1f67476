"""What the editor's own model is asked over the wire, and what its answers, errors and silence become."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from assistant.model.completion import ChatMessage, Completion, CompletionFailure, CompletionRequest, FailureKind, ModelRole
from lsp.server import KernelOptServer, build_server

REQUEST = CompletionRequest("M1", ModelRole.PLANNER, "plan@1", (ChatMessage("system", "s"), ChatMessage("user", "u")), 100)
REPLY = {"text": "the plan", "model_id": "gpt", "input_tokens": 7, "output_tokens": 3}


class Editor:
    """A client that supports ``model``: keeps what it is sent, answers as it is told."""

    def __init__(self, answer: Callable[[Editor, dict[str, Any]], None], supports: tuple[str, ...] = ("model",)) -> None:
        self.server: KernelOptServer = build_server(_never, _never)
        self.sent: list[dict[str, Any]] = []
        self.shown: list[str] = []
        self._answer = answer
        self._supports = supports

    def write(self, data: bytes) -> None:
        message = json.loads(data.partition(b"\r\n\r\n")[2])
        self.sent.append(message)
        if message.get("method") == "kernelopt/model/complete":
            asyncio.get_running_loop().call_soon(self._answer, self, message)

    def close(self) -> None: ...

    def say(self, **message: Any) -> None:
        protocol = self.server.protocol
        protocol.handle_message(json.loads(json.dumps({"jsonrpc": "2.0", **message}), object_hook=protocol.structure_message))

    async def ask(self) -> Completion | CompletionFailure:
        self.server.protocol.set_writer(self)
        options = {"kernelopt": {"protocol": 1, "trusted": True, "supports": list(self._supports)}}
        self.say(id=1, method="initialize", params={"processId": None, "capabilities": {}, "initializationOptions": options})
        self.server.load()
        return await self.server.parts.model.complete(REQUEST, self.shown.append)


def _never(*_: object) -> Any:
    raise AssertionError("nothing is opened here")


def replies(result: object) -> Callable[[Editor, dict[str, Any]], None]:
    return lambda editor, asked: editor.say(id=asked["id"], result=result)


def refuses(kind: str | None) -> Callable[[Editor, dict[str, Any]], None]:
    error = {"code": -32803, "message": "no", **({} if kind is None else {"data": {"kind": kind}})}
    return lambda editor, asked: editor.say(id=asked["id"], error=error)


async def test_an_answer_comes_in_pieces_and_whole() -> None:
    def answer(editor: Editor, asked: dict[str, Any]) -> None:
        for piece in ("the ", "plan"):
            editor.say(method="$/progress", params={"token": asked["params"]["request_id"], "value": {"text": piece}})
        editor.say(method="$/progress", params={"token": "another", "value": {"text": "x"}})
        editor.say(id=asked["id"], result=REPLY)

    editor = Editor(answer)
    assert await editor.ask() == Completion("the plan", "gpt", 7, 3)
    assert editor.shown == ["the ", "plan"]
    assert editor.sent[-1]["params"] == {
        "request_id": "M1",
        "role": "planner",
        "messages": [{"author": "system", "text": "s"}, {"author": "user", "text": "u"}],
        "max_output_tokens": 100,
    }


async def test_token_counts_may_be_missing_and_an_answer_cut() -> None:
    assert await Editor(replies({"text": "x", "model_id": "m", "is_cut": True})).ask() == Completion("x", "m", None, None, is_cut=True)


@pytest.mark.parametrize("kind", ["no_consent", "no_model", "quota", "blocked", "cancelled"])
async def test_every_refusal_is_a_value(kind: str) -> None:
    answer = await Editor(refuses(kind)).ask()
    assert isinstance(answer, CompletionFailure) and answer.kind is FailureKind(kind)
    assert answer.remedy


@pytest.mark.parametrize(
    ("answer", "kind"),
    [(refuses(None), "blocked"), (refuses("strange"), "blocked"), (replies({"texts": 1}), "bad_reply"), (replies(None), "bad_reply")],
)
async def test_what_is_no_answer_is_reported_as_such(answer: Callable[[Editor, dict[str, Any]], None], kind: str) -> None:
    failure = await Editor(answer).ask()
    assert isinstance(failure, CompletionFailure) and failure.kind is FailureKind(kind)


async def test_an_editor_without_a_model_is_not_asked() -> None:
    editor = Editor(replies(REPLY), supports=("diff",))
    answer = await editor.ask()
    assert isinstance(answer, CompletionFailure) and answer.kind is FailureKind.NO_MODEL
    assert all(message.get("method") != "kernelopt/model/complete" for message in editor.sent)


async def test_cancelling_cancels_at_the_editor_and_its_late_answer_is_passed_over() -> None:
    asked = asyncio.Event()
    editor = Editor(lambda *_: asked.set())
    asking = asyncio.create_task(editor.ask())
    await asked.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert editor.sent[-1]["method"] == "$/cancelRequest" and editor.sent[-1]["params"] == {"id": "M1"}
    refuses("cancelled")(editor, {"id": "M1"})
    await asyncio.sleep(0)
