"""What keeps the server from running is said with a button that fixes it, and it starts once that is done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.lsp.programs import HALVE
from tests.e2e.vscode.code_server import CodeServer
from tests.e2e.vscode.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")


PYTHON = "kernelopt.server.python"
Change: TypeAlias = "Callable[[Mapping[str, object]], None]"


@pytest.mark.thorough
async def test_a_wrong_python_is_reported_and_a_right_one_starts_the_server(
    open_window: OpenWindow, cli: Cli, folder: Path, settings: Change
) -> None:
    settings({PYTHON: "/no/such/python"})
    cli.write("halve.cu", HALVE)
    window = await open_window(folder)
    await window.open_file("halve.cu")
    told = await window.see_notification("names /no/such/python, which cannot be started")
    await window.see(told.get_by_role("button", name="Choose Python…"))
    await window.see_count(window.notifications, 1)
    await window.see(window.page.locator(".statusbar"), "kernelopt: no server")
    await window.shoot("wrong")
    settings({PYTHON: sys.executable})
    await window.see(window.lens("Optimize"))


@pytest.mark.thorough
async def test_nothing_is_installed_before_a_person_says_so(
    open_window: OpenWindow, cli: Cli, folder: Path, served: CodeServer, settings: Change
) -> None:
    settings({PYTHON: ""})
    cli.write("halve.cu", HALVE)
    window = await open_window(folder)
    await window.open_file("halve.cu")
    asked = await window.see_notification("kernelopt needs its language server")
    await window.see(asked.get_by_role("button", name="Install"))
    await window.command("View: Show kernelopt")
    await window.see(window.page.get_by_role("button", name="Install the Language Server"))
    await window.shoot("asked")
    assert not list(served.data.glob("User/globalStorage/kernelopt.kernelopt/server/*"))


@pytest.mark.thorough
async def test_a_question_that_was_dismissed_is_put_again_by_a_command(
    open_window: OpenWindow, cli: Cli, folder: Path, settings: Change
) -> None:
    settings({PYTHON: ""})
    cli.write("halve.cu", HALVE)
    window = await open_window(folder)
    await window.open_file("halve.cu")
    for command in ("kernelopt: Doctor", "kernelopt: Optimize the Kernel at the Cursor"):
        await window.see_notification("kernelopt needs its language server")
        await window.command("Notifications: Clear All Notifications")
        await window.gone(window.notifications)
        await window.command(command)
    await window.see_notification("kernelopt needs its language server")
