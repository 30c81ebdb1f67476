"""The command ``bench``: a suite of programs with its results.

Its options only; ``bench_answers`` does what they say.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assistant.cli import options as opt
from assistant.cli.loading import loading
from assistant.engine import AllowOption

__all__ = ["add_bench_command"]


def add_bench_command(app: typer.Typer) -> None:
    """Register the command."""
    app.command("bench")(_bench)


def _bench(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of programs; suite.toml in it names them, their sizes and bounds")],
    programs: Annotated[list[str] | None, typer.Option(metavar="NAMES", help="Only these, with commas; repeatable")] = None,
    sizes: Annotated[
        str | None,
        typer.Option(
            metavar="SIZES",
            help="With suite.toml smallest, largest, all or numbers from 1, with commas; default: largest on a GPU, else smallest. "
            "Without: the arguments of each run, with commas, e.g. '96,512'",
        ),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Programs at most")] = None,
    device: opt.Device = None,
    target: opt.Target = None,
    cflags: opt.Cflags = None,
    timeout: Annotated[float, typer.Option(min=1, help="Seconds that a program may take altogether; a failure after that")] = 1800.0,
    jobs: Annotated[
        int, typer.Option(min=1, metavar="N", help="Programs at a time; what is timed on a GPU is timed alone, so the others wait for it")
    ] = 1,
    planner: Annotated[str | None, typer.Option(metavar="NAME", help="expert, llm or auto; default: as the settings say")] = None,
    budget_usd: Annotated[float | None, typer.Option(min=0, help="Dollars for language models at most, for each program")] = None,
    allow: Annotated[
        str,
        typer.Option(metavar="DECISIONS", help="Decisions that are taken in your place, as of optimize; edits with others are not counted"),
    ] = "none",
    original_only: Annotated[
        bool, typer.Option("--original-only", help="Times and bounds of the programs as they stand; no search")
    ] = False,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the results")] = Path("kernelopt-bench"),
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out; finished rows are not run again")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per row, and the sums")] = False,
) -> None:
    """A suite of programs: original, best and bound of each, verdict, techniques, tokens, money, time. Works on private copies."""
    with loading():
        from assistant.bench import BenchSettings, TaskChoice
        from assistant.cli.bench_answers import BenchRun, run_bench
        from assistant.cli.paths import plain_path

    root = plain_path(folder)
    settings = BenchSettings(
        folder=str(root),
        device=device,
        target=target,
        cflags=opt.words_of(cflags),
        planner=planner,
        allowed=AllowOption.read(allow).decisions,
        budget_usd=budget_usd,
        timeout_s=timeout,
        is_searching=not original_only,
    )
    names = tuple(name for words in programs or () for name in words.split(",") if name)
    choice = TaskChoice(names, sizes, limit)
    raise typer.Exit(run_bench(BenchRun(root, settings, choice, plain_path(out), resume, as_json, jobs)))
