"""``kernelopt bench DIR``: runs the suite, shows a line per row, keeps the results."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

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
    row_line,
    row_object,
    run_suite,
    sources_sha256,
    write_results,
)
from assistant.bench.suite_file import SUITE_NAME
from assistant.bench.words import PREDICTED_NOTE
from assistant.cli import exit_codes
from assistant.cli.compose import has_gpu, open_session
from assistant.cli.consent import ask_model
from assistant.cli.console import console
from assistant.cli.jobs import run_async
from assistant.cli.status import StatusLine
from assistant.config import find_workspace, load_settings
from assistant.engine import OptimizeOptions, Session
from assistant.engine.search import SearchCallbacks
from assistant.errors import UsageError
from assistant.measure.targets import target
from assistant.model.events import Event
from assistant.record import Record
from assistant.serialize import dumps

__all__ = ["BenchRun", "run_bench"]

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


def run_bench(run: BenchRun) -> int:
    """The exit code: 0 where the suite was run, whatever its rows say."""
    interrupted = f"interrupted; finished rows are kept in {run.out}: the same command with --resume goes on"
    return run_async(lambda: _run(run), interrupted)


async def _run(run: BenchRun) -> int:
    if not run.folder.is_dir():
        raise UsageError(f"{run.folder} is not a folder", "name a folder of CUDA programs")
    tasks = chosen_tasks(run.folder, _checked(run))
    journal = Journal.resumed(run.out, run.settings) if run.is_resumed else Journal.begun(run.out, run.settings)
    left = left_of(tasks, journal, sources_sha256(run.folder))
    screen = _Screen(run, tasks, len(tasks) - len(left))
    screen.begin()
    with StatusLine(console(is_error=True)) as status:

        def follow(event: Event) -> None:
            status.hide()
            status.follow(event)

        runner = ProgramRunner(run.folder, run.settings, lambda title: _session(run, title), follow, _callbacks())
        async for row in run_suite(left, journal, runner.run, run.jobs):
            status.hide()
            write_results(run.out, journal)
            screen.show(row)
    write_results(run.out, journal)
    screen.end(journal)
    return exit_codes.DONE


def _checked(run: BenchRun) -> TaskChoice:
    """The choice, with real sizes where there is a GPU, else with those that the emulator runs in seconds.

    Raises KernelOptError for what would make every row a failure: a device, target or planner that is not there.
    """
    suite, settings = run.folder / SUITE_NAME, run.settings
    is_on_gpu = has_gpu(settings.device or load_settings(find_workspace(suite)).settings.device)
    if settings.target is not None:
        target(settings.target)
    open_session("bench").check_planner(OptimizeOptions(planner=settings.planner), suite)
    usual = "largest" if is_on_gpu else "smallest"
    return run.choice if run.choice.sizes is not None else replace(run.choice, sizes=usual)


def _session(run: BenchRun, title: str) -> Session:
    memory = run.out / "memory" / f"{_UNFIT.sub('_', title)}.sqlite3"
    return open_session("bench", memory=memory)


def _callbacks() -> SearchCallbacks:
    return SearchCallbacks(None, ask_model(is_terminal=False), None)


class _Screen:
    """A line per row, numbered; with ``--json`` an object each, and one of the sums at the end."""

    def __init__(self, run: BenchRun, tasks: tuple[Task, ...], done_count: int) -> None:
        self._run = run
        self._number = {task.title: number for number, task in enumerate(tasks, 1)}
        self._done_count = done_count

    def begin(self) -> None:
        if self._done_count and not self._run.is_json:
            self._print(f"{self._done_count} of {len(self._number)} runs are finished already")

    def show(self, row: Row) -> None:
        if self._run.is_json:
            _print_line(dumps(row_object(row)))
        else:
            self._print(f"[{self._number[row.title]}/{len(self._number)}] {row_line(row)}")

    def end(self, journal: Journal) -> None:
        figures = figures_of(journal.rows)
        if self._run.is_json:
            _print_line(dumps({"figures": figures, "out": str(self._run.out)}))
            return
        for line in figures_lines(figures):
            self._print(line)
        if figures.is_predicted:
            self._print(PREDICTED_NOTE)
        self._print(f"results: {self._run.out}: results.md, results.json, results.svg")

    def _print(self, text: str) -> None:
        console().print(text, markup=False, soft_wrap=True, highlight=False)


def _print_line(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
