"""A pair session in the editor: begun on a kernel, answered at each save in a lens, stopped by a click."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.memory.store import open_store
from tests.e2e.cli.harness import Cli
from tests.e2e.vscode.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")

STORE = "        out[x * height + y] = in[y * width + x];"
WRONG = "        out[x * height + y] = in[y * width + x] + 1.0f;"
RIGHT = "        out[height * x + y] = in[width * y + x];"


@pytest.mark.thorough
async def test_each_save_is_answered_over_the_kernel_until_pairing_is_stopped(open_window: OpenWindow, cli: Cli, folder: Path) -> None:
    source = cli.example("transpose.cu")
    line = source.read_text("utf-8").splitlines().index(STORE) + 1
    window = await open_window(folder)
    await window.open_file("transpose.cu")
    await window.see(window.lens("Optimize"))
    await window.go_to(6)
    await window.command("kernelopt: Pair on the Kernel at the Cursor")
    await window.see(window.quick_title, "Pair on this kernel")
    await window.answer("fewer sectors")
    await window.see(window.lens("Pair: save an edit to have it judged"))
    assert [await window.lens(words).count() for words in ("Suggest", "Stop")] == [1, 1]

    await window.let_run()
    for text, name in ((WRONG, "v1: FAIL"), (RIGHT, "v2: ")):
        await window.go_to(line)
        await window.page.keyboard.press("Home")
        await window.page.keyboard.press("Shift+End")
        await window.insert(text.strip())
        await window.page.keyboard.press("Control+S")
        await window.see(window.lens(f"Pair: {name}"))
    await window.shoot("pair")

    await window.click(window.lens("Stop"))
    await window.see(window.page.locator(".tabs-container"), "pair session")
    await window.gone(window.lens("Pair: "))
    await window.see(window.lens("Optimize"))
    with open_store(cli.home / "memory.sqlite3") as store:
        (session,) = store.pair_sessions(source, is_open_only=False)
        kinds = [turn.kind.value for turn in store.turns(session.id)]
    assert session.goal == "fewer sectors" and kinds == ["start", "edit", "edit", "stop"]
