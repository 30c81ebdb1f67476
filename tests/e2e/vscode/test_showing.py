"""What a person sees on opening a CUDA file."""

from __future__ import annotations

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.vscode.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_kernel_gets_a_lens_and_its_numbers(open_window: OpenWindow, cli: Cli) -> None:
    cli.example("transpose.cu")
    window = await open_window(cli.folder)
    await window.open_file("transpose.cu")
    await window.see(window.lenses, "Optimize")
    await window.shoot("lens")
    await window.page.wait_for_timeout(8000)
