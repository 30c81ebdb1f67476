"""Projects of several files in VS Code: which program runs the kernels of a header is chosen, once, and stands over them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.cli.test_programs import MAIN, OPS, RUN
from tests.e2e.vscode.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.thorough
async def test_the_program_of_a_header_is_chosen_and_named(open_window: OpenWindow, cli: Cli, folder: Path) -> None:
    cli.write("main.cu", MAIN)
    cli.write("bench.cu", MAIN)
    cli.write("run.cu", RUN)
    cli.write("ops.cuh", OPS)
    window = await open_window(folder)
    await window.open_file("ops.cuh")
    await window.click(window.lens("2 programs run this"))
    await window.see_choice("bench.cu")
    await window.shoot("choice")
    await window.choose("main.cu")
    named = await window.see(window.lens("via main.cu"))
    assert "run.cu includes ops.cuh" in (await named.get_attribute("title") or "")
    assert json.loads((folder / ".kernelopt" / "programs.json").read_text("utf-8")) == {"ops.cuh": "main.cu"}
    await window.shoot("named")
