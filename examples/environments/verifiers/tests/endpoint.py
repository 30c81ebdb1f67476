"""An OpenAI-compatible model on this machine whose replies a test has written: each is a list of calls (tool, arguments), or words."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Reply = str | Sequence[tuple[str, dict[str, Any]]]


class Endpoint:
    """``asked``: the bodies of all requests."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self.asked: list[dict[str, Any]] = []
        self._replies = list(replies)
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.asked.append(body)
                reply = endpoint._replies.pop(0) if endpoint._replies else "done"
                if body.get("stream"):
                    data, kind = _streamed(reply), "text/event-stream"
                else:
                    data, kind = json.dumps(_whole(reply)).encode(), "application/json"
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _message(reply: Reply) -> dict[str, Any]:
    if isinstance(reply, str):
        return {"role": "assistant", "content": reply}
    calls = [
        {"id": f"call{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for number, (name, arguments) in enumerate(reply)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _whole(reply: Reply) -> dict[str, Any]:
    choice = {"index": 0, "message": _message(reply), "finish_reason": "stop" if isinstance(reply, str) else "tool_calls"}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return {"id": "answer", "object": "chat.completion", "created": 0, "model": "scripted", "choices": [choice], "usage": usage}


def _streamed(reply: Reply) -> bytes:
    whole = _whole(reply)
    choice = whole["choices"][0]
    message = choice["message"]
    delta = message | {"tool_calls": [{"index": i} | call for i, call in enumerate(message.get("tool_calls", ()))]}
    about = {name: whole[name] for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    chunks = [
        about | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        about | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]},
        about | {"choices": [], "usage": whole["usage"]},
    ]
    return b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks) + b"data: [DONE]\n\n"
