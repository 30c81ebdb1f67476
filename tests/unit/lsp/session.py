"""A server in the test's own process that trusts nothing, and so starts nothing: what it sends is kept."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from assistant.memory.store import open_store
from lsp.server import KernelOptServer, build_server

__all__ = ["Session", "opened"]


class Session:
    """One client's messages, by hand."""

    def __init__(self, folder: Path) -> None:
        self.server: KernelOptServer = build_server(lambda: open_store(folder / "memory.sqlite"), _no_pairs)
        self.sent: list[dict[str, Any]] = []
        self.server.protocol.set_writer(self)
        self._last_id = 0

    def write(self, data: bytes) -> None:
        self.sent.append(json.loads(data.partition(b"\r\n\r\n")[2]))

    def close(self) -> None: ...

    def notify(self, method: str, parameters: object) -> None:
        self._take({"method": method, "params": parameters})

    def ask(self, method: str, parameters: object) -> Any:
        """The result of a request that is answered at once."""
        self._last_id += 1
        self._take({"id": self._last_id, "method": method, "params": parameters})
        answer = next(message for message in reversed(self.sent) if message.get("id") == self._last_id)
        assert "error" not in answer, answer
        return answer["result"]

    def initialize(self, capabilities: dict[str, Any] | None = None) -> None:
        options = {"kernelopt": {"protocol": 1, "trusted": False}}
        parameters = {"processId": None, "rootUri": None, "capabilities": capabilities or {}, "initializationOptions": options}
        self.ask("initialize", parameters)

    def open(self, uri: str, text: str, language: str = "cuda-cpp") -> None:
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": text}})

    def published(self, uri: str) -> list[dict[str, Any]]:
        """Every publication of a document's diagnostics."""
        published = (message["params"] for message in self.sent if message.get("method") == "textDocument/publishDiagnostics")
        return [item for item in published if item["uri"] == uri]

    def _take(self, message: dict[str, Any]) -> None:
        text = json.dumps({"jsonrpc": "2.0", **message})
        self.server.protocol.handle_message(json.loads(text, object_hook=self.server.protocol.structure_message))


@asynccontextmanager
async def opened(folder: Path, capabilities: dict[str, Any] | None = None) -> AsyncGenerator[Session]:
    """An initialized one; KERNELOPT_HOME is the caller's to set."""
    session = Session(folder)
    session.initialize(capabilities)
    yield session
    await session.server.close()


def _no_pairs(*_: object) -> Any:
    raise AssertionError("no pair session here")
