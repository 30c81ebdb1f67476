"""All tasks of a suite, one after another, each kept as soon as it is found.

It does not know what a task is run with: ``run_one`` may be of programs or of anything else that ends in a row. Example::

    async for row in run_suite(left_of(tasks, journal, sha256), journal, runner.run): ...
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

from assistant.bench.journal import Journal
from assistant.bench.row import Row
from assistant.bench.task import Task

__all__ = ["left_of", "run_suite"]


def left_of(tasks: Sequence[Task], journal: Journal, sources_sha256: str) -> tuple[Task, ...]:
    """Those without a row of the present texts."""
    done = {row.title for row in journal.rows if row.sources_sha256 == sources_sha256}
    return tuple(task for task in tasks if task.title not in done)


async def run_suite(tasks: Sequence[Task], journal: Journal, run_one: Callable[[Task], Awaitable[Row]]) -> AsyncGenerator[Row]:
    """The rows of these tasks, in order."""
    for task in tasks:
        row = await run_one(task)
        journal.add(row)
        yield row
