"""A CUDA cell of a notebook is profiled, and its proposal reviewed, as a file is; the notebook's kernel may accept it too."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.memory.store import open_store
from tests.e2e.cli.harness import Cli
from tests.e2e.vscode.conftest import OpenWindow
from tests.e2e.vscode.kernel import kernel
from tests.e2e.vscode.programs import WAVES
from tests.e2e.vscode.test_showing import notebook

pytestmark = pytest.mark.asyncio(loop_scope="session")


CELL = "%%cu\n" + WAVES
EDITED = "0.01f * s"
"""What the proposal makes of one line."""


@pytest.mark.thorough
async def test_a_cell_is_profiled_and_its_proposal_accepted_in_the_kernel_and_in_the_window(
    open_window: OpenWindow, cli: Cli, folder: Path
) -> None:
    path = cli.write("lab.ipynb", notebook(CELL))
    window = await open_window(folder)
    await window.open_file("lab.ipynb")
    await window.click(window.lens("Profile"))
    await window.let_run()
    await window.webview("Source, with heat")
    await window.shoot("cell-profile")

    await window.click(window.lens("Optimize"))
    await window.click(window.lens("Review"))
    await window.unfold_threads()
    for number in (1, 2, 3):
        await window.see(window.threads, f"Hunk {number} of 3")
    await window.shoot("cell-review")
    with open_store(cli.home / "memory.sqlite3") as store:
        (proposal,) = store.proposals()

    async with kernel(cli, path) as run:
        await run(CELL)
        await run("%kernelopt cancel")
        assert "the cell was replaced" in await run(f"%kernelopt accept {proposal.id}")
    await window.gone(window.page.locator(".tabs-container .tab").filter(has_text="predicted"))
    text = window.page.locator(".view-lines")
    await window.click(await window.see(text, EDITED))
    await window.gone(window.lens("Review"))
    await window.shoot("accepted-in-the-kernel")
    await window.page.keyboard.press("Control+Z")
    await window.gone(text.filter(has_text=EDITED))
    await window.click(window.lens("Accept"))
    await window.see(text, EDITED)
    await window.command("File: Save")
    await window.until(lambda: EDITED in path.read_text("utf-8"))
    with open_store(cli.home / "memory.sqlite3") as store:
        decided = [(decision.kind.value, decision.decided_by.split()[0]) for decision in store.decisions(proposal.id)]
    assert decided == [("accepted", "jupyter"), ("undone", "lsp"), ("accepted", "lsp")]
