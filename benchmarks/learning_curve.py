"""Does memory shorten the search? Programs in random orders with a memory that grows, each against the same search without one.

    python -m benchmarks.learning_curve --out results/learning                      # everything: hours; run again, it goes on
    python -m benchmarks.learning_curve --out results/small --programs 4 --orders 2  # a part
    python -m benchmarks.learning_curve --out results/learning --report             # what is there so far

The programs are those of benchmarks/suite and benchmarks/reductions at their smallest sizes, the planner is the expert, the budget is the
same on both sides. An order's seed chooses its programs' order and is the seed of Thompson sampling. Each search is a line of
``searches.jsonl``; a search that was interrupted is begun again with the memory as it was before it. ``learning_report.py`` says what is
counted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from assistant.bench.private_copy import private_copy
from assistant.bench.suite_file import SUITE_NAME, SuiteProgram, read_suite
from assistant.cli.compose import open_session
from assistant.engine import Accept, JobRequest, OptimizeOptions
from assistant.errors import KernelOptError
from assistant.memory import open_store
from assistant.model.attempt import Attempt
from assistant.model.trial import TrialOutcome
from assistant.record import Record
from benchmarks.learning_report import Search, report_in_words

_HERE = Path(__file__).parent
_SUITES = (_HERE / "suite", _HERE / "reductions")
_SEARCHES, _MEMORY, _DONE = "searches.jsonl", "memory.sqlite3", "memory-before.sqlite3"
_NO_ORDER = -1
"""Order of the searches without memory: they do not depend on one."""


class _Task(Record):
    suite: Path
    program: SuiteProgram

    @property
    def name(self) -> str:
        return f"{self.suite.name}/{self.program.name}"


class _Asked(Record):
    """What of the command line concerns every search."""

    out: Path
    device: str
    most_candidates: int
    timeout_s: float


def main() -> None:
    """Search what is not there yet, and report."""
    arguments = _arguments()
    asked = _Asked(arguments.out, arguments.device, arguments.candidates, arguments.timeout)
    asked.out.mkdir(parents=True, exist_ok=True)
    if not arguments.report:
        tasks = tuple(_tasks(arguments.only))
        chosen = tasks if arguments.programs is None else tuple(random.Random(0).sample(tasks, arguments.programs))
        for task in chosen:
            _search_once(asked, task, _NO_ORDER, 0)
        for order in range(arguments.orders):
            ordered = random.Random(order).sample(chosen, len(chosen))
            for position, task in enumerate(ordered):
                _search_once(asked, task, order, position)
    print(report_in_words(_searches(asked.out)))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How much memory shortens searches.")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--orders", type=int, default=5, help="random orders, seeds 0, 1, …")
    parser.add_argument("--programs", type=int, default=None, help="only so many, chosen with seed 0")
    parser.add_argument("--only", nargs="*", default=None, help="only these (reductions/letters)")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--candidates", type=int, default=24)
    parser.add_argument("--timeout", type=float, default=900.0, help="seconds one search may take")
    parser.add_argument("--report", action="store_true", help="search nothing")
    return parser.parse_args()


def _tasks(only: list[str] | None) -> Iterator[_Task]:
    for suite in _SUITES:
        for program in read_suite(suite / SUITE_NAME):
            task = _Task(suite, program)
            if only is None or task.name in only:
                yield task


def _searches(out: Path) -> tuple[Search, ...]:
    path = out / _SEARCHES
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return tuple(Search(**(data := json.loads(line)) | {"gains": tuple(tuple(pair) for pair in data["gains"])}) for line in lines)


def _search_once(asked: _Asked, task: _Task, order: int, position: int) -> None:
    """The search on one program, unless its lines are there."""
    if any((found.program, found.order) == (task.name, order) for found in _searches(asked.out)):
        return
    folder = asked.out / ("none" if order == _NO_ORDER else f"order{order}")
    folder.mkdir(exist_ok=True)
    memory, before = folder / _MEMORY, folder / _DONE
    if order == _NO_ORDER or position == 0:
        _remove(memory)
    elif before.exists():
        _remove(memory)
        shutil.copyfile(before, memory)
    start_s = time.monotonic()
    job, failure = asyncio.run(_searched(asked, task, order, memory))
    with open_store(memory) as store:
        attempts = [attempt for attempt in reversed(store.attempts(limit=store.attempt_count())) if attempt.job == job]
        store.database.execute("pragma wal_checkpoint(truncate)")
    found = [*_by_kernel(task, order, position, attempts, failure, time.monotonic() - start_s)]
    with (asked.out / _SEARCHES).open("a", encoding="utf-8") as lines:
        lines.writelines(f"{json.dumps(asdict(search))}\n" for search in found)
    if order != _NO_ORDER:
        shutil.copyfile(memory, before)
    print(f"{task.name}, order {order}: {len(attempts)} candidates in {time.monotonic() - start_s:.0f} s {failure}", flush=True)


async def _searched(asked: _Asked, task: _Task, order: int, memory: Path) -> tuple[str, str]:
    """(the job's id, why it failed: empty where it did not)."""
    job = failure = ""
    options = OptimizeOptions(
        planner="expert",
        max_candidates=asked.most_candidates,
        choice="none" if order == _NO_ORDER else "thompson",
        choice_seed=max(0, order),
    )
    session = open_session("bench", memory=memory)
    try:
        async with asyncio.timeout(asked.timeout_s):
            with private_copy(task.suite) as copy:
                async for event in session.optimize(_request(asked, task, copy), options, Accept.NONE, None):
                    job = getattr(event, "job", None) or job
    except TimeoutError:
        failure = f"no end after {asked.timeout_s:g} s"
    except KernelOptError as error:
        failure = error.message
    finally:
        session.close()
    return job, failure


def _request(asked: _Asked, task: _Task, copy: Path) -> JobRequest:
    first, *others = (copy / file for file in task.program.files)
    return JobRequest(
        file=first,
        working_directory=first.parent,
        extra_sources=tuple(others),
        arguments=tuple(map(str, task.program.sizes[0])),
        device=asked.device,
    )


def _by_kernel(task: _Task, order: int, position: int, attempts: Iterable[Attempt], failure: str, duration_s: float) -> Iterator[Search]:
    """One for each kernel that something was tried on; one without a kernel where nothing was, so that it is not begun again."""
    by_kernel: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        by_kernel.setdefault(attempt.kernel.partition("(")[0], []).append(attempt)
    for kernel, tried in (by_kernel or {"": []}).items():
        yield Search(task.name, kernel, order, position, tuple(_gains(tried)), failure, round(duration_s, 1))


def _gains(attempts: Iterable[Attempt]) -> Iterator[tuple[str, float]]:
    """(technique, time of the start / time of the best version so far) after each candidate, as the screens of a chain multiply."""
    reached: dict[str, float] = {}
    best = 1.0
    for attempt in attempts:
        ratio = attempt.ratio
        if attempt.outcome is TrialOutcome.KEPT and ratio is not None:
            reached[attempt.key] = reached.get(attempt.parent_key, 1.0) * ratio
            best = max(best, reached[attempt.key])
        yield attempt.technique, round(best, 4)


def _remove(memory: Path) -> None:
    for path in memory.parent.glob(f"{memory.name}*"):
        path.unlink()


if __name__ == "__main__":
    main()
