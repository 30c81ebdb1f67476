"""One window of VS Code in a browser, as a person at the keyboard has it: what it shows is read from the screen, and keys and clicks go in.

Example::

    await window.open_file("transpose.cu")
    await window.until_lens("Optimize")
    await window.command("View: Toggle Problems")
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from playwright.async_api import Error, Frame, Locator, Page, expect

from tests.deadlines import HANG_S
from tests.e2e.vscode.parts import AXE

__all__ = ["DEADLINE_MS", "Window"]

DEADLINE_MS = 1000 * HANG_S
"""Of one wait."""
_LENS = ".codelens-decoration a, .codelens-decoration > span"
_TRY_MS = 5000.0
"""Before a key is pressed again: it may have come while the window was busy."""
_TRIES = int(DEADLINE_MS / _TRY_MS)
_ROW = ".quick-input-list .monaco-list-row"
_QUICK_INPUT = ".quick-input-widget input.input"
_POLL_S = 0.1
_REST = (1436, 300)
"""Where the mouse brings nothing up: on the scroll bar of the editor at the right edge."""
_GLANCE_MS = 500.0
"""Of a look at something that may not be there."""

T = TypeVar("T")


class Window:
    """The workbench on one folder."""

    def __init__(self, page: Page, shots: Path) -> None:
        page.set_default_timeout(DEADLINE_MS)
        self.page = page
        self._shots = shots
        self._shot_count = 0

    # --- opening ----------------------------------------------------------------------------------------------------

    async def visit(self, address: str, *, is_trusted: bool) -> None:
        """Open the workbench and answer the question whether the folder is trusted."""
        await self.page.goto(address)
        answer = re.compile("^Yes, I trust" if is_trusted else "^No, I don't trust")
        await self.page.get_by_role("button", name=answer).click(timeout=DEADLINE_MS)

    async def leave(self) -> None:
        """Leave the workbench, as a person who closes the tab: VS Code ends the window's extensions, which a lost connection does not."""
        await self.page.goto("about:blank")

    async def open_file(self, name: str) -> None:
        """Open a file of the folder by its name."""
        await self.take(await self.find_file(name))
        await expect(self.page.locator(f'.tabs-container [data-resource-name="{name}"]')).to_be_visible(timeout=DEADLINE_MS)
        await self.page.locator(".monaco-editor .view-line").first.wait_for(timeout=DEADLINE_MS)

    async def find_file(self, name: str) -> Locator:
        """The row of the quick input for a file of the folder, not taken yet."""
        return await self._find("Control+P", name, name)

    async def command(self, title: str) -> None:
        """Run a command of the palette by its whole title."""
        await self.take(await self._find("F1", f">{title}", title))

    async def choose(self, label: str) -> None:
        """Take a row of the quick pick that is open."""
        await self.take(await self.see_choice(label))

    async def answer(self, text: str) -> None:
        """Type into the quick input that is open, picture it, and press Enter: it gets the keys even where it has no focus yet."""
        box = self.page.locator(_QUICK_INPUT)
        await box.fill(text, timeout=DEADLINE_MS)
        await self.shoot("answer")
        await box.press("Enter")

    async def see_choice(self, label: str) -> Locator:
        """Wait for a row of the quick pick."""
        return await self.see(self.page.locator(_ROW), label)

    async def insert(self, text: str) -> None:
        """Put text in at the cursor, as pasting does: nothing is completed or indented."""
        await self.page.keyboard.insert_text(text)

    async def _find(self, key: str, words: str, label: str) -> Locator:
        """Open the quick input and type into it; the row with exactly that label. Again where it was opened before there was such a row."""
        row = self.page.locator(_ROW).filter(has=self.page.get_by_text(label, exact=True)).first
        for _ in range(_TRIES):
            box = await self._quick_input(key)
            with contextlib.suppress(Error):  # it closes where something else takes the focus
                await box.fill(words, timeout=_TRY_MS)
                await row.wait_for(timeout=_TRY_MS)
                return row
            await self.page.keyboard.press("Escape")
        raise AssertionError(f"{label} is not to be found by {key}")

    async def take(self, row: Locator) -> None:
        """Go to the row of the quick input by its keys, and press Enter: what a mouse brings up may lie over a row."""
        keyboard = self.page.keyboard
        deadline = time.monotonic() + DEADLINE_MS / 1000
        while not await row.evaluate("row => row.classList.contains('focused')"):
            assert time.monotonic() < deadline, "the row is not reached by keys"
            await keyboard.press("ArrowDown")
            await asyncio.sleep(_POLL_S)
        await keyboard.press("Enter")

    async def _quick_input(self, key: str) -> Locator:
        """Open it by its key; again where an editor that was just opening took the focus, and with it closed the input."""
        box = self.page.locator(_QUICK_INPUT)
        for _ in range(_TRIES):
            await self.page.keyboard.press(key)
            with contextlib.suppress(Error):
                await box.wait_for(timeout=_TRY_MS)
                return box
        raise AssertionError(f"{key} opens nothing")

    # --- what is shown ----------------------------------------------------------------------------------------------

    @property
    def lenses(self) -> Locator:
        return self.page.locator(_LENS)

    def lens(self, words: str) -> Locator:
        """Lenses that begin with these words."""
        return self.page.locator(".codelens-decoration a").filter(has_text=re.compile(f"^{re.escape(words)}"))

    @property
    def text(self) -> Locator:
        """The lines of the editor that are on screen."""
        return self.page.locator(".editor-group-container.active .view-lines").first

    @property
    def problems(self) -> Locator:
        return self.page.locator(".markers-panel .monaco-list-row")

    @property
    def notifications(self) -> Locator:
        """What is told at the bottom right, or in the list of notifications while that is open."""
        return self.page.locator(":is(.notifications-toasts, .notifications-center) .notification-list-item")

    @property
    def threads(self) -> Locator:
        """Comment threads that are open in an editor; a diff in one column has those of its other side, too, unseen."""
        return self.page.locator(".review-widget:visible")

    @property
    def thread_signs(self) -> Locator:
        """Next to lines of the active editor, one for each thread."""
        return self.page.locator(".editor-group-container.active .comment-range-glyph[class*=comment-thread]")

    @property
    def tinted_lines(self) -> Locator:
        """Lines with a background of ours: those that an open proposal would replace."""
        return self.page.locator(".editor-group-container.active .view-overlays .cdr[class*=TextEditorDecorationType]")

    @property
    def waiting(self) -> Locator:
        """The entry of the status bar while a program waits for a person's OK."""
        return self.page.locator(".statusbar-item").filter(has_text=re.compile(r"run .+\?"))

    @property
    def title_buttons(self) -> Locator:
        """What stands at the right of the active editor's tabs."""
        return self.page.locator(".editor-group-container.active .editor-actions")

    @property
    def rows(self) -> Locator:
        """Rows of the tree in the side bar."""
        return self.page.locator(".sidebar .monaco-list-row")

    @property
    def quick_title(self) -> Locator:
        return self.page.locator(".quick-input-title")

    @property
    def hover(self) -> Locator:
        return self.page.locator(".monaco-hover:visible .monaco-hover-content")

    async def see(self, what: Locator, words: str | re.Pattern[str] | None = None) -> Locator:
        """Wait until something is shown."""
        found = what if words is None else what.filter(has_text=words)
        await found.first.wait_for(timeout=DEADLINE_MS)
        return found.first

    async def see_notification(self, words: str) -> Locator:
        """Wait until it is told; one that hid itself meanwhile, as VS Code's do after 15 seconds, is looked for in the list."""
        told = self.notifications.filter(has_text=words).first
        for _ in range(_TRIES):
            with contextlib.suppress(Error):
                await told.wait_for(timeout=_TRY_MS)
                return told
            await self.command("Notifications: Show Notifications")
        raise AssertionError(f"nothing tells {words!r}")

    async def gone(self, what: Locator) -> None:
        """Wait until nothing of it is shown."""
        await expect(what).to_have_count(0, timeout=DEADLINE_MS)

    async def see_count(self, what: Locator, count: int) -> None:
        """Wait until exactly so many are shown."""
        await expect(what).to_have_count(count, timeout=DEADLINE_MS)

    async def until(self, fact: Callable[[], T]) -> T:
        """Wait until something holds outside of the window, and say it."""
        deadline = time.monotonic() + DEADLINE_MS / 1000
        while not (found := fact()):
            assert time.monotonic() < deadline, "this never came to hold"
            await asyncio.sleep(_POLL_S)
        return found

    # --- hands ------------------------------------------------------------------------------------------------------

    async def click(self, what: Locator) -> None:
        """Wait until it is shown and click it, with nothing over it that the mouse brought up where it was before."""
        found = await self.see(what)
        await self.page.mouse.move(*_REST)
        await self.gone(self.page.locator(".monaco-hover:visible"))
        await found.click()

    async def unfold_threads(self) -> None:
        """Open the folded threads of the proposal's diff that is shown, by the signs next to their lines."""
        await self.see(self.title_buttons.get_by_role("button", name="Accept"))
        await self.unfold_live_threads()

    async def unfold_live_threads(self) -> None:
        """Open the folded threads of the active editor, by the signs next to their lines."""
        await self.see(self.thread_signs)
        for index in range(await self.thread_signs.count()):
            await self.thread_signs.nth(index).click()
            await self.see_count(self.threads, index + 1)

    async def focus_editor(self) -> None:
        await self.command("View: Focus Active Editor Group")

    async def go_to(self, line: int, column: int = 1) -> None:
        """Put the cursor there, both from 1."""
        box = await self._quick_input("Control+G")
        await box.fill(f":{line}:{column}")
        await self.page.keyboard.press("Enter")
        await box.wait_for(state="hidden", timeout=DEADLINE_MS)

    async def let_run(self) -> None:
        """Answer the question whether the program may run: it is over everything after a click, else it waits in the status bar."""
        once = self.page.locator(".monaco-dialog-box").get_by_role("button", name="Once", exact=True)
        for _ in range(_TRIES):
            with contextlib.suppress(Error):
                await once.click(timeout=_TRY_MS)
                return
            if await self.waiting.count():
                await self.waiting.first.click()
        raise AssertionError("nothing asks whether the program may run")

    async def webview(self, words: str) -> Frame:
        """The frame of the webview that holds these words."""
        deadline = time.monotonic() + DEADLINE_MS / 1000
        while time.monotonic() < deadline:
            for frame in self.page.frames:
                with contextlib.suppress(Error):  # a frame that is just being loaded
                    if frame.parent_frame is not None and words in await frame.locator("body").inner_text(timeout=_GLANCE_MS):
                        return frame
            await asyncio.sleep(_POLL_S)
        raise AssertionError(f"no webview shows {words!r}")

    async def accessibility_violations(self, frame: Frame) -> list[str]:
        """What axe-core finds wrong in a frame: each rule with the elements that break it."""
        await frame.evaluate(AXE.read_text("utf-8"))
        found = await frame.evaluate("axe.run(document)")
        return [f"{rule['id']}: {rule['help']}: {[node['html'] for node in rule['nodes']]}" for rule in found["violations"]]

    async def shoot(self, name: str) -> Path:
        """Keep a picture of the window."""
        self._shot_count += 1
        path = self._shots / f"{self._shot_count:02}-{name}.png"
        await self.page.screenshot(path=path)
        return path
