"""How long a first session takes in a real VS Code, from the extension's installation to the first answer and the first accepted edit.

    python -m benchmarks.first_session                   # an example; or any .cu file that can be run
    python -m benchmarks.first_session FILE PICTURES     # a picture after each step goes to that folder

Everything is new but pip's cache: VS Code's data, the server's environment, memory, the emulator. Wall time is what a person waits;
beside other work the processor time of the extension host and what it started says more. That is a lower bound: a process that
ended without its parent waiting for it, or that was given to another parent, is not in it. ``make vscode`` before.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.table import heading, row
from tests.e2e.cli.harness import EXAMPLES, make_cli
from tests.e2e.vscode.chromium import launch_options
from tests.e2e.vscode.code_server import CodeServer, code_server, install
from tests.e2e.vscode.parts import extension, missing

if TYPE_CHECKING:
    from playwright.async_api import Locator

    from tests.e2e.vscode.window import Window

_PATIENCE_MS = 500_000.0
"""Each step's deadline finds a hang; it measures nothing."""
_TICKS_PER_S = 100
"""Of the times in /proc/PID/stat, on every Linux that this runs on (USER_HZ)."""


class _Steps:
    """What each step took, since the one before."""

    def __init__(self, process: int) -> None:
        self._process = process
        self._begun = time.perf_counter(), processor_s(process)
        self.rows: list[str] = []

    def done(self, what: str) -> None:
        """A step ended now."""
        now = time.perf_counter(), processor_s(self._process)
        wall_s, used_s = now[0] - self._begun[0], now[1] - self._begun[1]
        self.rows.append(row(what, f"{wall_s:.1f} s", f"{used_s:.1f} s"))
        sys.stderr.write(self.rows[-1] + "\n")
        self._begun = now


def processor_s(process: int) -> float:
    """Processor time of a process, of everything below it, and of what ended there and was waited for: a lower bound."""
    spent: dict[int, tuple[int, int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:
            continue  # it ended
        spent[int(path.parent.name)] = int(fields[1]), sum(int(field) for field in fields[11:15])
    below, waiting = {process}, [process]
    while waiting:
        parent = waiting.pop()
        found = {child for child, (of, _) in spent.items() if of == parent} - below
        below |= found
        waiting.extend(found)
    return sum(spent[each][1] for each in below if each in spent) / _TICKS_PER_S


async def _session(served: CodeServer, folder: Path, name: str, pictures: Path) -> list[str]:
    from playwright.async_api import async_playwright

    from tests.e2e.vscode.window import Window

    steps = _Steps(served.process.pid)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**(launch_options() or {}))
        window = Window(await browser.new_page(viewport={"width": 1440, "height": 900}), pictures)
        try:
            await _played(window, served.address(folder), name, steps)
        finally:
            await window.shoot("end")
            await browser.close()
    return steps.rows


async def _played(window: Window, address: str, name: str, steps: _Steps) -> None:
    await window.visit(address, is_trusted=True)
    await window.open_file(name)
    steps.done("window opened, file chosen")
    button = window.notifications.get_by_role("button", name="Install", exact=True)
    await _wait(button)
    await window.shoot("asked")
    await button.click()
    await _wait(window.lens("Optimize"))
    steps.done("*Install* clicked → lens over the kernel")
    await window.shoot("installed")
    await _wait(window.waiting.first)
    await window.shoot("waiting")
    await window.let_run()
    steps.done("lens → asked whether the program may run, answered")
    await _wait(window.lenses.filter(has_text=re.compile("-bound")).first)
    steps.done("answered → what limits a kernel, on its lines")
    await window.shoot("answer")
    await window.click(window.lens("Optimize").first)
    await _wait(window.lens("Accept").first)
    steps.done("*Optimize* clicked → proposal")
    await window.shoot("proposal")
    await window.click(window.lens("Accept").first)
    await window.gone(window.lens("Accept"))
    steps.done("*Accept* clicked → edit in the file")
    await window.shoot("accepted")


async def _wait(what: Locator) -> None:
    await what.wait_for(timeout=_PATIENCE_MS)


def main() -> int:
    """Print the table."""
    if (reason := missing()) is not None:
        sys.stdout.write(f"kernelopt: SKIPPED a first session in VS Code: {reason}: make vscode\n")
        return 0
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else EXAMPLES / "transpose.cu"
    with tempfile.TemporaryDirectory() as name:
        pictures = Path(sys.argv[2] if len(sys.argv) > 2 else name).resolve()
        pictures.mkdir(parents=True, exist_ok=True)
        cli = make_cli(Path(name))
        cli.variables.update({"PYTHONPYCACHEPREFIX": "", "PYTHONPATH": ""})
        cache = cli.home / "cache"
        cache.unlink()
        cache.mkdir()
        cli.write(source.name, source.read_text("utf-8"))
        data = Path(name) / "user"
        begun = time.perf_counter()
        install(cli, data, extension())
        installed = row("extension installed", f"{time.perf_counter() - begun:.1f} s", "—")
        with code_server(cli, data, {}) as served:
            rows = asyncio.run(_session(served, cli.folder, source.name, pictures))
    sys.stdout.write("\n".join((heading("step", "wall time", "processor time"), installed, *rows)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
