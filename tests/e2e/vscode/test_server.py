"""The language server behind the window: it comes back when it dies."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli, alive
from tests.e2e.lsp.programs import HALVE
from tests.e2e.vscode.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")


def servers() -> list[int]:
    return [process.pid for process in alive() if "-m assistant lsp" in process.command]


async def test_a_server_that_was_killed_comes_back(open_window: OpenWindow, cli: Cli, folder: Path) -> None:
    cli.write("halve.cu", HALVE)
    window = await open_window(folder)
    await window.open_file("halve.cu")
    await window.see(window.lens("Optimize"))
    (first,) = await window.until(servers)
    os.kill(first, signal.SIGKILL)
    (second,) = await window.until(lambda: [pid for pid in servers() if pid != first])
    await window.go_to(6)
    await window.page.keyboard.type("// a kernel after the crash\n__global__ void later() {}\n")
    await window.until(lambda: servers() == [second])
    await window.see_count(window.lens("Optimize"), 2)
    await window.shoot("back")
