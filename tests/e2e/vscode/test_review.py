"""A proposal under review: previewed, accepted in parts, undone, rejected, or decided elsewhere."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from tests.e2e.vscode.code_server import only_server, server_ids
from tests.e2e.vscode.conftest import Offered, OpenWindow

if TYPE_CHECKING:
    from tests.e2e.vscode.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.thorough
async def test_why_says_verdict_and_speed_on_lines_of_their_own(open_window: OpenWindow, offered: Offered) -> None:
    window = await open_window(offered.source.parent)
    await window.open_file("waves.cu")
    await window.see(window.lens("Review"))
    await window.command("kernelopt: Explain the Proposal")
    page = await window.webview("Verdict")
    lines = (await page.locator("body").inner_text()).splitlines()
    for label in ("Why:", "Edit:", "Verdict:", "Speed:", "Know before accepting:"):
        assert any(line.startswith(label) for line in lines), (label, lines)
    await window.shoot("why")


async def test_accept_is_an_edit_that_undo_takes_back_and_a_reject_keeps_its_reason(open_window: OpenWindow, offered: Offered) -> None:
    window = await open_window(offered.source.parent)
    await window.open_file("waves.cu")
    await window.click(window.lens("Accept"))
    await window.see(window.text, "0.01f * s")
    await window.until(lambda: offered.decisions() == ["accepted"])
    await window.shoot("accepted")
    assert offered.source.read_text("utf-8") == offered.original, "saving is a person's own move"
    await undone(window, offered)

    await window.command("kernelopt: Reject the Proposal…")
    await window.see_choice("Harder to read")
    await window.shoot("reasons")
    await window.choose("Harder to read")
    await window.gone(window.lens("Review"))
    await window.until(lambda: offered.decisions() == ["accepted", "undone", "rejected"])
    assert offered.reasons()[-1] == ("readability", None), "a reason that says it is enough"

    assert offered.cli.run("undo", offered.id).code == 0
    await window.see(window.lens("Review"))
    await window.command("kernelopt: Reject the Proposal…")
    await window.choose("Other")
    await window.see(window.quick_title, "Other")
    await window.answer("doubles are meant")
    await window.gone(window.lens("Review"))
    await window.until(lambda: offered.reasons()[-1] == ("other", "doubles are meant"))


@pytest.mark.thorough
async def test_the_preview_is_a_diff_with_a_thread_on_each_hunk_until_it_is_decided_in_a_terminal(
    open_window: OpenWindow, offered: Offered
) -> None:
    window = await open_window(offered.source.parent)
    await window.open_file("waves.cu")
    await window.click(window.lens("Review"))
    await window.see(window.title_buttons.get_by_role("button", name="Accept"))
    await window.see_count(window.threads, 0)
    await window.unfold_threads()
    await window.see(window.threads, "x predicted, needs your decision: fewer digits")
    for number in (1, 2, 3):
        await window.see(window.threads, f"Hunk {number} of 3")
    for verb in ("Accept", "Reject", "Explain", "Edit"):
        await window.see(window.title_buttons.get_by_role("button", name=verb))
    await window.shoot("preview")
    await window.click(window.title_buttons.get_by_role("button", name="Accept"))
    await window.until(lambda: offered.decisions() == ["accepted"])
    await window.see(window.text, "0.01f * s")
    await window.gone(window.threads)
    await undone(window, offered)

    ended = offered.cli.run("reject", offered.id, "--reason", "readability")
    assert ended.code == 0, ended.said
    await window.gone(window.lens("Review"))
    await window.see(window.lens("Optimize"))


async def test_why_leaves_the_keys_to_the_diff(open_window: OpenWindow, offered: Offered) -> None:
    window = await open_window(offered.source.parent)
    await window.open_file("waves.cu")
    await window.click(window.lens("Review"))
    await window.unfold_threads()
    await window.threads.get_by_text("Why", exact=True).first.click()
    await window.webview("Verdict")
    await window.shoot("why")
    await window.page.keyboard.press("Control+Enter")
    await window.until(lambda: offered.decisions() == ["accepted"])


@pytest.mark.thorough
async def test_one_hunk_is_accepted_after_typing_above_it(open_window: OpenWindow, offered: Offered) -> None:
    window = await open_window(offered.source.parent)
    await window.open_file("waves.cu")
    await window.see(window.lens("Review"))
    await window.go_to(1)
    await window.insert("#define MINE\n")
    await window.click(window.lens("Review"))
    await window.unfold_threads()
    second = await window.see(window.threads, "Hunk 2 of 3")
    await window.click(second.get_by_role("link", name="Accept only this"))
    await window.let_run()
    await window.gone(window.threads)
    (anew,) = await window.until(lambda: offered.open_ids())
    assert anew != offered.id, "what was verified is another text"
    await window.shoot("offered-anew")
    await window.click(window.lens("Accept"))
    await window.until(lambda: offered.decisions(anew) == ["accepted"])
    await window.page.keyboard.press("Control+S")
    wanted = "#define MINE\n" + offered.original.replace("0.01 * s", "0.01f * s")
    await window.until(lambda: offered.source.read_text("utf-8") == wanted)


@pytest.mark.thorough
async def test_a_review_outlives_the_server_with_what_was_left_out(open_window: OpenWindow, offered: Offered) -> None:
    window = await open_window(offered.source.parent)
    await window.open_file("waves.cu")
    await leave_second_out(window)
    await window.shoot("left-out")
    (first,) = await window.until(only_server)
    os.kill(first, signal.SIGKILL)
    await window.until(lambda: server_ids() and first not in server_ids())
    await window.see(window.page.locator(".statusbar"), "1 proposal")
    await window.see_count(window.threads, 3)
    await window.see(window.threads, "Left out of Accept")
    await window.shoot("outlived")
    await window.click(window.title_buttons.get_by_role("button", name="Accept"))
    await window.see_notification("Accepting 2 of 3 hunks: hunk 2 stays out")
    await window.let_run()
    await saved_without_second(window, offered)


@pytest.mark.thorough
async def test_what_was_left_out_is_asked_about_once_the_diff_is_closed(open_window: OpenWindow, offered: Offered) -> None:
    window = await open_window(offered.source.parent)
    await window.open_file("waves.cu")
    await leave_second_out(window)
    await window.command("View: Close All Editors")
    await window.open_file("waves.cu")
    await window.click(window.lens("Accept"))
    await window.see_choice("Accept 2 of 3 hunks")
    await window.shoot("asked")
    assert offered.decisions() == []
    await window.choose("Accept all of it")
    await window.until(lambda: offered.decisions() == ["accepted"])
    await window.see(window.text, "0.01f * s")


@pytest.mark.thorough
async def test_hunks_are_picked_by_keyboard(open_window: OpenWindow, offered: Offered) -> None:
    window = await open_window(offered.source.parent)
    await window.open_file("waves.cu")
    await window.see(window.lens("Accept"))
    await window.focus_editor()
    keyboard = window.page.keyboard
    await keyboard.press("Control+K")
    await keyboard.press("k")
    await window.see_choice("Accept some hunks…")
    await keyboard.type("some hunks")
    await keyboard.press("Enter")
    await window.see(window.quick_title, "Accept which hunks?")
    await keyboard.type("Hunk 2")
    await window.see_count(window.page.locator(".quick-input-list .monaco-list-row"), 1)
    await window.shoot("picks")
    await keyboard.press("ArrowDown")
    await keyboard.press("Space")
    await keyboard.press("Enter")
    await window.let_run()
    await saved_without_second(window, offered)


@pytest.mark.thorough
async def test_hunks_are_kept_and_skipped_in_the_live_file(open_window: OpenWindow, offered: Offered) -> None:
    window = await open_window(offered.source.parent)
    await window.open_file("waves.cu")
    await window.see_count(window.tinted_lines, 3)
    await window.shoot("tinted")
    await window.unfold_live_threads()
    second = await window.see(window.threads, "Hunk 2 of 3")
    await window.see(second, "0.01f * s")
    await window.shoot("unfolded")
    await window.click(second.get_by_role("link", name="Skip"))
    await window.let_run()
    (rest,) = await window.until(lambda: [each for each in offered.open_ids() if each != offered.id])
    await window.see_count(window.tinted_lines, 2)
    await window.see_count(window.thread_signs, 2)
    await window.unfold_live_threads()
    first = await window.see(window.threads, "Hunk 1 of 2")
    await window.see(first, "Right at count=4000, steps=16")
    await window.shoot("rest-judged")
    await window.click(first.get_by_role("link", name="Keep", exact=True))
    await window.see_count(window.text.filter(has_text="0.9f * sum"), 0)
    assert (offered.decisions(), offered.decisions(rest)) == ([], []), "something is still open: nothing enters the buffer"
    await window.go_to(17)
    await window.page.keyboard.press("Control+K")
    await window.page.keyboard.press("y")
    await saved_without_second(window, offered)
    assert offered.decisions(rest) == ["accepted"], "what is left was judged before"
    await window.see_count(window.tinted_lines, 0)


async def undone(window: Window, offered: Offered) -> None:
    """Take back the accept that the editor has just made."""
    await window.focus_editor()
    await window.page.keyboard.press("Control+Z")
    await window.until(lambda: offered.decisions() == ["accepted", "undone"])
    await window.see(window.lens("Review"))


async def leave_second_out(window: Window) -> None:
    """Open the diff and leave its second hunk out."""
    await window.click(window.lens("Review"))
    await window.unfold_threads()
    second = await window.see(window.threads, "Hunk 2 of 3")
    await window.click(second.get_by_role("link", name="Leave it out"))
    await window.see(second, "Left out of Accept")


async def saved_without_second(window: Window, offered: Offered) -> None:
    """Save what the accept has put into the editor, and look at the file."""
    await window.see(window.text, "0.9f * sum")
    await window.focus_editor()
    await window.page.keyboard.press("Control+S")
    first = "1.0 - t * (0.8 - t * (0.3 - t * 0.05))"
    wanted = offered.original.replace(first, "1.0f - t * (0.8f - t * (0.3f - t * 0.05f))").replace("0.9 * sum", "0.9f * sum")
    await window.until(lambda: offered.source.read_text("utf-8") == wanted)
