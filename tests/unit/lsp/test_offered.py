"""`initialize` is answered before anything that does the work is loaded."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

from lsp.offered import COMMANDS, METHODS
from lsp.server import KernelOptServer, build_server

_HEAVY = ("assistant.editor", "assistant.config", "assistant.memory", "pydantic", "tree_sitter", "typer")


class _Wire:
    """Takes what the server sends."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def write(self, data: bytes) -> None:
        self.sent.append(json.loads(data.partition(b"\r\n\r\n")[2]))

    def close(self) -> None: ...


def _server() -> KernelOptServer:
    return build_server(_never, _never)


def _never(*_: object) -> Any:
    raise AssertionError("nothing is opened here")


def _say(server: KernelOptServer, message: dict[str, Any]) -> None:
    server.protocol.handle_message(json.loads(json.dumps({"jsonrpc": "2.0", **message}), object_hook=server.protocol.structure_message))


def test_exactly_what_is_offered_is_registered() -> None:
    server = _server()
    server.load()
    features = server.protocol.fm
    assert set(features.features) == set(METHODS)
    assert set(features.commands) == set(COMMANDS)
    assert features.feature_options == {}, "options are lsp.offered's alone"


def test_initialize_is_answered_with_what_is_offered_and_the_next_message_finds_it() -> None:
    async def talk() -> list[dict[str, Any]]:
        """What is sent after initialize and a command that follows at once."""
        server, wire = _server(), _Wire()
        server.protocol.set_writer(wire)
        _say(server, {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": "file:///w", "capabilities": {}}})
        _say(server, {"id": 2, "method": "workspace/executeCommand", "params": {"command": "kernelopt.check", "arguments": [{"uri": "u"}]}})
        async with asyncio.timeout(60):
            while len(wire.sent) < 2:
                await asyncio.sleep(0)
        return wire.sent

    first, second = asyncio.run(talk())
    capabilities = first["result"]["capabilities"]
    assert capabilities["executeCommandProvider"]["commands"] == list(COMMANDS)
    assert capabilities["workspace"]["textDocumentContent"] == {"schemes": ["kernelopt"]}
    assert {"hoverProvider", "codeLensProvider", "inlayHintProvider", "codeActionProvider"} <= set(capabilities)
    assert second["error"]["message"] == "no CUDA source is open in u"


def test_nothing_heavy_is_imported_before_initialize_is_answered() -> None:
    asked = f"import sys, lsp.server, lsp.serving; print([m for m in {_HEAVY!r} if m in sys.modules])"
    said = subprocess.run((sys.executable, "-c", asked), capture_output=True, text=True, check=True, timeout=60).stdout
    assert said.strip() == "[]"
