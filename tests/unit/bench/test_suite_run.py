"""Tasks of a suite begin in order, as many at a time as are asked for, and none goes on when nobody listens any more."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from assistant.bench.journal import BenchSettings, Journal
from assistant.bench.row import Row
from assistant.bench.suite_run import run_suite
from assistant.bench.task import Task
from tests.unit.bench.conftest import MakeRow

TASKS = tuple(Task(name, (Path(f"{name}.cu"),), ("96",)) for name in "abcd")


class Runs:
    """Runs that end when they are told to."""

    def __init__(self, row: MakeRow) -> None:
        self._row = row
        self.begun: list[str] = []
        self.cancelled: list[str] = []
        self.ends = {task.name: asyncio.Event() for task in TASKS}

    async def run(self, task: Task) -> Row:
        self.begun.append(task.name)
        try:
            await self.ends[task.name].wait()
        except asyncio.CancelledError:
            self.cancelled.append(task.name)
            raise
        return self._row(task.name)


@pytest.fixture
def journal(tmp_path: Path) -> Journal[BenchSettings, Row]:
    return Journal[BenchSettings, Row].begun(tmp_path / "out", BenchSettings("/suite"))


async def test_one_after_another_unless_more_are_asked_for(journal: Journal[BenchSettings, Row], row: MakeRow) -> None:
    runs = Runs(row)
    for name in "abcd":
        runs.ends[name].set()
    assert [found.name async for found in run_suite(TASKS, journal, runs.run)] == list("abcd")
    assert [each.name for each in journal.rows] == runs.begun == list("abcd")


async def test_several_at_a_time_give_their_rows_as_they_end(journal: Journal[BenchSettings, Row], row: MakeRow) -> None:
    runs, found = Runs(row), list[str]()
    async with aclosing(run_suite(TASKS, journal, runs.run, most_at_once=2)) as rows:
        runs.ends["b"].set()
        found.append((await anext(rows)).name)
        assert (found, runs.begun) == (["b"], ["a", "b"])
        for name in "acd":
            runs.ends[name].set()
        found += [each.name async for each in rows]
    assert sorted(found) == list("abcd") and runs.begun == list("abcd") and not runs.cancelled
    assert [each.name for each in journal.rows] == found


async def test_what_is_under_way_ends_with_the_one_who_listens(journal: Journal[BenchSettings, Row], row: MakeRow) -> None:
    runs = Runs(row)
    runs.ends["a"].set()
    async with aclosing(run_suite(TASKS, journal, runs.run, most_at_once=3)) as rows:
        assert (await anext(rows)).name == "a"
    assert (runs.begun, sorted(runs.cancelled)) == (["a", "b", "c"], ["b", "c"])
    assert [each.name for each in journal.rows] == ["a"]


async def test_a_run_that_breaks_takes_the_others_with_it(journal: Journal[BenchSettings, Row], row: MakeRow) -> None:
    runs = Runs(row)

    async def run(task: Task) -> Row:
        if task.name == "b":
            raise KeyError(task.name)
        return await runs.run(task)

    with pytest.raises(KeyError):
        _ = [found async for found in run_suite(TASKS, journal, run, most_at_once=2)]
    assert runs.cancelled == ["a"]
