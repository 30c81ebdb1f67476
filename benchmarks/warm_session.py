"""How long a person waits for the first answer and the first proposal in a real VS Code where everything was used before.

    python -m benchmarks.warm_session [WINDOWS]

The emulator is built, the environment is there, the program may run. Each window finds a text that nothing has looked at before (a new
comment) and a memory that knows no proposal on it. The first window is thrown away. Wall time, and the processor time of the extension
host and what it started, a lower bound (``benchmarks.first_session`` says why); the browser is in neither. ``make vscode`` before.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.first_session import processor_s
from benchmarks.table import heading, row, spread
from tests.e2e.cli.harness import EXAMPLES, Cli, make_cli
from tests.e2e.vscode.chromium import launch_options
from tests.e2e.vscode.code_server import CodeServer, code_server, install, servers
from tests.e2e.vscode.parts import extension, missing

_WINDOWS = 5
_PATIENCE_MS = 300_000.0
_NAME = "transpose.cu"
_STEPS = ("file chosen → what limits the kernel, on its lines", "*Optimize* clicked → proposal")
_BUDGETS = ("≤ 15 s", "≤ 20 s")

_Took = tuple[float, float]
"""Wall and processor seconds."""


async def _measured(cli: Cli, served: CodeServer, windows: int) -> list[tuple[_Took, _Took]]:
    """Of each window: its first answer, and its proposal."""
    from playwright.async_api import async_playwright

    from tests.e2e.vscode.window import Window

    found: list[tuple[_Took, _Took]] = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**(launch_options() or {}))
        for index in range(windows + 1):
            cli.write(_NAME, f"// {index}\n{(EXAMPLES / _NAME).read_text('utf-8')}")
            window = Window(await browser.new_page(viewport={"width": 1440, "height": 900}), cli.temporary)
            found.append(await _played(window, served, cli, is_first=index == 0))
            await window.leave()
            await window.until(lambda: not servers())
            await window.page.close()
            for memory in cli.home.glob("memory.sqlite3*"):
                memory.unlink()
            sys.stderr.write(f"{found[-1]}\n")
        await browser.close()
    return found[1:]


async def _played(window: object, served: CodeServer, cli: Cli, is_first: bool) -> tuple[_Took, _Took]:
    from tests.e2e.vscode.window import Window

    assert isinstance(window, Window)
    await window.visit(served.address(cli.folder), is_trusted=True)
    begun = time.perf_counter(), processor_s(served.process.pid)
    await window.open_file(_NAME)
    if is_first:
        await window.click(window.waiting)
        await window.page.locator(".monaco-dialog-box").get_by_role("button", name="Always for This Program").click(timeout=_PATIENCE_MS)
    await window.lenses.filter(has_text=re.compile("-bound")).first.wait_for(timeout=_PATIENCE_MS)
    answered = time.perf_counter(), processor_s(served.process.pid)
    await window.click(window.lens("Optimize").first)
    await window.lens("Accept").first.wait_for(timeout=_PATIENCE_MS)
    offered = time.perf_counter(), processor_s(served.process.pid)
    return (answered[0] - begun[0], answered[1] - begun[1]), (offered[0] - answered[0], offered[1] - answered[1])


def main() -> int:
    """Print the table."""
    if (reason := missing()) is not None:
        sys.stdout.write(f"kernelopt: SKIPPED a warm session in VS Code: {reason}: make vscode\n")
        return 0
    windows = int(sys.argv[1]) if len(sys.argv) > 1 else _WINDOWS
    with tempfile.TemporaryDirectory() as name:
        cli = make_cli(Path(name))
        data = Path(name) / "user"
        install(cli, data, extension())
        with code_server(cli, data, {"kernelopt.server.python": sys.executable}) as served:
            found = asyncio.run(_measured(cli, served, windows))
    rows = [heading("step", "budget", "wall time, s: median (range, n)", "processor time, s")]
    for index, (step, budget) in enumerate(zip(_STEPS, _BUDGETS, strict=True)):
        wall, used = ([each[index][kind] for each in found] for kind in (0, 1))
        rows.append(row(step, budget, spread(wall), spread(used)))
    sys.stdout.write("\n".join(rows) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
