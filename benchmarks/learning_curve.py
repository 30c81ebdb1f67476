"""Does memory shorten the search? Programs in random orders with a memory that grows, each against the same search without one.

    python -m benchmarks.learning_curve --out results/learning                      # everything; run again, it goes on
    python -m benchmarks.learning_curve --out results/small --only suite/mvt --orders 2
    python -m benchmarks.learning_curve --out results/learning --report             # what is there so far
    python -m benchmarks.learning_curve --out results/learning --kept               # only programs whose outcomes are kept

The programs are those of benchmarks/suite and benchmarks/reductions at their smallest sizes on the CPU lab, the planner is the expert, the
budget is the same on both sides. An order's seed chooses its programs' order and is the seed of Thompson sampling. A candidate is judged
once, whatever search comes to it (``learning_lab.py``); searches themselves take seconds, and all are gone through again each time.
``learning_report.py`` says what is counted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from assistant.errors import KernelOptError
from assistant.memory import open_store
from assistant.model.attempt import Attempt
from assistant.model.trial import TrialOutcome
from assistant.record import Record
from benchmarks.learning_lab import LearningLab, Task, tasks_of
from benchmarks.learning_report import Search, report_in_words

_HERE = Path(__file__).parent
_SUITES = (_HERE / "suite", _HERE / "reductions")
_SEARCHES, _MEMORY = "searches.jsonl", "memory.sqlite3"
_NO_ORDER = -1
"""Order of the searches without memory: they do not depend on one."""


class _Asked(Record):
    """What of the command line concerns every search."""

    out: Path
    lab: LearningLab
    choice: str
    most_candidates: int


def main() -> None:
    """Search, and report."""
    arguments = _arguments()
    out = arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    if not arguments.report:
        lab = LearningLab(out, arguments.timeout)
        tasks = tuple(task for task in tasks_of(_SUITES, arguments.only) if not arguments.kept or lab.is_kept(task))
        asked = _Asked(out, lab, arguments.choice, arguments.candidates)
        (out / _SEARCHES).unlink(missing_ok=True)
        _search_all(asked, tasks, _NO_ORDER)
        for order in range(arguments.orders):
            _search_all(asked, random.Random(order).sample(tasks, len(tasks)), order)
    print(report_in_words(_searches(out)))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How much memory shortens searches.")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--orders", type=int, default=5, help="random orders, seeds 0, 1, …")
    parser.add_argument("--only", nargs="*", default=None, help="only these (reductions/letters)")
    parser.add_argument("--choice", default="thompson", help="thompson or greedy")
    parser.add_argument("--candidates", type=int, default=24)
    parser.add_argument("--timeout", type=float, default=900.0, help="seconds one search may take")
    parser.add_argument("--kept", action="store_true", help="only programs of which an earlier run kept outcomes")
    parser.add_argument("--report", action="store_true", help="search nothing")
    return parser.parse_args()


def _searches(out: Path) -> tuple[Search, ...]:
    path = out / _SEARCHES
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return tuple(Search(**(data := json.loads(line)) | _tuples(data)) for line in lines)


def _tuples(data: dict[str, list[list[object]]]) -> dict[str, tuple[object, ...]]:
    return {"gains": tuple(tuple(pair) for pair in data["gains"]), "lengths": tuple(data["lengths"])}


def _search_all(asked: _Asked, tasks: Iterable[Task], order: int) -> None:
    """One after another with a memory that begins empty; without one, each with an empty memory that it does not ask."""
    memory = asked.out / _MEMORY
    for path in memory.parent.glob(f"{memory.name}*"):
        path.unlink()
    with open_store(memory) as store:
        for position, task in enumerate(tasks):
            start_s = time.monotonic()
            attempts, failure = tuple[Attempt, ...](), ""
            choice = "none" if order == _NO_ORDER else asked.choice
            try:
                attempts = asyncio.run(asked.lab.searched(task, store, choice, max(0, order), asked.most_candidates))
            except TimeoutError:
                failure = "no end in time"
            except KernelOptError as error:
                failure = error.message
            found = _by_kernel(task, order, position, attempts, failure, time.monotonic() - start_s)
            with (asked.out / _SEARCHES).open("a", encoding="utf-8") as lines:
                lines.writelines(f"{json.dumps(asdict(search))}\n" for search in found)
            print(f"{task.name}, order {order}: {len(attempts)} candidates in {time.monotonic() - start_s:.0f} s {failure}", flush=True)


def _by_kernel(task: Task, order: int, position: int, attempts: Iterable[Attempt], failure: str, duration_s: float) -> Iterator[Search]:
    """One for each kernel that something was tried on; one without a kernel where nothing was."""
    by_kernel: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        by_kernel.setdefault(attempt.kernel.partition("(")[0], []).append(attempt)
    for kernel, tried in (by_kernel or {"": []}).items():
        gains = tuple(_gains(tried))
        lengths = tuple(length for *_, length in gains)
        pairs = tuple((technique, ratio) for technique, ratio, _ in gains)
        yield Search(task.name, kernel, order, position, pairs, failure, round(duration_s, 1), lengths)


def _gains(attempts: Iterable[Attempt]) -> Iterator[tuple[str, float, int]]:
    """(technique, time of the start / time of the best version so far, edits in its chain) after each candidate, as screens multiply."""
    reached: dict[str, tuple[float, int]] = {}
    best = (1.0, 0)
    for attempt in attempts:
        ratio = attempt.ratio
        if attempt.outcome is TrialOutcome.KEPT and ratio is not None:
            before, length = reached.get(attempt.parent_key, (1.0, 0))
            reached[attempt.key] = (before * ratio, length + 1)
            best = max(best, reached[attempt.key], key=lambda version: version[0])
        yield attempt.technique, round(best[0], 4), best[1]


if __name__ == "__main__":
    main()
