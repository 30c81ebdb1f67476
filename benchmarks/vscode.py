"""How long a person waits for the extension in a real VS Code: code-server in Chromium, as the tests have it (``make vscode``).

    python -m benchmarks.vscode

Each window has an extension host of its own, so each gives one activation and one first file. Activation is what VS Code itself says of
the extension in *Developer: Show Running Extensions*: loading its code and ``activate()``, with a Python file without CUDA. A folder that
holds CUDA files starts the server with the window; in every other window they come into the folder later, so that the first one starts it.
Lenses are timed in the page, from the mouse button that chooses the file to the first frame that holds the lens, and VS Code's own part of
that to the first frame that holds the file's text; the window has come to rest before. Wall clock: on an idle machine only.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.lsp_programs import large_source, small_source
from benchmarks.table import heading, percentiles, row
from tests.e2e.cli.harness import Cli, make_cli
from tests.e2e.vscode.chromium import launch_options
from tests.e2e.vscode.code_server import CodeServer, code_server, install
from tests.e2e.vscode.parts import extension, missing

if TYPE_CHECKING:
    from tests.e2e.vscode.window import Window

_WINDOWS = 10
_QUIET = '[background]\ncompile = "off"\nverify = "off"\nprofile = "off"\n'
"""Nothing but parsing: a lens needs no compiler."""
_PLAIN = {"kernelopt.toml": _QUIET, "plain.py": "print('no kernel here')\n"}
_CUDA = {"first.cu": small_source(0), "next.cu": small_source(1), "large.cu": large_source(1000)}
_OPENED = (
    ("first CUDA file chosen, in a folder that holds it", "≤ 2 s"),
    ("first CUDA file chosen, which starts the server", "≤ 2 s"),
    ("next CUDA file chosen", "—"),
    ("1,000 lines chosen", "—"),
)
_REST_S = 3.0
"""After the first file of a window, for what VS Code starts late."""
_WATCH = """() => {
  const seen = (window.seen = {});
  const holds = (places, words) => [...document.querySelectorAll(places)].some((place) => place.textContent.includes(words));
  const look = (begun) => {
    if (holds(".editor-group-container.active .view-lines", "__global__")) seen.text_s ??= (performance.now() - begun) / 1e3;
    if (holds(".codelens-decoration a", "Optimize")) seen.lens_s ??= (performance.now() - begun) / 1e3;
    if (seen.lens_s === undefined || seen.text_s === undefined) requestAnimationFrame(() => look(begun));
  };
  addEventListener("mousedown", () => look(performance.now()), { capture: true, once: true });
}"""
"""Looks at each frame from the next press of a mouse button on."""
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
        data = Path(name) / "user"
        install(cli, data, extension())
        with code_server(cli, data, {"kernelopt.server.python": sys.executable}) as served:
            await _one_window(served, cli, is_ahead=True)  # fills VS Code's own caches
            times = [
                (await _one_window(served, cli, is_ahead=True), await _one_window(served, cli, is_ahead=False)) for _ in range(_WINDOWS)
            ]
    activations = [activation_s for pair in times for activation_s, _ in pair]
    opened = [[pair[0][1][0] for pair in times], *([pair[1][1][i] for pair in times] for i in range(len(_CUDA)))]
    lines = [
        heading("what", "budget", "p50 / p95 / p99 (n)"),
        row("activation", "≤ 150 ms", percentiles(activations, "ms")),
        *(
            row(f"{what} → {end}", budget if end == "lens" else "—", percentiles([getattr(sight, f"{end}_s") for sight in sights], "ms"))
            for (what, budget), sights in zip(_OPENED, opened, strict=True)
            for end in ("text", "lens")
        ),
    ]
    return "\n".join(lines)


async def _one_window(served: CodeServer, cli: Cli, *, is_ahead: bool) -> tuple[float, list[_Sight]]:
    """Activation (seconds), and each CUDA file; ``is_ahead``: the folder holds them when the window is opened."""
    from playwright.async_api import async_playwright

    from tests.e2e.vscode.window import Window

    for name in _CUDA:
        (cli.folder / name).unlink(missing_ok=True)
    for name, text in (_PLAIN | _CUDA if is_ahead else _PLAIN).items():
        cli.write(name, text)
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(**(launch_options() or {}))
        window = Window(await started.new_page(viewport={"width": 1440, "height": 900}), cli.folder)
        await window.visit(served.address(cli.folder), is_trusted=True)
        await window.open_file("plain.py")
        await asyncio.sleep(_REST_S)
        for name, text in _CUDA.items():
            cli.write(name, text)
        sights = [await _sight(window, name) for name in _CUDA]
        activation_s = await _activation_s(window)
        await started.close()
    return activation_s, sights


async def _activation_s(window: Window) -> float:
    await window.command("Developer: Show Running Extensions")
    entry = await window.see(window.page.locator(".runtime-extensions-editor .monaco-list-row", has_text="kernelopt"), _ACTIVATION)
    found = _ACTIVATION.search(await entry.inner_text())
    assert found is not None
    return int(found.group(1)) / 1e3


async def _sight(window: Window, name: str) -> _Sight:
    from tests.e2e.vscode.window import DEADLINE_MS

    await window.command("View: Close All Editors")
    await window.gone(window.lens("Optimize"))
    file = await window.find_file(name)
    await window.page.evaluate(_WATCH)
    await window.take(file)
    await window.page.wait_for_function("seen.lens_s !== undefined && seen.text_s !== undefined", timeout=DEADLINE_MS)
    return _Sight(**await window.page.evaluate("seen"))


if __name__ == "__main__":
    sys.stdout.write(asyncio.run(report()) + "\n")
