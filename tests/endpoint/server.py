"""An OpenAI-compatible server with a script: real HTTP on this machine, streamed answers, and every way to misbehave.

Example::

    with ScriptedEndpoint([Says('{"steps": []}'), Refuses(429, retry_after_s=0.01)]) as endpoint:
        endpoint.base_url                      # "http://127.0.0.1:40123/v1"
        ...
        endpoint.asked[0].text                 # all that the first request said
        endpoint.problems                      # what no handler should have met

A script is a list, used up in order, or a function of what was asked, for searches whose order is not known beforehand.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

MODEL = "scripted-1"
"""The name that answers carry, whatever model was asked for."""


@dataclass(frozen=True)
class ReceivedRequest:
    """One request as it came."""

    headers: dict[str, str]
    """Lower-case names."""
    body: dict[str, Any]

    @property
    def text(self) -> str:
        return "\n".join(message["content"] or "" for message in self.body["messages"])


@dataclass(frozen=True)
class Says:
    """A streamed answer."""

    text: str
    usage: tuple[int, int] | None = (1000, 100)
    """(prompt tokens, completion tokens); None: not told."""
    finish: str | None = "stop"
    """None: the stream ends without saying so."""
    piece_length: int = 40
    pause_s: float = 0.0
    """Between pieces."""
    model: str = MODEL


@dataclass(frozen=True)
class Calls:
    """A streamed answer that asks for tools: (name, arguments) each; arguments that are a text are sent as they are."""

    tools: tuple[tuple[str, dict[str, Any] | str], ...]
    text: str = ""
    usage: tuple[int, int] | None = (1000, 100)
    piece_length: int = 40
    model: str = MODEL


@dataclass(frozen=True)
class Refuses:
    """A status other than success, with the protocol's error object."""

    status: int
    code: str | None = None
    said: str = "refused by the script"
    param: str | None = None
    retry_after_s: float | None = None


@dataclass(frozen=True)
class Sends:
    """These bytes as the body of a 200 answer, whatever they are."""

    body: bytes
    content_type: str = "text/event-stream"
    headers: tuple[tuple[str, str], ...] = ()
    repeats: int = 1


@dataclass(frozen=True)
class Redirects:
    location: str


@dataclass(frozen=True)
class Breaks:
    """Sends a beginning and drops the connection; nothing at all where it is empty."""

    text: str = ""


@dataclass(frozen=True)
class Stalls:
    """Accepts the request and says nothing until the client goes."""


Reply = Says | Calls | Refuses | Sends | Redirects | Breaks | Stalls
Script = Callable[[ReceivedRequest], Reply]


@dataclass
class ScriptedEndpoint:
    """The server; runs in a thread while the block lasts."""

    script: Sequence[Reply] | Script
    asked: list[ReceivedRequest] = field(default_factory=list[ReceivedRequest])
    problems: list[str] = field(default_factory=list[str])
    """Requests beyond the script's end."""
    gone_count: int = 0
    """Clients that hung up while they were being answered."""
    _closing: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> Self:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def reply(self, asked: ReceivedRequest) -> Reply:
        with self._lock:
            self.asked.append(asked)
            position = len(self.asked) - 1
        if callable(self.script):
            return self.script(asked)
        if position < len(self.script):
            return self.script[position]
        self.problems.append(f"request {position + 1} has no reply in the script: {asked.text[:200]}")
        return Refuses(400, said="the script has ended")

    def wait(self, seconds: float) -> None:
        """Returns at once when the server closes."""
        self._closing.wait(seconds)

    def note_gone(self) -> None:
        with self._lock:
            self.gone_count += 1


def _handler(endpoint: ScriptedEndpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.path != "/v1/chat/completions":
                self._error(Refuses(404, said=f"no such path: {self.path}"))
                return
            headers = {name.lower(): value for name, value in self.headers.items()}
            try:
                self._answer(endpoint.reply(ReceivedRequest(headers, json.loads(body))))
            except (BrokenPipeError, ConnectionResetError):
                endpoint.note_gone()
                self.close_connection = True

        def do_GET(self) -> None:
            self._error(Refuses(404, said=f"no such path: {self.path}"))

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
            """Quiet: a test reads what it needs from the endpoint."""

        def _answer(self, reply: Reply) -> None:
            match reply:
                case Says() | Calls():
                    self._stream(reply)
                case Refuses():
                    self._error(reply)
                case Sends():
                    self._begin(200, reply.content_type, reply.headers)
                    for _ in range(reply.repeats):
                        self._chunk(reply.body)
                    self._chunk(b"")
                case Redirects():
                    self._begin(307, "text/plain", (("location", reply.location), ("content-length", "0")), is_chunked=False)
                case Breaks():
                    if reply.text:
                        self._begin(200, "text/event-stream")
                        self._event({"choices": [{"index": 0, "delta": {"content": reply.text}}], "model": MODEL})
                    self._drop()
                case Stalls():
                    endpoint.wait(60)
                    self._drop()

        def _stream(self, reply: Says | Calls) -> None:
            self._begin(200, "text/event-stream")
            for event in _events(reply) if isinstance(reply, Says) else _call_events(reply):
                self._event(event)
                if isinstance(reply, Says) and reply.pause_s:
                    endpoint.wait(reply.pause_s)
            self._chunk(b"data: [DONE]\n\n")
            self._chunk(b"")

        def _error(self, reply: Refuses) -> None:
            body = json.dumps({"error": {"message": reply.said, "type": "error", "code": reply.code, "param": reply.param}}).encode()
            extra = () if reply.retry_after_s is None else (("retry-after", str(reply.retry_after_s)),)
            self._begin(reply.status, "application/json", (*extra, ("content-length", str(len(body)))), is_chunked=False)
            self.wfile.write(body)

        def _begin(self, status: int, content_type: str, headers: Sequence[tuple[str, str]] = (), is_chunked: bool = True) -> None:
            self.send_response(status)
            self.send_header("content-type", content_type)
            for name, value in (*headers, *((("transfer-encoding", "chunked"),) if is_chunked else ())):
                self.send_header(name, value)
            self.end_headers()

        def _event(self, event: dict[str, Any]) -> None:
            self._chunk(b"data: " + json.dumps(event).encode() + b"\n\n")

        def _chunk(self, data: bytes) -> None:
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()

        def _drop(self) -> None:
            self.close_connection = True
            with contextlib.suppress(OSError):
                self.connection.shutdown(2)

    return Handler


def _events(reply: Says) -> Iterator[dict[str, Any]]:
    def event(delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {"id": "c1", "object": "chat.completion.chunk", "created": int(time.time()), "model": reply.model, "choices": [choice]}

    yield event({"role": "assistant"})
    for start in range(0, len(reply.text), reply.piece_length):
        yield event({"content": reply.text[start : start + reply.piece_length]})
    if reply.finish is not None:
        yield event({}, reply.finish)
    if reply.usage is not None:
        prompt, completion = reply.usage
        yield {**event({}), "choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": completion}}


def _call_events(reply: Calls) -> Iterator[dict[str, Any]]:
    """As OpenAI streams them: id and name first, the arguments in pieces."""

    def event(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {"id": "c1", "object": "chat.completion.chunk", "created": int(time.time()), "model": reply.model, "choices": [choice]}

    def called(index: int, function: dict[str, str], **more: str) -> dict[str, Any]:
        return event({"tool_calls": [{"index": index, "type": "function", "function": function, **more}]})

    yield event({"role": "assistant", "content": reply.text or None})
    for index, (name, arguments) in enumerate(reply.tools):
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        yield called(index, {"name": name, "arguments": ""}, id=f"call_{index}")
        for start in range(0, len(text), reply.piece_length):
            yield called(index, {"arguments": text[start : start + reply.piece_length]})
    yield event({}, "tool_calls")
    if reply.usage is not None:
        prompt, completion = reply.usage
        yield {**event({}), "choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": completion}}
