"""The tasks of a folder as KernelBench lays them out: ``level1/3_Softmax.py``, ``level_1/…``, or a plain folder of task files.

Example::

    read_folder(Path("/suite")).problems[0].title     # 'level1/1_Square_matrix_multiplication_'
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from assistant.errors import UsageError
from assistant.operators.task import looks_like_task
from assistant.record import Record

__all__ = ["Problem", "TaskFolder", "chosen_problems", "level_of", "place_of", "read_folder"]

_LEVEL = re.compile(r"level_?(\d+)", re.IGNORECASE)
_NUMBER = re.compile(r"(\d+)_")
_MOST_NAMES = 12
"""Names of tasks in a message."""


class Problem(Record):
    """One task of the suite."""

    file: Path
    """Relative to the folder."""
    level: int | None
    """None: the folder has no levels."""
    number: int | None
    """The one that its file's name begins with; None: it begins with none."""

    @property
    def title(self) -> str:
        return self.file.with_suffix("").as_posix()


class TaskFolder(Record):
    """What a folder holds."""

    problems: tuple[Problem, ...]
    """By level, number and name."""
    left_out: tuple[Path, ...]
    """Python files that are no tasks, neither by their names nor by their texts."""


def read_folder(folder: Path) -> TaskFolder:
    """Nothing is run. In a level every file with a number is a task, be its text one or not: what cannot be judged counts as not correct.

    Raises UsageError for what is no folder, and where there is no task.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", "name a folder of PyTorch tasks: level1, level2, … or task files")
    levels = [path for path in folder.iterdir() if path.is_dir() and level_of(path.name) is not None]
    problems, left_out = list[Problem](), list[Path]()
    for place in levels or [folder]:
        level = level_of(place.name)
        for path in _python_files(place):
            file, number = path.relative_to(folder), _number_of(path)
            if (level is not None and number is not None) or _is_task(path):
                problems.append(Problem(file, level, number))
            else:
                left_out.append(file)
    if not problems:
        raise UsageError(
            f"there is no PyTorch task in {folder}: neither level1/1_NAME.py nor a Python file with Model and get_inputs()",
            "name the folder that holds level1, level2, …, or a folder of task files; docs/how-to/operators.md says what a task is",
        )
    return TaskFolder(tuple(sorted(problems, key=lambda each: place_of(each.level, each.number, each.title))), tuple(sorted(left_out)))


def level_of(name: str) -> int | None:
    """The level that a folder's name stands for; None for any other name."""
    found = _LEVEL.fullmatch(name)
    return None if found is None else int(found[1])


def place_of(level: int | None, number: int | None, title: str) -> tuple[float, float, str]:
    """A key to sort by: 2 stands before 10, and names without a number come last."""
    return level or 0, math.inf if number is None else number, title


def chosen_problems(problems: Sequence[Problem], names: Sequence[str], limit: int | None) -> tuple[Problem, ...]:
    """Those that have one of these names (title, file name without its ending, or level); all where there are no names.

    Raises UsageError for a name that none has.
    """
    unknown = next((name for name in names if not any(name in _names(problem) for problem in problems)), None)
    if unknown is not None:
        known = [problem.title for problem in problems]
        more = f", … ({len(known)} in all)" if len(known) > _MOST_NAMES else ""
        raise UsageError(f"there is no task called {unknown}", f"known are {', '.join(known[:_MOST_NAMES])}{more}, and levels as a whole")
    return tuple(problem for problem in problems if not names or not _names(problem).isdisjoint(names))[:limit]


def _names(problem: Problem) -> frozenset[str]:
    own = {problem.title, problem.file.stem}
    return frozenset(own | ({problem.file.parent.name, f"level{problem.level}"} if problem.level is not None else set()))


def _python_files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.glob("*.py") if path.is_file() and not path.name.startswith("."))


def _number_of(path: Path) -> int | None:
    found = _NUMBER.match(path.name)
    return None if found is None else int(found[1])


def _is_task(path: Path) -> bool:
    try:
        return looks_like_task(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        return False
