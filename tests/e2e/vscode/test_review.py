"""A proposal under review: previewed, accepted in parts, undone, rejected, or decided elsewhere."""

from __future__ import annotations

import pytest

from tests.e2e.vscode.conftest import Offered, OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_proposal_that_is_decided_in_a_terminal_disappears(open_window: OpenWindow, offered: Offered) -> None:
    window = await open_window(offered.source.parent)
    await window.open_file("transpose.cu")
    await window.see(window.lens("Proposal: "))
    ended = offered.cli.run("reject", offered.id, "--reason", "readability")
    assert ended.code == 0, ended.said
    await window.gone(window.lens("Proposal: "))
    await window.see(window.lens("Optimize"))


async def test_accept_is_an_edit_that_undo_takes_back(open_window: OpenWindow, offered: Offered) -> None:
    window = await open_window(offered.source.parent)
    await window.open_file("transpose.cu")
    await (await window.see(window.lens("Accept"))).click()
    await window.see(window.text, "__shared__ float tile")
    await window.until(lambda: offered.decisions() == ["accepted"])
    await window.shoot("accepted")
    assert offered.source.read_text("utf-8") == offered.original, "saving is a person's own move"
    await window.focus_editor()
    await window.page.keyboard.press("Control+Z")
    await window.until(lambda: offered.decisions() == ["accepted", "undone"])
    await window.see(window.lens("Proposal: "))
