"""From an open file to a proposal, with the mouse."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.vscode.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_optimize_asks_runs_and_offers(open_window: OpenWindow, cli: Cli, folder: Path) -> None:
    cli.quick()
    window = await open_window(folder)
    await window.open_file("transpose.cu")
    await window.click(window.lens("Optimize"))
    await window.let_run()
    await window.see(window.lens("Review"))
    await window.see(window.lens("≈"), "x predicted")
    await window.shoot("proposal")
