"""The language server behind the window: when it starts, that it comes back when it dies, that its jobs end when they are cancelled."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli, alive
from tests.e2e.lsp.programs import HALVE, SLEEPY
from tests.e2e.vscode.code_server import only_server, server_ids
from tests.e2e.vscode.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")

LATER = "__global__ void later(float *x) { x[threadIdx.x] = 0.0f; }\n"


def running_programs() -> list[int]:
    return [process.pid for process in alive() if process.name == "program"]


@pytest.mark.thorough
async def test_a_server_starts_with_a_folder_of_cuda_files_and_comes_back_when_killed(
    open_window: OpenWindow, cli: Cli, folder: Path
) -> None:
    cli.write("halve.cu", HALVE)
    window = await open_window(folder)
    (first,) = await window.until(only_server)
    await window.open_file("halve.cu")
    await window.see(window.lens("Optimize"))
    assert server_ids() == [first]
    os.kill(first, signal.SIGKILL)
    await window.until(lambda: server_ids() and first not in server_ids())
    await window.go_to(2)
    await window.insert(LATER)
    await window.see_count(window.lens("Optimize"), 2)
    await window.shoot("back")


@pytest.mark.thorough
async def test_a_server_that_hangs_is_killed_and_replaced_by_a_restart(open_window: OpenWindow, cli: Cli, folder: Path) -> None:
    cli.write("halve.cu", HALVE)
    window = await open_window(folder)
    await window.open_file("halve.cu")
    await window.see(window.lens("Optimize"))
    (first,) = await window.until(only_server)
    os.kill(first, signal.SIGSTOP)
    await window.command("kernelopt: Restart the Language Server")
    await window.until(lambda: server_ids() and first not in server_ids())
    await window.go_to(2)
    await window.insert(LATER)
    await window.see_count(window.lens("Optimize"), 2)


@pytest.mark.thorough
async def test_a_job_that_is_cancelled_ends_with_its_program(open_window: OpenWindow, cli: Cli, folder: Path) -> None:
    cli.write("sleepy.cu", SLEEPY)
    window = await open_window(folder)
    await window.open_file("sleepy.cu")
    await window.click(window.lens("Verify"))
    await window.let_run()
    await window.until(running_programs)
    await window.command("View: Show kernelopt")
    await window.see(window.rows, "Jobs")
    await window.shoot("running")
    await window.command("kernelopt: Cancel All Jobs")
    await window.until(lambda: not running_programs())
    await window.gone(window.rows.filter(has_text="Jobs"))
