"""The command ``bench``: a suite of programs, or of PyTorch tasks, with its results.

Its options only; ``bench_answers`` and ``bench_operators`` do what they say.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli import options as opt
from assistant.cli.loading import loading
from assistant.cli.operators import Baselines, operator_options
from assistant.cli.paths import plain_path
from assistant.engine import AllowOption
from assistant.errors import UsageError

__all__ = ["add_bench_command"]

_KERNELBENCH = "kernelbench"


def add_bench_command(app: typer.Typer) -> None:
    """Register the command."""
    app.command("bench")(_bench)


def _bench(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of programs; suite.toml in it names them, their sizes and bounds")],
    suite: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="kernelbench: DIR holds PyTorch tasks as KernelBench lays them out: level1/1_NAME.py, …"),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="With --suite: candidates, called as their tasks are; without one rules write a first kernel"),
    ] = None,
    baselines: Baselines = None,
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
    timeout: Annotated[
        float,
        typer.Option(
            min=1,
            help="Seconds that the search on a program may take, half of them for trying edits; half as many again where it confirms one "
            "when they are over. What was kept by then is judged as a whole",
        ),
    ] = 1800.0,
    jobs: Annotated[
        int, typer.Option(min=1, metavar="N", help="Programs at a time; what is timed on a GPU is timed alone, so the others wait for it")
    ] = 1,
    cluster: opt.Cluster = None,
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
    """A suite of programs: original, best and bound of each, verdict, techniques, tokens, money, time. Works on private copies.

    With --suite kernelbench a suite of PyTorch tasks: how many candidates are correct, and how many of them are fast.
    """
    names = tuple(name for words in programs or () for name in words.split(",") if name)
    if suite is not None:
        _check_suite(suite)
        searching = {
            "--sizes": sizes,
            "--cflags": cflags,
            "--planner": planner,
            "--budget-usd": budget_usd,
            "--original-only": original_only or None,
            "--cluster": cluster,
        }
        searching["--allow"] = None if allow == "none" else allow
        _refuse(searching, f"is about programs, and --suite {suite} about PyTorch tasks", "leave it out")
        with loading():
            from assistant.bench.operators import OperatorSettings
            from assistant.cli.bench_operators import OperatorsRun, run_operators

        found = OperatorSettings(
            suite=suite,
            folder=str(plain_path(folder)),
            answers=None if answers is None else str(plain_path(answers)),
            device=device,
            target=target,
            baselines=operator_options(None, baselines=baselines).baselines,
            timeout_s=timeout,
        )
        raise typer.Exit(run_operators(OperatorsRun(found, names, limit, plain_path(out), resume, as_json, jobs)))
    _refuse({"--answers": answers, "--baselines": baselines}, "is about PyTorch tasks", f"add --suite {_KERNELBENCH}")
    with loading():
        from assistant.bench import BenchSettings, TaskChoice
        from assistant.cli.bench_answers import BenchRun, run_bench

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
    raise typer.Exit(run_bench(BenchRun(root, settings, TaskChoice(names, sizes, limit), plain_path(out), resume, as_json, jobs, cluster)))


def _check_suite(name: str) -> None:
    if name != _KERNELBENCH:
        raise UsageError(f"--suite does not know {name!r}", f"there is {_KERNELBENCH}; a folder of programs needs no --suite")


def _refuse(given: Mapping[str, object], why: str, remedy: str) -> None:
    """Raises UsageError for the first option that was given."""
    name = next((name for name, value in given.items() if value is not None), None)
    if name is not None:
        raise UsageError(f"{name} {why}", remedy)
