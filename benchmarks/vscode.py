"""How long a person waits for the extension in a real VS Code: code-server in Chromium, as the tests have it (``make vscode``).

    python -m benchmarks.vscode

Each window has an extension host of its own, so each gives one activation and one first file. Activation is what VS Code itself says of
the extension in *Developer: Show Running Extensions*: loading its code and ``activate()``; a Python file without CUDA activates it and
starts no server. Lenses are timed from the choice of the file to the lens on screen, and VS Code's own part of that from the same choice to
the file's text on screen. Wall clock: on an idle machine only.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.lsp_programs import large_source, small_source
from benchmarks.table import heading, percentiles, row
from tests.e2e.cli.harness import make_cli
from tests.e2e.vscode.chromium import launch_options
from tests.e2e.vscode.code_server import CodeServer, code_server, install
from tests.e2e.vscode.parts import extension, missing

if TYPE_CHECKING:
    from tests.e2e.vscode.window import Window

_WINDOWS = 10
_QUIET = '[background]\ncompile = "off"\nverify = "off"\nprofile = "off"\n'
"""Nothing but parsing: a lens needs no compiler."""
_FILES = {"plain.py": "print('no kernel here')\n", "first.cu": small_source(0), "next.cu": small_source(1), "large.cu": large_source(1000)}
_OPENED = (("first CUDA file chosen, the server starts", "≤ 2 s"), ("next CUDA file chosen", "—"), ("1,000 lines chosen", "—"))
_ACTIVATION = re.compile(r"Activation: (\d+)\s?ms")


@dataclass(frozen=True)
class _Sight:
    """Seconds from the choice of a file."""

    text_s: float
    lens_s: float


async def report() -> str:
    """A Markdown table; one line that says why where the parts are not there."""
    if (reason := missing()) is not None:
        return f"kernelopt: SKIPPED VS Code: {reason}"
    with tempfile.TemporaryDirectory() as name:
        cli = make_cli(Path(name))
        for file, text in {"kernelopt.toml": _QUIET, **_FILES}.items():
            cli.write(file, text)
        data = Path(name) / "user"
        install(cli, data, extension())
        with code_server(cli, data, {"kernelopt.server.python": sys.executable}) as served:
            times = [await _one_window(served, cli.folder) for _ in range(_WINDOWS + 1)]
    activations, *opened = zip(*times[1:], strict=True)  # the first fills VS Code's own caches
    lines = [
        heading("what", "budget", "p50 / p95 / p99 (n)"),
        row("activation, no server", "≤ 150 ms", percentiles(activations, "ms")),
        *(
            row(f"{what} → {end}", budget if end == "lens" else "—", percentiles([getattr(sight, f"{end}_s") for sight in sights], "ms"))
            for (what, budget), sights in zip(_OPENED, opened, strict=True)
            for end in ("text", "lens")
        ),
    ]
    return "\n".join(lines)


async def _one_window(served: CodeServer, folder: Path) -> tuple[float, _Sight, _Sight, _Sight]:
    """Activation (seconds); the first CUDA file, the next, a large one."""
    from playwright.async_api import async_playwright

    from tests.e2e.vscode.window import Window

    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(**(launch_options() or {}))
        window = Window(await started.new_page(viewport={"width": 1440, "height": 900}), folder)
        await window.visit(served.address(folder), is_trusted=True)
        await window.open_file("plain.py")
        first, following, large = [await _sight(window, name) for name in _FILES if name.endswith(".cu")]
        activation_s = await _activation_s(window)
        await started.close()
    return activation_s, first, following, large


async def _activation_s(window: Window) -> float:
    await window.command("Developer: Show Running Extensions")
    entry = await window.see(window.page.locator(".runtime-extensions-editor .monaco-list-row", has_text="kernelopt"), _ACTIVATION)
    found = _ACTIVATION.search(await entry.inner_text())
    assert found is not None
    return int(found.group(1)) / 1e3


async def _sight(window: Window, name: str) -> _Sight:
    await window.command("View: Close All Editors")
    file = await window.find_file(name)
    begun = time.perf_counter()
    await file.click()
    await window.see(window.text, "__global__")
    text_s = time.perf_counter() - begun
    await window.see(window.lens("Optimize"))
    return _Sight(text_s, time.perf_counter() - begun)


if __name__ == "__main__":
    sys.stdout.write(asyncio.run(report()) + "\n")
