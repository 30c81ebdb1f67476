"""``kernelopt bench DIR --suite kernelbench``: judges the tasks' candidates, shows a line per task, keeps the results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assistant.bench import Journal, left_of, run_suite
from assistant.bench.operators import (
    OperatorRow,
    OperatorSettings,
    TaskFolder,
    TaskRunner,
    chosen_problems,
    figures_lines,
    figures_of,
    read_answers,
    read_folder,
    row_line,
    row_object,
    trials_of,
    write_results,
)
from assistant.cli import exit_codes
from assistant.cli.bench_answers import interrupted_words, session_of, times_on_gpu
from assistant.cli.bench_screen import SuiteScreen
from assistant.cli.console import console
from assistant.cli.jobs import run_async
from assistant.cli.status import StatusLine
from assistant.measure.targets import target
from assistant.model.events import Event
from assistant.profile.quantity import counted_noun, first_of
from assistant.record import Record

__all__ = ["OperatorsRun", "run_operators"]

_MOST_NAMES = 4
"""Names of files in a note."""


class OperatorsRun(Record):
    """What the options say."""

    settings: OperatorSettings
    names: tuple[str, ...]
    """Empty: all tasks."""
    limit: int | None
    out: Path
    is_resumed: bool
    is_json: bool
    jobs: int
    """Tasks at a time."""


def run_operators(run: OperatorsRun) -> int:
    """The exit code: 0 where the suite was run, whatever its rows say."""
    return run_async(lambda: _run(run), interrupted_words(run.out))


async def _run(run: OperatorsRun) -> int:
    folder, answers_folder = Path(run.settings.folder), run.settings.answers
    if run.settings.target is not None:
        target(run.settings.target)
    found = read_folder(folder)
    answers = None if answers_folder is None else read_answers(Path(answers_folder), found.problems)
    trials = trials_of(folder, chosen_problems(found.problems, run.names, run.limit), answers)
    settings = replace(run.settings, has_gpu=times_on_gpu(folder, run.settings.device))
    journal = _journal(run, settings)
    left = left_of(trials, journal, lambda trial: trial.sources_sha256)
    screen = SuiteScreen([trial.title for trial in trials], run.is_json)
    screen.begin(len(trials) - len(left), _notes(found, () if answers is None else answers.unmatched))
    with StatusLine(console(is_error=True)) as status:

        def follow(event: Event) -> None:
            status.hide()
            status.follow(event)

        runner = TaskRunner(folder, settings, run.out, lambda title: session_of(run.out, title), follow)
        async for row in run_suite(left, journal, runner.run, run.jobs):
            status.hide()
            write_results(run.out, journal)
            screen.show(row.title, row_line(row, settings), row_object(row, settings))
    write_results(run.out, journal)
    screen.end(figures_lines(settings, journal.rows), figures_of(journal.rows, settings), run.out)
    return exit_codes.DONE


def _journal(run: OperatorsRun, settings: OperatorSettings) -> Journal[OperatorSettings, OperatorRow]:
    return (
        Journal[OperatorSettings, OperatorRow].resumed(run.out, settings, OperatorRow)
        if run.is_resumed
        else Journal[OperatorSettings, OperatorRow].begun(run.out, settings)
    )


def _notes(found: TaskFolder, unmatched: tuple[Path, ...]) -> list[str]:
    """Files that nothing is done with: a misspelt name should not go unnoticed."""
    notes = [
        (found.left_out, "file is no task", "files are no tasks"),
        (unmatched, "candidate answers no task", "candidates answer no task"),
    ]
    return [
        f"{counted_noun(len(paths), one, many)}: {first_of([path.name for path in paths], _MOST_NAMES)}"
        for paths, one, many in notes
        if paths
    ]
