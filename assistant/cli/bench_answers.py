"""``kernelopt bench DIR``: runs the suite, shows a line per row, keeps the results."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.bench import (
    BenchSettings,
    Journal,
    ProgramRunner,
    Row,
    Task,
    TaskChoice,
    chosen_tasks,
    figures_lines,
    figures_of,
    left_of,
    left_out_words,
    row_line,
    row_object,
    run_suite,
    sources_sha256,
    write_results,
)
from assistant.bench.suite_file import SUITE_NAME
from assistant.bench.words import PREDICTED_NOTE
from assistant.cli import exit_codes
from assistant.cli.bench_screen import SuiteScreen
from assistant.cli.compose import has_gpu, open_session
from assistant.cli.consent import ask_model
from assistant.cli.console import console
from assistant.cli.jobs import run_async
from assistant.cli.loading import loading
from assistant.cli.status import StatusLine
from assistant.config import find_workspace, load_settings
from assistant.engine import OptimizeOptions, Session
from assistant.engine.search import SearchCallbacks
from assistant.errors import UsageError
from assistant.measure.targets import target
from assistant.model.events import Event
from assistant.record import Record

__all__ = ["BenchRun", "interrupted_words", "run_bench", "session_of", "times_on_gpu"]

RunOne = Callable[[Task], Coroutine[Any, Any, Row]]

_EXPERT = "expert"
_ONLY_RULES = f"--planner {_EXPERT}: workers search by rules"
_UNFIT = re.compile(r"[^A-Za-z0-9_.+-]+")


class BenchRun(Record):
    """What the options say."""

    folder: Path
    settings: BenchSettings
    choice: TaskChoice
    out: Path
    is_resumed: bool
    is_json: bool
    jobs: int = 1
    """Programs at a time."""
    cluster: str | None = None
    """Whose workers run them; None: this process."""


def run_bench(run: BenchRun) -> int:
    """The exit code: 0 where the suite was run, whatever its rows say."""
    return run_async(lambda: _run(run), interrupted_words(run.out))


def interrupted_words(out: Path) -> str:
    """What is said after Ctrl-C."""
    return f"interrupted; finished rows are kept in {out}: the same command with --resume goes on"


async def _run(run: BenchRun) -> int:
    if not run.folder.is_dir():
        raise UsageError(f"{run.folder} is not a folder", "name a folder of CUDA programs")
    if run.cluster is None:
        return await _rows(run, times_on_gpu(run.folder / SUITE_NAME, run.settings.device), None)
    with loading():
        from assistant.cli.cluster_asked import ProgramsOnCluster, opened
        from assistant.cluster import CPU

    if run.settings.planner not in (None, _EXPERT):
        raise UsageError(f"--planner {run.settings.planner} cannot be sent to workers: no key of a model leaves this machine", _ONLY_RULES)
    async with opened(run.cluster) as cluster:
        device = await cluster.device(run.settings.device or load_settings(find_workspace(run.folder / SUITE_NAME)).settings.device)
        run = replace(run, settings=replace(run.settings, planner=_EXPERT, cluster_device=device))
        return await _rows(run, device != CPU, lambda runner: ProgramsOnCluster(cluster, runner, device).run)


async def _rows(run: BenchRun, is_on_gpu: bool, elsewhere: Callable[[ProgramRunner], RunOne] | None) -> int:
    """``elsewhere``: who runs a program in the place of this process; as many as there are workers for it are run at a time."""
    chosen = chosen_tasks(run.folder, _checked(run, is_on_gpu))
    tasks = chosen.tasks
    journal = _journal(run)
    sha256 = sources_sha256(run.folder)
    left = left_of(tasks, journal, lambda _: sha256)
    screen = SuiteScreen([task.title for task in tasks], run.is_json)
    screen.begin(len(tasks) - len(left), left_out_words(chosen.left_out) if not run.choice.names else ())
    with StatusLine(console(is_error=True)) as status:

        def follow(event: Event) -> None:
            status.hide()
            status.follow(event)

        runner = ProgramRunner(run.folder, run.settings, lambda title: session_of(run.out, title), follow, _callbacks())
        run_one, at_once = (runner.run, run.jobs) if elsewhere is None else (elsewhere(runner), max(1, len(left)))
        async for row in run_suite(left, journal, run_one, at_once):
            status.hide()
            write_results(run.out, journal)
            screen.show(row.title, row_line(row), row_object(row))
    write_results(run.out, journal)
    figures = figures_of(journal.rows)
    screen.end([*figures_lines(figures), *([PREDICTED_NOTE] if figures.is_predicted else [])], figures, run.out)
    return exit_codes.DONE


def _checked(run: BenchRun, is_on_gpu: bool) -> TaskChoice:
    """The choice, with real sizes where there is a GPU, else with those that the emulator runs in seconds.

    Raises KernelOptError for what would make every row a failure: a device, target or planner that is not there.
    """
    suite, settings = run.folder / SUITE_NAME, run.settings
    if settings.target is not None:
        target(settings.target)
    open_session("bench").check_planner(OptimizeOptions(planner=settings.planner), suite)
    usual = "largest" if is_on_gpu else "smallest"
    return run.choice if run.choice.sizes is not None else replace(run.choice, sizes=usual)


def _journal(run: BenchRun) -> Journal[BenchSettings, Row]:
    return (
        Journal[BenchSettings, Row].resumed(run.out, run.settings, Row)
        if run.is_resumed
        else Journal[BenchSettings, Row].begun(run.out, run.settings)
    )


def times_on_gpu(place: Path, device: str | None) -> bool:
    """Whether the device asked for, else that of the settings around ``place``, is a GPU that is there. Raises as `has_gpu`."""
    return has_gpu(device or load_settings(find_workspace(place)).settings.device)


def session_of(out: Path, title: str) -> Session:
    """One with a memory of its own, in the folder of the results."""
    memory = out / "memory" / f"{_UNFIT.sub('_', title)}.sqlite3"
    return open_session("bench", memory=memory)


def _callbacks() -> SearchCallbacks:
    return SearchCallbacks(None, ask_model(is_terminal=False), None)
