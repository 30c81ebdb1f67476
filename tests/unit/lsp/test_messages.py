"""What a client sends wrongly is answered, and the next message is heard."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, cast

import pytest
from pygls.exceptions import JsonRpcInvalidParams

from assistant.errors import CannotAnswerError, KernelOptError, MemoryFileError
from lsp.messages import converse
from lsp.server import KernelOptServer, build_server

STATUS = {"jsonrpc": "2.0", "id": 77, "method": "kernelopt/list", "params": {"what": "nothing"}}
INITIALIZE = {"processId": None, "rootUri": "file:///w", "capabilities": {}}


class Wire:
    """Takes what the server sends."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def write(self, data: bytes) -> None:
        self.sent.append(json.loads(data.partition(b"\r\n\r\n")[2]))

    def close(self) -> None: ...

    def answers(self, request: object) -> list[dict[str, Any]]:
        return [message["error"] for message in self.sent if message.get("id") == request and "error" in message]


def raising(error: KernelOptError) -> Callable[..., Any]:
    def unusable(*_: object) -> Any:
        raise error

    return unusable


UNUSABLE = raising(CannotAnswerError("memory.sqlite3 is nowhere", "look for it"))
LOCKED = raising(MemoryFileError("memory.sqlite3 cannot be opened", "make its folder writable"))


def framed(message: object) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def request(method: str, params: object) -> bytes:
    return framed({"jsonrpc": "2.0", "id": 5, "method": method, "params": params})


def check(*said: bytes, open_store: Callable[..., Any] = UNUSABLE) -> Wire:
    """What the server sends to a client that says ``initialize``, ``said``, and a request that is answered with an error."""
    wire = Wire()

    async def talk() -> None:
        """A whole conversation: initialize, what the test sends, and a request for the status."""
        server = build_server(open_store, UNUSABLE)
        server.protocol.set_writer(wire)
        reader = asyncio.StreamReader()
        for data in (framed({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}), *said, framed(STATUS)):
            reader.feed_data(data)
        reader.feed_eof()
        await converse(reader, server.protocol)
        await server.close()

    asyncio.run(talk())
    (last,) = wire.answers(77)
    assert "`what` is one of kernels" in last["message"], "the next message is heard"
    return wire


@pytest.mark.parametrize(
    "data",
    [
        b"Content-Length: 5\r\n\r\nhello",
        b"Content-Length: 4\r\n\r\n\xff\xfe\xfd\xfc",
        b"Content-Length: -5\r\n\r\n{}",
        b"Content-Length: 20000\r\n\r\n" + b"[" * 10_000 + b"]" * 10_000,
        b"What: ever\r\n\r\n",
    ],
    ids=["no JSON", "no UTF-8", "negative length", "deep", "no length"],
)
def test_what_cannot_be_parsed_is_answered_without_an_id(data: bytes) -> None:
    (error,) = check(data).answers(None)
    assert error["code"] == -32700


@pytest.mark.parametrize("message", [[], None, 1, {"x": 1}, {"jsonrpc": "1.0", "id": 1, "method": "shutdown"}])
def test_what_is_no_message_is_answered_without_an_id(message: object) -> None:
    (error,) = check(framed(message)).answers(None)
    assert error["code"] == -32600


@pytest.mark.parametrize(
    ("method", "params", "told"),
    [
        ("textDocument/hover", {"textDocument": {"uri": "file:///k.cu"}, "position": {"line": "a", "character": 4}}, "line"),
        ("textDocument/hover", None, "params"),
        ("workspace/executeCommand", {"command": "kernelopt.check"}, "kernelopt.check takes one object"),
        ("workspace/executeCommand", {"command": "kernelopt.check", "arguments": [{}]}, "required field missing @ $.uri"),
        ("workspace/executeCommand", {"command": "kernelopt.check", "arguments": [{"uri": "u"}, {"uri": "u"}]}, "takes one object"),
        ("kernelopt/list", None, "`what` is missing"),
        ("kernelopt/list", {"what": "kernels", "uri": 4}, "`uri` is missing or not a text"),
        ("kernelopt/lines", {}, "`uri` is missing"),
        ("kernelopt/report", "x", "`id` is missing"),
    ],
)
def test_a_request_with_wrong_parameters_says_what_is_wrong(method: str, params: object, told: str) -> None:
    wire = check(request(method, params))
    (error,) = wire.answers(5)
    assert error["code"] == -32602 and told in error["message"] and "data" not in error, error
    assert not [message for message in wire.sent if message.get("method") == "window/showMessage"]


def test_a_server_is_initialized_once() -> None:
    (error,) = check(request("initialize", INITIALIZE)).answers(5)
    assert error["code"] == -32600


def test_a_change_of_what_is_not_open_is_passed_over() -> None:
    changes = (
        ("textDocument/didChange", {"textDocument": {"uri": "file:///k.cu", "version": 2}, "contentChanges": [{"text": "x"}]}),
        ("textDocument/didSave", {"textDocument": {"uri": "file:///k.cu"}}),
        ("notebookDocument/didChange", {"notebookDocument": {"uri": "file:///k.ipynb", "version": 2}, "change": {}}),
    )
    wire = check(*(framed({"jsonrpc": "2.0", "method": method, "params": params}) for method, params in changes))
    assert [message["method"] for message in wire.sent if "method" in message] == []


KERNEL = "__global__ void k(float *x) { x[threadIdx.x] = 1.0; }\n"
OPENED = {"uri": "file:///k.cu", "languageId": "cuda-cpp", "version": 1, "text": KERNEL}
TYPED = {"textDocument": {"uri": "file:///k.cu", "version": 2}, "contentChanges": [{"text": "// mine\n" + KERNEL}]}
TYPING = (
    framed({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": OPENED}}),
    *(framed({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": TYPED}) for _ in range(3)),
    request("textDocument/documentSymbol", {"textDocument": {"uri": "file:///k.cu"}}),
)


def said_to_people(wire: Wire) -> list[str]:
    return [message["params"]["message"] for message in wire.sent if message.get("method") == "window/showMessage"]


def test_what_keeps_a_handler_from_its_work_is_reported_once_with_the_way_out() -> None:
    wire = check(*TYPING)
    assert said_to_people(wire) == ["memory.sqlite3 is nowhere; look for it"]


def test_without_memory_sources_are_still_read() -> None:
    wire = check(*TYPING, open_store=LOCKED)
    (told,) = said_to_people(wire)
    assert told.startswith("memory.sqlite3 cannot be opened; make its folder writable, then restart the server")
    (symbols,) = [message["result"] for message in wire.sent if message.get("id") == 5]
    assert [symbol["name"] for symbol in symbols] == ["k"]
    assert any(message.get("method") == "textDocument/publishDiagnostics" for message in wire.sent)


def test_an_answer_in_a_wrong_form_is_an_error_to_those_who_wait_for_it() -> None:
    asked: list[Future[Any]] = []

    async def talk() -> None:
        """The client answers the server's question with a number."""
        server: KernelOptServer = build_server(UNUSABLE, UNUSABLE)
        server.protocol.set_writer(Wire())
        asked.append(cast(Any, server.protocol.send_request("window/showMessageRequest", None, msg_id="Q1")))
        reader = asyncio.StreamReader()
        reader.feed_data(framed({"jsonrpc": "2.0", "id": "Q1", "result": 5}))
        reader.feed_eof()
        await converse(reader, server.protocol)

    asyncio.run(talk())
    assert isinstance(asked[0].exception(timeout=0), JsonRpcInvalidParams)
