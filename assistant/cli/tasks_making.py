"""What ``tasks make`` does and prints."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import typer

from assistant.agents.synthesis import Asked, Check, Drawn, Made, checked, write_tasks
from assistant.cli import exit_codes
from assistant.cli.compose import open_session
from assistant.cli.console import console
from assistant.cli.jobs import run_async
from assistant.cli.status import StatusLine

__all__ = ["make_tasks"]

_CPU = "cpu"


def make_tasks(asked: Asked, device: str | None) -> int:
    """``device``: where each task is run; None: none is. Exit code 1 where fewer were found than were asked for. Raises KernelOptError."""

    async def work() -> int:
        with StatusLine(console(is_error=True)) as status:
            session = open_session("task")

            async def progress(stage: str) -> None:
                status.say(stage)

            async def check(drawn: Drawn, file: Path) -> Check:
                return await checked(session, drawn, file, progress, device or _CPU)

            made = await write_tasks(asked, None if device is None else check)
        _print(asked.folder, made, device is not None)
        return exit_codes.DONE if made.kept >= asked.operators + asked.kernels else exit_codes.ANSWER_IS_NO

    return run_async(work, "interrupted; the same command goes on")


def _print(folder: Path, made: Made, is_checked: bool) -> None:
    run = "each was run" if is_checked else "none was run (--no-check)"
    typer.echo(f"{made.kept} tasks in {folder}; {run}. tasks.jsonl says where each comes from")
    for code, count in Counter(each.code for each in made.left_out).most_common():
        example = next(each for each in made.left_out if each.code is code)
        typer.echo(f"left out {count}: {code.value} (as {example.name}: {example.reason})")
