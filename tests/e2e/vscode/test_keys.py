"""A model endpoint's key: kept in VS Code's secret storage, given to the server in its environment, written nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.lsp.programs import HALVE
from tests.e2e.vscode.code_server import CodeServer, servers
from tests.e2e.vscode.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")

SECRET = "sk-not-to-be-found-anywhere-7f3a"
VARIABLE = "OPENAI_API_KEY"


@pytest.mark.thorough
async def test_a_key_reaches_the_server_and_no_file(open_window: OpenWindow, cli: Cli, folder: Path, served: CodeServer) -> None:
    cli.write("halve.cu", HALVE)
    window = await open_window(folder)
    await window.open_file("halve.cu")
    await window.see(window.lens("Optimize"))
    assert all(VARIABLE not in server.variables for server in servers())
    await window.command("kernelopt: Set the Key of a Model Endpoint…")
    await window.see(window.quick_title, VARIABLE)
    await window.answer(SECRET)
    await window.until(lambda: any(VARIABLE in server.variables for server in servers()))
    await window.see(window.lens("Optimize"))
    for place in (served.data, cli.home, cli.folder):
        for path in place.rglob("*"):
            assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path
    await window.command("kernelopt: Forget the Key of a Model Endpoint")
    await window.until(lambda: servers() and all(VARIABLE not in server.variables for server in servers()))
