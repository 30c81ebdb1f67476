"""One page of JupyterLab in a browser, as a person at the keyboard has it: what it shows is read from the screen, keys and clicks go in.

Example::

    await page.run(0)
    await page.until_source(1, "tile[32][33]")
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar
from urllib.parse import urljoin

from playwright.async_api import Locator, Page, expect

from tests.deadlines import HANG_S
from tests.e2e.vscode.parts import AXE

__all__ = ["DEADLINE_MS", "LabPage"]

DEADLINE_MS = 1000 * HANG_S
"""Of one wait."""
_POLL_S = 0.1

T = TypeVar("T")


class LabPage:
    """The page that shows one notebook or file."""

    def __init__(self, page: Page, shots: Path) -> None:
        self.page = page
        self._shots = shots
        self._shot_count = 0

    async def visit(self, address: str) -> None:
        """Open the notebook, with a kernel that is ready."""
        await self.page.goto(address)
        await self.see(self.page.locator(".jp-Notebook .jp-Cell"))
        await self.until_ready()

    async def until_ready(self) -> None:
        """Wait until a kernel hears the page: before, the page drops what is run."""
        kernels = urljoin(self.page.url, "/api/kernels")

        async def is_heard() -> bool:
            answer = await self.page.request.get(kernels)
            if not answer.ok:  # a kernel that ended while the server listed them
                return False
            return any(kernel["connections"] and kernel["execution_state"] == "idle" for kernel in await answer.json())

        await self.until(is_heard)
        if "/lab/" in self.page.url:  # Notebook 7 has no status bar
            await self.see(self.page.locator("#jp-main-statusbar"), "| Idle")

    # --- cells ------------------------------------------------------------------------------------------------------

    @property
    def cells(self) -> Locator:
        return self.page.locator(".jp-Notebook .jp-Cell")

    def cell(self, index: int) -> Locator:
        return self.cells.nth(index)

    def editor(self, index: int) -> Locator:
        return self.cell(index).locator(".cm-content")

    def output(self, index: int) -> Locator:
        return self.cell(index).locator(".jp-OutputArea")

    async def source(self, index: int) -> str:
        """The text of a cell, as far as it is on screen."""
        return "\n".join(await self.editor(index).locator(".cm-line").all_inner_texts())

    async def begin(self, index: int) -> None:
        """Run a cell and do not wait for its end."""
        await self.editor(index).click()
        await self.page.keyboard.press("Control+Enter")

    async def run(self, index: int) -> None:
        """Run a cell to its end."""
        prompt = self.cell(index).locator(".jp-InputPrompt")
        before = await prompt.inner_text()
        await self.begin(index)
        await expect(prompt).to_have_text(re.compile(r"^\[\d+\]:$"), timeout=DEADLINE_MS)
        await self.until(lambda: prompt.inner_text(), lambda now: now not in (before, "[*]:"))

    async def is_running(self, index: int) -> bool:
        return await self.cell(index).locator(".jp-InputPrompt").inner_text() == "[*]:"

    async def until_source(self, index: int, words: str) -> None:
        """Wait until a cell holds these words."""
        await expect(self.editor(index)).to_contain_text(words, timeout=DEADLINE_MS)

    async def open_file(self, name: str) -> None:
        """Open a file of the folder from the file browser."""
        await (await self.see(self.page.locator(".jp-DirListing-item"), name)).dblclick()

    async def command(self, title: str) -> None:
        """Run a command of the palette."""
        await self.page.keyboard.press("Control+Shift+C")
        box = await self.see(self.page.locator(".lm-CommandPalette-input"))
        await box.fill(title)
        await (await self.see(self.page.locator(".lm-CommandPalette-item"), title)).click()

    async def accessibility_violations(self, selector: str) -> list[str]:
        """What axe-core finds wrong in one part of the page: each rule with the elements that break it."""
        await self.page.evaluate(AXE.read_text("utf-8"))
        found = await self.page.evaluate(f"axe.run({selector!r})")
        return [f"{rule['id']}: {rule['help']}: {[node['html'] for node in rule['nodes']]}" for rule in found["violations"]]

    # --- waiting ----------------------------------------------------------------------------------------------------

    async def see(self, what: Locator, words: str | re.Pattern[str] | None = None) -> Locator:
        """Wait until something is shown."""
        found = what if words is None else what.filter(has_text=words)
        await found.first.wait_for(timeout=DEADLINE_MS)
        return found.first

    async def gone(self, what: Locator) -> None:
        await expect(what).to_have_count(0, timeout=DEADLINE_MS)

    async def until(self, look: Callable[[], object], holds: Callable[[object], bool] = bool) -> object:
        """Wait until what ``look`` gives (or awaits) holds, and say it."""
        deadline = time.monotonic() + DEADLINE_MS / 1000
        while True:
            seen = look()
            seen = await seen if asyncio.iscoroutine(seen) else seen
            if holds(seen):
                return seen
            assert time.monotonic() < deadline, f"this never came to hold; last: {seen!r}"
            await asyncio.sleep(_POLL_S)

    async def shoot(self, name: str) -> Path:
        """Keep a picture of the page."""
        self._shot_count += 1
        path = self._shots / f"{self._shot_count:02}-{name}.png"
        await self.page.screenshot(path=path)
        return path
