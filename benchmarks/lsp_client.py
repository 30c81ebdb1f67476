"""A language client without a screen that measures: the same code drives ``kernelopt lsp`` and clangd.

Example::

    async with started(("clangd",), folder, settings={}) as client:
        await client.initialize()
        seconds = await client.change(uri, "new text")
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Client", "Published", "started"]

_DEADLINE_S = 120.0
_LINE_LIMIT_BYTES = 64 << 20
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_CAPABILITIES = {
    "workspace": {"applyEdit": True, "configuration": True, "workspaceEdit": {"documentChanges": True}},
    "textDocument": {"publishDiagnostics": {"versionSupport": True}, "synchronization": {"didSave": True}},
}
_Message = dict[str, Any]


@dataclass(frozen=True)
class Published:
    """One ``publishDiagnostics``."""

    at_s: float
    """By the clock of ``time.perf_counter``."""
    version: int | None
    severities: tuple[int, ...]
    """LSP's numbers; 1 is an error."""

    @property
    def has_error(self) -> bool:
        return 1 in self.severities


class Client:
    """Keeps the text of every open document, and what was published of it."""

    def __init__(self, process: asyncio.subprocess.Process, folder: Path, settings: Mapping[str, Any]) -> None:
        self.process = process
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.edits: list[float] = []
        """When each ``workspace/applyEdit`` came."""
        self._folder = folder
        self._settings = settings
        self._published: dict[str, list[Published]] = {}
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._changed_uris: set[str] = set()
        self._last_id = 0
        self._news = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    async def initialize(self) -> None:
        """``initialize`` answered, ``initialized`` sent."""
        parameters = {
            "processId": os.getpid(),
            "rootUri": self._folder.as_uri(),
            "capabilities": _CAPABILITIES,
            "initializationOptions": {"kernelopt": {"protocol": 1, "trusted": True, "supports": ["lines"]}},
        }
        await self.request("initialize", parameters)
        self.notify("initialized", {})

    def open(self, path: Path, text: str) -> str:
        """The document's URI."""
        uri = path.as_uri()
        self.texts[uri], self.versions[uri], self._published[uri] = text, 1, []
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "cuda-cpp", "version": 1, "text": text}})
        return uri

    def type(self, uri: str, text: str) -> int:
        """Send the smallest replacement of whole lines that makes it ``text``; the new version."""
        old, new = self.texts[uri].splitlines(keepends=True), text.splitlines(keepends=True)
        head = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        most = min(len(old), len(new)) - head
        tail = next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)
        place = {"start": {"line": head, "character": 0}, "end": {"line": len(old) - tail, "character": 0}}
        self.texts[uri] = text
        self.versions[uri] += 1
        change = {"range": place, "text": "".join(new[head : len(new) - tail])}
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": self.versions[uri]}, "contentChanges": [change]})
        return self.versions[uri]

    def save(self, uri: str) -> None:
        Path(uri.removeprefix("file://")).write_text(self.texts[uri], "utf-8")
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    async def until_published(self, uri: str, is_meant: Callable[[Published], bool]) -> Published:
        """The first publication, earlier ones included, that ``is_meant``."""
        async with asyncio.timeout(_DEADLINE_S):
            while True:
                found = next((item for item in self._published[uri] if is_meant(item)), None)
                if found is not None:
                    return found
                self._news.clear()
                await self._news.wait()

    async def until_changed(self, uri: str) -> None:
        """Until the server says that what it shows of the document is another, which it may have said already."""
        async with asyncio.timeout(_DEADLINE_S):
            while uri not in self._changed_uris:
                self._news.clear()
                await self._news.wait()
        self._changed_uris.discard(uri)

    def forget(self, uri: str) -> None:
        """What was published so far is not looked at again."""
        self._published[uri] = []

    def notify(self, method: str, parameters: object) -> None:
        self._send({"method": method, "params": parameters})

    async def request(self, method: str, parameters: object) -> Any:
        self._last_id += 1
        answer = self._answers[self._last_id] = asyncio.get_running_loop().create_future()
        self._send({"id": self._last_id, "method": method, "params": parameters})
        async with asyncio.timeout(_DEADLINE_S):
            return await answer

    async def stop(self) -> None:
        await self.request("shutdown", None)
        self.notify("exit", None)
        async with asyncio.timeout(_DEADLINE_S):
            await self.process.wait()
        self._reading.cancel()

    @property
    def resident_bytes(self) -> int:
        """Of the server's own process."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * _PAGE_BYTES

    @property
    def cpu_s(self) -> float:
        """User and system time of the server's own process so far, all threads."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS_PER_S

    def _send(self, message: _Message) -> None:
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    async def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := await stream.readuntil(b"\r\n\r\n"):
            length = next(int(line[15:]) for line in header.split(b"\r\n") if line.lower().startswith(b"content-length:"))
            self._take(json.loads(await stream.readexactly(length)), time.perf_counter())

    def _take(self, message: _Message, at_s: float) -> None:
        if "method" not in message:
            self._answers.pop(message["id"]).set_result(message.get("result"))
        elif message["method"] == "kernelopt/changed":
            self._changed_uris.update(message["params"]["uris"])
            self._news.set()
        elif message["method"] == "textDocument/publishDiagnostics":
            parameters = message["params"]
            severities = tuple(item.get("severity", 1) for item in parameters["diagnostics"])
            self._published.setdefault(parameters["uri"], []).append(Published(at_s, parameters.get("version"), severities))
            self._news.set()
        elif "id" in message:
            self._send({"id": message["id"], "result": self._answer(message["method"], message["params"], at_s)})

    def _answer(self, method: str, parameters: Any, at_s: float) -> object:
        match method:
            case "workspace/configuration":
                return [self._settings for _ in parameters["items"]]
            case "workspace/applyEdit":
                self.edits.append(at_s)
                self._news.set()
                return {"applied": False}
            case "window/showMessageRequest":
                return next((action for action in parameters["actions"] if action["title"].startswith("Once")), None)
            case _:
                return None


@asynccontextmanager
async def started(
    command: tuple[str, ...], folder: Path, settings: Mapping[str, Any], environment: Mapping[str, str] | None = None
) -> AsyncGenerator[Client]:
    """A server that ends with the block."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=_LINE_LIMIT_BYTES,
        env={**os.environ, **(environment or {})},
    )
    client = Client(process, folder, settings)
    try:
        yield client
        await client.stop()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
