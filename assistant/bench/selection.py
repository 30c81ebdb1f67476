"""Which tasks of a folder are run: those of its ``suite.toml``, or each program found in it, at the sizes asked for.

Example::

    chosen_tasks(Path("benchmarks/suite"), TaskChoice(names=("matmul",), sizes="largest")).tasks   # (matmul 4096,)
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from assistant.bench.found_programs import found_programs
from assistant.bench.suite_file import SUITE_NAME, SuiteProgram, read_suite
from assistant.bench.task import Task
from assistant.errors import UsageError
from assistant.record import Record

__all__ = ["ChosenTasks", "TaskChoice", "chosen_tasks"]

_WORDS = ("smallest", "largest", "all")


class TaskChoice(Record):
    """What was asked for."""

    names: tuple[str, ...] = ()
    """Empty: all."""
    sizes: str | None = None
    """With a ``suite.toml`` ``smallest``, ``largest``, ``all``, or numbers of sizes from 1, with commas; without one the arguments of
    each run, with commas, and those words mean none. None: ``smallest``."""
    limit: int | None = None
    """Programs at most; None: no limit."""


class ChosenTasks(Record):
    tasks: tuple[Task, ...]
    left_out: tuple[Path, ...] = ()
    """Sources of the folder that no program runs, where no ``suite.toml`` says which are meant."""


def chosen_tasks(folder: Path, choice: TaskChoice) -> ChosenTasks:
    """In the suite's order, else by path. Raises UsageError where there is none, and for a name or a size that does not exist."""
    suite = folder / SUITE_NAME
    if suite.exists():
        return ChosenTasks(_of_suite(read_suite(suite), choice))
    found = found_programs(folder)
    if not found.programs:
        raise UsageError(
            f"there is no program below {folder}: no .cu file with main() or a declared workload",
            "name another folder; PyTorch tasks: --suite kernelbench",
        )
    names = _chosen([name for name, _ in found.programs], choice)
    sizes = choice.sizes or _WORDS[0]
    runs = [()] if sizes in _WORDS else [_words(part) for part in sizes.split(",")]
    tasks = tuple(Task(name, files, arguments) for name, files in found.programs if name in names for arguments in runs)
    return ChosenTasks(tasks, found.left_out)


def _of_suite(programs: Sequence[SuiteProgram], choice: TaskChoice) -> tuple[Task, ...]:
    names = _chosen([program.name for program in programs], choice)
    return tuple(
        Task(program.name, tuple(map(Path, program.files)), tuple(map(str, size)), program.requirements(size))
        for program in programs
        if program.name in names
        for size in _sizes(program, choice.sizes or _WORDS[0])
    )


def _chosen(known: Sequence[str], choice: TaskChoice) -> frozenset[str]:
    unknown = [name for name in choice.names if name not in known]
    if unknown:
        raise UsageError(f"there is no program called {unknown[0]}", f"known are {', '.join(known)}")
    wanted = [name for name in known if not choice.names or name in choice.names]
    return frozenset(wanted[: choice.limit])


def _sizes(program: SuiteProgram, asked: str) -> Iterator[tuple[int, ...]]:
    match asked:
        case "smallest":
            yield program.sizes[0]
        case "largest":
            yield program.sizes[-1]
        case "all":
            yield from program.sizes
        case _:
            for word in asked.split(","):
                if not word.strip().isdigit() or not 1 <= int(word) <= len(program.sizes):
                    raise UsageError(
                        f"--sizes: {program.name} has no size {word.strip()!r}",
                        f"give smallest, largest, all, or numbers from 1 to {len(program.sizes)} with commas",
                    )
                yield program.sizes[int(word) - 1]


def _words(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"--sizes: {text!r} cannot be split into words: {error}") from error
