"""Typing in a long Python document with CUDA in it: read in pauses, and up to date whenever something is asked."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.memory.store import open_store
from lsp import documents
from lsp.server import KernelOptServer, build_server

_URI = "file:///nowhere/train.py"
_KERNEL = '''\
import cupy
k = cupy.RawKernel(r"""
extern "C" __global__ void halve(float *x)
{
    x[threadIdx.x] *= 0.5f;
}
""", "halve")
'''


def _function(number: int) -> str:
    return f"def f{number}(a, b):\n    c = [a * {number} + b for a in range(b)]\n    return {{'x': c, 'y': (a, b)}}\n\n"


_LONG = _KERNEL + "".join(map(_function, range(600)))


class _Wire:
    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def write(self, data: bytes) -> None:
        self.sent.append(json.loads(data.partition(b"\r\n\r\n")[2]))

    def close(self) -> None: ...

    @property
    def published(self) -> list[dict[str, Any]]:
        return [message["params"] for message in self.sent if message.get("method") == "textDocument/publishDiagnostics"]


class _Session:
    """A server in this process, the document, and how often it was read."""

    def __init__(self, server: KernelOptServer, wire: _Wire, reads: list[float]) -> None:
        self.server, self.wire, self.reads = server, wire, reads
        self.text, self.version = "", 0

    def say(self, method: str, parameters: object, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": parameters} | ({} if number is None else {"id": number})
        self.server.protocol.handle_message(json.loads(json.dumps(message), object_hook=self.server.protocol.structure_message))

    def open(self, text: str) -> None:
        self.text, self.version = text, 1
        self.say("textDocument/didOpen", {"textDocument": {"uri": _URI, "languageId": "python", "version": 1, "text": text}})

    def insert_above(self, text: str) -> None:
        self.version += 1
        self.text = text + self.text
        place = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
        change = {"textDocument": {"uri": _URI, "version": self.version}, "contentChanges": [{"range": place, "text": text}]}
        self.say("textDocument/didChange", change)

    def kernel_line(self) -> int:
        self.say("textDocument/documentSymbol", {"textDocument": {"uri": _URI}}, number=self.version + 100)
        return self.wire.sent[-1]["result"][0]["selectionRange"]["start"]["line"]


def _play(scene: Callable[[_Session], Awaitable[None]], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a server that trusts nothing, and so starts nothing."""
    monkeypatch.setenv("KERNELOPT_HOME", str(folder))
    reads: list[float] = []
    plain = documents.read_embedded

    def counted(*arguments: Any) -> Any:
        begun = time.perf_counter()
        try:
            return plain(*arguments)
        finally:
            reads.append(time.perf_counter() - begun)

    monkeypatch.setattr(documents, "read_embedded", counted)

    async def play() -> None:
        server, wire = build_server(lambda: open_store(folder / "memory.sqlite"), _no_pairs), _Wire()
        server.protocol.set_writer(wire)
        session = _Session(server, wire, reads)
        options = {"kernelopt": {"protocol": 1, "trusted": False}}
        parameters = {"processId": None, "rootUri": None, "capabilities": {}, "initializationOptions": options}
        session.say("initialize", parameters, number=1)
        await scene(session)
        await server.close()

    asyncio.run(play())


def _no_pairs(*_: object) -> Any:
    raise AssertionError("no pair session here")


def test_a_burst_of_keystrokes_is_read_once_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(session: _Session) -> None:
        session.open(_LONG)
        begun = time.perf_counter()
        for _ in range(20):
            session.insert_above("#")
        typed_s = time.perf_counter() - begun
        assert len(session.reads) == 1 and typed_s < max(session.reads) + 0.5, "only opening it was"
        async with asyncio.timeout(10):
            while not session.wire.published or session.wire.published[-1]["version"] != session.version:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert len(session.reads) == 2

    _play(scene, tmp_path, monkeypatch)


def test_whatever_is_asked_is_answered_on_the_text_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(session: _Session) -> None:
        session.open(_LONG)
        assert session.kernel_line() == 2
        for lines in range(1, 4):
            session.insert_above("# above\n")
            assert session.kernel_line() == 2 + lines

    _play(scene, tmp_path, monkeypatch)


def test_a_short_document_is_read_at_every_keystroke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(session: _Session) -> None:
        session.open(_KERNEL)
        for _ in range(5):
            session.insert_above("#")
        assert len(session.reads) >= 6

    _play(scene, tmp_path, monkeypatch)


def test_what_was_put_off_of_a_closed_document_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(session: _Session) -> None:
        session.open(_LONG)
        session.insert_above("#")
        session.server.late.forget(_URI)
        session.say("textDocument/didClose", {"textDocument": {"uri": _URI}})
        await asyncio.sleep(0.3)
        assert len(session.reads) == 1 and session.server.units.of(_URI) == ()

    _play(scene, tmp_path, monkeypatch)
