"""What is left after a crash: a message, the next job, the same picture; never a process."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import suppress

import pytest

from tests.e2e.cli.harness import Alive, Cli, alive, no_orphans, wait_until_gone
from tests.e2e.lsp.conftest import Start
from tests.e2e.lsp.editor import NO_ANSWER, Editor, start
from tests.e2e.lsp.programs import HALVE, RACE, SLEEPY

pytestmark = pytest.mark.new_process

ON_COMMAND = {"background": {"compile": "off", "verify": "off", "profile": "off"}}


def matching(piece: str) -> list[Alive]:
    return [process for process in alive() if piece in process.command]


async def sleeping(cli: Cli, editor: Editor) -> None:
    """A check that a person asked for is running a program that sleeps."""
    document = editor.open(cli.write("sleepy.cu", SLEEPY))
    await editor.run("kernelopt.check", uri=document.uri)
    await editor.until(lambda: [process for process in alive() if process.name == "program"])


async def next_job_works(cli: Cli, editor: Editor) -> None:
    document = editor.open(cli.write("halve.cu", HALVE))
    await editor.run("kernelopt.check", uri=document.uri)
    await editor.until(lambda: [message for message in editor.said if message.startswith("halve.cu: ")])
    assert "no problem found" in (await editor.titles(document))[-1]


@pytest.mark.thorough
async def test_a_killed_job_host_is_reported_and_the_next_job_works(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(settings=ON_COMMAND)
    await sleeping(cli, editor)
    (host,) = matching("assistant host")
    os.kill(host.pid, signal.SIGKILL)
    await editor.until(lambda: [message for message in editor.said if "job host" in message])
    await next_job_works(cli, editor)


@pytest.mark.thorough
async def test_a_killed_worker_is_reported_and_the_next_job_works(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(settings=ON_COMMAND)
    await sleeping(cli, editor)
    for worker in matching("assistant.emulator"):
        with suppress(ProcessLookupError):  # what starts programs ends with its worker
            os.kill(worker.pid, signal.SIGKILL)
    await editor.until(lambda: [message for message in editor.said if message.startswith("sleepy.cu: ")])
    await next_job_works(cli, editor)


async def test_a_killed_server_comes_back_with_the_same_picture_and_runs_nothing(cli: Cli, open_editor: Start) -> None:
    with no_orphans():
        editor = await start(cli)
        document = editor.open(cli.write("race.cu", RACE))
        await editor.until(lambda: editor.of_code(document, "KO202"))
        await editor.quiet()
        notes, titles, hints = editor.diagnostics(document), await editor.titles(document), await editor.hints(document)
        await editor.kill()
    again = await open_editor(answer=lambda question: NO_ANSWER)
    document = again.open(document.path)
    await again.until(lambda: again.of_code(document, "KO202"))
    assert (again.diagnostics(document), await again.titles(document), await again.hints(document)) == (notes, titles, hints)
    await asyncio.sleep(1)
    assert again.events == [] and again.asked == [] and await again.jobs() == []


async def test_the_server_and_all_it_started_end_when_the_editor_vanishes(cli: Cli) -> None:
    before = frozenset(process.pid for process in alive())
    editor = await start(cli, settings=ON_COMMAND)
    await sleeping(cli, editor)
    begin = time.monotonic()
    editor.hang_up()
    await editor.ended()
    left = await asyncio.to_thread(wait_until_gone, before)
    assert left == [] and time.monotonic() - begin < 10, "five seconds on a quiet machine"


@pytest.mark.thorough
async def test_exit_without_shutdown_is_an_error_to_the_shell_and_leaves_nothing(cli: Cli) -> None:
    with no_orphans():
        editor = await start(cli, settings=ON_COMMAND)
        await sleeping(cli, editor)
        editor.client.exit(None)
        assert await editor.ended() == 1
        assert editor.complaints == ""


@pytest.mark.thorough
async def test_shutdown_and_exit_end_a_running_job_and_the_exit_code_is_0(cli: Cli) -> None:
    with no_orphans():
        editor = await start(cli, settings=ON_COMMAND)
        await sleeping(cli, editor)
        assert await editor.stop() == 0
        assert editor.complaints == ""
