"""What ``tasks make`` does and prints."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import typer

from assistant.agents.synthesis import Asked, Check, Drawn, Made, checked, write_tasks
from assistant.agents.synthesis.making import CheckTask
from assistant.cli import exit_codes
from assistant.cli.compose import open_session
from assistant.cli.console import console
from assistant.cli.jobs import run_async
from assistant.cli.loading import loading
from assistant.cli.status import StatusLine

__all__ = ["make_tasks"]


def make_tasks(asked: Asked, device: str | None, cluster: str | None = None) -> int:
    """``device``: where each task is run; None: none is. ``cluster``: whose workers run them; None: this process.

    Exit code 1 where fewer were found than were asked for. Raises KernelOptError.
    """

    async def work() -> int:
        with StatusLine(console(is_error=True)) as status:
            if device is None:
                made = await write_tasks(asked, None)
            elif cluster is None:
                made = await write_tasks(asked, _checked_here(device, status))
            else:
                made = await _made_on(cluster, asked, device, status)
        _print(asked.folder, made, device is not None)
        return exit_codes.DONE if made.kept >= asked.operators + asked.kernels else exit_codes.ANSWER_IS_NO

    return run_async(work, "interrupted; the same command goes on")


def _checked_here(device: str, status: StatusLine) -> CheckTask:
    session = open_session("task")

    async def progress(stage: str) -> None:
        status.say(stage)

    async def check(drawn: Drawn, file: Path) -> Check:
        return await checked(session, drawn, file, progress, device)

    return check


async def _made_on(word: str, asked: Asked, device: str, status: StatusLine) -> Made:
    with loading():
        from assistant.cli.cluster_asked import check_on, opened

    async with opened(word) as cluster:

        async def check(drawn: Drawn, file: Path) -> Check:
            status.say(f"checking {drawn.name} on the cluster")
            return await check_on(cluster, drawn, device)

        return await write_tasks(asked, check)


def _print(folder: Path, made: Made, is_checked: bool) -> None:
    run = "each was run" if is_checked else "none was run (--no-check)"
    typer.echo(f"{made.kept} tasks in {folder}; {run}. tasks.jsonl says where each comes from")
    for code, count in Counter(each.code for each in made.left_out).most_common():
        example = next(each for each in made.left_out if each.code is code)
        typer.echo(f"left out {count}: {code.value} (as {example.name}: {example.reason})")
