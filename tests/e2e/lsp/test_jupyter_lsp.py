"""jupyter-lsp, which JupyterLab speaks to, starts the server by its entry point and shows what it says."""

from __future__ import annotations

import asyncio
import json
import time
import warnings
from typing import Any

import pytest
from tornado.httputil import HTTPServerRequest, RequestStartLine
from tornado.web import Application
from tornado.websocket import WebSocketHandler

from tests.deadlines import GONE_WITHIN_S
from tests.e2e.cli.harness import Cli, no_orphans
from tests.e2e.lsp.editor import DEADLINE_S

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # jupyter-lsp 2.3 uses traitlets as before 5.0
    from jupyter_lsp import LanguageServerManager

KERNEL = "__global__ void halve(float *x)\n{\n    x[threadIdx.x] = missing * 0.5f;\n}\n"


class Browser(WebSocketHandler):
    """The end of the socket that JupyterLab holds."""

    language_server = "kernelopt"

    def __init__(self, manager: LanguageServerManager) -> None:
        request = HTTPServerRequest(start_line=RequestStartLine("GET", "/lsp", "HTTP/1.0"), connection=_Connection())
        super().__init__(Application(), request)
        self._manager = manager
        self._received: list[dict[str, Any]] = []

    def write_message(self, message: str | bytes | dict[str, Any], binary: bool = False) -> Any:
        assert isinstance(message, str)
        self._received.append(json.loads(message))

    async def send(self, method: str, parameters: dict[str, Any], number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": parameters} | ({} if number is None else {"id": number})
        await self._manager.on_client_message(json.dumps(message), self)

    async def until(self, **wanted: Any) -> dict[str, Any]:
        """The first message that says all of this; it is taken away."""
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end:
            for message in self._received:
                if all(message.get(name) == value for name, value in wanted.items()):
                    self._received.remove(message)
                    return message
            await asyncio.sleep(0.02)
        raise AssertionError(f"no {wanted} among {self._received}")


class _Connection:
    """Nothing is sent over it."""

    def set_close_callback(self, callback: object) -> None: ...


async def test_jupyter_lsp_starts_the_server_and_gets_diagnostics_hover_and_symbols(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in cli.environment().items():
        monkeypatch.setenv(name, value)
    manager = LanguageServerManager()
    manager.initialize()
    uri = (cli.folder / ".virtual_documents" / "cell.cu").as_uri()
    document = {"textDocument": {"uri": uri}}
    with no_orphans():
        browser = Browser(manager)
        manager.subscribe(browser)
        process = manager.sessions["kernelopt"].process
        try:
            await browser.send("initialize", {"processId": None, "rootUri": cli.folder.as_uri(), "capabilities": {}}, 1)
            assert (await browser.until(id=1))["result"]["capabilities"]["hoverProvider"]
            await browser.send("initialized", {})
            await browser.send("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "cuda", "version": 1, "text": KERNEL}})
            await browser.until(method="textDocument/publishDiagnostics")
            await browser.send("textDocument/documentSymbol", document, 2)
            assert [symbol["name"] for symbol in (await browser.until(id=2))["result"]] == ["halve"]
            await browser.send("textDocument/hover", document | {"position": {"line": 0, "character": 20}}, 3)
            assert "not profiled yet" in (await browser.until(id=3))["result"]["contents"]["value"]
        finally:
            manager.unsubscribe(browser)
            await asyncio.to_thread(process.wait, GONE_WITHIN_S)
