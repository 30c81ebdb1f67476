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


async def test_a_reject_keeps_its_reason(open_window: OpenWindow, offered: Offered) -> None:
    window = await open_window(offered.source.parent)
    await window.open_file("transpose.cu")
    await (await window.see(window.lens("Reject"))).click()
    await window.page.wait_for_timeout(1000)
    await window.shoot("reasons")
    await window.choose("Harder to read")
    await window.page.wait_for_timeout(1000)
    await window.shoot("words")
    await window.page.keyboard.type("two tiles are enough")
    await window.page.keyboard.press("Enter")
    await window.gone(window.lens("Proposal: "))
    assert offered.decisions() == ["rejected"]


async def test_the_preview_is_a_diff_with_a_thread_on_each_hunk(open_window: OpenWindow, offered: Offered) -> None:
    window = await open_window(offered.source.parent)
    await window.open_file("transpose.cu")
    await (await window.see(window.lens("Proposal: "))).click()
    await window.page.wait_for_timeout(6000)
    await window.shoot("preview")
    for frame in window.page.frames:
        print(frame.url[:100])
    print([await x.get_attribute("aria-label") for x in await window.page.locator(".editor-actions .action-label").all()])
    print(await window.page.locator(".review-widget").all_inner_texts())
    await window.go_to(1)


async def test_one_hunk_is_accepted_after_typing_above_it(open_window: OpenWindow, offered: Offered) -> None:
    window = await open_window(offered.source.parent)
    await window.open_file("transpose.cu")
    await window.see(window.lens("Proposal: "))
    await window.go_to(1)
    await window.insert("// mine\n")
    await window.command("kernelopt: Review Proposals…")
    await window.page.wait_for_timeout(1000)
    await window.shoot("verbs")
    await window.choose("Accept some hunks…")
    await window.page.wait_for_timeout(1500)
    await window.shoot("hunks")
